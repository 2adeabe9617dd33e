import FlowCore

/// Resolves names, checks the draft, and makes the definitions: the second of two passes.
///
/// If a name can't be resolved, the result is nil, and checks that depend on it are skipped, so that one mistake leads
/// to one error.
struct Resolver {
    let draft: Draft
    let diagnostics: Diagnostics
    /// Whether the text comes from the service, which has flows that clients registered, too.
    let isOfService: Bool
    /// The bus names for which a bus of this machine can start a program; nil if that does not matter.
    var startable: Set<String>?

    private let stepNames: [String]
    private let screenNames: [String]
    private let flowNames: [String]
    private let presentableNames: [String]
    private let popNames: [String]
    private let stepPlaces: [String: Int]
    private let screenPlaces: [String: Int]
    private let flowPlaces: [String: Int]

    init(_ draft: Draft, isOfService: Bool = false) {
        self.draft = draft
        self.isOfService = isOfService
        diagnostics = draft.diagnostics
        (stepNames, stepPlaces) = Self.places(draft.steps.keys)
        (screenNames, screenPlaces) = Self.places(draft.screens.keys)
        (flowNames, flowPlaces) = Self.places(draft.flows.keys)
        presentableNames = screenNames + flowNames
        popNames = presentableNames + ["root"]
    }

    /// Returns the definitions, which are valid only if no errors were found.
    func definitions() -> Definitions {
        let privateSteps = Set(draft.privateSteps.compactMap { step($0)?.id })
        let steps = stepNames.enumerated().map { place, name in
            StepDeclaration(
                name, parameters: draft.steps[name]?.admitted ?? [], isPrivate: privateSteps.contains(StepID(place)))
        }
        let screens = screenNames.map { screenDeclaration(of: $0) }
        let flows = flowNames.map { definition(of: $0) }
        let autostart = autostarts()
        let definitions = Definitions(
            steps: steps, screens: screens, flows: flows, autostart: autostart, steppers: steppers())
        if draft.isComplete {
            checkCycles(definitions)
            checkEmptiness(definitions)
            if !diagnostics.hasErrors {
                warn(definitions)
                if let startable { warnOfPrograms(startable: startable) }
            }
        }
        return definitions
    }

    private static func places(_ names: some Sequence<String>) -> ([String], [String: Int]) {
        let sorted = names.sorted(by: Text.precedes)
        var places: [String: Int] = [:]
        for (place, name) in sorted.enumerated() { places[name] = place }
        return (sorted, places)
    }
}

/// Resolution of names.
extension Resolver {
    /// A resolved step.
    struct ResolvedStep {
        let id: StepID
        let declared: Declared
    }

    /// Resolves a value as a step; reports an undeclared one. Also nil if the declarations are incomplete.
    func step(_ item: Item) -> ResolvedStep? {
        item.string(diagnostics, "the name of a step").flatMap { step($0, item.location) }
    }

    /// Resolves a name as a step.
    func step(_ name: String, _ location: Location) -> ResolvedStep? {
        guard draft.isComplete else { return nil }
        guard let place = stepPlaces[name], let declared = draft.steps[name] else {
            undeclared("step", name, stepNames, location)
            return nil
        }
        return ResolvedStep(id: StepID(place), declared: declared)
    }

    /// Resolves a value as a screen.
    func screen(_ item: Item) -> (id: ScreenID, draft: DraftScreen)? {
        guard let name = item.string(diagnostics, "the name of a screen"), draft.isComplete else { return nil }
        guard let place = screenPlaces[name], let draft = draft.screens[name] else {
            undeclared("screen", name, screenNames, item.location)
            return nil
        }
        return (ScreenID(place), draft)
    }

    /// Resolves a value as a flow.
    func flow(_ item: Item) -> (id: FlowID, draft: DraftFlow)? {
        guard let name = item.string(diagnostics, "the name of a flow"), draft.isComplete else { return nil }
        guard let place = flowPlaces[name], let draft = draft.flows[name] else {
            undeclared("flow", name, flowNames, item.location)
            return nil
        }
        return (FlowID(place), draft)
    }

    /// Returns a name of a screen or flow, which need not be unique; also `root` where that is allowed.
    func presentableName(_ item: Item, orRoot allowsRoot: Bool = false) -> String? {
        let what = "the name of a screen or flow" + (allowsRoot ? ", or 'root'" : "")
        guard let name = item.string(diagnostics, what), draft.isComplete else { return nil }
        if allowsRoot, name == "root" { return name }
        guard draft.screens[name] != nil || draft.flows[name] != nil else {
            undeclared("screen or flow", name, allowsRoot ? popNames : presentableNames, item.location)
            return nil
        }
        return name
    }

    /// Returns the initial step of a flow, without a report: errors in it are reported at the flow.
    func initial(of flow: DraftFlow) -> ResolvedStep? {
        guard case .string(let name) = flow.keys["initial"]?.value, let place = stepPlaces[name],
            let declared = draft.steps[name]
        else { return nil }
        return ResolvedStep(id: StepID(place), declared: declared)
    }

    func flowName(_ flow: FlowID) -> String { flowNames[flow.index] }

    private func undeclared(_ kind: String, _ name: String, _ names: [String], _ location: Location) {
        var suggestion = diagnostics.suggestion(for: name, among: names)
        if kind == "flow", screenPlaces[name] != nil { suggestion = "; it is a screen" }
        if kind == "screen", flowPlaces[name] != nil { suggestion = "; it is a flow" }
        diagnostics.error(location, "no file declares a \(kind) \(Text.quoted(name))\(suggestion)")
    }
}
