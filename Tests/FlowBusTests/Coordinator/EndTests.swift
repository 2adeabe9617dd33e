import BusTestSupport
import FlowBus
import FlowBusClient
import Testing

/// The end of a coordinator: no object is retained, and no wait is endless.
@MainActor
@Suite("The end of a coordinator", .fewAtOnce, .serialized, .timeLimit(.minutes(1)))
struct EndTests {
    private static func coordinator(_ host: HostKind) throws -> (FlowCoordinator, ServiceFixture?) {
        switch host {
        case .inProcess: return (FlowCoordinator(), nil)
        case .onTheBus:
            let serviceFixture = try ServiceFixture()
            return (try FlowCoordinator(bus: serviceFixture.connect()), serviceFixture)
        }
    }

    @Test(arguments: HostKind.allCases, [false, true])
    func `everything is freed and ended, whether the coordinator is released or ended`(host: HostKind, isReleased: Bool)
        async throws
    {
        var (coordinator, serviceFixture): (FlowCoordinator?, ServiceFixture?) = try Self.coordinator(host)
        weak let held = coordinator
        weak var flow: OddFlow<Main>?
        weak var page: BusyScreen?
        weak var stepper: TestStepper?
        var log: [String] = []
        do {
            let screen = BusyScreen("page")
            screen.withdraws = { log.append("withdraw \($0.name)") }
            let main = OddFlow(Main.self) { [unowned screen] step in
                if case TestStep.one = step { .one(flowContributor: .contribute(withNext: screen)) } else { .none }
            }
            let begin = TestStepper(TestStep.one)
            (flow, page, stepper) = (main, screen, begin)
            let (presents, presented) = AsyncStream<Void>.makeStream()
            screen.presents = { _ in presented.yield(()) }
            try await coordinator?.coordinate(flow: main, with: begin)
            for await _ in presents { break }
        }
        let ends = [coordinator?.didNavigate].compactMap(\.self)
        let failures = coordinator?.failures
        if !isReleased { coordinator?.end() }
        if !isReleased { #expect(log == ["withdraw page"]) }
        coordinator = nil
        for stream in ends { for await _ in stream {} }
        if let failures { for await _ in failures {} }
        // Pending work releases its references in later turns of the loop.
        while held != nil || flow != nil || page != nil || stepper != nil { await Task.yield() }
        #expect(log == ["withdraw page"])
        if let serviceFixture {
            #expect(try serviceFixture.service.coordinator("GetDefinitionNames").first?.elements.isEmpty == true)
        }
    }

    @Test(arguments: HostKind.allCases)
    func `waiting calls fail when it ends, and so do later ones`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        let gates = Gates()
        let coordinator = fixture.coordinator
        let main = try await fixture.root(Main.self) { _ in
            .none
        } adapt: { step in
            if case TestStep.one = step { try await gates.waitOrThrow() }
            return step
        }
        let waits = [
            Task { _ = try await coordinator.emit(TestStep.one, on: main) },
            Task { _ = try await coordinator.emit(TestStep.two, on: main) },
            Task { _ = try await coordinator.emit(TestStep.three, on: main) },
        ]
        await gates.arrived()
        let late = Task { try await coordinator.coordinate(flow: OddFlow(Main.self)) }
        coordinator.end()
        coordinator.end()
        #expect(await gates.cancelled())
        for wait in waits { await #expect(throws: NavigationError.self) { try await wait.value } }
        await #expect(throws: NavigationError.self) { try await late.value }
        await #expect(throws: NavigationError.self) { try await coordinator.coordinate(flow: OddFlow(Side.self)) }
        await #expect(throws: NavigationError.self) { try await coordinator.navigate(to: TestStep.one) }
        await #expect(throws: NavigationError.self) { try await coordinator.back(on: main) }
        for await _ in coordinator.didNavigate {}
        #expect(await fixture.navigation() == nil)
        #expect(coordinator.path(of: main) == nil && main.withdrawals == 1)
    }

    @Test(arguments: HostKind.allCases)
    func `it can be ended from any callback`(host: HostKind) async throws {
        for place in ["navigate", "adapt", "ready", "present", "withdraw", "use"] {
            let (coordinator, serviceFixture) = try Self.coordinator(host)
            let page = BusyScreen("page")
            let end = { [weak coordinator] (here: String) in if here == place { coordinator?.end() } }
            page.readies = { _ in end("ready") }
            page.withdraws = { _ in end("withdraw") }
            let side = OddFlow(Side.self)
            let flow = OddFlow(Main.self) { step in
                end("navigate")
                Flows.use(side, when: .ready) { _ in end("use") }
                return .all(.contribute(withNext: page), .child(side))
            } adapt: { step in
                end("adapt")
                return step
            }
            page.presents = { [weak flow] page in
                end("present")
                page.show()
                if place == "withdraw" { flow?.root.dismiss() }
            }
            let ended = coordinator.failures
            _ = try? await coordinator.coordinate(flow: flow, with: OneStepper(withSingleStep: TestStep.one))
            // It ends when the coordinator has.
            for await _ in ended {}
            #expect(coordinator.path(of: flow) == nil)
            withExtendedLifetime(serviceFixture) {}
        }
    }

    @Test(arguments: HostKind.allCases)
    func `a cancelled task stops waiting immediately, and the step is taken all the same`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        let gates = Gates()
        let coordinator = fixture.coordinator
        let main = try await fixture.root(Main.self) { _ in
            .none
        } adapt: { step in
            if case TestStep.one = step { await gates.wait() }
            return step
        }
        let emit = Task { _ = try await coordinator.emit(TestStep.one, on: main) }
        await gates.arrived()
        emit.cancel()
        await #expect(throws: CancellationError.self) { try await emit.value }
        let others = [
            Task { _ = try await coordinator.emit(TestStep.two, on: main) },
            Task { _ = try await coordinator.navigate(to: TestStep.three) },
        ]
        for other in others { other.cancel() }
        // Cancelled before they began, so no call was made.
        for other in others { await #expect(throws: CancellationError.self) { try await other.value } }
        let begin = Task { _ = try await coordinator.coordinate(flow: OddFlow(Side.self)) }
        begin.cancel()
        await #expect(throws: CancellationError.self) { try await begin.value }
        gates.open()
        try await coordinator.emit(TestStep.four, on: main)
        #expect(await fixture.navigations(2) == ["Main one", "Main four"])
    }

    @Test func `a flow that is waited for and never begins is not retained`() async {
        weak var leaking: OddFlow<Main>?
        do {
            let flow = OddFlow(Main.self)
            leaking = flow
            Flows.use(flow, when: .ready) { _ in Issue.record("it is not ready") }
            Flows.use([flow], when: .ready) { (_: [TestScreen]) in Issue.record("it is not ready") }
        }
        #expect(leaking == nil)
    }

    @Test(arguments: HostKind.allCases)
    func `many coordinators live beside each other`(host: HostKind) async throws {
        let serviceFixture = host == .onTheBus ? try ServiceFixture() : nil
        let bus = try serviceFixture?.connect()
        var coordinators: [FlowCoordinator] = []
        for number in 1...20 {
            let coordinator =
                try bus.map { bus throws(NavigationError) in try FlowCoordinator(bus: bus) } ?? FlowCoordinator()
            coordinators.append(coordinator)
            let flow: any Flow = number.isMultiple(of: 2) ? OddFlow(Main.self) : OddFlow(Side.self)
            guard bus != nil, number > 2 else {
                try await coordinator.coordinate(flow: flow, with: OneStepper(withSingleStep: TestStep.one))
                continue
            }
            // On one connection, only one coordinator can have a definition.
            let error = try await refusal { try await coordinator.coordinate(flow: flow, with: NoneStepper()) }
            #expect(error.code == .alreadyRegistered && error.message.contains("coordinator"))
        }
        guard bus != nil else { return }
        coordinators[0].end()
        try await coordinators[4].coordinate(flow: OddFlow(Side.self), with: OneStepper(withSingleStep: TestStep.one))
        #expect(coordinators.count == 20)
    }
}
