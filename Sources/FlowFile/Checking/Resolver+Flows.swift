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
            idle: idle, emitters: emitters?.names ?? [], ownersMayEmit: emitters?.includesOwners ?? false,
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

    /// The idle steps: one, or a list of them, each later than the one before.
    private func stages(_ item: Item) -> [Idle] {
        let what = "a table: { after = \"60s\", step = \"NAME\" }, or a list of such tables"
        guard let items = item.items else { return idle(item, what).map { [$0] } ?? [] }
        if items.isEmpty {
            diagnostics.error(item.location, "the list is empty; leave 'idle' out where nothing happens")
        }
        var stages: [Idle] = []
        for item in items {
            guard let stage = idle(item, "a table: { after = \"60s\", step = \"NAME\" }") else { continue }
            if let before = stages.last, stage.after <= before.after {
                diagnostics.error(
                    item.location.key("after"),
                    "\(Text.quoted(item["after"]?.text ?? "")) is not later than the stage before; the time of each stage "
                        + "counts from the last step that reached the flow, and has to be longer than the one before")
            }
            stages.append(stage)
        }
        return stages
    }

    private func idle(_ item: Item, _ what: String) -> Idle? {
        guard let table = item.section(diagnostics, what) else { return nil }
        let isClean = table.checkKeys(diagnostics, of: "the table 'idle'", ["after", "step", "whenHidden"])
        if isClean, table["after"] == nil {
            diagnostics.error(table.location, "'idle' needs a time: after = \"60s\"")
        }
        if isClean, table["step"] == nil {
            diagnostics.error(table.location, "'idle' has to name its step: step = \"NAME\"")
        }
        let after = table["after"].flatMap { timeSpan($0) }
        let step = table["step"].flatMap { stepWithoutArguments($0, of: "idle") }
        let whenHidden: WhenHidden? = table["whenHidden"]?.word(diagnostics)
        guard let after, let step else { return nil }
        if after <= Limits.touchPause, let item = table["after"] {
            diagnostics.warning(
                item.location,
                "\(Text.quoted(item.text ?? "")) is so short that no call of Touch puts the step off: within 1 s of a step "
                    + "or another Touch it has no effect")
        }
        return Idle(after: after, step: step, whenHidden: whenHidden ?? .allow)
    }

    /// Returns a time span, in µs.
    ///
    /// - Parameter mayBeNone: whether it can be `0s`.
    func timeSpan(_ item: Item, atMost maximum: TimeSpan.Maximum = .thirtyDays, mayBeNone: Bool = false) -> UInt64? {
        guard let text = item.string(diagnostics, "a time span, such as '60s' or '1min 30s'") else { return nil }
        if mayBeNone, text == "0s" { return 0 }
        do throws(Literal.InvalidValue) {
            return try TimeSpan.microseconds(text, atMost: maximum)
        } catch {
            diagnostics.error(item.location, error.text)
            return nil
        }
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
