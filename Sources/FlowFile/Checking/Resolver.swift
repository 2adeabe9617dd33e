import FlowCore

/// Resolves names, checks the draft, and makes the definitions: the second of two passes.
///
/// If a name can't be resolved, the result is nil, and checks that depend on it are skipped, so that one mistake leads
/// to one error.
final class Resolver {
    let draft: Draft
    let diagnostics: Diagnostics
    /// Whether the text comes from the service, which has flows that clients registered, too.
    let isOfService: Bool
    /// The service files of this machine; nil if it does not matter which programs a bus can start.
    var services: ServiceFiles?
    /// The programs of the device, once ``definitions()`` was called.
    private(set) var declaredPrograms: [ProgramDeclaration] = []

    init(_ draft: Draft, isOfService: Bool = false) {
        self.draft = draft
        self.isOfService = isOfService
        diagnostics = draft.diagnostics
    }

    /// Returns the definitions, which are valid only if no errors were found.
    func definitions() -> Definitions {
        let privateSteps = Set(draft.privateSteps.compactMap { step($0)?.id })
        let steps = draft.steps.entries.enumerated().map { place, entry in
            StepDeclaration(
                entry.name, parameters: entry.value.admitted, isPrivate: privateSteps.contains(StepID(place)),
                texts: texts({ entry.value.texts[$0] }, of: entry.value), isInput: entry.value.isInput)
        }
        let screens = draft.screens.entries.map { screenDeclaration($0, of: $1) }
        let flows = draft.flows.entries.map { definition($0, of: $1) }
        let autostart = autostarts()
        let definitions = Definitions(
            steps: steps, screens: screens, flows: flows, autostart: autostart, steppers: steppers(),
            context: context(draft.context.entries.map { ($0.name, $0.value) }, of: nil),
            outputSetter: draft.outputSetter.flatMap { busName($0) })
        declaredPrograms = programs()
        if draft.isComplete {
            checkCycles(definitions)
            checkEmptiness(definitions)
            checkPrivateKeys(definitions)
            checkPrivateOutputs(definitions)
            checkSpans(definitions)
            if !diagnostics.hasErrors {
                warn(definitions)
                if let services {
                    warnOfPrograms(startable: services.names.union(draft.programs.names))
                    warnOfDeclaredPrograms(declaredPrograms, services)
                }
            }
        }
        return definitions
    }

    private lazy var stepNames = SimilarNames(draft.steps.names)
    private lazy var screenNames = SimilarNames(draft.screens.names)
    /// The names of flows.
    private(set) lazy var flowNames = SimilarNames(draft.flows.names)
    private lazy var presentableNames = SimilarNames(
        (draft.screens.names + Array(draft.flows.names)).sorted(by: Text.precedes))
    /// What `pop` can name.
    private lazy var poppableNames = SimilarNames(
        (draft.screens.names + Array(draft.flows.names) + ["root"]).sorted(by: Text.precedes))
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
        if let step = step(named: name) { return step }
        undeclared("step", name, stepNames, location)
        return nil
    }

    /// Resolves a name as a step, without a report.
    func step(named name: String) -> ResolvedStep? {
        draft.steps.place(of: name).map {
            ResolvedStep(id: StepID($0), declared: draft.steps.entries[$0].value)
        }
    }

    /// Resolves a value as a screen.
    func screen(_ item: Item) -> (id: ScreenID, draft: DraftScreen)? {
        guard let name = item.string(diagnostics, "the name of a screen"), draft.isComplete else { return nil }
        guard let place = draft.screens.place(of: name) else {
            undeclared("screen", name, screenNames, item.location)
            return nil
        }
        return (ScreenID(place), draft.screens.entries[place].value)
    }

    /// Resolves a value as a flow.
    func flow(_ item: Item) -> (id: FlowID, draft: DraftFlow)? {
        guard let name = item.string(diagnostics, "the name of a flow"), draft.isComplete else { return nil }
        guard let place = draft.flows.place(of: name) else {
            undeclared("flow", name, flowNames, item.location)
            return nil
        }
        return (FlowID(place), draft.flows.entries[place].value)
    }

    /// Returns a name of a screen or flow, which need not be unique; also `root` where that is allowed.
    func presentableName(_ item: Item, orRoot allowsRoot: Bool = false) -> String? {
        let name = item.string(diagnostics, "the name of a screen or flow" + (allowsRoot ? ", or 'root'" : ""))
        guard let name, draft.isComplete else { return nil }
        if allowsRoot, name == "root" { return name }
        guard draft.screens.place(of: name) != nil || draft.flows.place(of: name) != nil else {
            undeclared("screen or flow", name, allowsRoot ? poppableNames : presentableNames, item.location)
            return nil
        }
        return name
    }

    /// Returns the initial step of a flow, without a report: errors in it are reported at the flow.
    func initial(of flow: DraftFlow) -> ResolvedStep? {
        guard case .string(let name) = flow.keys["initial"]?.value else { return nil }
        return step(named: name)
    }

    func flowName(_ flow: FlowID) -> String { draft.flows.entries[flow.index].name }

    private func undeclared(
        _ kind: String, _ name: String, _ names: @autoclosure () -> SimilarNames, _ location: Location
    ) {
        var suggestion = diagnostics.suggestion(for: name, among: names())
        if kind == "flow", draft.screens.place(of: name) != nil { suggestion = "; it is a screen" }
        if kind == "screen", draft.flows.place(of: name) != nil { suggestion = "; it is a flow" }
        diagnostics.error(location, "no file declares a \(kind) \(Text.quoted(name))\(suggestion)")
    }
}
