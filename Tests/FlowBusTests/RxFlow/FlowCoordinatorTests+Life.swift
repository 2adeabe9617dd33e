import FlowBus
import FlowBusClient
import Testing

// Steps for every flow, and the ends of flows and screens.

extension FlowCoordinatorTests {
    @Test(arguments: HostKind.allCases)
    func `S-27 testStepIsReceivedInEveryFlowsWhenNavigateToIsCalled: a root, and two flows of its own class`(
        host: HostKind
    ) async throws {
        let fixture = try CoordinatorFixture(host)
        var received: [TestStep] = []
        func deepLinked() -> TestFlow {
            TestFlow { step in
                switch step as? TestStep {
                case .one:
                    let children = (1...2).map { _ in
                        FlowContributor.contribute(
                            withNextPresentable: deepLinked(), withNextStepper: OneStepper(withSingleStep: TestStep.two)
                        )
                    }
                    return .multiple(flowContributors: children)
                case .three:
                    received.append(.three)
                    return .none
                default: return .none
                }
            }
        }
        try await fixture.begin(deepLinked(), with: OneStepper(withSingleStep: TestStep.one))
        try await fixture.coordinator.navigate(to: TestStep.three)
        #expect(received == [.three, .three, .three])
    }

    /// A root with two flows of one definition, each with another one below.
    private func deepLink(_ fixture: CoordinatorFixture) async throws -> TestFlow {
        let root = TestFlow { step in
            guard case TestStep.one = step else { return .none }
            let children = (1...2).map { _ in
                FlowContributor.contribute(
                    withNextPresentable: LeafFlow { step in
                        guard case TestStep.two = step else { return .none }
                        return .one(
                            flowContributor: .contribute(
                                withNextPresentable: LeafFlow(), withNextStepper: NoneStepper()))
                    }, withNextStepper: OneStepper(withSingleStep: TestStep.two))
            }
            return .multiple(flowContributors: children)
        }
        try await fixture.begin(root, with: OneStepper(withSingleStep: TestStep.one))
        #expect(await fixture.navigations(3) == ["TestFlow one", "TestFlow/leaf two", "TestFlow/leaf_2 two"])
        return root
    }

