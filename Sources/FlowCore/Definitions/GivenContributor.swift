/// A contributor with names, as the source of one. Its `onDismissed` and `onResult` are sources, too.
struct GivenContributor: ContributorSource {
    typealias Failure = FlowError

    /// What declares arguments.
    struct Target {
        let subject: String
        let parameters: [Parameter]

        subscript(name: String) -> Parameter? { parameters.first { $0.name == name } }

        init(_ subject: String, _ parameters: [Parameter]) { (self.subject, self.parameters) = (subject, parameters) }
    }

    private let contributor: NamedContributor
    private let definitions: Definitions

    init(_ contributor: NamedContributor, in definitions: Definitions) {
        (self.contributor, self.definitions) = (contributor, definitions)
    }

    var kind: NamedContributor.Kind { contributor.kind }
    var options: [Option] { contributor.options.isEmpty ? [] : Option.allCases.filter(has) }
    var hasName: Bool { !contributor.name.isEmpty }
    var takesKey: Bool { true }

    func has(_ option: Option) -> Bool { contributor.options[option] != nil }

    func subject(of target: Target) -> String { target.subject }

    func report(_ text: String, at option: Option?) throws(FlowError) { throw ContributorRules.wrong(text) }

    func value(of option: Option) -> NamedContributor.Given? { contributor.options[option] }

    func table(_ option: Option) -> (table: Self, isClean: Bool)? {
        guard case .table(let options)? = contributor.options[option] else { return nil }
        return (Self(NamedContributor(kind, "", options), in: definitions), true)
    }

    /// Whether the arguments fit the flow's declaration is known when the flow is.
    func result() -> ArgumentSource? {
        guard case .arguments(let result)? = contributor.options[.result] else { return nil }
        return .given(result.map { Binding($0.name, .literal($0.value)) })
    }

    func contextValues() throws(FlowError) -> [Binding]? {
        _ = try hasNoName(or: "")
        guard case .arguments(let given)? = contributor.options[.arguments], !given.isEmpty else {
            throw ContributorRules.wrong("it has to have the values in the option 'arguments'")
        }
        var bindings: [Binding] = []
        for argument in given {
            guard let declared = definitions.contexts(named: argument.name).first else {
                throw ContributorRules.wrong(definitions.unknownContext(argument.name))
            }
            guard !bindings.contains(where: { $0.name == argument.name }) else {
                throw ContributorRules.wrong("the value '\(argument.name)' is given more than once")
            }
            bindings.append(
                Binding(
                    argument.name, try source(of: argument.value, Parameter(argument.name, declared.type), .contributor)
                ))
        }
        return bindings
    }

    func output() throws(FlowError) -> Binding.Source? {
        if let problem = Names.problem(output: contributor.name) { throw ContributorRules.wrong(problem) }
        return .literal(.string(contributor.name))
    }

    // MARK: Names

    func step(_ option: Option?) throws(FlowError) -> Step? {
        var name = contributor.name
        if let option {
            guard case .text(let text)? = contributor.options[option] else { return nil }
            name = text
        }
        guard let step = definitions.step(named: name) else { throw definitions.unknownStep(name) }
        return self.step(step)
    }

    private func step(_ step: StepID) -> Step {
        (step, Target("step '\(definitions[step].name)'", definitions[step].parameters))
    }

    func child() throws(FlowError) -> Child? {
        let subject = "\(kind.rawValue) '\(Names.escaped(contributor.name))'"
        func result(_ values: [Parameter]?) -> Target? { values.map { Target("the result of \(subject)", $0) } }
        if kind == .flow {
            guard let id = definitions.flow(named: contributor.name) else {
                throw definitions.unknownFlow(contributor.name)
            }
            let flow = definitions[id]
            return (
                .flow(id), Target(subject, flow.parameters), result(flow.result), flow.initial.map { step($0) },
                flow.initial != nil
            )
        }
        guard let id = definitions.screen(named: contributor.name) else {
            throw ContributorRules.wrong(
                "no definition declares that screen" + definitions.suggestion(forScreen: contributor.name))
        }
        let screen = definitions[id]
        return (.screen(id), Target(subject, screen.parameters), result(screen.result), nil, false)
    }

    func presentable(orRoot allowsRoot: Bool) throws(FlowError) -> KeyedName? {
        let name = contributor.name
        let screen = definitions.screen(named: name).map { definitions[$0] }
        let flow = definitions.flow(named: name).map { definitions[$0] }
        guard allowsRoot && name == "root" || screen != nil || flow != nil else {
            throw ContributorRules.wrong(
                "no definition declares a screen or flow of that name" + definitions.suggestion(forPresentable: name))
        }
        guard case .arguments(let given)? = contributor.options[.key] else { return KeyedName(name) }
        // Of a screen and a flow of one name, the one with such a key is meant.
        let isFlow = given.contains { screen?.key.contains($0.name) != true } && flow != nil
        let parameters = isFlow ? flow?.keyParameters : screen?.keyParameters
        let target = Target("the key of '\(Names.escaped(name))'", parameters ?? [])
        guard case .given(let key)? = try arguments(.key, for: target, .contributor) else { return KeyedName(name) }
        return KeyedName(name, key: key)
    }

