import FlowCore

/// The step types of one flow. A flow can take steps of several types, for instance its own and those of its parent.
struct StepCatalog: Sendable {
    /// The steps of all types, sorted by name.
    let declarations: [StepDeclaration]
    /// The type as which each step is decoded.
    private let types: [String: any BusStep.Type]

    /// Collects the steps of the types. If two types have a step of the same name, the first type decodes it.
    ///
    /// - Throws: ``StepError`` for a type that can't be a step type, and for two steps of the same name with different
    ///   arguments.
    init(_ types: [any Step.Type]) throws(StepError) {
        var known: [String: (declaration: StepDeclaration, type: any BusStep.Type)] = [:]
        for type in types {
            if type == NoneStep.self { continue }
            let type = try StepCoding.busType(type)
            for declaration in try StepCoding.declarations(of: type) {
                guard let first = known[declaration.name] else {
                    known[declaration.name] = (declaration, type)
                    continue
                }
                guard first.declaration == declaration else {
                    throw StepError(
                        .unsupportedType,
                        "step '\(declaration.name)' takes \(Self.arguments(first.declaration)) in "
                            + "'\(StepError.name(of: first.type))' and \(Self.arguments(declaration)) in "
                            + "'\(StepError.name(of: type))'; on the bus it is one step, so they have to be the same")
                }
            }
        }
        declarations = known.values.map(\.declaration).sorted { $0.name < $1.name }
        self.types = known.mapValues(\.type)
    }

    /// Returns whether one of the types has a step of this name.
    func has(_ name: String) -> Bool { types[name] != nil }

    /// Decodes a message as a step.
    ///
    /// - Throws: ``StepError`` if no type has the step, or its arguments do not fit.
    func decode(_ message: StepMessage) throws(StepError) -> any Step {
        guard let type = types[message.name] else {
            let suggestion = Names.suggestion(for: message.name, among: declarations.lazy.map(\.name))
            throw StepError(.unknownStep, "there is no step '\(Names.escaped(message.name))'\(suggestion)")
        }
        return try Self.decode(type, message)
    }

    private static func decode<S: BusStep>(_ type: S.Type, _ message: StepMessage) throws(StepError) -> any Step {
        try StepCoding.decode(type, message)
    }

    private static func arguments(_ declaration: StepDeclaration) -> String {
        guard !declaration.parameters.isEmpty else { return "no arguments" }
        return declaration.parameters.map { "'\($0.name)' of type \($0.type.description)\($0.isOptional ? "?" : "")" }
            .joined(separator: ", ")
    }
}
