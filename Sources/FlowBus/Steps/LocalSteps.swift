internal import FlowCore

/// The steps of one process. The machine passes the steps themselves on; nothing is encoded.
///
/// Each case of a ``BusStep`` is a step of the machine, as on the bus, so that logs and errors have the same names. A step type that is
/// none is one step, with the name of the type. Types are told apart: if two have a step of the same name, that of the second has the
/// name of its type before it.
@MainActor
struct LocalSteps {
    /// The type that has each name alone.
    private var owners: [String: ObjectIdentifier] = [:]
    /// The names of types that are no ``BusStep``, as far as they are known: to make one costs more than all else that a step does.
    private var typeNames: [ObjectIdentifier: String] = [:]

    /// The parameter with the step itself.
    private static let itself = Parameter("__step", .any, isOptional: true)

    /// Returns the message that carries a step.
    ///
    /// - Throws: ``NavigationError`` for ``NoneStep``.
    mutating func message(of step: any Step) throws(NavigationError) -> StepMessage {
        if type(of: step) == NoneStep.self { throw NavigationError(StepCoding.noStep) }
        return StepMessage(
            name: name(of: step), arguments: [Argument(Self.itself.name, .object(Value.Object(StepBox(step))))])
    }

    private mutating func name(of step: any Step) -> String {
        let type = type(of: step)
        if let known = typeNames[ObjectIdentifier(type)] { return known }
        guard let step = step as? any BusStep else {
            let name = name(Self.typeName(type), type)
            // A name that nobody has yet can become another type's.
            if owners[name] != nil { typeNames[ObjectIdentifier(type)] = name }
            return name
        }
        return name(step.caseName, type)
    }

    private func name(_ name: String, _ type: any Step.Type) -> String {
        guard let owner = owners[name], owner != ObjectIdentifier(type) else { return name }
        return Self.qualified(name, type)
    }

    private static func typeName(_ type: any Step.Type) -> String { String(describing: type) }

    private static func qualified(_ name: String, _ type: any Step.Type) -> String {
        type is any BusStep.Type ? "\(typeName(type)).\(name)" : String(reflecting: type)
    }

    /// Replaces the texts that refer to arguments of the step that is taken, `$asked.movie`, by these.
    static func resolve(_ arguments: [String: Value]?, from step: any Step) -> [String: Value]? {
        let prefix = "$asked."
        func reference(_ value: Value) -> String? {
            guard case .string(let text) = value, text.hasPrefix(prefix) else { return nil }
            return String(text.dropFirst(prefix.count))
        }
        guard let arguments, arguments.values.contains(where: { reference($0) != nil }) else { return arguments }
        let asked = (try? StepCoding.encode(step))?.arguments ?? []
        return arguments.compactMapValues { value in
            guard let name = reference(value) else { return value }
            // As on the bus, what is not there is left out.
            guard let found = asked[name]?.value else { return nil }
            if case .string(let text) = found, text.hasPrefix("$") { return .string("$" + text) }
            return found
        }
    }

    /// Collects the steps of a flow's types.
    mutating func catalog(of types: [any Step.Type]) -> StepCatalog {
        var declarations: [StepDeclaration] = []
        var busTypes: [String: (type: any BusStep.Type, caseName: String)] = [:]
        for type in types where type != NoneStep.self {
            guard let busType = type as? any BusStep.Type else {
                let name = declaredName(Self.typeName(type), type)
                declarations.append(StepDeclaration(name, parameters: [Self.itself]))
                continue
            }
            for step in busType.stepCases {
                let name = declaredName(step.name, type)
                // A step can also come with its arguments: from the result of a child (S-45).
                let parameters = step.parameters.map { Parameter($0.name, $0.type.type, isOptional: true) }
                declarations.append(StepDeclaration(name, parameters: [Self.itself] + parameters))
                busTypes[name] = (busType, step.name)
            }
        }
        return StepCatalog(declarations, busTypes)
    }

    private mutating func declaredName(_ name: String, _ type: any Step.Type) -> String {
        let identity = ObjectIdentifier(type)
        if owners[name] == nil { owners[name] = identity }
        return self.name(name, type)
    }
}

/// A step on its way through the machine.
final class StepBox: Sendable {
    let step: any Step

    init(_ step: any Step) { self.step = step }
}

extension StepMessage {
    /// The step itself, in one process.
    var step: (any Step)? {
        guard case .object(let object)? = arguments.first?.value else { return nil }
        return (object.reference as? StepBox)?.step
    }
}
