import FlowBus
import FlowBusClient
import Testing

/// RxFlow allows an object to be contributed again.
@MainActor
@Suite("One object in several places", .fewAtOnce, .serialized, .timeLimit(.minutes(1)))
struct SharingTests {
    @Test(arguments: HostKind.allCases)
    func `a flow that is coordinated twice lives twice`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        let flow = OddFlow(Main.self)
        let (one, two) = (OneStepper(withSingleStep: TestStep.one), OneStepper(withSingleStep: TestStep.two))
        // In parallel: neither has a path when the other is requested.
        async let first = fixture.coordinator.coordinate(flow: flow, with: one)
        async let second = fixture.coordinator.coordinate(flow: flow, with: two)
        #expect(Set(try await [first, second]) == ["Main", "Main_2"])
        #expect(await fixture.navigations(2).count == 2)
        #expect(fixture.coordinator.path(of: flow) == "Main")
        try await fixture.coordinator.back(on: flow)
        flow.root.dismiss()
        #expect(try await fixture.coordinator.navigate(to: TestStep.one).isEmpty)
        #expect(fixture.coordinator.path(of: flow) == nil && flow.withdrawals == 0)
    }

    @Test(arguments: HostKind.allCases)
    func `S-26: while one place is left the flow is ready, and is not withdrawn`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        let shared = OddFlow(Deep.self)
        let main = try await fixture.root(Main.self) { step in
            switch step as? TestStep {
            case .one: .child(shared)
            case .two: .end(forwardToParentFlowWithStep: NoneStep())
            default: .none
            }
        }
        try await fixture.begin(shared)
        try await fixture.coordinator.emit(TestStep.one, on: main)
        try await fixture.coordinator.emit(TestStep.two, on: main)
        #expect(shared.withdrawals == 0)
        #expect(fixture.coordinator.path(of: shared) == "Deep")
        await fixture.ready(shared)
        #expect(await fixture.verdict(of: TestStep.three, on: shared) == "navigated")
    }

    @Test(arguments: HostKind.allCases)
    func `a screen in two places is shown and closed in both, with the steps of its stepper`(host: HostKind)
        async throws
    {
        let fixture = try CoordinatorFixture(host)
        let page = TestScreen("page")
        let main = try await fixture.root(Main.self) { step in
            guard case TestStep.one = step else { return .none }
            return .all(.contribute(withNext: page), .contribute(withNext: page))
        }
        try await fixture.coordinator.emit(TestStep.one, on: main)
        #expect(page.readyCount == 2)
        page.show()
        page.steps.accept(TestStep.two)
        page.hide()
        page.steps.accept(TestStep.three)
        #expect(await fixture.navigations(3) == ["Main one", "Main two", "Main two"])
        #expect(await fixture.failures(2) == ["Main/page three hidden", "Main/page_2 three hidden"])
        page.dismiss()
        #expect(await fixture.verdict(of: TestStep.four, on: main) == "navigated")
        #expect(fixture.coordinator.path(of: page) == nil && page.withdrawals == 0)
    }

    @Test(arguments: HostKind.allCases)
    func `a stepper of several children emits on each, in one order`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        let stepper = TestStepper(TestStep.two)
        var isSeen = false
        let main = try await fixture.root(Main.self) { step in
            switch step as? TestStep {
            case .one:
                let (left, right) = (TestScreen("left"), TestScreen("right"))
                return .multiple(
                    flowContributors: [left, right].map {
                        .contribute(
                            withNextPresentable: $0, withNextStepper: stepper, allowStepWhenNotPresented: true)
                    })
            case .three where !isSeen:
                isSeen = true
                stepper.steps.accept(TestStep.four)
                return .none
            default: return .none
            }
        }
        try await fixture.coordinator.emit(TestStep.one, on: main)
        #expect(stepper.readyCount == 2)
        stepper.steps.accept(TestStep.three)
        #expect(
            await fixture.navigations(7) == [
                "Main one", "Main two", "Main two", "Main three", "Main three", "Main four", "Main four",
            ])
    }

    @Test(arguments: HostKind.allCases)
    func `a screen that was closed is closed where it is contributed again`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        let page = TestScreen("page")
        let main = try await fixture.root(Main.self) { _ in .child(page) }
        try await fixture.coordinator.emit(TestStep.one, on: main)
        page.dismiss()
        try await fixture.coordinator.emit(TestStep.two, on: main)
        try await fixture.coordinator.back(on: main)
        #expect(fixture.coordinator.path(of: page) == nil && page.withdrawals == 0)
    }
}
