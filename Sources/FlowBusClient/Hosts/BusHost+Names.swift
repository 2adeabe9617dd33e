internal import FlowBus

// The names of this program on the bus.

extension BusHost {
    var namespace: String { usedNamespace ?? declaredNamespace.prefix(in: bus.link.names.namespace) }

    func name(of type: any Presentable.Type, _ name: String) -> String {
        let namespace = useNamespace()
        if let flow = type as? any Flow.Type { bus.link.names.add(flow: flow, namespace) }
        return BusNamespace.joined(type.namespace.prefix(in: namespace), name)
    }

    func catalog(of types: [any Step.Type]) throws(StepError) -> StepCatalog {
        let namespace = useNamespace()
        for case let type as any BusStep.Type in types { try bus.link.names.add(steps: type, namespace) }
        return try StepCatalog(types) { $0.namespace.prefix(in: namespace) }
    }

    func message(of step: any Step) throws(NavigationError) -> StepMessage {
        let namespace = useNamespace()
        return try StepMessage(encoding: step) { $0.namespace.prefix(in: namespace) }
    }

    private func useNamespace() -> String {
        if let usedNamespace { return usedNamespace }
        let namespace = namespace
        usedNamespace = namespace
        return namespace
    }
}
