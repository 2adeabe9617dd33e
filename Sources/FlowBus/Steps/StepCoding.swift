import FlowCore
import Synchronization

/// Encodes steps as messages, decodes them, and derives the declarations of a flow.
package enum StepCoding {
    /// The declarations of each type. They never change.
    private static let known = Mutex<[ObjectIdentifier: Result<[StepDeclaration], StepError>]>([:])

    /// Returns the cases of the type with their arguments and types, sorted by name.
    ///
    /// - Throws: ``StepError`` for a type that can't be a step, or whose arguments D-Bus can't carry.
    static func declarations<S: Step>(of type: S.Type) throws(StepError) -> [StepDeclaration] {
        if type == NoneStep.self { return [] }
        if let known = known.withLock({ $0[ObjectIdentifier(type)] }) { return try known.get() }
        // Outside the lock: this runs code of the type, which can request the declarations of another.
        let result = Result { () throws(StepError) in try StepProbe.declarations(of: type) }
        known.withLock { $0[ObjectIdentifier(type)] = result }
        return try result.get()
    }

    /// Encodes a step.
    ///
    /// - Throws: ``StepError`` for a step that D-Bus can't carry.
    static func encode(_ step: any Step) throws(StepError) -> StepMessage { try message(of: step) }

    private static func message<S: Step>(of step: S) throws(StepError) -> StepMessage {
        let type = S.self
        if type == NoneStep.self {
            throw StepError(.unsupportedValue, "NoneStep is no step at all, and can't be emitted")
        }
        let declarations = try declarations(of: type)
        let encoded = EncodedValue([])
        do { try step.encode(to: ValueEncoder(encoded)) } catch { throw StepError(encoding: error, at: []) }
        guard case .named = encoded.content, encoded.members.count == 1, let only = encoded.members.first,
            only.value.type == nil, case .named = only.value.content
        else {
            throw StepError.notAStep(
                type, "it has to be an enum that is coded the way Swift does it for enums without raw values")
        }
        guard let declaration = declarations.first(where: { $0.name == only.name }) else {
            throw unknown(only.name, type, declarations)
        }
        var arguments: FlowCore.Arguments = []
        for member in only.value.members {
            guard let value = try member.value.value() else { continue }
            arguments.append(Argument(member.name, try admit(value, member, declaration)))
        }
        try checkNames(arguments, declaration)
        return StepMessage(name: only.name, arguments: arguments)
    }

    /// Decodes a step.
    ///
    /// - Throws: ``StepError`` if the type does not have the step, or its arguments do not fit.
    package static func decode<S: Step>(_ type: S.Type, _ message: StepMessage) throws(StepError) -> S {
        let declarations = try declarations(of: type)
        guard let declaration = declarations.first(where: { $0.name == message.name }) else {
            throw unknown(message.name, type, declarations)
        }
        try checkNames(message.arguments, declaration)
        let arguments = message.arguments.map { Value.entry(key: .string($0.name), value: .variant($0.value)) }
        let step = Value.entry(
            key: .string(message.name), value: .variant(.array(element: "{sv}", arguments)))
        let decoder = ValueDecoder(
            value: .array(element: "{sv}", [step]), codingPath: [],
            isPrivate: message.arguments.contains(where: \.isPrivate))
        do {
            return try type.init(from: decoder)
        } catch let error as StepError {
            throw error
        } catch let error as DecodingError where error.stepError != nil {
            throw error.stepError ?? StepError(.invalidArguments, error.context.debugDescription)
        } catch {
            let description = (error as? DecodingError)?.context.debugDescription ?? "\(error)"
            let reason = decoder.isPrivate ? "its type refuses the value" : description
            throw StepError(.invalidArguments, "\(StepPlace.text([NameKey(message.name)])) can't be decoded: \(reason)")
        }
    }

    /// The error for a step that the type does not have.
    private static func unknown(_ name: String, _ type: Any.Type, _ declarations: [StepDeclaration]) -> StepError {
        let suggestion = Names.suggestion(for: name, among: declarations.lazy.map(\.name))
        return StepError(
            .unknownStep, "'\(StepError.name(of: type))' has no step '\(Names.escaped(name))'\(suggestion)")
    }

    /// Returns the value as its declaration has it. A type with its own coding can encode one type and decode another.
    private static func admit(
        _ value: Value, _ member: (name: String, value: EncodedValue), _ declaration: StepDeclaration
    ) throws(StepError) -> Value {
        guard value.nesting <= Limits.argumentNesting else { throw StepError.tooDeep(at: member.value.path) }
        guard let parameter = declaration.parameters.first(where: { $0.name == member.name }) else { return value }
        guard let admitted = parameter.type.admit(value) else {
            throw StepError(
                .unsupportedType,
                "\(StepPlace.text(member.value.path)) is encoded as \(StepError.word(value.signature)), but decoded as "
                    + "\(parameter.type.description); both have to be the same")
        }
        return admitted
    }

    /// Checks that all required arguments are present, and no others.
    private static func checkNames(
        _ arguments: FlowCore.Arguments, _ declaration: StepDeclaration
    ) throws(StepError) {
        let names = declaration.parameters.map(\.name)
        if let unknown = arguments.first(where: { !names.contains($0.name) })?.name {
            let known =
                names.isEmpty ? "it takes none" : "it takes " + names.map { "'\($0)'" }.joined(separator: ", ")
            throw StepError(
                .invalidArguments,
                "step '\(declaration.name)' has no argument '\(Names.escaped(unknown))': \(known)"
                    + Names.suggestion(for: unknown, among: names))
        }
        for parameter in declaration.parameters where !parameter.isOptional && arguments[parameter.name] == nil {
            throw StepError(
                .invalidArguments,
                "step '\(declaration.name)' needs the argument '\(parameter.name)' of type "
                    + parameter.type.description)
        }
    }
}

extension StepError {
    /// The error for containers that are nested too deep.
    static func tooDeep(at path: [any CodingKey]) -> StepError {
        StepError(
            .unsupportedValue,
            "\(StepPlace.text(path)) nests containers deeper than \(Limits.argumentNesting), which is the limit; an "
                + "array counts as one, a struct as three, an enum with payload as six")
    }

    /// The error that the encoding of a type threw.
    init(encoding error: any Error, at path: [any CodingKey]) {
        switch error {
        case let error as StepError: self = error
        case EncodingError.invalidValue(_, let context):
            self.init(
                .unsupportedValue,
                "\(StepPlace.text(context.codingPath.isEmpty ? path : context.codingPath)) can't be encoded: "
                    + context.debugDescription)
        default: self.init(.unsupportedValue, "\(StepPlace.text(path)) can't be encoded: \(error)")
        }
    }
}

extension Value {
    /// The depth of nested containers, as the limit counts them. Bytes count as one.
    var nesting: Int {
        switch shape {
        case .fixed, .stringLike, .bytes: 0
        case .variant(let value): 1 + value.nesting
        case .array(_, let elements), .structure(let elements): 1 + (elements.lazy.map(\.nesting).max() ?? 0)
        case .entry(let key, let value): 1 + max(key.nesting, value.nesting)
        }
    }
}
