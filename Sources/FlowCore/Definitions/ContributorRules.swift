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
        throw wrong("there is no such kind; known are \(Names.list(kinds))" + Names.suggestion(for: name, among: kinds))
    }

    /// Returns why contributors of these kinds can't be combined; nil if they can (S-21).
    public static func problem(together kinds: some Collection<NamedContributor.Kind>) -> String? {
        // What the context has outlives the flow.
        guard kinds.count(where: { $0 != .set }) > 1, kinds.contains(.end) else { return nil }
        return
            "'end' stands beside other contributors; the flow is gone with it, so it has to be the only one but for 'set'"
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

    /// The error for a word that an option can't have.
    static func wrongWord(_ word: String, _ option: NamedContributor.Option, among words: [String]) -> String {
        "'\(option.rawValue)' is '\(Names.escaped(word))'; it has to be \(option.valid)"
            + Names.suggestion(for: word, among: words)
    }

    static func wrong(_ text: String) -> FlowError { FlowError(.navigatorFailed, text) }

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
            let known = Names.list(layers) + Names.suggestion(for: name, among: layers)
            return ("layer", "this flow has no layer '\(Names.escaped(name))'; it has \(known)")
        case .child(let child) where child.raises && children != .stack:
            let always = children == .free ? "" : "; with reuse = true, the child comes to the front there"
            return ("reuse", "'raise' is for children = \"stack\", and this flow has \"\(children.rawValue)\"\(always)")
        case .show where children == .stack:
            return ("show", "in a stack the newest child is in front; reuse = \"raise\" makes a child the newest")
        case .show(let name) where children != .tabs && !name.isFlow(isFlow):
            return (
                "show", "'\(name.name)' is a screen, which becomes visible by SetVisible of the client that shows it"
            )
        case .hide where children == .stack || children == .tabs:
            return (
                "hide",
                "'hide' is for children = \"layers\" or \"free\", and this flow has \"\(children.rawValue)\""
            )
        case .hide(let name) where !name.isFlow(isFlow):
            return ("hide", "'\(name.name)' is a screen; 'hide' is for flows")
        case .child, .pop, .show, .hide, .dismiss, .evict, .set, .move, .current, .parent, .end, .answer: return nil
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
                contributors += try ContributorReader(GivenContributor(contributor, in: definitions)).read() ?? []
            } catch {
                throw Self.error(error, at: index, contributor.kind.rawValue, contributor.name)
            }
        }
        if let problem = Self.problem(together: named.map(\.kind)) { throw Self.wrong(problem) }
        return contributors
    }

    /// An error with the place of the contributor before its message.
    public static func error(_ error: FlowError, at index: Int, _ kind: String, _ name: String) -> FlowError {
        let subject = "'\(Names.escaped(kind))'" + (name.isEmpty ? "" : " '\(Names.escaped(name))'")
        return wrong("contributor \(index + 1), \(subject): \(error.message)")
    }
}

extension ChildTemplate {
    fileprivate var isScreen: Bool { if case .screen = presentable { true } else { false } }
}

extension KeyedName {
    /// Whether it can be a flow, by what is declared.
    fileprivate func isFlow(_ isDeclared: (String) -> Bool) -> Bool { isFlow ?? true && isDeclared(name) }
}

// MARK: - Reading

/// What contributors are read from: a table of a file, or of an answer.
///
/// A method returns nil for what is wrong, and says so to ``report(_:at:)``. A file collects its errors and throws nothing, so that one
/// mistake hides no other; an answer throws the first.
public protocol ContributorSource {
    /// What an error throws.
    associatedtype Failure: Error
    /// What declares arguments: a step, a screen or a flow.
    associatedtype Target
    /// A key of the table.
    typealias Option = NamedContributor.Option
    /// A step that has a name.
    typealias Step = (id: StepID, target: Target)
    /// A child that has a name. It can have an initial step that is not known.
    typealias Child = (
        presentable: ChildTemplate.Presentable, target: Target, result: Target?, initial: Step?, hasInitial: Bool
    )

    /// The kind of the contributor.
    var kind: NamedContributor.Kind { get }
    /// The options that it has.
    var options: [Option] { get }
    /// Whether values of a key are an option, and not a part of the name (S-51).
    var takesKey: Bool { get }
    /// Whether it has an option.
    func has(_ option: Option) -> Bool
    /// What declares arguments, in the words of a message: `screen 'detail'`.
    func subject(of target: Target) -> String
    /// Takes an error in the value of an option; nil is for the table.
    func report(_ text: String, at option: Option?) throws(Failure)

