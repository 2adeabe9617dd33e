/// Where a step leads: RxFlow's FlowContributors. All of it is applied, or nothing (S-13).
public enum FlowContributors {
    /// All of these, in this order.
    case multiple(flowContributors: [FlowContributor])
    /// This one.
    case one(flowContributor: FlowContributor)
    /// The flow ends, with all that it contributed, and its parent gets this step; ``NoneStep``: it gets none (S-21).
    case end(forwardToParentFlowWithStep: any Step)
    /// Nothing more happens (S-17).
    case none
}

/// One thing that a step leads to: RxFlow's FlowContributor.
public enum FlowContributor {
    /// A new child of the flow: a screen, or a flow of its own, and who emits steps on it (S-18).
    ///
    /// While it is not presented, what the stepper emits is ignored, unless `allowStepWhenNotPresented` (S-15).
    case contribute(
        withNextPresentable: any Presentable, withNextStepper: any Stepper, allowStepWhenNotPresented: Bool = false)
    /// A new child that lives elsewhere: a flow that another program has registered, that a definition file of the service
    /// has, or for which there is a ``FlowCoordinator/register(_:_:)`` (S-18).
    ///
    /// Its arguments are those that its definition declares; nil: of the step at hand those that it declares.
    case contributeFlow(
        named: String, withInitialStep: any Step = NoneStep(), arguments: [String: Value]? = nil, style: String = "",
        allowStepWhenNotPresented: Bool = false)
    /// A new child that another program shows: a screen that a definition file of the service has (S-18). With arguments as
    /// above. Screens of other ``FlowCoordinator``s have their objects there, and can't be made from here: contribute their flow.
    case contributeScreen(
        named: String, withInitialStep: any Step = NoneStep(), arguments: [String: Value]? = nil, style: String = "",
        allowStepWhenNotPresented: Bool = false)
    /// Another step for this same flow (S-8).
    case forwardToCurrentFlow(withStep: any Step)
    /// Another step for the parent (S-20).
    case forwardToParentFlow(withStep: any Step)

    /// A new child that emits its steps itself.
    public static func contribute(
        withNext next: any Presentable & Stepper, allowStepWhenNotPresented: Bool = false
    ) -> FlowContributor {
        .contribute(
            withNextPresentable: next, withNextStepper: next, allowStepWhenNotPresented: allowStepWhenNotPresented)
    }
}

/// Who covers whom among the children of a flow (S-14).
public enum Children: String, CaseIterable, Sendable {
    /// Nobody covers anybody, as in RxFlow.
    case free
    /// The newest child covers the others.
    case stack
    /// The selected child covers the others; a child is selected by being shown.
    case tabs
}
