import BusTestSupport
import FlowBus
import FlowBusClient
import Glibc
import Testing

/// The service is killed, and restarted.
@MainActor
@Suite("A service that restarts", .fewAtOnce, .serialized, .timeLimit(.minutes(1)))
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

    /// Kills the service while it waits for the flow.
    private func kill(_ service: Service) {
        service.process.send(signal: SIGKILL)
        #expect(throws: Never.self) { try service.process.waitForExit() }
    }

    @Test(arguments: [true, false], [true, false])
    func `a service that ends before the initial step has run: the flow goes on, or begins again, with the next`(
        isKept: Bool, isNextThere: Bool
    ) async throws {
        let fixture = try CoordinatorFixture(.onTheBus)
        let service = try #require(fixture.serviceFixture).service
        func start() throws {
            if isKept { try service.start() } else { try service.start("--runtime", "none", "--state", "none") }
        }
        var count = 0
        let flow = OddFlow(Main.self) { _ in
            .child(TestScreen("page"))
        } adapt: { step in
            count += 1
            if count > 1 { return step }
            kill(service)
            if isNextThere { try start() }
            return step
        }
        let coordinator = fixture.coordinator
        let stepper = OneStepper(withSingleStep: TestStep.one)
        if isNextThere {
            #expect(try await coordinator.coordinate(flow: flow, with: stepper) == "Main")
        } else {
            // It can't be started by the bus here.
            let error = try await refusal { try await coordinator.coordinate(flow: flow, with: stepper) }
            #expect(error.code == .noReply)
            try start()
        }
        #expect(await fixture.navigations(1) == ["Main one"])
        #expect(coordinator.path(of: flow) == "Main" && count == 2)
        #expect(try service.objects().keys.contains("/org/flowbus/Navigation1/tree/Main/page"))
    }

    @Test func `a service that ends while a deep link and Back wait`() async throws {
        let fixture = try CoordinatorFixture(.onTheBus)
        let service = try #require(fixture.serviceFixture).service
        let gates = Gates()
        let flow = try await fixture.root(Main.self) { _ in
            .none
        } adapt: { step in
            if case TestStep.one = step { await gates.wait() }
            return step
        }
        let coordinator = fixture.coordinator
        async let emitted = fixture.verdict(of: TestStep.one, on: flow)
        await gates.arrived()
        async let link = coordinator.navigate(to: TestStep.two)
        async let back = refusal { try await coordinator.back(on: flow) }
        for _ in 0..<4 { _ = try await #require(fixture.bus).definitionNames() }
        kill(service)
        // It can't be started by the bus here.
        #expect([.serviceUnknown, .noReply].contains(try await back.code))
        let outcome = try #require(await link.first)
        #expect(outcome.path == "Main")
        #expect(try refused(outcome).code == .noReply)
        gates.open()
        _ = await emitted
    }

    private func refused(_ outcome: FlowOutcome) throws -> NavigationError {
        guard case .failure(let error)? = outcome.result else { throw CancellationError() }
        return error
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