    /// Returns a text or a Boolean; nil if there is none.
    func value(of option: Option) throws(Failure) -> NamedContributor.Given?
    /// Returns a table in this one, and whether it has no other keys than it can have; nil if there is none.
    func table(_ option: Option) throws(Failure) -> (table: Self, isClean: Bool)?
    /// Returns arguments for a target, inherited ones if none are given.
    func arguments(
        _ option: Option, for target: Target?, _ place: ContributorPlace<Target>
    ) throws(Failure) -> ArgumentSource?
    /// Returns the result with which the flow ends.
    func result() throws(Failure) -> ArgumentSource?
    /// Returns the values of the context that the kind sets (S-57).
    func contextValues() throws(Failure) -> [Binding]?
    /// Returns the output to which the root moves (S-53).
    func output() throws(Failure) -> Binding.Source?

    /// Returns the step that an option names; nil is for the kind.
    func step(_ option: Option?) throws(Failure) -> Step?
    /// Returns the child that the kind names.
    func child() throws(Failure) -> Child?
    /// Returns the screen or flow that the kind names, with values of its key or without, or the root.
    func presentable(orRoot allowsRoot: Bool) throws(Failure) -> KeyedName?
    /// Whether the kind names something.
    var hasName: Bool { get }
    /// Checks a kind that names nothing.
    ///
    /// - Parameter alternative: what it can be otherwise, for the error.
    func hasNoName(or alternative: String) throws(Failure) -> Bool
}

/// Where arguments stand, and with that what the texts in them can refer to.
public enum ContributorPlace<Target> {
    /// In a contributor.
    case contributor
    /// In the `onDismissed` of a child.
    case dismissed(Target?)
    /// In the `onResult` of a child.
    case answered(Target?, result: Target?)
}

/// Reads a contributor.
public struct ContributorReader<Source: ContributorSource> {
    private typealias Option = NamedContributor.Option

    private let source: Source

    /// Creates a reader of a source.
    public init(_ source: Source) { self.source = source }

    /// Returns the contributor, none for `none`; nil if it is invalid.
    public func read() throws(Source.Failure) -> [FlowContributor]? {
        try checkOptions()
        let contributor: FlowContributor?
        switch source.kind {
        case .screen, .flow: contributor = try child().map { .child($0) }
        case .current: contributor = try step(nil, .contributor).map { .current($0) }
        case .parent: contributor = try step(nil, .contributor).map { .parent($0) }
        case .end: contributor = try end()
        case .pop: contributor = try source.presentable(orRoot: true).map { .pop($0.name == "root" ? .root : .to($0)) }
        case .show: contributor = try source.presentable(orRoot: false).map { .show($0) }
        case .hide: contributor = try source.presentable(orRoot: false).map { .hide($0) }
        case .dismiss: contributor = try source.presentable(orRoot: false).map { .dismiss($0) }
        case .evict: contributor = try source.hasNoName(or: "") ? .evict : nil
        case .set: contributor = try source.contextValues().map { .set($0) }
        case .move: contributor = try source.output().map { .move($0) }
        case .none: return try source.hasNoName(or: "") ? [] : nil
        }
        return contributor.map { [$0] }
    }

    private func checkOptions() throws(Source.Failure) {
        let kind = source.kind
        for option in source.options where !option.kinds.contains(kind) {
            switch (option, kind) {
            case (.layer, .screen): break  // The flow says which children it can have.
            case (.key, .screen), (.key, .flow):
                try source.report(
                    "'key' does nothing beside '\(kind.rawValue)'; it is declared at the \(kind.rawValue) itself, and 'reuse' means "
                        + "the one with equal values", at: option)
            case (.result, .screen), (.result, .flow):
                try source.report(
                    "'result' does nothing beside '\(kind.rawValue)'; what it answers is declared at the \(kind.rawValue) "
                        + "itself, and 'onResult' names the step for that", at: option)
            default:
                let known = kind.options.filter { $0 != .key || source.takesKey }
                let takes = known.isEmpty ? "no options" : "only \(Names.list(known.map(\.rawValue)))"
                try source.report(
                    "'\(option.rawValue)' does nothing beside '\(kind.rawValue)', which takes \(takes)", at: option)
            }
        }
    }

    private func step(_ name: Option?, _ place: ContributorPlace<Source.Target>) throws(Source.Failure) -> StepTemplate?
    {
        let step = try source.step(name)
        let arguments = try source.arguments(.arguments, for: step?.target, place)
        guard let step, let arguments else { return nil }
        return StepTemplate(step.id, arguments: arguments)
    }

    private func end() throws(Source.Failure) -> FlowContributor? {
        if source.hasName {
            guard source.has(.result) else { return try step(nil, .contributor).map { .end($0) } }
            try source.report(
                "'result' stands beside a step; a flow that answers ends with 'end = true', and its parent's 'onResult' names "
                    + "the step", at: .result)
            return nil
        }
        guard try source.hasNoName(or: "the name of a step, or ") else { return nil }
        if source.has(.arguments) {
            try source.report("the flow ends without a step, so nothing takes these arguments", at: .arguments)
            return nil
        }
        return source.has(.result) ? try source.result().map { .answer($0) } : .end(nil)
    }