    @Test(arguments: HostKind.allCases)
    func `S-27 testStepIsReceivedInEveryFlowsWhenNavigateToIsCalled: each gets it once`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        let root = try await deepLink(fixture)
        root.root.hide()
        let outcomes = try await fixture.coordinator.navigate(to: TestStep.three)
        let places: [NodePath] = [
            "TestFlow", "TestFlow/leaf", "TestFlow/leaf/leaf", "TestFlow/leaf_2", "TestFlow/leaf_2/leaf",
        ]
        #expect(outcomes.map(\.path) == places)
        #expect(outcomes.allSatisfy { (try? $0.result?.get().verdict) == .navigated })
        #expect(Set(await fixture.navigations(5)) == Set(places.map { "\($0) three" }))
    }

    @Test(arguments: HostKind.allCases)
    func `S-15 S-25 testStepIsReceivedAfterDismissed: off screen is hidden, and allow takes its steps`(
        host: HostKind
    ) async throws {
        let fixture = try CoordinatorFixture(host)
        let page = TestScreen()
        let flow = TestFlow { step in
            if case TestStep.one = step { .screen(page, allowStepWhenNotPresented: true) } else { .none }
        }
        try await fixture.begin(flow, with: OneStepper(withSingleStep: TestStep.one))
        #expect(await fixture.navigations(1) == ["TestFlow one"])
        page.show()
        page.hide()
        page.steps.accept(TestStep.two)
        #expect(await fixture.navigations(1) == ["TestFlow two"])
        flow.root.hide()
        page.steps.accept(TestStep.three)
        #expect(await fixture.navigations(1) == ["TestFlow three"])
        // Dismissal is different: the flow is gone then.
        flow.root.dismiss()
        #expect(try await fixture.coordinator.navigate(to: TestStep.three).isEmpty)
    }

    @Test(arguments: HostKind.allCases)
    func `S-25 S-27 testStepIsReceivedAfterDismissed: a root that is off screen takes the steps of navigate(to:)`(
        host: HostKind
    ) async throws {
        let fixture = try CoordinatorFixture(host)
        var received: [TestStep] = []
        let flow = TestFlow { step in
            if let step = step as? TestStep { received.append(step) }
            return .none
        }
        try await fixture.coordinator.coordinate(flow: flow, with: OneStepper(withSingleStep: TestStep.one))
        flow.root.hide()
        try await fixture.coordinator.navigate(to: TestStep.two)
        try await fixture.coordinator.navigate(to: TestStep.three)
        #expect(received == [.one, .two, .three])
    }

    @Test(arguments: HostKind.allCases)
    func `S-22 testFlowIsNotLeakingWhenHasOneStep: the coordinator alone keeps it, until it is dismissed`(
        host: HostKind
    ) async throws {
        let fixture = try CoordinatorFixture(host)
        weak var leaking: TestFlow?
        try await {
            let flow = TestFlow { step in
                guard case TestStep.one = step else { return .none }
                return .one(
                    flowContributor: .contribute(
                        withNextPresentable: TestScreen(), withNextStepper: DefaultStepper()))
            }
            leaking = flow
            try await fixture.begin(flow, with: OneStepper(withSingleStep: TestStep.one))
            #expect(await fixture.navigations(1) == ["TestFlow one"])
        }()
        #expect(leaking != nil)
        leaking?.root.dismiss()
        #expect(try await fixture.coordinator.navigate(to: TestStep.one).isEmpty)
        #expect(leaking == nil)
    }

    @Test(arguments: HostKind.allCases)
    func `S-22 testFlowIsNotLeakingWhenHasOneStep: nor does anything keep its screen, which is withdrawn`(
        host: HostKind
    ) async throws {
        let fixture = try CoordinatorFixture(host)
        weak var leaking: TestFlow?
        weak var leakingPage: TestScreen?
        try await {
            let page = TestScreen(initialStep: TestStep.two)
            let flow = TestFlow { [unowned page] step in
                if case TestStep.one = step { .screen(page) } else { .none }
            }
            (leaking, leakingPage) = (flow, page)
            try await fixture.begin(flow, with: OneStepper(withSingleStep: TestStep.one))
            #expect(await fixture.navigations(1) == ["TestFlow one"])
            flow.root.dismiss()
            #expect(try await fixture.coordinator.navigate(to: TestStep.one).isEmpty)
            #expect(page.withdrawals == 1)
        }()
        #expect(leaking == nil)
        #expect(leakingPage == nil)
    }

    @Test(arguments: HostKind.allCases)
    func `S-22 testChildViewControllerIsNotLeakingWhenParentFlowAllowsStepWhenDismissed: nor a screen`(
        host: HostKind
    ) async throws {
        let fixture = try CoordinatorFixture(host)
        weak var leaking: TestScreen?
        let flow = TestFlow { step in
            guard case TestStep.one = step else { return .none }
            let page = TestScreen(initialStep: TestStep.two)
            leaking = page
            return .screen(page)
        }
        try await fixture.begin(flow, with: OneStepper(withSingleStep: TestStep.one))
        #expect(await fixture.navigations(1) == ["TestFlow one"])
        #expect(leaking != nil)
        leaking?.dismiss()
        try await fixture.coordinator.emit(TestStep.three, on: flow)
        #expect(leaking == nil)
        #expect(fixture.coordinator.path(of: flow) == "TestFlow")
    }

    @Test(arguments: HostKind.allCases)
    func `testNavigate_executes_on_mainThread: also after an adapt that was elsewhere`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        var count = 0
        let flow = TestFlow { _ in
            MainActor.assertIsolated()
            count += 1
            return .none
        } adapt: { step in
            await Task.detached { step }.value
        }
        try await fixture.coordinator.coordinate(flow: flow, with: OneStepper(withSingleStep: TestStep.one))
        await fixture.ready(flow)
        #expect(count == 1)
    }

    @Test(arguments: HostKind.allCases)
    func `testNavigate_executes_on_mainThread: flows run on the main actor, whoever emits`(host: HostKind)
        async throws
    {
        let fixture = try CoordinatorFixture(host)
        let flow = TestFlow { _ in
            MainActor.assertIsolated()
            return .none
        }
        try await fixture.begin(flow)
        let coordinator = fixture.coordinator
        let outcome = try await Task.detached { try await coordinator.emit(TestStep.one, on: flow) }.value
        #expect(outcome.isNavigated)
    }
}
