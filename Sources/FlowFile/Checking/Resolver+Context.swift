import FlowCore

/// The context: values that screens and rules can know without being given them (S-57).
extension Resolver {
    static let contextKeys = ["type", "initial", "setters", "kept", "private", "changed"]

    /// How long a value is kept.
    private enum Kept: String, CaseIterable {
        case restart, reboot
    }

    /// Returns the declared values of a table, sorted by name.
    ///
    /// - Parameter flow: the flow that has them, with its name; nil for those that no flow has.
    func context(_ entries: [(String, Item)], of flow: (name: String, draft: DraftFlow)?) -> [ContextDeclaration] {
        let declared = entries.sorted { Text.precedes($0.0, $1.0) }.compactMap { contextValue($0, $1, of: flow) }
        let initial = declared.map { Argument($0.name, $0.initial) }
        if initial.byteCount > Limits.contextBytes, let item = entries.first?.1 {
            diagnostics.error(
                item.location,
                "the values of the context take \(initial.byteCount) bytes as they begin; at most \(Limits.contextBytes) are "
                    + "allowed")
        }
        return declared
    }

    private func contextValue(
        _ name: String, _ item: Item, of flow: (name: String, draft: DraftFlow)?
    ) -> ContextDeclaration? {
        let what = "a table: { type = \"string\", initial = \"en\" }"
        if !Names.isPresentableName(name) {
            diagnostics.error(
                item.location,
                "\(Text.quoted(name)) can't be the name of a value of the context: \(Names.presentableNameRule)")
        }
        guard let table = item.section(diagnostics, what) else { return nil }
        let isClean = table.checkKeys(diagnostics, of: "a value of the context", Self.contextKeys)
        for key in ["type", "initial"] where isClean && table[key] == nil {
            diagnostics.error(table.location, "a value of the context has to have '\(key)', as in \(what.dropFirst(9))")
        }
        let type = contextType(of: name, item)
        let initial = table["initial"].flatMap { initial in type.flatMap { literal(initial, $0, name) } }
        let setters = table["setters"]?.list(diagnostics, "a list of bus names")?.compactMap { busName($0) }
        let kept: Kept? = table["kept"]?.word(diagnostics)
        let isPrivate = table["private"]?.bool(diagnostics) ?? false
        if isPrivate, kept == .reboot, let item = table["kept"] {
            diagnostics.error(
                item.location, "the value '\(name)' is private, so nothing may write it to a disk; leave 'kept' out")
        }
        let changed = table["changed"].flatMap { change($0, of: flow) }
        guard let type, let initial else { return nil }
        return ContextDeclaration(
            name, type, initial: initial, setters: setters ?? [], isPrivate: isPrivate, isForDisk: kept == .reboot,
            changed: changed)
    }

    /// The type of a value. All values of a name have one type, so that a reference means the same wherever it stands.
    private func contextType(of name: String, _ item: Item) -> ValueType? {
        guard let type = item["type"].flatMap({ draft.parameter(name, $0) }) else { return nil }
        if type.isOptional, let item = item["type"] {
            diagnostics.error(item.location, "a value of the context is always there; write its type without '?'")
        }
        if let own = type.type, let first = contextParameter(name)?.type, first != own {
            diagnostics.error(
                item.location.key("type"),
                "the value '\(name)' has the type \(own.description) here and \(first.description) elsewhere; values of one name "
                    + "have one type")
        }
        return type.type
    }