    func hasNoName(or alternative: String) throws(FlowError) -> Bool {
        if hasName { throw ContributorRules.wrong("'\(kind.rawValue)' has no name; it has to be empty") }
        return true
    }

    // MARK: Arguments

    /// Returns the arguments in their declared types. Only those for a child that is gone can refer to something: who answers knows
    /// the step and the flow.
    func arguments(
        _ option: Option, for target: Target?, _ place: ContributorPlace<Target>
    ) throws(FlowError) -> ArgumentSource? {
        guard case .arguments(let given)? = contributor.options[option], let target else { return .inherited }
        var bindings: [Binding] = []
        for argument in given {
            guard let parameter = target[argument.name] else {
                throw ContributorRules.wrong(Self.absent(argument.name, from: target))
            }
            guard !bindings.contains(where: { $0.name == argument.name }) else {
                throw ContributorRules.wrong(
                    "\(target.subject) was given the argument '\(argument.name)' more than once")
            }
            bindings.append(Binding(argument.name, try source(of: argument.value, parameter, place)))
        }
        if let missing = target.parameters.first(where: { !$0.isOptional && given[$0.name] == nil }) {
            throw ContributorRules.wrong(
                "\(target.subject) needs the argument '\(missing.name)' of type \(missing.type.description)")
        }
        return .given(bindings.sorted { $0.name < $1.name })
    }

    /// Returns what a value stands for.
    private func source(
        of value: Value, _ parameter: Parameter, _ place: ContributorPlace<Target>
    ) throws(FlowError) -> Binding.Source {
        var value = value
        if case .string(let text) = value, text.hasPrefix("$") {
            switch place {
            case .contributor: break
            case _ where text.hasPrefix("$$"): value = .string(String(text.dropFirst()))
            case .dismissed(let child?): return try reference(text, parameter, child, result: nil)
            case .answered(let child?, let result?): return try reference(text, parameter, child, result: result)
            case .dismissed, .answered: break
            }
        }
        if let admitted = parameter.type.admit(value) { return .literal(admitted) }
        if value.integer != nil, parameter.type.isInteger {
            throw misfit(parameter, "it is out of the range of the type \(parameter.type.description)")
        }
        let type = ValueType(signature: value.signature)?.description ?? value.signature
        throw misfit(parameter, "it is of type \(type) and has to be of type \(parameter.type.description)")
    }

    private func misfit(_ parameter: Parameter, _ why: String) -> FlowError {
        ContributorRules.wrong("the argument '\(parameter.name)' does not fit: \(why)")
    }

    /// Returns what a text for a child that is gone refers to: the result, the argument of the contributing step, which who answers
    /// knows, or the child.
    private func reference(
        _ text: String, _ parameter: Parameter, _ child: Target, result: Target?
    ) throws(FlowError) -> Binding.Source {
        let (asked, answered) = ("$asked.", "$result.")
        if let result {
            if text.hasPrefix(asked) { return .asked(String(text.dropFirst(asked.count))) }
            if text.hasPrefix(answered) {
                let name = String(text.dropFirst(answered.count))
                return try fitting(.result(name), text, result[name]?.type, parameter) {
                    Self.absent(name, from: result)
                }
            }
        }
        let prefix = "$context."
        if text.hasPrefix(prefix) {
            let name = String(text.dropFirst(prefix.count))
            return try fitting(.context(name), text, definitions.contexts(named: name).first?.type, parameter) {
                definitions.unknownContext(name)
            }
        }
        let name = String(text.dropFirst())
        let own: Binding.Source? =
            switch name {
            case "name": .childName
            case "reason" where result == nil: .reason
            case "error" where result == nil && child[name] == nil: .error
            case "message" where result == nil && child[name] == nil: .message
            default: nil
            }
        let type = own == nil ? child[name]?.type : ValueType(signature: "s")
        return try fitting(own ?? .step(name), text, type, parameter) { Self.absent(name, from: child) }
    }

    private func fitting(
        _ source: Binding.Source, _ text: String, _ type: ValueType?, _ parameter: Parameter, absent: () -> String
    ) throws(FlowError) -> Binding.Source {
        let text = Names.escaped(text)
        guard let type else {
            throw ContributorRules.wrong(
                "'\(text)' refers to nothing (for the text itself write '$\(text)'): \(absent())")
        }
        guard parameter.type.canAdmit(type) else {
            throw ContributorRules.wrong(
                "'\(text)' is of type \(type.description); the argument '\(parameter.name)' has to be of type "
                    + parameter.type.description)
        }
        return source
    }

    private static func absent(_ name: String, from target: Target) -> String {
        let names = target.parameters.map(\.name)
        return "\(target.subject) has no argument '\(Names.escaped(name))': it takes "
            + (names.isEmpty ? "none" : Names.list(names)) + Names.suggestion(for: name, among: names)
    }
}
