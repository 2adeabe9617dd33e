// Short spellings of what flows contribute most, beside RxFlow's.

extension FlowContributors: ExpressibleByArrayLiteral {
    /// Several contributors, applied in order: `[.show(list), .forward(MovieStep.ready)]`.
    ///
    /// - Parameter contributors: the contributors.
    public init(arrayLiteral contributors: FlowContributor...) { self = .multiple(flowContributors: contributors) }

    /// One screen or flow that is its own stepper, or has none.
    ///
    /// - Parameter presentable: the child. If it is a ``Stepper``, its steps are taken.
    /// - Returns: The contributors.
    @FlowActor
    public static func show(_ presentable: any Presentable) -> FlowContributors {
        .one(flowContributor: .show(presentable))
    }

    /// One screen or flow with the stepper that emits steps on it.
    ///
    /// - Parameters:
    ///   - presentable: the child.
    ///   - stepper: its stepper.
    /// - Returns: The contributors.
    public static func show(_ presentable: any Presentable, with stepper: any Stepper) -> FlowContributors {
        .one(flowContributor: .show(presentable, with: stepper))
    }

    /// One flow that begins with a step.
    ///
    /// - Parameters:
    ///   - flow: the flow.
    ///   - step: its first step.
    /// - Returns: The contributors.
    @FlowActor
    public static func start(_ flow: any Flow, with step: any Step) -> FlowContributors {
        .one(flowContributor: .start(flow, with: step))
    }

    /// Forwards a step to the flow itself.
    ///
    /// - Parameter step: the step.
    /// - Returns: The contributors.
    public static func forward(_ step: any Step) -> FlowContributors { .one(flowContributor: .forward(step)) }

    /// Ends the flow with everything it contributed, and forwards a step to its parent.
    ///
    /// - Parameter step: the step.
    /// - Returns: The contributors.
    public static func end(with step: any Step) -> FlowContributors { .end(forwardToParentFlowWithStep: step) }
}

extension FlowContributor {
    /// A screen or flow that is its own stepper, or has none.
    ///
    /// - Parameter presentable: the child. If it is a ``Stepper``, its steps are taken.
    /// - Returns: The contributor.
    @FlowActor
    public static func show(_ presentable: any Presentable) -> FlowContributor {
        .show(presentable, with: presentable as? any Stepper ?? NoneStepper())
    }

    /// A screen or flow with the stepper that emits steps on it.
    ///
    /// - Parameters:
    ///   - presentable: the child.
    ///   - stepper: its stepper.
    /// - Returns: The contributor.
    public static func show(_ presentable: any Presentable, with stepper: any Stepper) -> FlowContributor {
        .contribute(withNextPresentable: presentable, withNextStepper: stepper)
    }

    /// A flow that begins with a step.
    ///
    /// - Parameters:
    ///   - flow: the flow.
    ///   - step: its first step.
    /// - Returns: The contributor.
    @FlowActor
    public static func start(_ flow: any Flow, with step: any Step) -> FlowContributor {
        .contribute(withNextPresentable: flow, withNextStepper: OneStepper(withSingleStep: step))
    }

    /// Forwards a step to the flow itself.
    ///
    /// - Parameter step: the step.
    /// - Returns: The contributor.
    public static func forward(_ step: any Step) -> FlowContributor { .forwardToCurrentFlow(withStep: step) }

    /// Forwards a step to the parent.
    ///
    /// - Parameter step: the step.
    /// - Returns: The contributor.
    public static func forwardToParent(_ step: any Step) -> FlowContributor { .forwardToParentFlow(withStep: step) }
}
