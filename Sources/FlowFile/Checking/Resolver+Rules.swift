import FlowCore

/// The context of a rule: the names that its contributors can refer to.
struct RuleContext {
    /// The declaration whose arguments `$NAME` refers to: the step of the rule, in `onDismissed` and `onResult` the child; nil
    /// if it is not declared.
    var giver: Declared?
    /// The flow of the rule.
    let flow: Declared
    /// Whether this is an `onDismissed`, where `$name` and `$reason` can be used.
    var isDismissal = false
    /// In `onResult`: the declarations whose values `$result.NAME` and `$asked.NAME` refer to.
    var answer: (result: Declared?, asked: Declared?)?
    /// What the flow of the rule answers; nil if it can't.
    var result: Declared?
    /// Which children of the flow cover others; nil if that is not known.
    var children: Children?
    /// The names of the flow's layers; empty if they are not known.
    var layers: [String] = []
    /// Whether a `when` tests the step's arguments; then an optional argument can be known to be present.
    var isTested = false
    /// Whether these are values of a key: one that is absent is one, too (S-51).
    var isKey = false

    /// Returns the context in an alternative with this condition.
    func tested(by when: Item?) -> RuleContext {
        guard let keys = when?.table?.keys else { return self }
        var context = self
        context.isTested = keys.contains { $0 != "alive" && !$0.hasPrefix("$") }
        return context
    }
}

extension Resolver {
    private static let kinds = NamedContributor.Kind.allCases.map(\.rawValue)
    private static let options = NamedContributor.Option.allCases.map(\.rawValue)
    private static let conditions = ["when", "unless"]
    private static let known = kinds + options + conditions + ["do"]

    /// The keys that stand in a contributor or beside it.
    enum Key {
        case kind(NamedContributor.Kind)
        case option(NamedContributor.Option)
        case condition, list
    }

    /// The keys by their text: a rule has few of them, and each would be compared with most.
    static let keys = {
        var keys: [String: Key] = ["when": .condition, "unless": .condition, "do": .list]
        for kind in NamedContributor.Kind.allCases { keys[kind.rawValue] = .kind(kind) }
        for option in NamedContributor.Option.allCases { keys[option.rawValue] = .option(option) }
        return keys
    }()

    /// Returns the rule of a flow for a step; nil if it is invalid or unknown.
    func rule(_ name: String, _ item: Item, _ context: RuleContext) -> Rule? {
        let known = step(named: name)
        if known == nil, isMisplaced(name, item, context) { return nil }
        // Reports an unknown step.
        let step = draft.isComplete ? known ?? step(name, item.location) : nil
        var context = context
        context.giver = step?.declared
        let alternatives = alternatives(item, context)
        guard let step, let alternatives else { return nil }
        return Rule(step.id, alternatives)
    }

    /// Reports what stands in the place of a rule, and is none. Returns whether it does.
    private func isMisplaced(_ name: String, _ item: Item, _ context: RuleContext) -> Bool {
        let isRule = if case .string = item.value { false } else if case .bool = item.value { false } else { true }
        if Draft.flowKeys.contains(name), draft.isComplete || !isRule {
            let table = diagnostics.table(around: item.location)
            diagnostics.error(
                item.location,
                "the key '\(name)' of \(context.flow.subject) stands below [\(table)], where it is taken for the rule "
                    + "of a step; move it up, before [\(table)]")
            return true
        }
        guard draft.isComplete, let dotted = unquoted(name, item) else { return false }
        diagnostics.error(
            item.location, "no file declares a step '\(name)'; for '\(dotted)' write \"\(dotted)\", in quotes")
        return true
    }

    /// Returns the step whose name has dots and lacks quotes, so that each part became a table.
    private func unquoted(_ name: String, _ item: Item) -> String? {
        guard let keys = item.table?.keys, keys.count == 1 else { return nil }
        let dotted = "\(name).\(keys[0])"
        return draft.steps[dotted].map { _ in dotted }
    }

    private func alternatives(_ item: Item, _ context: RuleContext) -> [Alternative]? {
        let what = "a contributor, which is a table, or a list of contributors"
        let tables: [Section]
        if let table = item.table {
            tables = [table]
        } else if let items = item.items {
            tables = items.compactMap { $0.section(diagnostics, "a contributor, which is a table") }
            if items.isEmpty {
                diagnostics.error(
                    item.location, "the list is empty; write { none = true } for a step that leads to nothing")
            }
            guard !tables.isEmpty, tables.count == items.count else { return nil }
        } else {
            diagnostics.error(item.location, "this is \(item.value.kind); it has to be \(what)")
            return nil
        }
        let isConditional = tables.contains { table in Self.conditions.contains { table.has($0) } }
        if isConditional || (tables.count == 1 && tables[0].has("do")) {
            let alternatives = tables.map { alternative($0, context) }
            checkReachable(tables)
            return alternatives.contains { $0 == nil } ? nil : alternatives.compactMap(\.self)
        }
        return contributors(tables, context).map { [Alternative(contributors: $0)] }
    }

    /// Reports alternatives after one that always matches.
    private func checkReachable(_ tables: [Section]) {
        guard let last = tables.firstIndex(where: { table in Self.conditions.allSatisfy { !table.has($0) } }) else {
            return
        }
        for table in tables[(last + 1)...] {
            let position = diagnostics.position(of: tables[last].location)
            diagnostics.error(
                table.location,
                "this is never reached: the alternative in \(position) has neither 'when' nor 'unless'; it has to be the "
                    + "last, or needs one of them")
        }
    }

