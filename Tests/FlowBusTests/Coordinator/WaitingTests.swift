import FlowBus
import FlowBusClient
import Testing

/// Calls at a flow whose `adapt` is under way.
@MainActor
@Suite("Calls that wait for adapt", .fewAtOnce, .serialized, .timeLimit(.minutes(1)))
struct WaitingTests {
    private enum Stacked: Oddity { static var children: Children { .stack } }

    /// A flow whose adapt of `one` waits at gates, above two pages, or above a flow with them.
    private func flow(_ fixture: CoordinatorFixture, _ gates: Gates) async throws -> OddFlow<Stacked> {
        let flow = try await fixture.root(Stacked.self) { step in
            guard case TestStep.two = step else { return .none }
            return .all(.child(TestScreen("list")), .child(TestScreen("detail")))
        } adapt: { step in
            if case TestStep.one = step { await gates.wait() }
            return step
        }
        try await fixture.coordinator.emit(TestStep.two, on: flow)
        #expect(await fixture.navigations(1) == ["Stacked two"])
        return flow
    }

    /// Returns when the host has taken all calls made so far.
    private func taken(_ fixture: CoordinatorFixture) async throws {
        for _ in 0..<4 {
            if let bus = fixture.bus { _ = try await bus.definitionNames() }
            for _ in 0..<8 { await Task.yield() }
        }
    }

