// Contributors that act on children of the flow, by their names.

extension FlowContributor {
    /// Dismisses the children that are newer than the newest one with the name of a presentable.
    ///
    /// - Parameter presentable: a screen or flow.
    /// - Returns: The contributor.
    @MainActor
    public static func pop(to presentable: any Presentable) -> FlowContributor { .pop(to: name(of: presentable)) }

    /// Brings the newest child with the name of a presentable to the front.
    ///
    /// - Parameter presentable: a screen or flow.
    /// - Returns: The contributor.
    @MainActor
    public static func showChild(_ presentable: any Presentable) -> FlowContributor {
        .showChild(named: name(of: presentable))
    }

    /// Hides the newest child flow with the name of a flow.
    ///
    /// - Parameter flow: a flow.
    /// - Returns: The contributor.
    @MainActor
    public static func hideChild(_ flow: any Flow) -> FlowContributor { .hideChild(named: name(of: flow)) }

    /// Dismisses the newest child with the name of a presentable, with everything below it.
    ///
    /// - Parameter presentable: a screen or flow.
    /// - Returns: The contributor.
    @MainActor
    public static func dismissChild(_ presentable: any Presentable) -> FlowContributor {
        .dismissChild(named: name(of: presentable))
    }

    @MainActor
    private static func name(of presentable: any Presentable) -> String {
        (presentable as? any Flow).map { type(of: $0).definition } ?? presentable.name
    }
}
