public import FlowCore

/// A name in an act file that definitions have to declare.
struct Mention: Sendable {
    /// What is named.
    enum Kind: Sendable {
        /// A program with objects at these paths.
        case program([String])
        /// A screen that the program plays.
        case screen(String)
        /// A step that a guard is asked about.
        case guarded(String)
        /// A step that a navigator takes.
        case navigated(String)
        /// A step.
        case step(String)
        /// A step with its arguments.
        case emission(String, [ActFile.Given])
        /// The result of a screen.
        case result(of: String, [ActFile.Given])
        /// A screen that a navigator contributes.
        case contributedScreen(String)
        /// A flow that a navigator contributes.
        case contributedFlow(String)
    }

    let kind: Kind
    /// The bus name of the program; nil for the one that has none.
    let program: String?
    let location: Location
}

extension ActFile {
    /// Returns what in the file does not fit definitions. They can change later, so these are warnings.
    public func warnings(for definitions: Definitions) -> [Diagnostic] {
        guard let source else { return [] }
        let comparison = ActComparison(Diagnostics([source]), definitions)
        mentions.forEach(comparison.check)
        return DefinitionFiles.sort(comparison.diagnostics.all, [source.file])
    }

    /// Creates the programs that definitions name: each shows its screens at once, and lets all steps through. Screens that have
    /// no presenter are shown by a program without a bus name.
    public init(playing definitions: Definitions) {
        self.init(source: nil, mentions: [])
        var nameless = Program(name: nil, paths: ["/"])
        nameless.playsAllScreens = true
        programs.append(nameless)
        for screen in definitions.screens { if let service = screen.presenter?.service { add(service) } }
        for flow in definitions.flows { if let service = flow.guard?.service { add(service) } }
    }

    private mutating func add(_ service: Service) {
        if let place = programs.firstIndex(where: { $0.name == service.name }) {
            if !programs[place].paths.contains(service.path) { programs[place].paths.append(service.path) }
        } else {
            var program = Program(name: service.name, paths: [service.path])
            program.isOptional = true
            programs.append(program)
        }
    }

    /// Returns these programs, and those of another file whose names are not among them.
    public func adding(_ others: ActFile) -> ActFile {
        var both = self
        for other in others.programs {
            guard let place = both.programs.firstIndex(where: { $0.name == other.name }) else {
                both.programs.append(other)
                continue
            }
            both.programs[place].paths += other.paths.filter { !both.programs[place].paths.contains($0) }
            if other.playsAllScreens { both.programs[place].playsAllScreens = true }
        }
        return both
    }
}

/// The comparison of an act file with definitions.
private final class ActComparison {
    let diagnostics: Diagnostics
    private let definitions: Definitions
    private lazy var services =
        definitions.screens.compactMap { $0.presenter?.service } + definitions.flows.compactMap { $0.guard?.service }
        + definitions.flows.compactMap { $0.navigator?.service }
    private lazy var serviceNames = SimilarNames(Set(services.map(\.name)).sorted(by: Text.precedes))

    init(_ diagnostics: Diagnostics, _ definitions: Definitions) {
        self.diagnostics = diagnostics
        self.definitions = definitions
    }

    func check(_ mention: Mention) {
        let location = mention.location
        switch mention.kind {
        case .program(let paths): check(program: mention.program ?? "", paths, location)
        case .screen(let name): check(screen: name, of: mention.program, location)
        case .guarded(let step):
            check(
                mention, step, "guard",
                isAsked: definitions.flows.contains { flow in
                    flow.guard.map {
                        $0.service.name == mention.program && ($0.steps.map { contains(step, $0) } ?? true)
                    }
                        ?? false
                })
        case .navigated(let step):
            check(
                mention, step, "navigator",
                isAsked: definitions.flows.contains { flow in
                    flow.navigator.map { $0.service.name == mention.program && contains(step, $0.steps) } ?? false
                })
        case .step(let name): _ = step(name, location)
        case .emission(let name, let givens):
            guard let step = step(name, location) else { return }
            check(givens, step.parameters, "the step '\(name)'", location)
        case .result(let screen, let givens):
            guard let declared = definitions.screen(named: screen).map({ definitions[$0] }) else { return }
            guard let result = declared.result else {
                return diagnostics.warning(
                    location, "the screen '\(screen)' declares no 'result', so it can't be finished")
            }
            check(givens, result, "the result of the screen '\(screen)'", location)
        case .contributedScreen(let name):
            if definitions.screen(named: name) == nil { undeclaredScreen(name, location) }
        case .contributedFlow(let name):
            if definitions.flow(named: name) == nil {
                undeclared("flow", name, definitions.suggestion(forFlow: name), location)
            }
        }
    }

