import FlowBus
import FlowBusClient
import Testing

@MainActor
@Suite("RxFlow's StepperTests, in Swift", .fewAtOnce, .serialized, .timeLimit(.minutes(1)))
struct StepperTests {
    /// What a subscriber of the stepper's relay gets, without a coordinator.
    private func steps(of stepper: any Stepper, while emit: () -> Void) -> [any Step] {
        var steps: [any Step] = []
        let subscription = stepper.steps.subscribe { steps.append($0) }
        emit()
        subscription.end()
        return steps
    }

    @Test func `testStepperEmitStep: a subscriber gets both steps`() {
        let stepper = TestStepper(TestStep.one)
        let emitted = steps(of: stepper) {
            stepper.steps.accept(stepper.initialStep)
            stepper.steps.accept(TestStep.two)
        }
        #expect(emitted.map { $0 as? TestStep } == [.one, .two])
    }

    @Test func `testOneStepper: a subscriber gets the step`() {
        let stepper = OneStepper(withSingleStep: TestStep.one)
        let emitted = steps(of: stepper) { stepper.steps.accept(stepper.initialStep) }
        #expect(emitted.map { $0 as? TestStep } == [.one])
    }

    @Test func `testNoneStepper: its initial step is NoneStep`() {
        let stepper = NoneStepper()
        let emitted = steps(of: stepper) { stepper.steps.accept(stepper.initialStep) }
        #expect(emitted.count == 1 && emitted.first is NoneStep)
    }

    @Test func `testCompositeStepperInitialSteps: a subscriber gets them when it is ready`() {
        let stepper = CompositeStepper(steppers: [TestStep.one, .two, .three].map { OneStepper(withSingleStep: $0) })
        let emitted = steps(of: stepper) { stepper.readyToEmitSteps() }
        #expect(emitted.map { $0 as? TestStep } == [.one, .two, .three])
    }

    @Test func `testCompositeStepper: a subscriber gets the initial steps, then the next ones`() {
        let steppers = three()
        let stepper = CompositeStepper(steppers: steppers)
        let emitted = steps(of: stepper) {
            stepper.readyToEmitSteps()
            for (stepper, step) in zip(steppers, [TestStep.four, .five, .six]) { stepper.steps.accept(step) }
        }
        #expect(emitted.map { $0 as? TestStep } == [.one, .two, .three, .four, .five, .six])
    }

    @Test func `testCompositeStepperWithInitialStep: its own, those of the others, then the next ones`() {
        let steppers = three()
        let stepper = AppStepper(steppers, first: TestStep.reference)
        let emitted = steps(of: stepper) {
            stepper.steps.accept(stepper.initialStep)
            stepper.readyToEmitSteps()
            for (stepper, step) in zip(steppers, [TestStep.four, .five, .six]) { stepper.steps.accept(step) }
        }
        #expect(emitted.map { $0 as? TestStep } == [.reference, .one, .two, .three, .four, .five, .six])
    }

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
    func `S-16 a DefaultStepper begins with home`(host: HostKind) async throws {
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
