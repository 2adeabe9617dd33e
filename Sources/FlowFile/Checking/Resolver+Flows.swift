import FlowCore

/// Flows and their keys.
extension Resolver {
    /// Returns the definition of a flow.
    func definition(_ name: String, of draft: DraftFlow) -> FlowDefinition {
        let initial = draft.keys["initial"].flatMap { step($0) }
        let children: Children? = draft.keys["children"]?.word(diagnostics)
        let whenHidden: WhenHidden? = draft.keys["whenHidden"]?.word(diagnostics)
        let covers = draft.keys["covers"]?.bool(diagnostics)
        let isUnique = draft.keys["unique"]?.bool(diagnostics)
        let announces = draft.keys["announce"]?.bool(diagnostics)
        let isRestored = draft.keys["restore"]?.bool(diagnostics)
        let whenEmpty: WhenEmpty? = draft.keys["whenEmpty"]?.word(diagnostics)
        if whenEmpty == .again { checkBeginning(draft, initial?.declared) }
        let onBack = draft.keys["onBack"].flatMap { stepWithoutArguments($0, of: "onBack") }
        let idle = draft.keys["idle"].map { self.stages($0) } ?? []
        let timers = draft.keys["timers"].map { self.timers($0) } ?? []
        let emitters = draft.keys["emitters"].flatMap { self.emitters($0) }
        let `guard` = draft.keys["guard"].flatMap { self.guard($0) }
        let navigator = draft.keys["navigator"].flatMap { self.navigator($0) }
        checkNoRulesBesideNavigator(draft)
        let values = draft.keys["context"].flatMap { $0.section(diagnostics, "a table of values") }
        let covering = draft.keys["children"] == nil ? .free : children
        let layers = self.layers(of: draft, covering)
        var context = RuleContext(giver: nil, flow: draft.declared)
        (context.children, context.layers, context.result) = (covering, layers.map(\.name), draft.result)
        let rules = draft.rules.entries.compactMap { rule($0, $1, context) }
        return FlowDefinition(
            name, parameters: draft.declared.admitted, key: draft.declared.key, result: draft.result?.admitted,
            isResultPublic: draft.result?.isPublic == true, initial: initial?.id,
            children: children ?? .free, layers: layers, covers: covers ?? true, isUnique: isUnique ?? false,
            whenHidden: whenHidden ?? .ignore, announces: announces ?? false, isRestored: isRestored ?? true,
            whenEmpty: whenEmpty, onBack: onBack,
            idle: idle, timers: timers, emitters: emitters?.names ?? [],
            ownersMayEmit: emitters?.includesOwners ?? false,
            guard: `guard`,
            navigator: navigator, rules: rules.sorted { $0.step.index < $1.step.index },
            context: values.map { self.context($0.entries.map { ($0.key, $0.item) }, of: (name, draft)) } ?? [],
            texts: texts({ draft.keys[$0] }, of: draft.declared))
    }

    /// Reports a flow that can't take its initial step again (S-48).
    private func checkBeginning(_ flow: DraftFlow, _ initial: Declared?) {
        let needed = initial?.parameters.first { !$0.isOptional }?.name
        guard let item = flow.keys["whenEmpty"], flow.keys["initial"] == nil || needed != nil else { return }
        let why = needed.map { "its \(initial?.subject ?? "") needs the argument '\($0)', and nothing gives it then" }
        diagnostics.error(
            item.location,
            "whenEmpty = \"again\" takes the flow's 'initial' step again, but \(why ?? "it has none"); give it a step that needs no "
                + "arguments, or write \"go\" or \"stay\"")
    }

    /// Returns a step that is triggered without arguments.
    func stepWithoutArguments(_ item: Item, of key: String) -> StepID? {
        guard let step = step(item) else { return nil }
        let required = step.declared.parameters.filter { !$0.isOptional }.map(\.name).sorted(by: Text.precedes)
        if let first = required.first {
            diagnostics.error(
                item.location,
                "\(step.declared.subject) needs the argument '\(first)', but '\(key)' gives none; it has to be a step "
                    + "that needs no arguments")
        }
        return step.id
    }

    /// The bus names, and whether `"owner"` is among them.
    private func emitters(_ item: Item) -> (names: [String], includesOwners: Bool)? {
        guard let items = item.list(diagnostics, "a list of bus names and \"owner\"") else { return nil }
        if items.isEmpty {
            diagnostics.error(item.location, "the list is empty; leave 'emitters' out where everyone may emit")
        }
        func isOwner(_ item: Item) -> Bool {
            guard case .string("owner") = item.value else { return false }
            return true
        }
        return (items.filter { !isOwner($0) }.compactMap { emitter($0) }, items.contains(where: isOwner))
    }

    /// The bus name of an emitter. A text without a dot is none, and may be meant for the word `owner`.
    private func emitter(_ item: Item) -> String? {
        guard case .string(let text) = item.value, !text.contains("."), !text.hasPrefix(":") else {
            return busName(item)
        }
        diagnostics.error(
            item.location,
            "\(Text.quoted(text)) is neither a bus name, such as 'com.vendor.Pay', nor the word 'owner'"
                + Names.suggestion(for: text, among: ["owner"]))
        return nil
    }
}
