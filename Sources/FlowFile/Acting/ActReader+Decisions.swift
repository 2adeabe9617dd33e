import FlowCore

/// Guards and navigators.
extension ActReader {
    static let adaptationKeys = ["pass", "replace", "reject", "fail", "hang"]
    static let navigationKeys = ["do", "unhandled", "fail", "hang"]
    /// The kinds of contributors: all but the one that is for a program that lacks memory.
    static let kinds = NamedContributor.Kind.allCases.filter { $0 != .evict }

    // MARK: Guards

    func adaptation(_ table: Section) -> ActFile.Adaptation? {
        table.checkKeys(
            diagnostics, of: "an answer of a guard", ["emit", "after"] + Self.adaptationKeys + ["arguments"])
        let emission = table["emit"].flatMap(emission)
        let after = moment(table["after"], ofScreen: false)
        // `{ after = … }` alone lets the step through.
        let given = Self.adaptationKeys.filter(table.has)
        guard given.count <= 1 else {
            diagnostics.error(table.location, "\(Text.list(given)) are given; a guard has one answer")
            return nil
        }
        let key = given.first ?? "pass"
        if key != "replace", let item = table["arguments"] {
            diagnostics.error(item.location, "'arguments' belongs to 'replace', and this answer has '\(key)'")
        }
        if key == "hang", let item = table["after"] {
            diagnostics.error(
                item.location, "'after' is not possible beside 'hang': there is no answer that could wait")
        }
        guard let item = table[key] else { return ActFile.Adaptation(emission: emission, after: after, answer: .pass) }
        let answer: ActFile.Adaptation.Kind? =
            switch key {
            case "replace": replacement(item, table["arguments"])
            case "reject":
                item.string(diagnostics, "the reason, a text").flatMap { valid($0, item) }
                    .map(ActFile.Adaptation.Kind.rejection)
            case "fail": refusal(item).map(ActFile.Adaptation.Kind.failure)
            case "hang": flag(item) ? ActFile.Adaptation.Kind.none : nil
            default: flag(item) ? .pass : nil
            }
        return answer.map { ActFile.Adaptation(emission: emission, after: after, answer: $0) }
    }

    /// Reads what a guard emits: a step, or a table with its arguments.
    private func emission(_ item: Item) -> ActFile.Emission? {
        let table = item.table
        table?.checkKeys(diagnostics, of: "the table 'emit'", ["step", "arguments"])
        guard let name = table == nil ? item : table?["step"] else {
            diagnostics.error(item.location, "'emit' has to name its step: step = \"NAME\"")
            return nil
        }
        let givens = givens(table?["arguments"])
        guard let step = step(name) else { return nil }
        mention(.emission(step, givens), item.location)
        return ActFile.Emission(step: step, arguments: givens)
    }

    private func replacement(_ item: Item, _ arguments: Item?) -> ActFile.Adaptation.Kind? {
        let givens = givens(arguments)
        guard let step = step(item) else { return nil }
        mention(.emission(step, givens), item.location)
        return .replacement(step, givens)
    }

    // MARK: Navigators

    func navigation(_ item: Item) -> ActFile.Navigation? {
        if item.items != nil {
            return contributors(item).map { ActFile.Navigation(after: nil, answer: .contributors($0)) }
        }
        guard let table = item.section(diagnostics, "a contributor, such as { screen = \"NAME\" }, or a list of them")
        else { return nil }
        let given = Self.navigationKeys.filter(table.has)
        guard !given.isEmpty else {
            let after = moment(table["after"], ofScreen: false)
            return contributor(table, besides: ["after"]).map {
                ActFile.Navigation(after: after, answer: .contributors([$0]))
            }
        }
        table.checkKeys(diagnostics, of: "an answer of a navigator", ["after"] + Self.navigationKeys)
        let after = moment(table["after"], ofScreen: false)
        guard given.count == 1, let item = table[given[0]] else {
            diagnostics.error(table.location, "\(Text.list(given)) are given; a navigator has one answer")
            return nil
        }
        if given[0] == "hang", let item = table["after"] {
            diagnostics.error(
                item.location, "'after' is not possible beside 'hang': there is no answer that could wait")
        }
        let answer: ActFile.Navigation.Kind? =
            switch given[0] {
            case "do": contributors(item).map(ActFile.Navigation.Kind.contributors)
            case "unhandled": flag(item) ? .unhandled : nil
            case "fail": refusal(item).map(ActFile.Navigation.Kind.failure)
            default: flag(item) ? ActFile.Navigation.Kind.none : nil
            }
        return answer.map { ActFile.Navigation(after: after, answer: $0) }
    }

