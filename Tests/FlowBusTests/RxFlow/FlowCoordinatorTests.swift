import FlowBus
import FlowBusClient
import Testing

// RxFlow's own tests with this API and both hosts; a test has the name of its counterpart in RxFlow.

@MainActor
@Suite("RxFlow's FlowCoordinatorTests, in Swift", .fewAtOnce, .serialized, .timeLimit(.minutes(1)))
struct FlowCoordinatorTests {
    @Test(arguments: HostKind.allCases)
    func `S-16 testCoordinateWithOneStepper: the initial step is navigated at once`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        var isStepOneTaken = false
        let flow = TestFlow { step in
            if case TestStep.one = step { isStepOneTaken = true }
            return .none
        }
        try await fixture.coordinator.coordinate(flow: flow, with: OneStepper(withSingleStep: TestStep.one))
        #expect(isStepOneTaken)
        #expect(await fixture.navigations(1) == ["TestFlow one"])
    }

    @Test(arguments: HostKind.allCases)
    func `S-16 testCoordinateWhenAllowStepWhenNotPresented_doEmitAStep: hidden, its steps pass`(host: HostKind)
        async throws
    {
        let fixture = try CoordinatorFixture(host)
        let page = TestScreen(initialStep: TestStep.two)
        let flow = TestFlow { step in
            if case TestStep.one = step { .screen(page, allowStepWhenNotPresented: true) } else { .none }
        }
        try await fixture.coordinator.coordinate(flow: flow, with: OneStepper(withSingleStep: TestStep.one))
        #expect(await fixture.navigations(2) == ["TestFlow one", "TestFlow two"])
        page.steps.accept(TestStep.three)
        #expect(await fixture.navigations(1) == ["TestFlow three"])
    }

    @Test(arguments: HostKind.allCases)
    func `S-15 S-16 testCoordinateWhenAllowStepWhenNotPresented_doEmitAStep: without it, only its initial step waits`(
        host: HostKind
    ) async throws {
        let fixture = try CoordinatorFixture(host)
        let page = TestScreen(initialStep: TestStep.two)
        let flow = TestFlow { step in if case TestStep.one = step { .screen(page) } else { .none } }
        try await fixture.coordinator.coordinate(flow: flow, with: OneStepper(withSingleStep: TestStep.one))
        #expect(await fixture.navigations(1) == ["TestFlow one"])
        page.steps.accept(TestStep.three)
        let failure = try #require(await fixture.failure())
        #expect(
            failure.verdict == .hidden && failure.error == nil && failure.step == "three"
                && failure.path == "TestFlow/page")
        page.show()
        #expect(await fixture.navigations(1) == ["TestFlow two"])
        page.steps.accept(TestStep.three)
        #expect(await fixture.navigations(1) == ["TestFlow three"])
    }

    @Test(arguments: HostKind.allCases)
    func `S-8 testMultipleSideEffectsPerformed: multiple, two, one`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        let flow = TestFlow { step in
            guard case TestStep.multiple = step else { return .none }
            // Visible, as RxFlow's is.
            let page = TestScreen()
            page.show()
            return .multiple(flowContributors: [
                .contribute(withNextPresentable: page, withNextStepper: OneStepper(withSingleStep: TestStep.two)),
                .forwardToCurrentFlow(withStep: TestStep.one),
            ])
        }
        try await fixture.coordinator.coordinate(flow: flow, with: OneStepper(withSingleStep: TestStep.multiple))
        #expect(await fixture.navigations(3) == ["TestFlow multiple", "TestFlow two", "TestFlow one"])
    }

    @Test(arguments: HostKind.allCases, [false, true])
    func `S-8 testMultipleSideEffectsPerformed: the same in whatever order listed, and where hidden steps pass`(
        host: HostKind, isShown: Bool
    ) async throws {
        let fixture = try CoordinatorFixture(host)
        let flow = TestFlow { step in
            guard case TestStep.multiple = step else { return .none }
            let page = TestScreen()
            if isShown { page.show() }
            let steppers = [TestStep.two, .three].map { OneStepper(withSingleStep: $0) }
            return .multiple(flowContributors: [
                .forwardToCurrentFlow(withStep: TestStep.one),
                .contribute(
                    withNextPresentable: page, withNextStepper: CompositeStepper(steppers: steppers),
                    allowStepWhenNotPresented: !isShown),
            ])
        }
        try await fixture.begin(flow)
        _ = await fixture.verdict(of: TestStep.multiple, on: flow)
        let first = try #require(await fixture.navigation())
        #expect(first.contributions.filter { $0.kind == .screen }.map(\.path) == ["TestFlow/page"])
        // The screen's own steps are no contributors of the flow.
        #expect(first.contributions.filter { $0.kind == .current }.map(\.name) == ["one"])
        #expect(await fixture.navigations(3) == ["TestFlow two", "TestFlow three", "TestFlow one"])
    }

    @Test(arguments: HostKind.allCases)
    func `S-16 the initial step of a shown screen waits where a sibling covers it, or the flow is hidden`(
        host: HostKind
    ) async throws {
        let fixture = try CoordinatorFixture(host)
        enum Pile: Oddity { static var children: Children { .stack } }
        func shown(_ name: String, _ step: TestStep) -> TestScreen {
            let page = TestScreen(name, initialStep: step)
            page.show()
            return page
        }
        let flow = try await fixture.root(Pile.self) { step in
            switch step as? TestStep {
            case .multiple:
                .all(
                    .contribute(withNext: shown("below", .two)), .contribute(withNext: shown("above", .three)),
                    .forwardToCurrentFlow(withStep: TestStep.one))
            case .four: .all(.contribute(withNext: shown("late", .five)), .forwardToCurrentFlow(withStep: TestStep.six))
            default: .none
            }
        }
        _ = await fixture.verdict(of: TestStep.multiple, on: flow)
        #expect(await fixture.navigations(3) == ["Pile multiple", "Pile three", "Pile one"])
        _ = try await fixture.coordinator.back(on: flow)
        #expect(await fixture.navigations(2) == ["Pile back", "Pile two"])
        flow.root.hide()
        _ = try await fixture.coordinator.navigate(to: TestStep.four)
        #expect(await fixture.navigations(2) == ["Pile four", "Pile six"])
        flow.root.show()
        #expect(await fixture.navigations(1) == ["Pile five"])
    }

    /// A flow whose `adapt` replaces `one` with `unauthorized`, immediately or later.
    private func filtering(later: Bool) -> TestFlow {
        TestFlow { step in
            guard case TestStep.two = step else { return .none }
            return .screen(TestScreen(initialStep: TestStep.one), allowStepWhenNotPresented: true)
        } adapt: { step in
            if later { await Task.yield() }
            if case TestStep.one = step { return TestStep.unauthorized }
            return step
        }
    }

    @Test(arguments: HostKind.allCases, [false, true])
    func `S-5 testStepHasBeenFilteredBeforeNavigateForAFlowStepper: another step takes its place`(
        host: HostKind, later: Bool
    ) async throws {
        let fixture = try CoordinatorFixture(host)
        try await fixture.coordinator.coordinate(
            flow: filtering(later: later), with: OneStepper(withSingleStep: TestStep.one))
        let navigation = try #require(await fixture.navigation())
        #expect(navigation.step as? TestStep == .unauthorized)
        #expect(navigation.adaptedFrom == "one")
    }

    @Test(arguments: HostKind.allCases, [false, true])
    func `S-5 S-16 testStepHasBeenFilteredBeforeNavigateForAPresentableStepper: also where a screen has it`(
        host: HostKind, later: Bool
    ) async throws {
        let fixture = try CoordinatorFixture(host)
        try await fixture.coordinator.coordinate(
            flow: filtering(later: later), with: OneStepper(withSingleStep: TestStep.two))
        #expect(await fixture.navigations(2) == ["TestFlow two", "TestFlow unauthorized"])
    }
}
