/// The rules for contributors and their combinations: the same for definition files, navigators and the library.
///
/// Messages contain no values: these can be private arguments of a step, and everyone may read a message.
public struct ContributorRules {
    /// The maximum number of contributors in an answer: that of a flow's children.
    public static let limit = Limits.children

    private let definitions: Definitions

    /// Creates the rules for definitions.
    public init(_ definitions: Definitions) { self.definitions = definitions }

    // MARK: Without names

    /// Returns the kind with this name.
    ///
    /// - Throws: an error that lists all kinds.
    public static func kind(named name: String) throws(FlowError) -> NamedContributor.Kind {
        if let kind = NamedContributor.Kind(rawValue: name) { return kind }
        let kinds = NamedContributor.Kind.allCases.map(\.rawValue)
        let known = kinds.map { "'\($0)'" }.joined(separator: ", ")
        throw wrong("there is no such kind; known are \(known)" + Names.suggestion(for: name, among: kinds))
    }

    /// Returns why contributors of these kinds can't be combined; nil if they can (S-21).
    public static func problem(together kinds: some Collection<NamedContributor.Kind>) -> String? {
        guard kinds.count > 1, kinds.contains(.end) else { return nil }
        return "'end' stands beside other contributors; the flow is gone with it, so it has to be the only one"
    }

    /// Returns why a text is not a valid style; nil if it is.
    public static func problem(style: String) -> String? {
        let count = style.utf8.count
        return count <= Limits.styleLength
            ? nil : "'style' has \(count) bytes; it can have at most \(Limits.styleLength)"
    }

    /// Returns why a text is not a valid id of a presentable; nil if it is.
    public static func problem(id: String) -> String? {
        Names.isPresentableName(id)
            ? nil : "'\(Names.escaped(id))' can't be an id: it has to be \(Names.presentableNameRule)"
    }

    /// The error for an `onDismissed` or `onResult` without a step.
    public static func missingStep(of option: NamedContributor.Option) -> String {
        "'\(option.rawValue)' has to name its step"
    }

    /// The error for an `onResult` at a child that can't answer.
    public static func noResult(of subject: String) -> String {
        "\(subject) declares no 'result', so 'onResult' would never be triggered"
    }

    private static func whenHidden(_ word: String) throws(FlowError) -> WhenHidden {
        if let whenHidden = WhenHidden(rawValue: word) { return whenHidden }
        let words = WhenHidden.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        throw wrong("'whenHidden' is '\(Names.escaped(word))'; it has to be one of \(words)")
    }

    /// Returns why a text is not a valid `reuse`; nil if it is.
    public static func problem(reuse text: String) -> String? {
        let raise = NamedContributor.Option.raise
        return text == raise ? nil : "'reuse' is '\(Names.escaped(text))'; it has to be true, false or '\(raise)'"
    }

    private static func reuse(
        _ option: NamedContributor.Reuse?
    ) throws(FlowError) -> (reuses: Bool, raises: Bool) {
        switch option {
        case .flag(let reuses)?: return (reuses, false)
        case .word(let word)?:
            try throwing(problem(reuse: word))
            return (true, true)
        case nil: return (false, false)
        }
    }

    private static func wrong(_ text: String) -> FlowError { FlowError(.navigatorFailed, text) }

    private static func throwing(_ problem: String?) throws(FlowError) {
        if let problem { throw wrong(problem) }
    }

    // MARK: In a flow

