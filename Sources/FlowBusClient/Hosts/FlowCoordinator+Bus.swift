public import FlowBus

extension FlowCoordinator {
    /// Creates a coordinator whose flows are part of the tree of `flowbusd`. The first flow starts the service if the
    /// bus can activate it.
    ///
    /// Use ``/FlowBus/FlowCoordinator/coordinate(flow:with:allowStepWhenNotPresented:)`` for roots whose flows are in this program, and not the `coordinate` methods of
    /// the same ``NavigationBus``: the coordinator could mistake such a root for one of its own.
    ///
    /// The names of its flows, screens and steps on the bus begin with the namespace, so that they are not those of another program:
    /// `Shop_DetailScreen`. A type can say otherwise (``/FlowBus/BusNamespace``).
    ///
    /// - Parameters:
    ///   - bus: the connection to use.
    ///   - namespace: the word before the names: ``/FlowBus/BusNamespace/named(_:)``, or just a text. With
    ///     ``/FlowBus/BusNamespace/program`` it is the last part of the bus name that the program owns when its first flow begins
    ///     (``NavigationBus/present(as:at:_:withdraw:)``), with `_` for `-`, and there is none if it owns none. With
    ///     ``/FlowBus/BusNamespace/shared`` there is none.
    /// - Throws: ``NavigationError`` with the code `disconnected` if the connection was closed, and `invalidName` if the namespace can't
    ///   be part of a name.
    public convenience init(bus: NavigationBus, namespace: BusNamespace = .program) throws(NavigationError) {
        self.init(host: try BusHost(bus, namespace))
    }
}
