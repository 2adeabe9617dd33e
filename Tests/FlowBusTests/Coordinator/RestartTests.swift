import BusTestSupport
import FlowBus
import Glibc
import Testing

/// The service is killed, and comes again.
@MainActor
@Suite("A service that comes and goes", .timeLimit(.minutes(1)))
struct RestartTests {
    /// A root with a child flow and a screen, which are made anew for each `one`.
    private struct Family {
        let main: OddFlow<Main>
        let sides: Box<OddFlow<Side>>
        let pages: Box<TestScreen>
    }

    private final class Box<Element> {
        var all: [Element] = []
    }

    private func family(_ stage: Stage) async throws -> Family {
        let (sides, pages) = (Box<OddFlow<Side>>(), Box<TestScreen>())
        let main = OddFlow(Main.self) { step in
            guard case TestStep.one = step else { return .none }
            let (side, page) = (OddFlow(Side.self), TestScreen("page", initialStep: TestStep.three))
            sides.all.append(side)
            pages.all.append(page)
            return .all(.child(side, TestStep.two), .contribute(withNext: page))
        }
        try await stage.begin(main, with: OneStepper(withSingleStep: TestStep.one))
        #expect(await stage.navigations(2) == ["Main one", "Main/Side two"])
        return Family(main: main, sides: sides, pages: pages)
    }

    @Test func `with its store the tree is back, and flows go on as if nothing had been`() async throws {
        let stage = try Stage(.onTheBus)
        let ground = try #require(stage.ground)
        let family = try await family(stage)
        try ground.service.restart()
        // Its signals tell that it is there anew, before the answer to what is asked now.
        while await stage.verdict(of: TestStep.four, on: family.sides.all[0]) != "navigated" {}
        family.pages.all[0].show()
        var log: [String] = []
        while log.last != "Main three" { log += await stage.navigations(1) }
        #expect(log.first == "Main/Side four" && log.allSatisfy { !$0.hasSuffix("one") })
        #expect(family.sides.all.count == 1 && family.pages.all[0].withdrawals == 0 && family.main.withdrawals == 0)
        try await stage.coordinator.emit(TestStep.one, on: family.main)
        #expect(family.sides.all.count == 2)
        #expect(stage.coordinator.path(of: family.sides.all[1]) == "Main/Side_2")
    }

    @Test func `with nothing kept, roots begin again in their order, and what was is withdrawn`() async throws {
        let stage = try Stage(.onTheBus)
        let ground = try #require(stage.ground)
        let family = try await family(stage)
        let others = [OddFlow(Deep.self), OddFlow(Deep.self), OddFlow(Deep.self)]
        for flow in others { try await stage.begin(flow, with: OneStepper(withSingleStep: TestStep.one)) }
        #expect(await stage.navigations(3) == ["Deep one", "Deep_2 one", "Deep_3 one"])
        try ground.service.restart("--runtime", "none", "--state", "none")
        #expect(
            Set(await stage.navigations(5)) == ["Main one", "Main/Side two", "Deep one", "Deep_2 one", "Deep_3 one"])
        #expect(others.map(stage.coordinator.path(of:)) == ["Deep", "Deep_2", "Deep_3"])
        #expect(family.sides.all.map(\.withdrawals) == [1, 0] && family.pages.all.map(\.withdrawals) == [1, 0])
        #expect(stage.coordinator.path(of: family.main) == "Main" && family.main.withdrawals == 0)
    }

    @Test func `with nothing kept, a definition that is another's now is not begun for ours`() async throws {
        let stage = try Stage(.onTheBus)
        let ground = try #require(stage.ground)
        let family = try await family(stage)
        try ground.service.flows.write(
            "version = 1\n[steps]\none = {}\n[flows.Main]\n[flows.Main.on]\none = { none = true }\n", to: "flows.toml")
        try ground.service.restart("--runtime", "none", "--state", "none")
        var failures: [String] = []
        while failures.filter({ $0.contains("AlreadyRegistered") }).count < 2 { failures += await stage.failures(1) }
        #expect(stage.coordinator.path(of: family.main) == nil)
        #expect(try ground.service.objects()["/org/flowbus/Navigation1/tree/Main"] == nil)
    }

    @Test func `what a screen says while there is no service is said again`() async throws {
        let stage = try Stage(.onTheBus)
        let ground = try #require(stage.ground)
        let family = try await family(stage)
        let service = ground.service
        service.process.send(signal: SIGKILL)
        try service.process.waitForExit()
        let page = family.pages.all[0]
        // Hidden, shown, and not what was between is what counts.
        family.main.root.hide()
        page.show()
        page.hide()
        page.show()
        family.main.root.show()
        page.steps.accept(TestStep.five)
        var failures: [String] = []
        repeat { failures += await stage.failures(1) } while failures.last?.hasPrefix("Main/page five") != true
        try service.start()
        #expect(await stage.navigations(1) == ["Main three"])
        #expect(try service.property("Presented", of: "/Main/page", "Presentable") == true)
    }

    @Test func `calls fail while there is none, and a flow begins when there is one at last`() async throws {
        let ground = try Ground()
        ground.service.process.send(signal: SIGKILL)
        try ground.service.process.waitForExit()
        let coordinator = try FlowCoordinator(bus: ground.connect())
        let flow = OddFlow(Main.self)
        let error = try await refusal { try await coordinator.coordinate(flow: flow, with: NoneStepper()) }
        #expect(error.code == .serviceUnknown)
        try ground.service.start()
        #expect(try await coordinator.coordinate(flow: flow, with: OneStepper(withSingleStep: TestStep.one)) == "Main")
        #expect(try await coordinator.emit(TestStep.two, on: flow).isNavigated)
    }
}
