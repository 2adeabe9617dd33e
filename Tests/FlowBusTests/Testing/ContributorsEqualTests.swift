import FlowBus
import FlowBusClient
import Testing

/// Without Equatable, and not for the bus.
private enum LooseStep: Step {
    case open(Int, [String: String])
    case close
}

@MainActor
@Suite("Contributors are Equatable", .fewAtOnce, .serialized)
struct ContributorsEqualTests {
    private let page = TestScreen()
    private let other = TestScreen()

    @Test func `equal contributors are those that mean the same`() {
        let one = LooseStep.open(1, ["a": "b"])
        #expect(FlowContributors.show(page) == .show(page))
        #expect([.show(page), .forward(one)] == [.show(page), .forward(one)] as FlowContributors)
        #expect([.show(page)] == FlowContributors.show(page))
        #expect([.forward(one)] != FlowContributors.forward(LooseStep.open(2, ["a": "b"])))
        #expect(FlowContributors.end(with: one) == .end(with: one))
        #expect(FlowContributors.end(with: one) != .end(with: LooseStep.close))
        #expect(FlowContributors.end(with: TestStep.number(1)) == .end(with: TestStep.number(1)))
        #expect(FlowContributors.end(with: TestStep.one) != .end(with: RxFlowStep.home))
        #expect(
            FlowContributors.answer(with: 1) == .answer(with: 1) && .answer(with: 1) != FlowContributors.answer(with: 2)
        )
        #expect(FlowContributors.none == .none && FlowContributors.unhandled == .unhandled)
        #expect(FlowContributors.none != .unhandled && FlowContributors.none != [])
    }

    @Test func `each option makes a difference`() {
        let all: [FlowContributor] = [
            .show(page), .show(other), .show(page, with: NoneStepper()), .show(page, with: DefaultStepper()),
            .show(page, with: OneStepper(withSingleStep: TestStep.one)),
            .show(page, with: OneStepper(withSingleStep: TestStep.two)),
            .show(page, with: CompositeStepper(steppers: [page])),
            .show(page, with: CompositeStepper(steppers: [page, NoneStepper()])),
            .contribute(withNext: page, allowStepWhenNotPresented: true),
            .contribute(withNext: page, onResult: "one"),
            .contribute(withNext: page, options: ChildOptions(reuse: .newest)),
            .contribute(withNext: page, options: ChildOptions(onDismissed: .step(LooseStep.close))),
            .contribute(withNext: page, options: ChildOptions(onDismissed: .step(LooseStep.open(1, [:])))),
            .contribute(withNext: page, options: ChildOptions(onDismissed: "one")),
            .contribute(withNext: page, options: ChildOptions(onDismissed: DismissalStep("one", arguments: [:]))),
            .contributeFlow(named: "leaf"), .contributeFlow(named: "leaf", withInitialStep: TestStep.one),
            .contributeFlow(named: "leaf", arguments: ["a": .bool(true)]),
            .contributeFlow(named: "leaf", style: "modal"),
            .contributeFlow(named: "leaf", allowStepWhenNotPresented: true),
            .contributeFlow(named: "leaf", onResult: "one"),
            .contributeFlow(named: "leaf", options: ChildOptions(clears: true)), .contributeScreen(named: "leaf"),
            .contributeScreen(named: "other"), .forward(TestStep.one), .forward(TestStep.two),
            .forwardToParent(TestStep.one), .pop(to: "page"), .popToRoot, .showChild(named: "page"),
            .hideChild(named: "page"), .dismissChild(named: "page"), .dismissChild(named: "other"),
        ]
        for (place, one) in all.enumerated() {
            for (otherPlace, other) in all.enumerated() {
                #expect((one == other) == (place == otherPlace), "\(place) and \(otherPlace)")
            }
        }
        #expect(
            FlowContributor.show(page, with: CompositeStepper(steppers: [NoneStepper()]))
                == .show(page, with: CompositeStepper(steppers: [NoneStepper()])))
        #expect(FlowContributor.show(page, with: DefaultStepper()) == .show(page, with: DefaultStepper()))
    }
}
