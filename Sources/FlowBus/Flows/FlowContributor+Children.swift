// Contributors that act on children of the flow, by their names.

extension FlowContributor {
    /// Dismisses the children that are newer than the newest one with the name of a presentable.
    ///
    /// - Parameter presentable: a screen or flow.
    /// - Returns: The contributor.
    @FlowActor
    public static func pop(to presentable: any Presentable) -> FlowContributor { .pop(to: presentable.contributedName) }

    /// Brings the newest child with the name of a presentable to the front.
    ///
    /// - Parameter presentable: a screen or flow.
    /// - Returns: The contributor.
    @FlowActor
    public static func showChild(_ presentable: any Presentable) -> FlowContributor {
        .showChild(named: presentable.contributedName)
    }

    /// Hides the newest child flow with the name of a flow.
    ///
    /// - Parameter flow: a flow.
    /// - Returns: The contributor.
    @FlowActor
    public static func hideChild(_ flow: any Flow) -> FlowContributor { .hideChild(named: flow.contributedName) }

    /// Dismisses the newest child with the name of a presentable, with everything below it.
    ///
    /// - Parameter presentable: a screen or flow.
    /// - Returns: The contributor.
    @FlowActor
    public static func dismissChild(_ presentable: any Presentable) -> FlowContributor {
        .dismissChild(named: presentable.contributedName)
    }
}

extension Presentable {
    /// The name by which a contributor has it: a flow has that of its definition.
    var contributedName: String { asFlow.map { type(of: $0).definition } ?? name }
}