    /// Returns the step that follows from a change, and the flow that takes it.
    private func change(_ item: Item, of flow: (name: String, draft: DraftFlow)?) -> ContextDeclaration.Change? {
        if let flow {
            guard let step = stepWithoutArguments(item, of: "changed") else { return nil }
            return draft.flows.place(of: flow.name).map { ContextDeclaration.Change(step, on: FlowID($0)) }
        }
        let what = "a table: { flow = \"NAME\", step = \"NAME\" }"
        guard let table = item.section(diagnostics, what) else { return nil }
        let isClean = table.checkKeys(diagnostics, of: "the table 'changed'", ["flow", "step"])
        for key in ["flow", "step"] where isClean && table[key] == nil {
            diagnostics.error(table.location, "'changed' has to name its \(key): \(key) = \"NAME\"")
        }
        let taker = table["flow"].flatMap { self.flow($0) }
        let step = table["step"].flatMap { stepWithoutArguments($0, of: "changed") }
        guard let taker, let step else { return nil }
        return ContextDeclaration.Change(step, on: taker.id)
    }

    // MARK: References

    /// The declaration of a value, without a report; nil if nothing declares it.
    func contextParameter(_ name: String) -> DraftParameter? {
        let item = draft.context[name] ?? draft.flows.values.lazy.compactMap { $0.keys["context"]?[name] }.first
        guard let item else { return nil }
        let type = item["type"]?.text.flatMap { ValueType(name: $0) }
        return DraftParameter(name: name, type: type, isOptional: false)
    }

    /// Resolves the name of a value; reports an undeclared one.
    func contextParameter(_ name: String, _ location: Location) -> DraftParameter? {
        guard draft.isComplete else { return nil }
        if let parameter = contextParameter(name) { return parameter }
        let names = Set(
            Array(draft.context.names) + draft.flows.values.flatMap { $0.keys["context"]?.table?.keys ?? [] }
        ).sorted(by: Text.precedes)
        diagnostics.error(
            location,
            "no file declares a value \(Text.quoted(name)) of the context: it has \(names.isEmpty ? "none" : Text.list(names))"
                + diagnostics.suggestion(for: name, among: names))
        return nil
    }

    /// Returns the names of the values that a screen gets, sorted.
    func contextNames(_ item: Item, of screen: DraftScreen) -> [String] {
        for key in ["application", "run"] where screen.keys.has(key) {
            diagnostics.error(
                item.location,
                "'context' is not possible beside '\(key)': that program knows nothing of it; leave it out")
        }
        var names: Set<String> = []
        for item in item.list(diagnostics, "a list of names of values of the context") ?? [] {
            guard let name = item.string(diagnostics, "the name of a value of the context"),
                contextParameter(name, item.location) != nil
            else { continue }
            if !names.insert(name).inserted {
                diagnostics.error(item.location, "the value '\(name)' is given twice; remove one of them")
            }
        }
        return names.sorted(by: Text.precedes)
    }

    /// Returns the values that a rule sets (S-57).
    func settings(_ item: Item, _ context: RuleContext) -> [Binding]? {
        guard let table = item.section(diagnostics, "a table of values of the context: { language = \"en\" }") else {
            return nil
        }
        if table.count == 0 {
            diagnostics.error(item.location, "'set' is empty; it has to have a value: set = { language = \"en\" }")
            return nil
        }
        var bindings: [Binding] = []
        for (name, item) in table.entries {
            guard let declared = contextParameter(name, item.location) else { continue }
            // A value that is left out stays as it is.
            let parameter = DraftParameter(name: name, type: declared.type, isOptional: true)
            if let binding = binding(name, item, of: parameter, context) { bindings.append(binding) }
        }
        checkSize(bindings, item.location)
        guard bindings.count == table.count else { return nil }
        return bindings.sorted { Text.precedes($0.name, $1.name) }
    }

    /// Warns about steps that follow from changes and lead nowhere.
    func warnOfContextSteps() {
        for flow in draft.flows.values {
            for (_, item) in flow.keys["context"]?.table?.entries ?? [] {
                warnOfNoRule(flow, "changed", item["changed"])
            }
        }
        for item in draft.context.values {
            guard let changed = item["changed"], let flow = changed["flow"]?.text.flatMap({ draft.flows[$0] }) else {
                continue
            }
            warnOfNoRule(flow, "changed", changed["step"])
        }
    }
}
