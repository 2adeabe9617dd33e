package import FlowCore

/// The step types of one flow. A flow can take steps of several types, for instance its own and those of its parent.
package struct StepCatalog: Sendable {
    /// The steps of all types, sorted by name.
    package let declarations: [StepDeclaration]
    private let names: Set<String>
    /// The type as which each step is decoded, and its name there.
    private let types: [String: (type: any BusStep.Type, caseName: String)]

    init(_ declarations: [StepDeclaration], _ types: [String: (type: any BusStep.Type, caseName: String)]) {
        self.declarations = declarations.sorted { $0.name < $1.name }
        self.types = types
        names = Set(declarations.lazy.map(\.name))
    }

    /// Collects the steps of the types. If two types have a step of the same name, the first type decodes it.
    ///
    /// - Parameters:
    ///   - types: the types.
    ///   - prefix: the word before the names of the steps of a type.
    /// - Throws: ``StepError`` for a type that can't be a step type, and for two steps of the same name with different
    ///   arguments.
    package init(
        _ types: [any Step.Type], _ prefix: (any BusStep.Type) -> String = { $0.namespace.prefix(in: "") }
    ) throws(StepError) {
        var known: [String: (declaration: StepDeclaration, type: any BusStep.Type, caseName: String)] = [:]
        for type in types {
            if type == NoneStep.self { continue }
            let type = try StepCoding.busType(type)
            let prefix = prefix(type)
            for declaration in try StepCoding.declarations(of: type, prefix: prefix) {
                guard let first = known[declaration.name] else {
                    let caseName =
                        prefix.isEmpty ? declaration.name : String(declaration.name.dropFirst(prefix.count + 1))
                    known[declaration.name] = (declaration, type, caseName)
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
        self.init(known.values.map(\.declaration), known.mapValues { ($0.type, $0.caseName) })
    }

    /// The cases of the steps by their names: `DemoStep.movieList`.
    var caseNames: [String: String] {
        types.mapValues { "\(StepError.name(of: $0.type)).\($0.caseName)" }
    }

    /// Returns whether one of the types has a step of this name.
    func has(_ name: String) -> Bool { names.contains(name) }

    /// The name of a step that a result names by its case (S-45).
    func name(ofCase name: String) -> String {
        if types[name] != nil { return name }
        // The case can have the name of its type before it in one process, and a namespace on the bus.
        return types.filter { $0.value.caseName == name }.keys.min() ?? name
    }

    /// Decodes a message with encoded arguments as a step.
    ///
    /// - Throws: ``StepError`` if no type has the step, or its arguments do not fit.
    func decode(_ message: StepMessage) throws(StepError) -> any Step {
        guard let (type, caseName) = types[message.name] else {
            let suggestion = Names.suggestion(for: message.name, among: declarations.lazy.map(\.name))
            throw StepError(.unknownStep, "there is no step '\(Names.escaped(message.name))'\(suggestion)")
        }
        return try Self.decode(type, StepMessage(name: caseName, arguments: message.arguments))
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
