import BusTestSupport
import FlowBus
import FlowBusClient
import Glibc
import Testing

/// The service is killed, and restarted.
@MainActor
@Suite("A service that restarts", .timeLimit(.minutes(1)))
struct RestartTests {
    /// A root with a child flow and a screen, which are created again for each `one`.
    private struct Family {
        let main: OddFlow<Main>
        let sides: Box<OddFlow<Side>>
        let pages: Box<TestScreen>
    }

    private final class Box<Element> {
        var all: [Element] = []
    }

    private func family(_ fixture: CoordinatorFixture) async throws -> Family {
        let (sides, pages) = (Box<OddFlow<Side>>(), Box<TestScreen>())
        let main = OddFlow(Main.self) { step in
            guard case TestStep.one = step else { return .none }
            let (side, page) = (OddFlow(Side.self), TestScreen("page", initialStep: TestStep.three))
            sides.all.append(side)
            pages.all.append(page)
            return .all(.child(side, TestStep.two), .contribute(withNext: page))
        }
        try await fixture.begin(main, with: OneStepper(withSingleStep: TestStep.one))
        #expect(await fixture.navigations(2) == ["Main one", "Main/Side two"])
        return Family(main: main, sides: sides, pages: pages)
    }

    @Test func `with its store the tree is restored, and flows continue unchanged`() async throws {
        let fixture = try CoordinatorFixture(.onTheBus)
        let serviceFixture = try #require(fixture.serviceFixture)
        let family = try await family(fixture)
        try serviceFixture.service.restart()
        // Its signals report the restart before the answer to this call.
        while await fixture.verdict(of: TestStep.four, on: family.sides.all[0]) != "navigated" {}
        family.pages.all[0].show()
        var log: [String] = []
        while log.last != "Main three" { log += await fixture.navigations(1) }
        #expect(log.first == "Main/Side four" && log.allSatisfy { !$0.hasSuffix("one") })
        #expect(family.sides.all.count == 1 && family.pages.all[0].withdrawals == 0 && family.main.withdrawals == 0)
        try await fixture.coordinator.emit(TestStep.one, on: family.main)
        #expect(family.sides.all.count == 2)
        #expect(fixture.coordinator.path(of: family.sides.all[1]) == "Main/Side_2")
    }

    @Test func `without persistence, roots begin again in order, and their screens are withdrawn`() async throws {
        let fixture = try CoordinatorFixture(.onTheBus)
        let serviceFixture = try #require(fixture.serviceFixture)
        let family = try await family(fixture)
        let others = [OddFlow(Deep.self), OddFlow(Deep.self), OddFlow(Deep.self)]
        for flow in others { try await fixture.begin(flow, with: OneStepper(withSingleStep: TestStep.one)) }
        #expect(await fixture.navigations(3) == ["Deep one", "Deep_2 one", "Deep_3 one"])
        try serviceFixture.service.restart("--runtime", "none", "--state", "none")
        #expect(
            Set(await fixture.navigations(5)) == ["Main one", "Main/Side two", "Deep one", "Deep_2 one", "Deep_3 one"])
        #expect(others.map(fixture.coordinator.path(of:)) == ["Deep", "Deep_2", "Deep_3"])
        #expect(family.sides.all.map(\.withdrawals) == [1, 0] && family.pages.all.map(\.withdrawals) == [1, 0])
        #expect(fixture.coordinator.path(of: family.main) == "Main" && family.main.withdrawals == 0)
    }

    @Test func `without persistence, a definition that another program has by now is not started`() async throws {
        let fixture = try CoordinatorFixture(.onTheBus)
        let serviceFixture = try #require(fixture.serviceFixture)
        let family = try await family(fixture)
        try serviceFixture.service.flows.write(
            "version = 1\n[steps]\none = {}\n[flows.Main]\n[flows.Main.on]\none = { none = true }\n", to: "flows.toml")
        try serviceFixture.service.restart("--runtime", "none", "--state", "none")
        var failures: [String] = []
        while failures.filter({ $0.contains("AlreadyRegistered") }).count < 2 { failures += await fixture.failures(1) }
        #expect(fixture.coordinator.path(of: family.main) == nil)
        #expect(try serviceFixture.service.objects()["/org/flowbus/Navigation1/tree/Main"] == nil)
    }

    @Test func `changes of a screen without a service are reported later`() async throws {
        let fixture = try CoordinatorFixture(.onTheBus)
        let serviceFixture = try #require(fixture.serviceFixture)
        let family = try await family(fixture)
        let service = serviceFixture.service
        service.process.send(signal: SIGKILL)
        try service.process.waitForExit()
        let page = family.pages.all[0]
        // Only the last state counts.
        family.main.root.hide()
        page.show()
        page.hide()
        page.show()
        family.main.root.show()
        page.steps.accept(TestStep.five)
        var failures: [String] = []
        repeat { failures += await fixture.failures(1) } while failures.last?.hasPrefix("Main/page five") != true
        try service.start()
        #expect(await fixture.navigations(1) == ["Main three"])
        #expect(try service.property("Presented", of: "/Main/page", "Presentable") == true)
    }

    @Test func `calls fail without a service, and a flow begins when there is one`() async throws {
        let serviceFixture = try ServiceFixture()
        serviceFixture.service.process.send(signal: SIGKILL)
        try serviceFixture.service.process.waitForExit()
        let coordinator = try FlowCoordinator(bus: serviceFixture.connect())
        let flow = OddFlow(Main.self)
        let error = try await refusal { try await coordinator.coordinate(flow: flow, with: NoneStepper()) }
        #expect(error.code == .serviceUnknown)
        try serviceFixture.service.start()
        #expect(try await coordinator.coordinate(flow: flow, with: OneStepper(withSingleStep: TestStep.one)) == "Main")
        #expect(try await coordinator.emit(TestStep.two, on: flow).isNavigated)
    }
}
