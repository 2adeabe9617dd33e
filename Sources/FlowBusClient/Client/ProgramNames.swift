internal import FlowBus

/// The names that the types of this program have on the bus: the coordinators of a connection say which are theirs.
struct ProgramNames: Sendable {
    /// The bus names that the program owns, in the order in which it got them.
    var owned: [String] = []
    /// The namespaces of flow types, and of the types of steps that flows take, if they have that of the program.
    private var namespaces: [ObjectIdentifier: String] = [:]

    /// The namespace of a program that declares none: the last part of its bus name. Empty if it owns none.
    var namespace: String {
        guard let part = owned.first?.split(separator: ".").last else { return "" }
        return String(part.replacing("-", with: "_"))
    }

    /// Notes that the steps of a type have the namespace of a coordinator.
    ///
    /// - Throws: ``StepError`` if they have another one in another coordinator of the connection.
    mutating func add(steps type: any BusStep.Type, _ namespace: String) throws(StepError) {
        guard type.namespace == .program else { return }
        let known = namespaces[ObjectIdentifier(type), default: namespace]
        guard known == namespace else {
            throw StepError(
                .unsupportedType,
                "the steps of '\(type)' have the namespace '\(known)' in another coordinator of this connection, and would have "
                    + "'\(namespace)' in this one; give both the same, or declare 'static let namespace' in '\(type)'")
        }
        namespaces[ObjectIdentifier(type)] = namespace
    }

    /// Notes that a flow type has the namespace of a coordinator.
    mutating func add(flow type: any Flow.Type, _ namespace: String) { namespaces[ObjectIdentifier(type)] = namespace }

    /// The word before the names of a type. Those of a type that no coordinator has are as they are declared.
    func prefix(of type: Any.Type, _ namespace: BusNamespace) -> String {
        namespace.prefix(in: namespaces[ObjectIdentifier(type)] ?? "")
    }

    /// The name of a flow.
    @FlowActor
    func name(of flow: any Flow.Type) -> String {
        BusNamespace.joined(prefix(of: flow, flow.namespace), flow.definition)
    }

    /// The message of a step.
    func message(of step: any Step) throws(NavigationError) -> StepMessage {
        try StepMessage(encoding: step) { prefix(of: $0, $0.namespace) }
    }

    /// A step as a value of a type.
    func step<S: BusStep>(_ message: StepMessage, as type: S.Type) throws(NavigationError) -> S {
        var message = message
        let prefix = prefix(of: type, type.namespace)
        if !prefix.isEmpty, message.name.hasPrefix(prefix + "_") {
            message.name.removeFirst(prefix.count + 1)
        }
        do throws(StepError) { return try StepCoding.decode(type, message) } catch { throw NavigationError(error) }
    }
}
