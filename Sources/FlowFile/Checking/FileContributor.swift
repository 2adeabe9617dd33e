import FlowCore

/// A contributor in a file, as the source of one: its table. The tables of its `onDismissed` and `onResult` are sources, too.
struct FileContributor: ContributorSource {
    typealias Failure = Never
    typealias Target = Declared

    let kind: NamedContributor.Kind
    private let table: Section
    private let context: RuleContext
    private let resolver: Resolver

    init(_ kind: NamedContributor.Kind, _ table: Section, _ context: RuleContext, _ resolver: Resolver) {
        (self.kind, self.table, self.context, self.resolver) = (kind, table, context, resolver)
    }

    private var diagnostics: Diagnostics { resolver.diagnostics }
    /// What stands at the key of the kind, or at that of an option.
    private func item(_ option: Option?) -> Item? { table[option?.rawValue ?? kind.rawValue] }

    var options: [Option] {
        table.keys.compactMap { if case .option(let option)? = Resolver.keys[$0] { option } else { nil } }
    }
    var hasName: Bool { item(nil)?.text != nil }
    var takesKey: Bool { false }

    func has(_ option: Option) -> Bool { table.has(option.rawValue) }

    func subject(of target: Declared) -> String { target.subject }

    func report(_ text: String, at option: Option?) {
        diagnostics.error(option.map { table.location.key($0.rawValue) } ?? table.location, text)
    }

    func value(of option: Option) -> NamedContributor.Given? {
        guard let item = item(option) else { return nil }
        switch (item.value, option.type) {
        case (.string("root"), _) where option == .id:
            checkPresentableName("root", "a presentable", item.location, diagnostics)
        case (.string(let text), .text), (.string(let text), .flagOrText):
            do throws(Literal.InvalidValue) {
                return .text(try Literal.validated(text))
            } catch {
                report(error.text, at: option)
            }
        case (.bool(let flag), .flag), (.bool(let flag), .flagOrText): return .flag(flag)
        case (let value, _): report("this is \(value.kind); it has to be \(option.valid)", at: option)
        }
        return nil
    }

    func table(_ option: Option) -> (table: Self, isClean: Bool)? {
        guard let section = item(option)?.section(diagnostics, option.valid) else { return nil }
        let isClean = section.checkKeys(
            diagnostics, of: "the table '\(option.rawValue)'", Option.ofTable.map(\.rawValue))
        return (Self(kind, section, context, resolver), isClean)
    }

    func arguments(_ option: Option, for target: Declared?, _ place: ContributorPlace<Declared>) -> ArgumentSource? {
        resolver.arguments(option.rawValue, table, for: target, context.at(place))
    }

    /// Returns the result with which the flow ends (S-45).
    func result() -> ArgumentSource? {
        guard resolver.draft.isComplete else { return nil }
        guard let result = context.result else {
            report(
                "\(context.flow.subject) declares no 'result'; declare its values and their types there", at: .result)
            return nil
        }
        return arguments(.result, for: result, .contributor)
    }

    func contextValues() -> [Binding]? {
        guard resolver.draft.isComplete, let item = item(nil) else { return nil }
        if has(.arguments) {
            report("'arguments' does nothing beside 'set', whose table has the values", at: .arguments)
        }
        return resolver.settings(item, context)
    }

    func output() -> Binding.Source? { item(nil).flatMap { resolver.outputToMoveTo($0, context) } }

    // MARK: Names

    func step(_ option: Option?) -> Step? {
        guard let item = item(option), let step = resolver.step(item) else { return nil }
        return (step.id, step.declared)
    }

    func child() -> Child? {
        guard let item = item(nil) else { return nil }
        if kind == .screen {
            guard let (id, draft) = resolver.screen(item) else { return nil }
            return (.screen(id), draft.declared, draft.result, nil, false)
        }
        guard let (id, draft) = resolver.flow(item) else { return nil }
        let initial = resolver.initial(of: draft).map { (id: $0.id, target: $0.declared) }
        return (.flow(id), draft.declared, draft.result, initial, draft.keys["initial"] != nil)
    }

    func presentable(orRoot allowsRoot: Bool) -> KeyedName? {
        if has(.key) {
            let kind = kind.rawValue
            report(
                "'key' stands in the table of '\(kind)': \(kind) = { screen = \"NAME\", ARGUMENT = VALUE }", at: .key)
        }
        return item(nil).flatMap { resolver.keyedName($0, orRoot: allowsRoot, context) }
    }

    func hasNoName(or alternative: String) -> Bool {
        guard let item = item(nil), item.value != .bool(true) else { return true }
        let what = if case .bool = item.value { "this is false" } else { "this is \(item.value.kind)" }
        diagnostics.error(item.location, "\(what); it has to be \(alternative)true")
        return false
    }
}

extension RuleContext {
    /// Returns the context of arguments that stand there.
    fileprivate func at(_ place: ContributorPlace<Declared>) -> RuleContext {
        switch place {
        case .contributor: return self
        case .dismissed(let child): return RuleContext(giver: child, flow: flow, isDismissal: true)
        case .answered(let child, let result):
            var context = RuleContext(giver: child, flow: flow, isTested: isTested)
            context.answer = (result, giver)
            return context
        }
    }
}