    // MARK: Children

    private func child() throws(Source.Failure) -> ChildTemplate? {
        let child = try source.child()
        let step = try source.step(.step)
        let id = try text(.id, ContributorRules.problem(id:))
        let style = try text(.style, ContributorRules.problem(style:))
        let whenHidden = try text(.whenHidden) { text in
            let words = WhenHidden.allCases.map(\.rawValue)
            return words.contains(text) ? nil : ContributorRules.wrongWord(text, .whenHidden, among: words)
        }
        let (reuses, raises) = try reuse()
        var clears = false
        if case .flag(let flag)? = try source.value(of: .clear) { clears = flag }
        let layer = try text(.layer) { _ in nil }
        let onDismissed = try triggered(.onDismissed, .dismissed(child?.target))
        let onResult = try onResult(of: child)
        let arguments = try source.arguments(.arguments, for: child?.target, .contributor)
        let stepArguments = try stepArguments(of: child, step)
        guard let child, let arguments, let stepArguments else { return nil }
        return ChildTemplate(
            child.presentable, id: id, arguments: arguments, step: step?.id, stepArguments: stepArguments,
            style: style, whenHidden: whenHidden.flatMap(WhenHidden.init), reuses: reuses, raises: raises,
            clears: clears, layer: layer, onDismissed: onDismissed, onResult: onResult)
    }

    /// Returns a text that has no problem.
    private func text(_ option: Option, _ problem: (String) -> String?) throws(Source.Failure) -> String? {
        guard case .text(let text)? = try source.value(of: option) else { return nil }
        guard let problem = problem(text) else { return text }
        try source.report(problem, at: option)
        return nil
    }

    private func reuse() throws(Source.Failure) -> (reuses: Bool, raises: Bool) {
        switch try source.value(of: .reuse) {
        case .flag(let reuses)?: return (reuses, false)
        case .text(Option.raise)?: return (true, true)
        case .text(let text)?:
            try source.report(ContributorRules.wrongWord(text, .reuse, among: [Option.raise]), at: .reuse)
            return (true, false)
        case .arguments?, .table?, nil: return (false, false)
        }
    }

    private func stepArguments(of child: Source.Child?, _ step: Source.Step?) throws(Source.Failure) -> ArgumentSource?
    {
        let isFlow = source.kind == .flow
        if source.has(.step) || child?.hasInitial ?? isFlow {
            let initial = source.has(.step) ? step : child?.initial
            return try source.arguments(.stepArguments, for: initial?.target, .contributor)
        }
        guard source.has(.stepArguments) else { return .inherited }
        let what = isFlow ? "the flow has no initial step" : "a screen has no initial step of its own"
        try source.report("\(what), so nothing takes these arguments; name one with 'step'", at: .stepArguments)
        return nil
    }

    /// Returns the step that is triggered on the flow when the child answers (S-45).
    private func onResult(of child: Source.Child?) throws(Source.Failure) -> StepTemplate? {
        if source.has(.onResult), let child, child.result == nil {
            try source.report(
                "\(source.subject(of: child.target)) declares no 'result', so 'onResult' would never be triggered",
                at: .onResult)
            return nil
        }
        return try triggered(.onResult, .answered(child?.target, result: child?.result))
    }

    /// Returns the step that is triggered on the flow when the child is gone (S-23, S-45).
    private func triggered(
        _ option: Option, _ place: ContributorPlace<Source.Target>
    ) throws(Source.Failure) -> StepTemplate? {
        guard let (table, isClean) = try source.table(option) else { return nil }
        if isClean, !table.has(.step) {
            try table.report("'\(option.rawValue)' has to name its step: step = \"NAME\"", at: nil)
        }
        return try ContributorReader(table).step(.step, place)
    }
}

// MARK: - Writing

extension ChildTemplate {
    /// Returns the value of an option as it is given; nil for a default, and for one that names steps or has arguments.
    public func given(_ option: NamedContributor.Option) -> NamedContributor.Given? {
        switch option {
        case .id: id.map { .text($0) }
        case .style: style.map { .text($0) }
        case .whenHidden: whenHidden.map { .text($0.rawValue) }
        case .reuse: raises ? .text(NamedContributor.Option.raise) : reuses ? .flag(true) : nil
        case .clear: clears ? .flag(true) : nil
        case .layer: layer.map { .text($0) }
        case .step, .arguments, .stepArguments, .onDismissed, .onResult, .result, .key: nil
        }
    }
}