    private func contributors(_ item: Item) -> [ActFile.Contributor]? {
        item.list(diagnostics, "a list of contributors")?.compactMap { item in
            item.section(diagnostics, "a contributor, such as { screen = \"NAME\" }").flatMap { contributor($0) }
        }
    }

    private func contributor(_ table: Section, besides others: [String] = []) -> ActFile.Contributor? {
        let given = Self.kinds.filter { table.has($0.rawValue) }
        guard given.count == 1, let kind = given.first, let item = table[kind.rawValue] else {
            let kinds = Self.kinds.map(\.rawValue)
            let known = others + kinds + NamedContributor.Kind.flow.options.map(\.rawValue)
            if given.isEmpty, !table.checkKeys(diagnostics, of: "a contributor", known) { return nil }
            let what =
                given.isEmpty ? "the table has none of its keys" : "\(Text.list(given.map(\.rawValue))) are given"
            diagnostics.error(
                table.location, "\(what); a contributor has exactly one of the keys \(Text.list(kinds, "or"))")
            return nil
        }
        // Values of a key stand in the table of the kind, as in definition files; `set` has values alone.
        let options = kind == .set ? [] : kind.options.filter { $0 != .key }
        let known = others + [kind.rawValue] + options.map(\.rawValue)
        table.checkKeys(diagnostics, of: "a contributor with '\(kind.rawValue)'", known)
        if kind == .set {
            let values = ActFile.Option.arguments(NamedContributor.Option.arguments.rawValue, givens(item))
            return ActFile.Contributor(kind: kind.rawValue, name: "", options: [values])
        }
        guard let name = contributorName(kind, item) else { return nil }
        return ActFile.Contributor(
            kind: kind.rawValue, name: name,
            options: kind.options.compactMap { option in
                option == .key ? key(item) : table[option.rawValue].flatMap { self.option(option, $0) }
            })
    }

    private func contributorName(_ kind: NamedContributor.Kind, _ item: Item) -> String? {
        switch kind {
        case .none, .set: return flag(item) ? "" : nil
        case .end where item.text == nil:
            guard item.bool(diagnostics) != nil else { return nil }
            return flag(item) ? "" : nil
        case .current, .parent, .end:
            guard let step = step(item) else { return nil }
            mention(.step(step), item.location)
            return step
        case .move:
            guard let name = item.string(diagnostics, "the name of an output, or empty for none") else { return nil }
            if let problem = Names.problem(output: name) { diagnostics.error(item.location, problem) }
            return name
        case .pop, .show, .hide, .dismiss:
            guard let table = item.table else { return childName(kind, item) }
            guard let named = table["screen"] ?? table["flow"] else {
                diagnostics.error(
                    item.location,
                    "the table names neither a 'screen' nor a 'flow'; write one of them, and beside it values of its key"
                )
                return nil
            }
            return childName(kind, named)
        case .screen, .flow, .evict: return childName(kind, item)
        }
    }

    private func childName(_ kind: NamedContributor.Kind, _ item: Item) -> String? {
        guard let name = item.string(diagnostics, "the name of a screen or flow") else { return nil }
        if kind == .pop, name == "root" { return name }
        checkPresentableName(name, "a screen or flow", item.location, diagnostics)
        if kind == .screen { mention(.contributedScreen(name), item.location) }
        if kind == .flow { mention(.contributedFlow(name), item.location) }
        return name
    }

    /// Returns the values of a key, which stand beside the name.
    private func key(_ item: Item) -> ActFile.Option? {
        let values = item.table?.entries.filter { $0.key != "screen" && $0.key != "flow" } ?? []
        return values.isEmpty
            ? nil : .arguments(NamedContributor.Option.key.rawValue, values.compactMap { given($0.key, $0.item) })
    }

    private func option(_ option: NamedContributor.Option, _ item: Item) -> ActFile.Option? {
        let key = option.rawValue
        switch option.type {
        case .arguments: return .arguments(key, givens(item))
        case .flagOrText where item.text == NamedContributor.Option.raise:
            return .value(key, .string(NamedContributor.Option.raise))
        case .flag, .flagOrText: return item.bool(diagnostics).map { .value(key, .bool($0)) }
        case .table:
            guard let table = item.section(diagnostics) else { return nil }
            table.checkKeys(diagnostics, of: "the table '\(key)'", ["step", "arguments"])
            guard let name = table["step"] else {
                diagnostics.error(table.location, "'\(key)' has to name its step: step = \"NAME\"")
                return nil
            }
            guard let step = step(name) else { return nil }
            mention(.step(step), name.location)
            // The service resolves its references.
            return natural(item.value, item).map { .value(key, $0) }
        case .text:
            guard let text = item.string(diagnostics).flatMap({ valid($0, item) }) else { return nil }
            if option == .step { mention(.step(text), item.location) }
            return .value(key, .string(text))
        }
    }
}
