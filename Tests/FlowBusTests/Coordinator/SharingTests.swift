import FlowBus
import Testing

/// RxFlow allows to contribute the same object again.
@MainActor
@Suite("One object in several places", .timeLimit(.minutes(1)))
struct SharingTests {
    @Test(arguments: HostKind.allCases)
    func `a flow that is coordinated twice lives twice`(host: HostKind) async throws {
        let stage = try Stage(host)
        let flow = OddFlow(Main.self)
        let (one, two) = (OneStepper(withSingleStep: TestStep.one), OneStepper(withSingleStep: TestStep.two))
        // At the same time: neither has a place when the other is asked for.
        async let first = stage.coordinator.coordinate(flow: flow, with: one)
        async let second = stage.coordinator.coordinate(flow: flow, with: two)
        #expect(Set(try await [first, second]) == ["Main", "Main_2"])
        #expect(await stage.navigations(2).count == 2)
        #expect(stage.coordinator.path(of: flow) == "Main")
        try await stage.coordinator.back(on: flow)
        flow.root.dismiss()
        #expect(try await stage.coordinator.navigate(to: TestStep.one).isEmpty)
        #expect(stage.coordinator.path(of: flow) == nil && flow.withdrawals == 0)
    }

    @Test(arguments: HostKind.allCases)
    func `S-26: while one place is left the flow is ready, and is not withdrawn`(host: HostKind) async throws {
        let stage = try Stage(host)
        let shared = OddFlow(Deep.self)
        let main = try await stage.root(Main.self) { step in
            switch step as? TestStep {
            case .one: .child(shared)
            case .two: .end(forwardToParentFlowWithStep: NoneStep())
            default: .none
            }
        }
        try await stage.begin(shared)
        try await stage.coordinator.emit(TestStep.one, on: main)
        try await stage.coordinator.emit(TestStep.two, on: main)
        #expect(shared.withdrawals == 0)
        #expect(stage.coordinator.path(of: shared) == "Deep")
        await stage.ready(shared)
        #expect(await stage.verdict(of: TestStep.three, on: shared) == "navigated")
    }

    @Test(arguments: HostKind.allCases)
    func `a screen in two places is shown and closed in both, with the steps of its stepper`(host: HostKind)
        async throws
    {
        let stage = try Stage(host)
        let page = TestScreen("page")
        let main = try await stage.root(Main.self) { step in
            guard case TestStep.one = step else { return .none }
            return .all(.contribute(withNext: page), .contribute(withNext: page))
        }
        try await stage.coordinator.emit(TestStep.one, on: main)
        #expect(page.readyCount == 2)
        page.show()
        page.steps.accept(TestStep.two)
        page.hide()
        page.steps.accept(TestStep.three)
        #expect(await stage.navigations(3) == ["Main one", "Main two", "Main two"])
        #expect(await stage.failures(2) == ["Main/page three hidden", "Main/page_2 three hidden"])
        page.dismiss()
        #expect(await stage.verdict(of: TestStep.four, on: main) == "navigated")
        #expect(stage.coordinator.path(of: page) == nil && page.withdrawals == 0)
    }

    @Test(arguments: HostKind.allCases)
    func `a stepper of several children emits on each, in one order`(host: HostKind) async throws {
        let stage = try Stage(host)
        let stepper = TestStepper(TestStep.two)
        var isSeen = false
        let main = try await stage.root(Main.self) { step in
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
        try await stage.coordinator.emit(TestStep.one, on: main)
        #expect(stepper.readyCount == 2)
        stepper.steps.accept(TestStep.three)
        #expect(
            await stage.navigations(7) == [
                "Main one", "Main two", "Main two", "Main three", "Main three", "Main four", "Main four",
            ])
    }

    @Test(arguments: HostKind.allCases)
    func `a screen that was closed is closed where it is contributed again`(host: HostKind) async throws {
        let stage = try Stage(host)
        let page = TestScreen("page")
        let main = try await stage.root(Main.self) { _ in .child(page) }
        try await stage.coordinator.emit(TestStep.one, on: main)
        page.dismiss()
        try await stage.coordinator.emit(TestStep.two, on: main)
        try await stage.coordinator.back(on: main)
        #expect(stage.coordinator.path(of: page) == nil && page.withdrawals == 0)
    }
}