    /// Returns why a contributor can't be one of a flow; nil if it can (S-37).
    ///
    /// - Parameters:
    ///   - contributor: the contributor.
    ///   - children: which children of the flow cover others.
    ///   - layers: the names of the flow's layers; empty if they are not known.
    ///   - isFlow: whether a flow has this name.
    /// - Returns: the key that is wrong, and the reason.
    public static func problem(
        of contributor: FlowContributor, among children: Children, _ layers: [String], isFlow: (String) -> Bool
    ) -> (key: String, text: String)? {
        switch contributor {
        case .child(let child) where child.layer != nil && children != .layers:
            return ("layer", "'layer' is for children = \"layers\", and this flow has \"\(children.rawValue)\"")
        case .child(let child) where children == .layers && child.isScreen:
            return ("screen", "children of layers are flows; put the screen into a flow")
        case .child(let child) where child.layer.map { !layers.isEmpty && !layers.contains($0) } ?? false:
            let name = child.layer ?? ""
            let known = layers.map { "'\($0)'" }.joined(separator: ", ")
            return (
                "layer",
                "this flow has no layer '\(Names.escaped(name))'; it has \(known)"
                    + Names.suggestion(for: name, among: layers)
            )
        case .child(let child) where child.raises && children != .stack:
            let always = children == .free ? "" : "; with reuse = true, the child comes to the front there"
            return ("reuse", "'raise' is for children = \"stack\", and this flow has \"\(children.rawValue)\"\(always)")
        case .show where children == .stack:
            return ("show", "in a stack the newest child is in front; reuse = \"raise\" makes a child the newest")
        case .show(let name) where children != .tabs && !isFlow(name):
            return ("show", "'\(name)' is a screen, which becomes visible by SetVisible of the client that shows it")
        case .hide where children == .stack || children == .tabs:
            return (
                "hide",
                "'hide' is for children = \"layers\" or \"free\", and this flow has \"\(children.rawValue)\""
            )
        case .hide(let name) where !isFlow(name):
            return ("hide", "'\(name)' is a screen; 'hide' is for flows")
        case .child, .pop, .show, .hide, .dismiss, .evict, .current, .parent, .end, .answer: return nil
        }
    }

    /// Refuses contributors that can't be those of a flow.
    func check(_ contributors: [FlowContributor], of flow: FlowID) throws(FlowError) {
        let (children, layers) = (definitions[flow].children, definitions[flow].layers.map(\.name))
        for (index, contributor) in contributors.enumerated() {
            let problem = Self.problem(of: contributor, among: children, layers) { definitions.flow(named: $0) != nil }
            if let problem { throw Self.wrong("contributor \(index + 1): \(problem.text)") }
            if case .answer = contributor, definitions[flow].result == nil {
                throw Self.wrong("contributor \(index + 1): flow '\(definitions[flow].name)' declares no 'result'")
            }
        }
    }

    // MARK: With names

    /// Resolves the contributors of an answer.
    ///
    /// - Throws: an error that names the first invalid contributor.
    public func contributors(_ named: [NamedContributor]) throws(FlowError) -> [FlowContributor] {
        var contributors: [FlowContributor] = []
        for (index, contributor) in named.enumerated() {
            do throws(FlowError) {
                if let made = try self.contributor(contributor) { contributors.append(made) }
            } catch {
                throw Self.wrong(Self.text(of: error, at: index, contributor.kind.rawValue, contributor.name))
            }
        }
        try Self.throwing(Self.problem(together: named.map(\.kind)))
        return contributors
    }

    /// The message of an error, with the place of the contributor before it.
    public static func text(of error: FlowError, at index: Int, _ kind: String, _ name: String) -> String {
        let subject = "'\(Names.escaped(kind))'" + (name.isEmpty ? "" : " '\(Names.escaped(name))'")
        return "contributor \(index + 1), \(subject): \(error.message)"
    }

    /// Resolves a contributor; nil for `none`.
    ///
    /// - Throws: the first error.
    public func contributor(_ named: NamedContributor) throws(FlowError) -> FlowContributor? {
        let (name, options) = (named.name, named.options)
        switch named.kind {
        case .screen:
            guard let screen = definitions.screen(named: name) else {
                throw Self.wrong(
                    "no definition declares that screen" + definitions.suggestion(forScreen: name))
            }
            let target = ParameterList(parameters: definitions[screen].parameters, subject: "the screen")
            return .child(
                try child(
                    .screen(screen), target, answering: definitions[screen].result, initial: nil, options))
        case .flow:
            guard let flow = definitions.flow(named: name) else { throw definitions.unknownFlow(name) }
            let target = ParameterList(parameters: definitions[flow].parameters, subject: "the flow")
            return .child(
                try child(
                    .flow(flow), target, answering: definitions[flow].result, initial: definitions[flow].initial,
                    options))
        case .current: return .current(try forwarded(to: name, options.arguments))
        case .parent: return .parent(try forwarded(to: name, options.arguments))
        case .end:
            guard name.isEmpty else {
                guard options.result == nil else { throw Self.wrong(Self.resultBesideStep) }
                return .end(try forwarded(to: name, options.arguments))
            }
            // Whether they fit the flow's declaration is known when the flow is.
            return options.result.map { .answer(.given($0.map { Binding($0.name, .literal($0.value)) })) } ?? .end(nil)
        case .pop: return .pop(name == "root" ? .root : .to(name: try presentable(name)))
        case .show: return .show(name: try presentable(name))
        case .hide: return .hide(name: try presentable(name))
        case .dismiss: return .dismiss(name: try presentable(name))
        case .evict, .none:
            guard name.isEmpty else { throw Self.wrong("'\(named.kind.rawValue)' has no name; it has to be empty") }
            return named.kind == .evict ? .evict : nil
        }
    }

