import FlowBus
import FlowBusClient
import Testing

/// In RxFlow's apps a child flow often has the navigation controller of its parent as its root.
@MainActor
@Suite("Flows that share a root", .fewAtOnce, .serialized, .timeLimit(.minutes(1)))
struct SharedRootTests {
    /// A flow in the window of another one.
    private final class InnerFlow: Flow {
        static let steps: [any Step.Type] = [TestStep.self]
        let root: TestScreen
        private let answer: @MainActor (any Step) -> FlowContributors

        init(in window: TestScreen, _ answer: @escaping @MainActor (any Step) -> FlowContributors = { _ in .none }) {
            (root, self.answer) = (window, answer)
        }

        func navigate(to step: any Step) -> FlowContributors { answer(step) }
    }

    @Test(arguments: HostKind.allCases)
    func `S-21 a child that ends does not take its parent's window with it`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        let window = TestScreen("window")
        let page = TestScreen()
        let inner = InnerFlow(in: window) { step in
            if case TestStep.two = step { .screen(page) } else { .end(forwardToParentFlowWithStep: TestStep.four) }
        }
        let outer = InnerFlow(in: window) { step in
            if case TestStep.one = step { .child(inner, TestStep.two) } else { .none }
        }
        try await fixture.begin(outer, with: OneStepper(withSingleStep: TestStep.one))
        #expect(await fixture.verdict(of: TestStep.three, on: inner) == "navigated")
        #expect(
            await fixture.navigations(4) == [
                "SharedRootTests_InnerFlow one", "SharedRootTests_InnerFlow/SharedRootTests_InnerFlow two",
                "SharedRootTests_InnerFlow/SharedRootTests_InnerFlow three", "SharedRootTests_InnerFlow four",
            ])
        // Its own page goes; the window stays, with the flow that it still stands for.
        #expect(page.withdrawals == 1 && window.withdrawals == 0)
        window.hide()
        window.show()
        #expect(await fixture.verdict(of: TestStep.five, on: outer) == "navigated")
        fixture.coordinator.end()
        #expect(window.withdrawals == 1)
    }

    @Test(arguments: HostKind.allCases)
    func `S-22 flows that end together withdraw their window once`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        let window = TestScreen("window")
        let main = try await fixture.root(Main.self) { step in
            switch step as? TestStep {
            case .one:
                let outer = InnerFlow(in: window) { _ in .child(InnerFlow(in: window)) }
                return .child(outer, TestStep.two)
            default: return .end(forwardToParentFlowWithStep: NoneStep())
            }
        }
        #expect(await fixture.verdict(of: TestStep.one, on: main) == "navigated")
        #expect(await fixture.navigations(2) == ["Main one", "Main/SharedRootTests_InnerFlow two"])
        #expect(await fixture.verdict(of: TestStep.three, on: main) == "navigated")
        #expect(window.withdrawals == 1)
    }

    @Test(arguments: HostKind.allCases)
    func `S-22 a root that is contributed as a screen, too, stays as long as its flow`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        let window = TestScreen("window")
        let outer = InnerFlow(in: window) { step in
            if case TestStep.one = step { .child(window) } else { .end(forwardToParentFlowWithStep: NoneStep()) }
        }
        try await fixture.begin(outer)
        #expect(await fixture.verdict(of: TestStep.one, on: outer) == "navigated")
        #expect(await fixture.verdict(of: TestStep.two, on: outer) == "navigated")
        #expect(window.withdrawals == 1)
    }

    @Test(arguments: HostKind.allCases)
    func `S-22 a window that is closed ends all its flows, and is not withdrawn`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        let window = TestScreen("window")
        let outer = InnerFlow(in: window) { _ in .child(InnerFlow(in: window)) }
        try await fixture.begin(outer)
        #expect(await fixture.verdict(of: TestStep.one, on: outer) == "navigated")
        window.dismiss()
        #expect(try await fixture.coordinator.navigate(to: TestStep.two).isEmpty)
        #expect(window.withdrawals == 0)
    }
}