    /// Whether a step is one of several.
    private func contains(_ step: String, _ steps: Set<StepID>) -> Bool {
        steps.contains { definitions.steps[$0.index].name == step }
    }

    private func check(program: String, _ paths: [String], _ location: Location) {
        guard services.contains(where: { $0.name == program }) else {
            let suggestion = diagnostics.suggestion(for: program, among: serviceNames)
            return diagnostics.warning(
                location, "no definition has a presenter, guard or navigator \(Text.quoted(program))\(suggestion)")
        }
        if let other = services.first(where: { $0.name == program && !paths.contains($0.path) }) {
            diagnostics.warning(
                location,
                "the definitions have an object '\(other.path)' of '\(program)', and the program has \(Text.list(paths)); give "
                    + "all of them with 'paths'")
        }
    }

    private func check(screen name: String, of program: String?, _ location: Location) {
        guard let screen = definitions.screen(named: name).map({ definitions[$0] }) else {
            return undeclaredScreen(name, location)
        }
        guard let presenter = screen.presenter else { return }
        if case .application = presenter {
            diagnostics.warning(
                location,
                "the screen '\(name)' is shown by an application, '\(presenter.service.name)', which does not learn the screen's "
                    + "name; describe it in 'application' of that program")
        } else if presenter.service.name != program {
            diagnostics.warning(
                location,
                "the presenter of the screen '\(name)' is '\(presenter.service.name)'; it belongs to "
                    + "[programs.\"\(presenter.service.name)\".screens]")
        }
    }

    private func check(_ mention: Mention, _ step: String, _ role: String, isAsked: Bool) {
        guard self.step(step, mention.location) != nil, !isAsked else { return }
        diagnostics.warning(
            mention.location, "no flow asks the \(role) '\(mention.program ?? "")' about the step '\(step)'")
    }

    private func undeclaredScreen(_ name: String, _ location: Location) {
        undeclared("screen", name, definitions.suggestion(forScreen: name), location)
    }

    private func undeclared(_ kind: String, _ name: String, _ suggestion: String, _ location: Location) {
        diagnostics.warning(location, "no definition declares a \(kind) \(Text.quoted(name))\(suggestion)")
    }

    private func step(_ name: String, _ location: Location) -> StepDeclaration? {
        if let step = definitions.step(named: name) { return definitions[step] }
        undeclared("step", name, definitions.suggestion(forStep: name), location)
        return nil
    }

    private func check(_ givens: [ActFile.Given], _ parameters: [Parameter], _ owner: String, _ location: Location) {
        for given in givens {
            guard let parameter = parameters.first(where: { $0.name == given.name }) else {
                let names = parameters.map(\.name)
                let takes = names.isEmpty ? "it takes none" : "it takes \(Text.list(names))"
                diagnostics.warning(
                    location,
                    "\(owner) has no argument '\(given.name)'; \(takes)\(diagnostics.suggestion(for: given.name, among: names))"
                )
                continue
            }
            guard case .literal(let toml) = given.source else { continue }
            do throws(Literal.InvalidValue) {
                _ = try Literal.value(toml, as: parameter.type)
            } catch {
                diagnostics.warning(location, "the argument '\(given.name)' of \(owner) does not fit: \(error.text)")
            }
        }
        for parameter in parameters
        where !parameter.isOptional && !givens.contains(where: { $0.name == parameter.name }) {
            diagnostics.warning(
                location, "\(owner) needs the argument '\(parameter.name)' of type \(parameter.type.description)")
        }
    }
}