    /// The error for an `end` with a step and a result.
    public static let resultBesideStep =
        "'result' stands beside a step; a flow that answers ends with 'end = true', and its parent's 'onResult' names the step"

    /// The name, if a screen or flow has it.
    private func presentable(_ name: String) throws(FlowError) -> String {
        if definitions.screen(named: name) != nil || definitions.flow(named: name) != nil { return name }
        throw Self.wrong(
            "no definition declares a screen or flow of that name" + definitions.suggestion(forPresentable: name))
    }

    private func forwarded(to name: String, _ given: Arguments?) throws(FlowError) -> StepTemplate {
        let step = try step(name)
        return StepTemplate(step, arguments: try source(given, for: target(step)))
    }

    private func child(
        _ presentable: ChildTemplate.Presentable, _ target: ParameterList, answering result: [Parameter]?,
        initial: StepID?, _ options: NamedContributor.Options
    ) throws(FlowError) -> ChildTemplate {
        if let id = options.id { try Self.throwing(Self.problem(id: id)) }
        if let style = options.style { try Self.throwing(Self.problem(style: style)) }
        var whenHidden: WhenHidden?
        if let word = options.whenHidden { whenHidden = try Self.whenHidden(word) }
        let (reuses, raises) = try Self.reuse(options.reuse)
        var named: StepID?
        if let name = options.step { named = try step(name) }
        let onDismissed = try template(options.onDismissed, .onDismissed, target, of: Child(target: target))
        let answering = result.map {
            Child(target: target, result: ParameterList(parameters: $0, subject: "the result of \(target.subject)"))
        }
        let onResult = try template(options.onResult, .onResult, target, of: answering)
        var stepArguments = ArgumentSource.inherited
        if let first = named ?? initial {
            stepArguments = try source(options.stepArguments, for: self.target(first))
        } else if options.stepArguments != nil {
            throw Self.wrong("it has no initial step that could take 'stepArguments'; name one with 'step'")
        }
        return ChildTemplate(
            presentable, id: options.id, arguments: try source(options.arguments, for: target), step: named,
            stepArguments: stepArguments, style: options.style ?? "", whenHidden: whenHidden,
            reuses: reuses, raises: raises, clears: options.clear ?? false, layer: options.layer,
            onDismissed: onDismissed, onResult: onResult)
    }

    /// The step for when a child is gone; nil if none is given.
    ///
    /// - Parameter child: what its arguments can refer to; nil if the child can't go in this way.
    private func template(
        _ given: NamedContributor.Dismissal?, _ option: NamedContributor.Option, _ target: ParameterList,
        of child: Child?
    ) throws(FlowError) -> StepTemplate? {
        guard let given else { return nil }
        guard let name = given.step else { throw Self.wrong(Self.missingStep(of: option)) }
        guard let child else { throw Self.wrong(Self.noResult(of: target.subject)) }
        let step = try step(name)
        return StepTemplate(step, arguments: try source(given.arguments, for: self.target(step), of: child))
    }

    private func step(_ name: String) throws(FlowError) -> StepID {
        guard let step = definitions.step(named: name) else { throw definitions.unknownStep(name) }
        return step
    }
}

extension ChildTemplate {
    fileprivate var isScreen: Bool { if case .screen = presentable { true } else { false } }
}

// MARK: - Arguments

extension ContributorRules {
    /// An owner of arguments.
    private struct ParameterList {
        let parameters: [Parameter]
        let subject: String

        subscript(name: String) -> Parameter? { parameters.first { $0.name == name } }
    }

    /// The child to which texts in `onDismissed` and `onResult` can refer.
    private struct Child {
        let target: ParameterList
        /// What it can answer, in `onResult`.
        var result: ParameterList?
    }

    private func target(_ step: StepID) -> ParameterList {
        ParameterList(parameters: definitions[step].parameters, subject: "step '\(definitions[step].name)'")
    }

