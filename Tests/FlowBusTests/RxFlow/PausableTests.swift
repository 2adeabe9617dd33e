import FlowBus
import FlowBusClient
import Testing

@MainActor
@Suite("RxFlow's ObservableType_PausableTests, in Swift", .fewAtOnce, .serialized, .timeLimit(.minutes(1)))
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
    func `S-15 S-16 testPausableAfterCount: six initial steps pass, then only those of even numbers`(host: HostKind)
        async throws
    {
        let fixture = try CoordinatorFixture(host)
        let later = TestStepper()
        let first = (1...6).map { OneStepper(withSingleStep: TestStep.number($0)) }
        let main = TestFlow { step in
            guard case TestStep.one = step else { return .none }
            return .one(
                flowContributor: .contribute(
                    withNextPresentable: LeafFlow(), withNextStepper: CompositeStepper(steppers: first + [later]),
                    allowStepWhenNotPresented: false))
        }
        try await fixture.begin(main)
        main.root.hide()
        try await fixture.coordinator.navigate(to: TestStep.one)
        var taken = await fixture.navigations(2)
        later.steps.accept(TestStep.number(7))
        // The initial steps after the first wait until it is shown, and are not dropped.
        main.root.show()
        taken += await fixture.navigations(5)
        later.steps.accept(TestStep.number(8))
        main.root.hide()
        later.steps.accept(TestStep.number(9))
        main.root.show()
        later.steps.accept(TestStep.number(10))
        taken += await fixture.navigations(2)
        #expect(
            taken == ["TestFlow one"] + [1, 2, 3, 4, 5, 6, 8, 10].map { "TestFlow/leaf number(\($0))" })
        #expect(await fixture.failures(2) == ["TestFlow/leaf number hidden", "TestFlow/leaf number hidden"])
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
