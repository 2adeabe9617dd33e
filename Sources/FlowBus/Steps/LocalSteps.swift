internal import FlowCore

/// The steps of one process. The machine passes the steps themselves on; nothing is encoded.
///
/// Each case of a ``BusStep`` is a step of the machine, as on the bus, so that logs and errors have the same names. A step type that is
/// none is one step, with the name of the type. Types are told apart: where the name of a step is another type's already, that of its
/// type stands before it, and a number behind it if need be.
@FlowActor
final class LocalSteps {
    /// A step of the machine: a case, or a type that is no ``BusStep``.
    private struct Key: Hashable {
        let type: ObjectIdentifier
        /// Empty for a type that is no ``BusStep``.
        let caseName: String
    }

    /// The names of the steps of flows.
    private var names: [Key: String] = [:]
    private var taken: Set<String> = []
    /// The type of the step that was named last, if it is no ``BusStep``: the next one is usually of this type, too.
    private var last: (type: ObjectIdentifier, name: String)?

    /// The parameter with the step itself.
    static let itself = Parameter("__step", .any, isOptional: true)

    /// Returns the message that carries a step.
    ///
    /// - Throws: ``NavigationError`` for ``NoneStep``.
    func message(of step: any Step) throws(NavigationError) -> StepMessage {
        if step.isNone { throw NavigationError(StepCoding.noStep) }
        return StepMessage(
            name: name(of: step), arguments: [Argument(Self.itself.name, .object(Value.Object(StepBox(step))))])
    }

    private func name(of step: any Step) -> String {
        let type = type(of: step)
        if let last, last.type == ObjectIdentifier(type) { return last.name }
        // Most steps are of one kind in an app, and to find out which costs more than to look for it.
        if let known = names[Key(type: ObjectIdentifier(type), caseName: "")] {
            last = (ObjectIdentifier(type), known)
            return known
        }
        let caseName = (step as? any BusStep)?.caseName ?? ""
        if let known = names[Key(type: ObjectIdentifier(type), caseName: caseName)] { return known }
        // No flow takes it. The name stands in the error, so it must not be that of another step; none has a question mark.
        let typeName = StepError.name(of: type)
        let candidates = caseName.isEmpty ? [typeName] : [caseName, "\(typeName).\(caseName)"]
        return candidates.first { !taken.contains($0) } ?? typeName + "?"
    }

    /// The name of any step of a type; nil if no flow takes the type.
    func name(ofAny type: any Step.Type) -> String? {
        let caseName = (type as? any BusStep.Type)?.stepCases.first?.name ?? ""
        return names[Key(type: ObjectIdentifier(type), caseName: caseName)]
    }

    /// Returns the name of a step that a flow takes.
    private func declaredName(_ caseName: String, _ type: any Step.Type) -> String {
        let key = Key(type: ObjectIdentifier(type), caseName: caseName)
        if let known = names[key] { return known }
        let typeName = StepError.name(of: type)
        var name = Self.machineName(caseName.isEmpty ? typeName : caseName)
        if taken.contains(name), !caseName.isEmpty { name = Self.machineName("\(typeName).\(caseName)") }
        let base = name
        var number = 1
        while taken.contains(name) {
            number += 1
            name = "\(base)-\(number)"
        }
        taken.insert(name)
        names[key] = name
        return name
    }

    /// A name that the machine takes: those of generic types and of letters that are not ASCII are others there.
    private static func machineName(_ name: String) -> String {
        let bytes = name.utf8.prefix(100).map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."):
                byte
            default: UInt8(ascii: "_")
            }
        }
        let text = String(decoding: bytes, as: UTF8.self)
        return Names.isStepName(text) ? text : "step" + text
    }

    /// Replaces the texts that refer to arguments of the step that is taken, `$asked.movie`, by these.
    static func resolve(_ arguments: [String: DBusValue]?, from step: any Step) -> [String: DBusValue]? {
        let prefix = "$asked."
        func reference(_ value: DBusValue) -> String? {
            guard case .string(let text) = value, text.hasPrefix(prefix) else { return nil }
            return String(text.dropFirst(prefix.count))
        }
        guard let arguments, arguments.values.contains(where: { reference($0) != nil }) else { return arguments }
        let asked = (try? StepCoding.encode(step))?.arguments ?? []
        return arguments.compactMapValues { value in
            guard let name = reference(value) else { return value }
            // As on the bus, what is not there is left out.
            guard let found = (asked[name]?.value).flatMap(DBusValue.init) else { return nil }
            if case .string(let text) = found, text.hasPrefix("$") { return .string("$" + text) }
            return found
        }
    }

    /// Collects the steps of a flow's types.
    func catalog(of types: [any Step.Type]) -> StepCatalog {
        var declarations: [StepDeclaration] = []
        var busTypes: [String: (type: any BusStep.Type, caseName: String)] = [:]
        for type in types where type != NoneStep.self {
            guard let busType = type as? any BusStep.Type else {
                let name = declaredName("", type)
                declarations.append(StepDeclaration(name, parameters: [Self.itself]))
                continue
            }
            for step in busType.stepCases {
                let name = declaredName(step.name, type)
                // A step can also come with its arguments: from the result of a child (S-45).
                let parameters = step.parameters.prefix(Limits.argumentCount - 1).map {
                    Parameter($0.name, $0.type.type, isOptional: true)
                }
                declarations.append(StepDeclaration(name, parameters: [Self.itself] + parameters))
                busTypes[name] = (busType, step.name)
            }
        }
        return StepCatalog(declarations, busTypes)
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