    @Test(arguments: HostKind.allCases)
    func `S-24 S-27: deep links and Back are taken after the step that is adapted`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        let gates = Gates()
        let flow = try await flow(fixture, gates)
        let coordinator = fixture.coordinator
        async let emitted = coordinator.emit(TestStep.one, on: flow)
        await gates.arrived()
        var answered = 0
        let link = Task { @MainActor in
            defer { answered += 1 }
            return try await coordinator.navigate(to: TestStep.three)
        }
        try await taken(fixture)
        let back = Task { @MainActor in
            defer { answered += 1 }
            return try await coordinator.back(on: flow)
        }
        try await taken(fixture)
        #expect(answered == 0)
        gates.open()
        #expect(try await emitted.isNavigated)
        let outcomes = try await link.value
        #expect(outcomes.map(\.path) == ["Stacked"])
        #expect(try outcomes.first?.result?.get().isNavigated == true)
        #expect(try await back.value.isNavigated)
        #expect(await fixture.navigations(3) == ["Stacked one", "Stacked three", "Stacked back"])
    }

    @Test(arguments: HostKind.allCases)
    func `S-24: Back in a flow waits for the one inside it that would go back`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        let gates = Gates()
        let inner = OddFlow(Stacked.self) { step in
            guard case TestStep.two = step else { return .none }
            return .all(.child(TestScreen("list")), .child(TestScreen("detail")))
        } adapt: { step in
            if case TestStep.one = step { await gates.wait() }
            return step
        }
        let main = try await fixture.root(Main.self) { step in
            guard case TestStep.two = step else { return .none }
            return .child(inner, TestStep.two)
        }
        try await fixture.coordinator.emit(TestStep.two, on: main)
        #expect(await fixture.navigations(2) == ["Main two", "Main/Stacked two"])
        async let emitted = fixture.coordinator.emit(TestStep.one, on: inner)
        await gates.arrived()
        async let first = fixture.coordinator.back(on: main)
        async let second = fixture.coordinator.back(on: main)
        try await taken(fixture)
        gates.open()
        #expect(try await emitted.isNavigated)
        let verdicts = [try await first.verdict, try await second.verdict]
        #expect(Set(verdicts) == [.navigated, .unhandled])
        #expect(await fixture.navigations(2) == ["Main/Stacked one", "Main/Stacked back"])
    }

    @Test(arguments: HostKind.allCases)
    func `S-5: Back and deep links go on when adapt has taken too long`(host: HostKind) async throws {
        enum Hasty: Oddity { static var timeout: Duration { .milliseconds(200) } }
        let fixture = try CoordinatorFixture(host)
        let gates = Gates()
        let flow = try await fixture.root(Hasty.self) { _ in
            .none
        } adapt: { step in
            // It does not notice that it is cancelled.
            if case TestStep.one = step { await gates.wait() }
            return step
        }
        async let emitted = fixture.verdict(of: TestStep.one, on: flow)
        await gates.arrived()
        async let link = fixture.coordinator.navigate(to: TestStep.three)
        async let back = fixture.coordinator.back(on: flow)
        #expect(await emitted == "GuardTimeout")
        #expect(try await link.first?.result?.get().isNavigated == true)
        #expect(try await back.verdict == .unhandled)
        gates.open()
    }

    @Test(arguments: HostKind.allCases)
    func `calls that wait are refused when the coordinator ends`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        let gates = Gates()
        let flow = try await flow(fixture, gates)
        let coordinator = fixture.coordinator
        async let emitted = fixture.verdict(of: TestStep.one, on: flow)
        await gates.arrived()
        async let back = refusal { try await coordinator.back(on: flow) }
        async let link = coordinator.navigate(to: TestStep.three)
        try await taken(fixture)
        coordinator.end()
        #expect(try await back.code == .flowEnded)
        // The link is refused as a whole, or at the flow, as far as it had come.
        do {
            let outcomes = try await link
            #expect(throws: NavigationError.self) { try outcomes.first?.result?.get() }
        } catch let error as NavigationError {
            #expect(error.code == .flowEnded)
        }
        _ = await emitted
        gates.open()
    }

    // MARK: Roots

    @Test(arguments: HostKind.allCases)
    func `coordinate returns when the initial step has run`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        let page = TestScreen("page")
        let flow = OddFlow(Main.self) { step in
            guard case TestStep.one = step else { return .none }
            return .child(page)
        }
        try await fixture.coordinator.coordinate(flow: flow, with: OneStepper(withSingleStep: TestStep.one))
        #expect(fixture.coordinator.path(of: page) == "Main/page")
    }

    @Test(arguments: HostKind.allCases)
    func `coordinate does not wait for an adapt that suspends, as in RxFlow`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        let gates = Gates()
        let flow = OddFlow(Main.self) { _ in
            .child(OddFlow(Side.self), TestStep.two)
        } adapt: { step in
            await gates.wait()
            return step
        }
        let stepper = OneStepper(withSingleStep: TestStep.one)
        #expect(try await fixture.coordinator.coordinate(flow: flow, with: stepper) == "Main")
        gates.open()
        #expect(await fixture.navigations(1) == ["Main one"])
    }

    @Test(arguments: HostKind.allCases, ["rejected", "unhandled", "failed", "ended", "none"])
    func `coordinate returns whatever becomes of the initial step`(host: HostKind, what: String) async throws {
        struct Trouble: Error {}
        let fixture = try CoordinatorFixture(host)
        let flow = OddFlow(Main.self) { _ in
            switch what {
            case "unhandled": .unhandled
            case "ended": .end(forwardToParentFlowWithStep: NoneStep())
            default: .none
            }
        } adapt: { step in
            if what == "rejected" { throw StepRejected() }
            if what == "failed" { throw Trouble() }
            return step
        }
        let stepper: any Stepper = what == "none" ? NoneStepper() : OneStepper(withSingleStep: TestStep.one)
        #expect(try await fixture.coordinator.coordinate(flow: flow, with: stepper) == "Main")
        let outcomes = ["rejected": "rejected", "unhandled": "unhandled", "failed": "GuardFailed"]
        if let outcome = outcomes[what] { #expect(await fixture.failures(1) == ["Main one \(outcome)"]) }
        // The flow's end follows the report of the navigation.
        if what == "ended" {
            while fixture.coordinator.path(of: flow) != nil { await Task.yield() }
        } else {
            #expect(fixture.coordinator.path(of: flow) == "Main")
        }
    }

    @Test(arguments: HostKind.allCases)
    func `coordinate is refused when the coordinator ends meanwhile`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        let coordinator = fixture.coordinator
        let flow = OddFlow(Main.self) { [weak coordinator] _ in
            coordinator?.end()
            return .none
        }
        let error = try await refusal {
            try await coordinator.coordinate(flow: flow, with: OneStepper(withSingleStep: TestStep.one))
        }
        #expect(error.code == .flowEnded)
    }

    // MARK: Steps that a flow does not take

    @Test(arguments: HostKind.allCases)
    func `S-9 S-12: a flow that answers unhandled does not take the step`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        let side = OddFlow(Side.self) { step in
            if case TestStep.four = step { .unhandled } else { .none }
        }
        let main = try await fixture.root(Main.self) { step in
            guard case TestStep.one = step else { return .unhandled }
            return .child(side, TestStep.four)
        }
        let coordinator = fixture.coordinator
        #expect(await fixture.verdict(of: TestStep.two, on: main) == "unhandled")
        #expect(await fixture.verdict(of: TestStep.one, on: main) == "navigated")
        #expect(await fixture.failures(1) == ["Main/Side four unhandled"])
        let outcomes = try await coordinator.navigate(to: TestStep.three)
        #expect(try outcomes.map { try $0.result?.get().verdict } == [.unhandled, .navigated])
        #expect(await fixture.navigations(2) == ["Main one", "Main/Side three"])
    }
}
