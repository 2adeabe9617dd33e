import FlowCore

/// Looks up what declarations name, and checks that everything fits together.
///
/// What is wrong is reported and left out; the definitions that come of it are of use only where there was no error.
final class Checker {
    let draft: Draft
    let report: Report
    let literals: Literals

    /// Sorted by name, as ``Definitions`` has them.
    let steps: [StepDeclaration]
    let screens: [ScreenDeclaration]
    let flowNames: [String]
    /// The flows' own arguments, by name.
    private(set) var flowParameters: [String: [Parameter]] = [:]
    private let stepIDs: [String: StepID]
    private let screenIDs: [String: ScreenID]
    private let flowIDs: [String: FlowID]

    /// Flows that some contributor makes, or `autostart`.
    var contributed: Set<String> = []
    var started: Set<String> = []

    init(_ draft: Draft, _ report: Report) {
        self.draft = draft
        self.report = report
        literals = Literals(report: report)
        let privates = Set(draft.privates.compactMap(\.string))
        let declared = draft.steps.values.map(\.declaration).sorted { $0.name < $1.name }
        steps = declared.map {
            StepDeclaration($0.name, parameters: $0.parameters, isPrivate: privates.contains($0.name))
        }
        screens = draft.screens.values.map(\.declaration).sorted { $0.name < $1.name }
        flowNames = draft.flows.keys.sorted()
        stepIDs = Dictionary(uniqueKeysWithValues: steps.enumerated().map { ($1.name, StepID($0)) })
        screenIDs = Dictionary(uniqueKeysWithValues: screens.enumerated().map { ($1.name, ScreenID($0)) })
        flowIDs = Dictionary(uniqueKeysWithValues: flowNames.enumerated().map { ($1, FlowID($0)) })
    }

    func definitions() -> Definitions {
        for item in draft.privates {
            if let name = item.string { _ = step(name, item.place) }
        }
        for name in flowNames {
            guard let arguments = draft.flows[name]?.keys["arguments"] else { continue }
            flowParameters[name] = draft.parameters(arguments, of: "flow '\(name)'")
        }
        let flows = flowNames.compactMap { draft.flows[$0].map(flow) }
        let autostart = autostart()
        warn(flows)
        return Definitions(steps: steps, screens: screens, flows: flows, autostart: autostart)
    }

    // MARK: Names

    func step(_ name: String, _ place: Place) -> StepID? {
        if let id = stepIDs[name] { return id }
        unknown("step", name, place, steps.map(\.name))
        return nil
    }

    func screen(_ name: String, _ place: Place) -> ScreenID? {
        if let id = screenIDs[name] { return id }
        unknown("screen", name, place, screens.map(\.name))
        return nil
    }

    func flow(_ name: String, _ place: Place) -> FlowID? {
        if let id = flowIDs[name] { return id }
        unknown("flow", name, place, flowNames)
        return nil
    }

    private func unknown(_ what: String, _ name: String, _ place: Place, _ known: [String]) {
        report.error(
            place, "no \(what) '\(Names.shown(name))' is declared" + Names.suggestion(for: name, among: known))
    }

    /// An id that is asked for, checked; nil where none is, or it can't be one.
    func id(_ reader: TableReader) -> String? {
        guard let id = reader.string("id"), let place = reader["id"]?.place else { return nil }
        if id == "root" {
            report.error(place, "'root' can't be an id: 'pop' has a meaning of its own for it")
        } else if !Names.isPresentableName(id) {
            report.error(place, "'\(Names.shown(id))' can't be an id: \(Names.presentableNameRule)")
        }
        return id
    }

    // MARK: Flows

    private func flow(_ draft: Draft.Flow) -> FlowDefinition {
        let item = Item(content: .table(draft.keys.map { ($0.key, $0.value) }), place: draft.place)
        var definition = FlowDefinition(draft.name)
        guard let reader = TableReader(item, of: "flow", report) else { return definition }
        var initial: StepID?
        if let name = reader.string("initial"), let place = reader["initial"]?.place { initial = step(name, place) }
        definition = FlowDefinition(
            draft.name, parameters: flowParameters[draft.name] ?? [], initial: initial,
            children: reader.choice("children") ?? .free, isUnique: reader.bool("unique") ?? false,
            whenHidden: reader.choice("whenHidden", unsupported: Keys.Unsupported.whenHidden) ?? .ignore,
            announces: reader.bool("announce") ?? false, rules: rules(draft))
        return definition
    }

    private func rules(_ flow: Draft.Flow) -> [Rule] {
        var rules: [Rule] = []
        for (name, item) in flow.rules.sorted(by: { $0.key < $1.key }) {
            guard let step = step(name, item.place) else { continue }
            let context = RuleContext(step: steps[step.index], flow: flow.name)
            rules.append(Rule(step, alternatives(item, context)))
        }
        checkCycles(flow, rules)
        return rules.sorted { $0.step.index < $1.step.index }
    }

    // MARK: Autostart

    private func autostart() -> [Autostart] {
        var ids: [String: Place] = [:]
        var unique: [String: Place] = [:]
        return draft.autostart.compactMap { item in
            guard let reader = TableReader(item, of: "'autostart'", report) else { return nil }
            reader.finish(known: Keys.autostart)
            guard let name = reader.string("flow") else {
                if reader["flow"] == nil { report.error(item.place, "'flow' is missing: which flow is to start?") }
                return nil
            }
            guard let flow = flow(name, reader["flow"]?.place ?? item.place) else { return nil }
            started.insert(name)
            let id = id(reader)
            if let other = ids[id ?? name] {
                report.error(
                    reader["id"]?.place ?? item.place,
                    "the id '\(id ?? name)' is taken by the root at \(other.reference); give another 'id'")
            }
            ids[id ?? name] = item.place
            if case .bool(true)? = draft.flows[name]?.keys["unique"]?.content {
                if let other = unique[name] {
                    report.error(
                        item.place, "flow '\(name)' is unique, and started at \(other.reference) already")
                }
                unique[name] = item.place
            }
            var step: StepID?
            if let named = reader.string("step") {
                step = self.step(named, reader["step"]?.place ?? item.place)
                if step == nil { return nil }
            }
            let initial = step ?? initialStep(of: name)
            let arguments = bindings(
                reader["arguments"], for: flowParameters[name] ?? [], of: "flow '\(name)'", at: item.place, nil)
            let stepArguments = bindings(
                reader["stepArguments"], for: initial.map { steps[$0.index].parameters } ?? [],
                of: initial.map { "step '\(steps[$0.index].name)'" } ?? "flow '\(name)' without an initial step",
                at: item.place, nil)
            return Autostart(
                flow, id: id, arguments: literalArguments(arguments), step: step,
                stepArguments: literalArguments(stepArguments))
        }
    }

    func initialStep(of flow: String) -> StepID? {
        draft.flows[flow]?.keys["initial"]?.string.flatMap { stepIDs[$0] }
    }

    private func literalArguments(_ source: ArgumentSource) -> Arguments {
        guard case .given(let bindings) = source else { return [] }
        return bindings.compactMap { binding in
            guard case .literal(let value) = binding.source else { return nil }
            return Argument(binding.name, value)
        }
    }
}
