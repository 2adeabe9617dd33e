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
    case answer(with: any Sendable)
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
    /// `options` has what RxFlow does not.
    case contribute(
        withNextPresentable: any Presentable, withNextStepper: any Stepper, allowStepWhenNotPresented: Bool? = nil,
        onResult: ResultStep? = nil, options: ChildOptions = ChildOptions())
    /// Adds a flow by name: one that another program has registered, one that a definition file of the service defines,
    /// or one registered with ``FlowCoordinator/register(_:makeFlow:)`` (S-18).
    ///
    /// The arguments are those that its definition declares. If `arguments` is nil, the child gets the declared ones
    /// from the current step. `onResult` is as in
    /// ``contribute(withNextPresentable:withNextStepper:allowStepWhenNotPresented:onResult:options:)``.
    case contributeFlow(
        named: String, withInitialStep: any Step = NoneStep(), arguments: [String: DBusValue]? = nil,
        style: String = "",
        allowStepWhenNotPresented: Bool = false, onResult: ResultStep? = nil, options: ChildOptions = ChildOptions())
    /// Adds a screen by name that another program shows, and that a definition file of the service declares (S-18). The
    /// arguments are as in ``contributeFlow(named:withInitialStep:arguments:style:allowStepWhenNotPresented:onResult:options:)``. To add
    /// a screen of another ``FlowCoordinator``, contribute its flow: that coordinator has the object.
    case contributeScreen(
        named: String, withInitialStep: any Step = NoneStep(), arguments: [String: DBusValue]? = nil,
        style: String = "",
        allowStepWhenNotPresented: Bool = false, onResult: ResultStep? = nil, options: ChildOptions = ChildOptions())
    /// Forwards a step to the flow itself (S-8).
    case forwardToCurrentFlow(withStep: any Step)
    /// Forwards a step to the parent (S-20).
    case forwardToParentFlow(withStep: any Step)
    /// Dismisses the children that are newer than the newest one of a name: of a screen (``Presentable/name``), or a flow
    /// (``Flow/definition``). If there is none of that name, none is dismissed (S-19). Like the contributors that follow, it is the
    /// flow's own doing: ``ChildOptions/onDismissed`` is not taken. A name that no child ever had is an error. With values of its
    /// ``ChildOptions/key``, here and below, the newest child with these is meant (S-51).
    case pop(to: String, key: [String: DBusValue] = [:])
    /// Dismisses all children but the oldest (S-19).
    case popToRoot
    /// Brings the newest child of a name to the front: with ``Children/tabs`` it is selected; with ``Children/layers`` and
    /// ``Children/free`` a flow becomes visible (S-37). In a stack, ``ChildOptions/Reuse/raised`` does that.
    case showChild(named: String, key: [String: DBusValue] = [:])
    /// Hides the newest child flow of a name, with ``Children/layers`` and ``Children/free`` (S-37).
    case hideChild(named: String, key: [String: DBusValue] = [:])
    /// Dismisses the newest child of a name, with everything below it (S-37).
    case dismissChild(named: String, key: [String: DBusValue] = [:])
    /// Sets values of the context, as the flow sees it: those that a definition file of the service declares (S-57). In one process there
    /// are none.
    case setContext([String: DBusValue])

    /// Adds a child that is its own stepper.
    ///
    /// - Parameters:
    ///   - next: the child and its stepper.
    ///   - allowStepWhenNotPresented: whether its steps are taken while it is not presented; nil for those of flows alone.
    ///   - onResult: the step that this flow takes when the child answers; nil for none.
    ///   - options: what RxFlow does not have.
    /// - Returns: The contributor.
    public static func contribute(
        withNext next: any Presentable & Stepper, allowStepWhenNotPresented: Bool? = nil, onResult: ResultStep? = nil,
        options: ChildOptions = ChildOptions()
    ) -> FlowContributor {
        .contribute(
            withNextPresentable: next, withNextStepper: next, allowStepWhenNotPresented: allowStepWhenNotPresented,
            onResult: onResult, options: options)
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
    /// The children are flows, which stand in ``Flow/layers``: the newest of the highest layer covers the others (S-37). Only in one
    /// process: on the bus, a definition file has to define such a flow.
    case layers
}
