import FlowCore

/// What all files say together, before names are looked up: each declaration once, with its place.
struct Draft {
    struct Step {
        let declaration: StepDeclaration
        let place: Place
    }

    struct Screen {
        let declaration: ScreenDeclaration
        let place: Place
    }

    /// A flow; its keys and rules may stand in several files.
    struct Flow {
        let name: String
        let place: Place
        /// The keys but `on`.
        var keys: [String: Item] = [:]
        /// The rules by step.
        var rules: [String: Item] = [:]
    }

    private(set) var steps: [String: Step] = [:]
    private(set) var privates: [Item] = []
    private(set) var screens: [String: Screen] = [:]
    private(set) var flows: [String: Flow] = [:]
    private(set) var autostart: [Item] = []
    private let report: Report

    init(_ report: Report) {
        self.report = report
    }

    /// Adds what a file says.
    mutating func add(_ root: Item) {
        guard let file = TableReader(root, of: "the file", report) else { return }
        checkVersion(file)
        for entry in table(file["steps"], "'steps'") { addStep(entry.key, entry.item) }
        for entry in table(file["screens"], "'screens'") { addScreen(entry.key, entry.item) }
        for entry in table(file["flows"], "'flows'") { addFlow(entry.key, entry.item) }
        if let item = file["private"] { addPrivate(item) }
        if let item = file["autostart"] {
            if let tables = item.tables {
                autostart += tables
            } else {
                report.error(item.place, "'autostart' has to be an array of tables: [[autostart]]")
            }
        }
        file.finish(known: Keys.file)
    }

    private func checkVersion(_ file: TableReader) {
        guard let version = file["version"] else {
            report.error(file.item.place, "the version of the format is missing: begin the file with 'version = 1'")
            return
        }
        guard case .integer(1) = version.content else {
            let found = if case .integer(let number) = version.content { "'\(number)'" } else { version.kind }
            report.error(version.place, "the version of the format is \(found); this flowbusd reads version 1")
            return
        }
    }

    private func table(_ item: Item?, _ what: String) -> [(key: String, item: Item)] {
        guard let item else { return [] }
        if let table = item.table { return table }
        report.error(item.place, "\(what) has to be a table, not \(item.kind)")
        return []
    }

    private func isFirst(_ what: String, _ name: String, _ place: Place, _ other: Place?) -> Bool {
        guard let other else { return true }
        report.error(place, "\(what) '\(name)' is declared twice: here and at \(other.reference)")
        return false
    }
}

// MARK: - Steps and screens

extension Draft {
    private mutating func addStep(_ name: String, _ item: Item) {
        guard Names.isStepName(name) else {
            report.error(item.place, "'\(Names.shown(name))' can't be the name of a step: \(Names.stepNameRule)")
            return
        }
        guard isFirst("step", name, item.place, steps[name]?.place) else { return }
        let parameters = parameters(item, of: "step '\(name)'")
        steps[name] = Step(declaration: StepDeclaration(name, parameters: parameters), place: item.place)
    }

    private mutating func addScreen(_ name: String, _ item: Item) {
        guard isPresentableName(name, item.place) else { return }
        guard isFirst("screen", name, item.place, screens[name]?.place) else { return }
        var declared: [Parameter] = []
        if let reader = TableReader(item, of: "screen '\(name)'", report) {
            if let arguments = reader["arguments"] { declared = parameters(arguments, of: "screen '\(name)'") }
            reader.finish(known: Keys.screen, unsupported: Keys.Unsupported.screen)
        }
        screens[name] = Screen(declaration: ScreenDeclaration(name, parameters: declared), place: item.place)
    }

    private func isPresentableName(_ name: String, _ place: Place) -> Bool {
        if name == "root" {
            report.error(place, "'root' can't be the name of a screen or a flow: 'pop' has a meaning of its own for it")
            return false
        }
        guard Names.isPresentableName(name) else {
            report.error(place, "'\(Names.shown(name))' can't be a name here: \(Names.presentableNameRule)")
            return false
        }
        return true
    }

    /// Declared arguments: `{ name = "type" }`, sorted by name.
    func parameters(_ item: Item, of what: String) -> [Parameter] {
        guard let table = item.table else {
            report.error(item.place, "the arguments of \(what) have to be a table of names and types, not \(item.kind)")
            return []
        }
        if table.count > Limits.argumentCount {
            report.error(
                item.place,
                "\(what) declares \(table.count) arguments; at most \(Limits.argumentCount) are allowed")
        }
        return table.compactMap { entry in
            guard Names.isPresentableName(entry.key) else {
                report.error(
                    entry.item.place,
                    "'\(Names.shown(entry.key))' can't be the name of an argument: \(Names.presentableNameRule)")
                return nil
            }
            guard let text = entry.item.string else {
                report.error(
                    entry.item.place, "the type of '\(entry.key)' has to be a string, not \(entry.item.kind)")
                return nil
            }
            let isOptional = text.hasSuffix("?")
            guard let type = ValueType(name: isOptional ? String(text.dropLast()) : text) else {
                let words = ValueType.words.map(\.name)
                report.error(
                    entry.item.place,
                    "'\(Names.shown(text))' is no type: \(words.joined(separator: ", ")), or one complete D-Bus "
                        + "signature without 'h'; with '?' behind it for what may be left out"
                        + Names.suggestion(for: text, among: words))
                return nil
            }
            return Parameter(entry.key, type, isOptional: isOptional)
        }
    }

    private mutating func addPrivate(_ item: Item) {
        guard let reader = TableReader(item, of: "'private'", report) else { return }
        if let steps = reader["steps"] {
            if case .array(let items) = steps.content {
                for item in items {
                    if item.string == nil {
                        report.error(item.place, "'steps' has to hold names of steps, not \(item.kind)")
                    } else {
                        privates.append(item)
                    }
                }
            } else {
                report.error(steps.place, "'steps' has to be an array of names, not \(steps.kind)")
            }
        }
        reader.finish(known: ["steps"])
    }
}

// MARK: - Flows

extension Draft {
    private mutating func addFlow(_ name: String, _ item: Item) {
        guard isPresentableName(name, item.place) else { return }
        guard let reader = TableReader(item, of: "flow '\(name)'", report) else { return }
        var flow = flows[name] ?? Flow(name: name, place: item.place)
        for key in reader.keys where key != "on" {
            guard let value = reader[key] else { continue }
            if isFirst("the key", key, value.place, flow.keys[key]?.place) { flow.keys[key] = value }
        }
        if let rules = reader["on"] {
            for (step, rule) in table(rules, "'on'") {
                if isMisplacedKey(step, rule, of: name) { continue }
                if isFirst("the rule for step", step, rule.place, flow.rules[step]?.place) { flow.rules[step] = rule }
            }
        }
        reader.finish(known: Keys.flow, unsupported: Keys.Unsupported.flow)
        flows[name] = flow
    }

    /// A key of the flow that stands below `[flows.NAME.on]` looks like a rule to TOML.
    private func isMisplacedKey(_ key: String, _ value: Item, of flow: String) -> Bool {
        guard (Keys.flow + Keys.Unsupported.flow).contains(key), key != "on" else { return false }
        // A rule is a contributor or a list of them.
        switch value.content {
        case .table(let entries) where entries.contains { Keys.kinds.contains($0.key) || $0.key == "do" }: return false
        case .array where value.tables != nil: return false
        default:
            report.error(
                value.place,
                "'\(key)' is a key of the flow, but stands below [flows.\(flow).on], where rules stand; "
                    + "put it above that line")
            return true
        }
    }
}
