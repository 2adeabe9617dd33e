import FlowBus
import FlowBusClient
import Testing

@MainActor
@Suite("RxFlow's StepperTests, in Swift", .timeLimit(.minutes(1)))
struct StepperTests {
    @Test(arguments: HostKind.allCases)
    func `S-16 testStepperEmitStep: the initial step, then the next one`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        let stepper = TestStepper(TestStep.one)
        try await fixture.begin(TestFlow(), with: stepper)
        #expect(await fixture.navigations(1) == ["TestFlow one"])
        stepper.steps.accept(TestStep.two)
        #expect(await fixture.navigations(1) == ["TestFlow two"])
        #expect(stepper.readyCount == 1)
    }

    @Test(arguments: HostKind.allCases)
    func `S-16 testOneStepper: the one step, once`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        let flow = TestFlow()
        try await fixture.begin(flow, with: OneStepper(withSingleStep: TestStep.one))
        #expect(await fixture.navigations(1) == ["TestFlow one"])
        flow.root.hide()
        flow.root.show()
        #expect(try await fixture.coordinator.emit(TestStep.two, on: flow).serial == 2)
    }

    @Test(arguments: HostKind.allCases)
    func `S-26 testNoneStepper: no step, and the flow is ready without one`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        let flow = TestFlow()
        try await fixture.begin(flow)
        #expect(try await fixture.coordinator.emit(TestStep.one, on: flow).serial == 1)
    }

    @Test(arguments: HostKind.allCases)
    func `S-16 testDefaultStepper: home`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        let flow = TestFlow()
        try await fixture.coordinator.coordinate(flow: flow)
        #expect(await fixture.navigations(1) == ["TestFlow home"])
        // A flow without that step type gets an error.
        let error = await #expect(throws: NavigationError.self) {
            try await fixture.coordinator.coordinate(flow: LeafFlow())
        }
        #expect(error?.code == .unknownStep)
        #expect(error?.message.contains("'leaf' can't begin with the step 'home': the type 'RxFlowStep'") == true)
    }

    private let three: () -> [TestStepper] = {
        [TestStepper(TestStep.one), TestStepper(TestStep.two), TestStepper(TestStep.three)]
    }

    @Test(arguments: HostKind.allCases)
    func `S-8 testCompositeStepperInitialSteps: several initial steps, in order`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        try await fixture.begin(TestFlow(), with: CompositeStepper(steppers: three()))
        #expect(await fixture.navigations(3) == ["TestFlow one", "TestFlow two", "TestFlow three"])
    }

    @Test(arguments: HostKind.allCases)
    func `testCompositeStepperReadyToEmitSteps: called once on each of them`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        let steppers = three()
        try await fixture.begin(TestFlow(), with: CompositeStepper(steppers: steppers))
        #expect(steppers.map(\.readyCount) == [1, 1, 1])
    }

    @Test(arguments: HostKind.allCases)
    func `S-8 testCompositeStepper: initial steps in order, then the next ones as they come`(host: HostKind)
        async throws
    {
        let fixture = try CoordinatorFixture(host)
        let steppers = three()
        try await fixture.begin(TestFlow(), with: CompositeStepper(steppers: steppers))
        for (stepper, step) in zip(steppers, [TestStep.four, .five, .six]) { stepper.steps.accept(step) }
        #expect(
            await fixture.navigations(6) == ["one", "two", "three", "four", "five", "six"].map { "TestFlow \($0)" })
    }

    @Test(arguments: HostKind.allCases)
    func `S-8 testCompositeStepperWithInitialStep: a screen's wait until it is presented`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        let page = TestScreen()
        let steppers = three()
        let flow = TestFlow { step in
            guard case TestStep.reference = step else { return .none }
            return .one(
                flowContributor: .contribute(
                    withNextPresentable: page, withNextStepper: CompositeStepper(steppers: steppers)))
        }
        try await fixture.begin(flow, with: OneStepper(withSingleStep: TestStep.reference))
        #expect(await fixture.navigations(1) == ["TestFlow reference"])
        page.show()
        #expect(await fixture.navigations(3) == ["TestFlow one", "TestFlow two", "TestFlow three"])
    }

    /// A stepper that is made of others, as apps have it.
    private final class AppStepper: Stepper {
        private let composite: CompositeStepper
        private let ownStep: any Step
        /// nil if it has the relay of the others.
        private let ownRelay: PublishRelay<any Step>?
        private var subscription: Subscription?

        init(_ steppers: [any Stepper], first: any Step = NoneStep(), hasRelay: Bool = false) {
            composite = CompositeStepper(steppers: steppers)
            ownStep = first
            ownRelay = hasRelay ? PublishRelay() : nil
        }

        var steps: PublishRelay<any Step> { ownRelay ?? composite.steps }
        var initialStep: any Step { ownStep }

        func readyToEmitSteps() {
            if let ownRelay { subscription = composite.steps.subscribe { ownRelay.accept($0) } }
            composite.readyToEmitSteps()
        }
    }

    @Test(arguments: HostKind.allCases, [false, true])
    func `S-8 testCompositeStepperInitialSteps: a stepper that wraps it keeps them`(host: HostKind, hasRelay: Bool)
        async throws
    {
        let fixture = try CoordinatorFixture(host)
        let steppers = three()
        let wrapped = AppStepper([AppStepper(steppers)], first: TestStep.multiple, hasRelay: hasRelay)
        try await fixture.begin(TestFlow(), with: wrapped)
        steppers[1].steps.accept(TestStep.four)
        #expect(
            await fixture.navigations(5) == ["multiple", "one", "two", "three", "four"].map { "TestFlow \($0)" })
        #expect(steppers.map(\.readyCount) == [1, 1, 1])
    }

    @Test(arguments: HostKind.allCases)
    func `S-16 testCompositeStepperWithInitialStep: those of a screen wait, also where it is wrapped`(host: HostKind)
        async throws
    {
        let fixture = try CoordinatorFixture(host)
        let page = TestScreen()
        let steppers = three()
        let flow = TestFlow { step in
            guard case TestStep.reference = step else { return .none }
            return .one(
                flowContributor: .contribute(withNextPresentable: page, withNextStepper: AppStepper(steppers)))
        }
        try await fixture.begin(flow, with: OneStepper(withSingleStep: TestStep.reference))
        #expect(await fixture.navigations(1) == ["TestFlow reference"])
        page.show()
        #expect(await fixture.navigations(3) == ["TestFlow one", "TestFlow two", "TestFlow three"])
    }
}