    /// Returns the given arguments in their declared types; or inherited ones if none are given (S-18).
    ///
    /// - Parameter child: the child to which texts can refer: to its name, its arguments, the reason why it goes, or its
    ///   result.
    private func source(
        _ given: Arguments?, for target: ParameterList, of child: Child? = nil
    ) throws(FlowError) -> ArgumentSource {
        guard let given else { return .inherited }
        var bindings: [Binding] = []
        for argument in given {
            guard let parameter = target[argument.name] else {
                let names = target.parameters.map(\.name)
                let takes = names.isEmpty ? "none" : names.map { "'\($0)'" }.joined(separator: ", ")
                throw Self.wrong(
                    "\(target.subject) has no argument '\(Names.escaped(argument.name))': it takes \(takes)"
                        + Names.suggestion(for: argument.name, among: names))
            }
            guard !bindings.contains(where: { $0.name == argument.name }) else {
                throw Self.wrong("\(target.subject) was given the argument '\(argument.name)' more than once")
            }
            var source: Binding.Source?
            if let child { source = try reference(argument.value, to: parameter, of: child) }
            if source == nil { source = .literal(try admit(argument.value, by: parameter, child)) }
            if let source { bindings.append(Binding(argument.name, source)) }
        }
        if let missing = target.parameters.first(where: { !$0.isOptional && given[$0.name] == nil }) {
            throw Self.wrong(
                "\(target.subject) needs the argument '\(missing.name)' of type \(missing.type.description)")
        }
        return .given(bindings.sorted { $0.name < $1.name })
    }

    /// Returns what a text in `onDismissed` or `onResult` refers to; nil if it is literal.
    private func reference(
        _ value: Value, to parameter: Parameter, of children: Child
    ) throws(FlowError) -> Binding.Source? {
        guard case .string(let text) = value, text.hasPrefix("$"), !text.hasPrefix("$$") else { return nil }
        let name = String(text.dropFirst())
        if let result = children.result, let source = try reference(text, to: parameter, into: result) { return source }
        let (child, isDismissal) = (children.target, children.result == nil)
        let source: Binding.Source
        let type: ValueType?
        switch name {
        case "name": (source, type) = (.childName, ValueType(signature: "s"))
        case "reason" where isDismissal: (source, type) = (.reason, ValueType(signature: "s"))
        case "error" where isDismissal && child[name] == nil: (source, type) = (.error, ValueType(signature: "s"))
        case "message" where isDismissal && child[name] == nil: (source, type) = (.message, ValueType(signature: "s"))
        default: (source, type) = (.step(name), child[name]?.type)
        }
        guard let type else {
            throw Self.wrong(
                "'\(Names.escaped(text))' refers to nothing (for the text itself write '$\(Names.escaped(text))'): "
                    + "\(child.subject) has no argument '\(Names.escaped(name))'")
        }
        guard parameter.type.canAdmit(type) else {
            throw Self.mismatch(parameter, "'\(text)' is of type \(type.description)")
        }
        return source
    }

    /// Returns the value of the result, or the argument of the contributing step, that a text in `onResult` refers to. That
    /// step is the navigator's, which knows its arguments.
    private func reference(
        _ text: String, to parameter: Parameter, into result: ParameterList
    ) throws(FlowError) -> Binding.Source? {
        let (asked, answered) = ("$asked.", "$result.")
        if text.hasPrefix(asked) { return .asked(String(text.dropFirst(asked.count))) }
        guard text.hasPrefix(answered) else { return nil }
        let name = String(text.dropFirst(answered.count))
        guard let value = result[name] else {
            throw Self.wrong(
                "'\(Names.escaped(text))' refers to nothing (for the text itself write '$\(Names.escaped(text))'): "
                    + "\(result.subject) has no value '\(Names.escaped(name))'")
        }
        guard parameter.type.canAdmit(value.type) else {
            throw Self.mismatch(parameter, "'\(text)' is of type \(value.type.description)")
        }
        return .result(name)
    }

    private func admit(_ value: Value, by parameter: Parameter, _ child: Child?) throws(FlowError) -> Value {
        var value = value
        if child != nil, case .string(let text) = value, text.hasPrefix("$$") {
            value = .string(String(text.dropFirst()))
        }
        if let admitted = parameter.type.admit(value) { return admitted }
        if value.integer != nil, parameter.type.isInteger {
            throw Self.mismatch(parameter, "it is out of the range of that type")
        }
        let type = ValueType(signature: value.signature)?.description ?? value.signature
        throw Self.mismatch(parameter, "it is of type \(type)")
    }

    private static func mismatch(_ parameter: Parameter, _ why: String) -> FlowError {
        wrong("the argument '\(parameter.name)' has to be of type \(parameter.type.description): \(why)")
    }
}