    private func alternative(_ table: Section, _ context: RuleContext) -> Alternative? {
        let when = conditions("when", table, context)
        let unless = conditions("unless", table, context)
        let context = context.tested(by: table["when"])
        let contributors: [FlowContributor]?
        if let list = table["do"] {
            let own = Self.kinds + Self.options
            let others = table.keys.filter { own.contains($0) }
            for key in others.sorted(by: Text.precedes) {
                diagnostics.error(
                    table.location.key(key), "'\(key)' stands beside 'do'; move it into a table of that list")
            }
            table.checkKeys(diagnostics, of: "an alternative", Self.known)
            contributors = self.contributors(in: list, context)
        } else {
            contributors = contributor(table, context, isAlternative: true)
        }
        guard let when, let unless, let contributors else { return nil }
        return Alternative(when: when, unless: unless, contributors: contributors)
    }

    private func contributors(in list: Item, _ context: RuleContext) -> [FlowContributor]? {
        guard let items = list.list(diagnostics, "a list of contributors") else { return nil }
        if items.isEmpty {
            diagnostics.error(
                list.location, "'do' is empty; write { none = true } for an alternative that leads to nothing")
        }
        let tables = items.compactMap { $0.section(diagnostics, "a contributor, which is a table") }
        guard !items.isEmpty, tables.count == items.count else { return nil }
        return contributors(tables, context)
    }

    private func contributors(_ tables: [Section], _ context: RuleContext) -> [FlowContributor]? {
        var contributors: [FlowContributor] = []
        contributors.reserveCapacity(tables.count)
        var isValid = true
        for table in tables {
            if let contributor = contributor(table, context, isAlternative: false) {
                contributors += contributor
            } else {
                isValid = false
            }
        }
        if tables.count > 1 {
            if tables.contains(where: { $0.has("end") }) {
                let kinds = tables.flatMap { table in NamedContributor.Kind.allCases.filter { table.has($0.rawValue) } }
                if let problem = ContributorRules.problem(together: kinds) {
                    for table in tables where table.has("end") {
                        diagnostics.error(table.location.key("end"), problem)
                    }
                }
            }
            if tables.contains(where: { $0.has("id") }) { checkIDs(tables) }
        }
        return isValid ? contributors : nil
    }

    /// Reports two children with the same id: the step would always fail (S-13). It is allowed if the first can be gone
    /// again, or the second may not be created.
    private func checkIDs(_ tables: [Section]) {
        var first: [String: Location] = [:]
        for table in tables {
            if table.has("pop") || table.has("dismiss") { first = [:] }
            guard let item = table["id"], case .string(let id) = item.value,
                [nil, .bool(false)].contains(table["reuse"]?.value)
            else { continue }
            if let other = first[id] {
                diagnostics.error(
                    item.location,
                    "the id \(Text.quoted(id)) is taken by the contributor in \(diagnostics.position(of: other)) already"
                )
            } else {
                first[id] = item.location
            }
        }
    }

    /// Returns the contributors of one table: none for `none`, otherwise one; nil if it is invalid.
    private func contributor(_ table: Section, _ context: RuleContext, isAlternative: Bool) -> [FlowContributor]? {
        var kinds: (first: NamedContributor.Kind?, count: Int) = (nil, 0)
        var isClean = true
        var hasList = false
        table.forEach { key, _ in
            switch Self.keys[key] {
            case .kind(let kind)?: kinds = (kinds.first ?? kind, kinds.count + 1)
            case .list?: hasList = true
            case .option?, .condition?: break
            case nil: isClean = false
            }
        }
        if !isClean { table.checkKeys(diagnostics, of: "a contributor", Self.known) }
        if hasList {
            diagnostics.error(
                table.location.key("do"),
                "'do' stands in an alternative, beside 'when' or 'unless', or is all there is; list the contributors "
                    + "themselves")
        }
        if !isAlternative {
            for key in Self.conditions where table.has(key) {
                diagnostics.error(
                    table.location.key(key), "'\(key)' stands beside 'do', not in a contributor of its list")
            }
        }
        guard kinds.count <= 1 else {
            let given = Self.kinds.filter { table.has($0) }
            diagnostics.error(
                table.location,
                "\(Text.list(given)) are given; a contributor is only one of \(Text.list(Self.kinds, "or"))")
            return nil
        }
        guard let kind = kinds.first else {
            // A misspelled one was reported; so was 'do'.
            if isClean, !hasList {
                diagnostics.error(table.location, "a contributor has to have one of \(Text.list(Self.kinds, "or"))")
            }
            return nil
        }
        let contributors = ContributorReader(FileContributor(kind, table, context, self)).read()
        checkPlace(of: contributors?.first, table, context)
        return contributors
    }

    /// Reports a contributor that can't be one of its flow (S-37).
    private func checkPlace(of contributor: FlowContributor?, _ table: Section, _ context: RuleContext) {
        guard let contributor, let children = context.children,
            let problem = ContributorRules.problem(
                of: contributor, among: children, context.layers, isFlow: { draft.flows.place(of: $0) != nil })
        else { return }
        diagnostics.error(table.location.key(problem.key), problem.text)
    }
}