@MainActor
@Suite("RxFlow's ObservableType_PausableTests, in Swift", .timeLimit(.minutes(1)))
struct PausableTests {
    @Test(arguments: HostKind.allCases)
    func `S-15 testPausable: dropped, never queued, while hidden`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        let page = TestScreen()
        let flow = TestFlow { step in if case TestStep.one = step { .screen(page) } else { .none } }
        try await fixture.begin(flow, with: OneStepper(withSingleStep: TestStep.one))
        #expect(await fixture.navigations(1) == ["TestFlow one"])
        for number in 1...10 {
            if number.isMultiple(of: 2) { page.show() } else { page.hide() }
            page.steps.accept(TestStep.number(number))
        }
        #expect(await fixture.navigations(5) == [2, 4, 6, 8, 10].map { "TestFlow number(\($0))" })
    }

    @Test(arguments: HostKind.allCases)
    func `S-15 S-16 testPausableAfterCount: initial steps pass, later steps are gated where a flow wants that`(
        host: HostKind
    ) async throws {
        let fixture = try CoordinatorFixture(host)
        let stepper = TestStepper(TestStep.two)
        let main = TestFlow { step in
            guard case TestStep.one = step else { return .none }
            let leaf = LeafFlow { step in
                guard case TestStep.two = step else { return .none }
                return .one(flowContributor: .forwardToCurrentFlow(withStep: TestStep.three))
            }
            return .one(
                flowContributor: .contribute(
                    withNextPresentable: leaf, withNextStepper: stepper, allowStepWhenNotPresented: false))
        }
        try await fixture.begin(main)
        main.root.hide()
        try await fixture.coordinator.navigate(to: TestStep.one)
        #expect(await fixture.navigations(3) == ["TestFlow one", "TestFlow/leaf two", "TestFlow/leaf three"])
        stepper.steps.accept(TestStep.four)
        #expect(await fixture.failure()?.verdict == .hidden)
        main.root.show()
        stepper.steps.accept(TestStep.five)
        #expect(await fixture.navigations(1) == ["TestFlow/leaf five"])
    }

    @Test(arguments: HostKind.allCases)
    func `S-15 the stepper of a flow is never paused: neither a root's nor a child's`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        let (outer, inner) = (TestStepper(TestStep.one), TestStepper())
        let main = TestFlow { step in
            guard case TestStep.one = step else { return .none }
            return .one(flowContributor: .contribute(withNextPresentable: LeafFlow(), withNextStepper: inner))
        }
        try await fixture.begin(main, with: outer)
        main.root.hide()
        outer.steps.accept(TestStep.two)
        inner.steps.accept(TestStep.three)
        #expect(await fixture.navigations(3) == ["TestFlow one", "TestFlow two", "TestFlow/leaf three"])
        #expect(await fixture.verdict(of: TestStep.four, on: main) == "navigated")
    }

    @Test(arguments: HostKind.allCases)
    func `S-15 a root that is told to drops the steps of its stepper while it is hidden`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        let (main, stepper) = (TestFlow(), TestStepper())
        try await fixture.coordinator.coordinate(flow: main, with: stepper, allowStepWhenNotPresented: false)
        main.root.hide()
        stepper.steps.accept(TestStep.one)
        #expect(await fixture.failures(1) == ["TestFlow one hidden"])
        #expect(await fixture.verdict(of: TestStep.two, on: main) == "hidden")
        main.root.show()
        #expect(await fixture.verdict(of: TestStep.three, on: main) == "navigated")
        stepper.steps.accept(TestStep.four)
        #expect(await fixture.navigations(2) == ["TestFlow three", "TestFlow four"])
    }
}
