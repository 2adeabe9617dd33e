/// The contributors that a step leads to: RxFlow's FlowContributors. All of them are applied, or none (S-13).
public enum FlowContributors {
    /// Several contributors, applied in order.
    case multiple(flowContributors: [FlowContributor])
    /// One contributor.
    case one(flowContributor: FlowContributor)
    /// Ends the flow with everything it contributed, and forwards a step to its parent; ``NoneStep`` forwards none
    /// (S-21).
    case end(forwardToParentFlowWithStep: any Step)
    /// Ends the flow with everything it contributed, and answers whoever asked for it (S-45). The flow has to be ``Answering``, and
    /// the answer of its ``Answering/Answer`` type.
    case answer(with: any Encodable & Sendable)
    /// No contributors (S-17): the flow took the step, which leads nowhere. Its verdict is `navigated`.
    case none
    /// The flow does not take this step, although its type is one of the flow's ``Flow/steps``: as if it were not, nothing changes,
    /// there is no navigation, and the verdict is `unhandled` (S-9). If nobody waits for the verdict, ``FlowCoordinator/failures``
    /// reports it (S-12). To hand a step on to the parent, answer with ``FlowContributor/forwardToParentFlow(withStep:)``.
    case unhandled
}

/// One contributor that a step leads to: RxFlow's FlowContributor.
public enum FlowContributor {
    /// Adds a child to the flow, a screen or another flow, with the stepper that emits steps on it (S-18).
    ///
    /// While a screen is not presented, steps of its stepper are ignored, unless `allowStepWhenNotPresented` is true; those of a flow are
    /// taken, unless it is false (S-15). If the child answers (``Answering``), the flow takes the step `onResult` (S-45); nil takes none.
    case contribute(
        withNextPresentable: any Presentable, withNextStepper: any Stepper, allowStepWhenNotPresented: Bool? = nil,
        onResult: ResultStep? = nil)
    /// Adds a flow by name: one that another program has registered, one that a definition file of the service defines,
    /// or one registered with ``FlowCoordinator/register(_:makeFlow:)`` (S-18).
    ///
    /// The arguments are those that its definition declares. If `arguments` is nil, the child gets the declared ones
    /// from the current step. `onResult` is as in
    /// ``contribute(withNextPresentable:withNextStepper:allowStepWhenNotPresented:onResult:)``.
    case contributeFlow(
        named: String, withInitialStep: any Step = NoneStep(), arguments: [String: Value]? = nil, style: String = "",
        allowStepWhenNotPresented: Bool = false, onResult: ResultStep? = nil)
    /// Adds a screen by name that another program shows, and that a definition file of the service declares (S-18). The
    /// arguments are as in ``contributeFlow(named:withInitialStep:arguments:style:allowStepWhenNotPresented:onResult:)``. To add
    /// a screen of another ``FlowCoordinator``, contribute its flow: that coordinator has the object.
    case contributeScreen(
        named: String, withInitialStep: any Step = NoneStep(), arguments: [String: Value]? = nil, style: String = "",
        allowStepWhenNotPresented: Bool = false, onResult: ResultStep? = nil)
    /// Forwards a step to the flow itself (S-8).
    case forwardToCurrentFlow(withStep: any Step)
    /// Forwards a step to the parent (S-20).
    case forwardToParentFlow(withStep: any Step)

    /// Adds a child that is its own stepper.
    ///
    /// - Parameters:
    ///   - next: the child and its stepper.
    ///   - allowStepWhenNotPresented: whether its steps are taken while it is not presented; nil for those of flows alone.
    ///   - onResult: the step that this flow takes when the child answers; nil for none.
    /// - Returns: The contributor.
    public static func contribute(
        withNext next: any Presentable & Stepper, allowStepWhenNotPresented: Bool? = nil, onResult: ResultStep? = nil
    ) -> FlowContributor {
        .contribute(
            withNextPresentable: next, withNextStepper: next, allowStepWhenNotPresented: allowStepWhenNotPresented,
            onResult: onResult)
    }
}

/// Which children of a flow cover the others (S-14).
public enum Children: String, CaseIterable, Sendable {
    /// No child covers another, as in RxFlow.
    case free
    /// The newest child covers the others.
    case stack
    /// The selected child covers the others. A child is selected by becoming visible.
    case tabs
}
