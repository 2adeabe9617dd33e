public import FlowBus

extension FlowCoordinator {
    /// Creates a coordinator whose flows are part of the tree of `flowbusd`. The first flow starts the service if the
    /// bus can activate it.
    ///
    /// Use ``/FlowBus/FlowCoordinator/coordinate(flow:with:allowStepWhenNotPresented:)`` for roots whose flows are in this program, and not the `coordinate` methods of
    /// the same ``NavigationBus``: the coordinator could mistake such a root for one of its own.
    ///
    /// - Parameter bus: the connection to use.
    /// - Throws: ``NavigationError`` with the code `disconnected` if the connection was closed.
    public convenience init(bus: NavigationBus) throws(NavigationError) { self.init(host: try BusHost(bus)) }
}
