import FlowCore

/// Encodes steps as messages, decodes them, and derives the declarations of a flow.
package enum StepCoding {
    /// Returns the cases of the type with their arguments and types, sorted by name.
    ///
    /// - Parameters:
    ///   - type: the type.
    ///   - prefix: the word before the names of its steps.
    /// - Throws: ``StepError`` for a type that can't go over the bus.
    static func declarations(of type: any Step.Type, prefix: String = "") throws(StepError) -> [StepDeclaration] {
        if type == NoneStep.self { return [] }
        var declarations: [StepDeclaration] = []
        let steps = try busType(type)
        if let problem = steps.namespace.problem(of: type) { throw StepError(.unsupportedType, problem) }
        for step in steps.stepCases {
            let name = BusNamespace.joined(prefix, step.name)
            guard Names.isStepName(name) else {
                throw StepError(
                    .unsupportedType,
                    "'\(Names.escaped(name))' of '\(StepError.name(of: type))' can't be the name of a step: "
                        + Names.stepNameRule + "; give the case another")
            }
            guard !declarations.contains(where: { $0.name == name }) else {
                throw StepError.notAStep(type, "two of its cases have the name '\(step.name)'")
            }
            declarations.append(
                StepDeclaration(
                    name, parameters: try parameters(step.parameters, "argument", of: "step '\(step.name)'")))
        }
        return declarations.sorted { $0.name < $1.name }
    }

    /// Returns parameters as they are declared, sorted by name.
    ///
    /// - Throws: ``StepError`` for a name that an argument can't have, and for a name that two have.
    static func parameters(
        _ declared: [StepParameter], _ kind: String, of subject: String
    ) throws(StepError) -> [Parameter] {
        var parameters: [Parameter] = []
        for parameter in declared {
            guard Names.isPresentableName(parameter.name) else {
                throw StepError(
                    .unsupportedType,
                    "'\(Names.escaped(parameter.name))' can't be the name of an \(kind) of \(subject): "
                        + Names.presentableNameRule)
            }
            guard !parameters.contains(where: { $0.name == parameter.name }) else {
                throw StepError(.unsupportedType, "\(subject) has two \(kind)s with the name '\(parameter.name)'")
            }
            parameters.append(Parameter(parameter.name, parameter.type.type, isOptional: parameter.isOptional))
        }
        return parameters.sorted { $0.name < $1.name }
    }

    /// Returns a type as one of the bus.
    static func busType(_ type: any Step.Type) throws(StepError) -> any BusStep.Type {
        if let type = type as? any BusStep.Type { return type }
        throw notForTheBus(type)
    }

    private static func notForTheBus(_ type: any Step.Type) -> StepError {
        StepError(
            .unsupportedType,
            "steps of the type '\(StepError.name(of: type))' can't go over the bus: it is no BusStep; write '@Step enum "
                + "\(StepError.name(of: type))'")
    }

    /// The error for ``NoneStep``.
    static let noStep = StepError(.unsupportedValue, "NoneStep is no step at all, and can't be emitted")

    /// Encodes a step.
    ///
    /// - Throws: ``StepError`` for a step that D-Bus can't carry.
    static func encode(_ step: any Step) throws(StepError) -> StepMessage {
        if step is NoneStep {
            throw noStep
        }
        guard let step = step as? any BusStep else { throw notForTheBus(type(of: step)) }
        let name = step.caseName
        var encoder = StepEncoder(step: name)
        try step.encode(to: &encoder)
        return StepMessage(name: name, arguments: encoder.arguments)
    }

    /// Decodes a step.
    ///
    /// - Throws: ``StepError`` if the type does not have the step, or its arguments do not fit.
    package static func decode<S: BusStep>(_ type: S.Type, _ message: StepMessage) throws(StepError) -> S {
        let cases = type.stepCases
        guard let declared = cases.first(where: { $0.name == message.name }) else {
            throw unknown(message.name, type, cases.map(\.name))
        }
        try checkNames(message.arguments, declared)
        let decoder = StepDecoder(step: message.name, message.arguments)
        guard let step = try type.init(caseName: message.name, from: decoder) else {
            throw unknown(message.name, type, cases.map(\.name))
        }
        return step
    }

    /// The error for a step that the type does not have.
    private static func unknown(_ name: String, _ type: Any.Type, _ names: [String]) -> StepError {
        let suggestion = Names.suggestion(for: name, among: names)
        return StepError(
            .unknownStep, "'\(StepError.name(of: type))' has no step '\(Names.escaped(name))'\(suggestion)")
    }

    /// Checks that all required arguments are present, and no others.
    private static func checkNames(
        _ arguments: FlowCore.Arguments, _ declaration: StepCase
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
