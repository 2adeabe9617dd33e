import Testing

@testable import FlowCore

/// Builds definitions concisely. It sorts its input, and declares names that are only mentioned: a step or screen
/// without arguments, a flow without rules.
struct DefinitionsBuilder {
    /// A contributor, by names.
    enum Part {
        case screen(String, Child = Child())
        case flow(String, Child = Child())
        case current(String, [Binding]? = nil)
        case parent(String, [Binding]? = nil)
        case end(String? = nil, [Binding]? = nil)
        case answer([Binding])
        case pop(KeyedName)
        case popRoot
        case show(KeyedName)
        case hide(KeyedName)
        case dismiss(KeyedName)
        case evict
        case set([Binding])
        case move(Binding.Source)
    }

    /// The options of a child.
    struct Child {
        var id: String?
        var with: [Binding]?
        var step: String?
        var stepWith: [Binding]?
        var style: String?
        var whenHidden: WhenHidden?
        var reuses = false
        var raises = false
        var clears = false
        var layer: String?
        var onDismissed: String?
        var onDismissedWith: [Binding]?
        var onResult: String?
        var onResultWith: [Binding]?
    }

    /// The alternatives of a rule.
    enum Branches: ExpressibleByArrayLiteral {
        case always([Part])
        case first([Branch])

        init(arrayLiteral parts: Part...) { self = .always(parts) }
    }

    /// One alternative.
    struct Branch {
        var when: [Condition] = []
        var unless: [Condition] = []
        var parts: [Part]
    }

    struct Flow {
        var name: String
        var parameters: [Parameter] = []
        var key: [String] = []
        var result: [Parameter]?
        var isResultPublic = false
        var initial: String?
        var children = Children.free
        var layers: [Layer] = []
        var covers = true
        var isUnique = false
        var whenHidden = WhenHidden.ignore
        var announces = false
        var isRestored = true
        var whenEmpty: WhenEmpty?
        var onBack: String?
        /// In µs.
        var idle: [(after: UInt64, step: String)] = []
        var idleWhenHidden = WhenHidden.allow
        /// The time of the only stage, in place of its own.
        var idleSpan: Span?
        var timers: [Timer] = []
        var emitters: [String] = []
        /// The bus name of the guard, and the steps that it is asked about; empty for all.
        var guarded: (by: String, steps: [String])?
        /// The bus name of the navigator, and the steps that it takes.
        var navigated: (by: String, steps: [String])?
        var rules: [(step: String, branches: Branches)] = []
        var context: [Context] = []
        var texts = Texts()
    }

    /// A timer, with its time in µs or a value of the context.
    struct Timer {
        var since = FlowTimer.Since.created
        var repeats = false
        var time: Span
        var step: String
        var whenHidden = WhenHidden.ignore

        static func after(
            _ time: Span, _ step: String, since: FlowTimer.Since = .created, whenHidden: WhenHidden = .ignore
        ) -> Timer {
            Timer(since: since, time: time, step: step, whenHidden: whenHidden)
        }

        static func every(
            _ time: Span, _ step: String, since: FlowTimer.Since = .created, whenHidden: WhenHidden = .ignore
        ) -> Timer {
            Timer(since: since, repeats: true, time: time, step: step, whenHidden: whenHidden)
        }
    }

    /// A value of the context, of the type string.
    struct Context {
        var name: String
        var initial: String
        var setters: [String] = []
        var isPrivate = false
        var isForDisk = false
        /// The step that follows from a change, and the flow that takes it; for a value of a flow that itself.
        var changed: (step: String, flow: String)?
    }

    struct Root {
        var flow: String
        var id: String?
        var arguments: Arguments = []
        var step: String?
        var stepArguments: Arguments = []
        var output = ""
        var isPerOutput = false
        var whenOutputGone = WhenOutputGone.keep
    }

    /// A property or a signal of `com.example.Vehicle`.
    struct Stepper {
        var flow = "device"
        var property: String?
        var signal = ""
        var step: String
        var with: [StepperDefinition.Binding] = []
        var absent: Arguments?
    }

    private(set) var steps: [String: StepDeclaration] = [:]
    private(set) var screens: [String: ScreenDeclaration] = [:]
    private(set) var flows: [String: Flow] = [:]
    var autostart: [Root] = []
    var steppers: [Stepper] = []
    var context: [Context] = []
    var outputSetter: String?
    /// What people read of steps, screens and flows, by their names.
    var texts: [String: Texts] = [:]

    mutating func step(
        _ name: String, _ parameters: KeyValuePairs<String, String> = [:], isPrivate: Bool = false, isInput: Bool = true
    ) {
        steps[name] = StepDeclaration(
            name, parameters: Self.parameters(parameters), isPrivate: isPrivate, isInput: isInput)
    }

    mutating func screen(
        _ name: String, _ parameters: KeyValuePairs<String, String> = [:], key: [String] = [], presenter: String? = nil,
        action: String? = nil, closing: String? = nil, startsEarly: Bool = false,
        whenOwnerGone: WhenOwnerGone = .dismiss,
        isPresentedOnReturn: Bool = true, keepsAwake: Bool = false, isStateOnDisk: Bool = false,
        evictAfter: Span? = nil, watchdog: UInt64? = nil, endsHungProcess: Bool = false,
        patience: Span? = nil,
        result: KeyValuePairs<String, String>? = nil, isResultPublic: Bool = false, context: [String] = []
    ) {
        let service = presenter.map { Service($0, path: "/presenter", timeout: Limits.presenterTimeout) }
        screens[name] = ScreenDeclaration(
            name, parameters: Self.parameters(parameters), key: key,
            presenter: service.map { service in
                action.map {
                    .application(service, ApplicationCall(.action($0, parameter: nil), closingAction: closing))
                }
                    ?? .service(service)
            },
            startsEarly: startsEarly, whenOwnerGone: whenOwnerGone, isPresentedOnReturn: isPresentedOnReturn,
            keepsAwake: keepsAwake,
            isStateOnDisk: isStateOnDisk, evictAfter: evictAfter, watchdog: watchdog,
            endsHungProcess: endsHungProcess, patience: patience,
            result: result.map(Self.parameters), isResultPublic: isResultPublic, context: context)
    }

    mutating func flow(
        _ name: String, _ parameters: KeyValuePairs<String, String> = [:], key: [String] = [],
        result: KeyValuePairs<String, String>? = nil, isResultPublic: Bool = false, initial: String? = nil,
        children: Children = .free, layers: [Layer] = [], covers: Bool = true, isUnique: Bool = false,
        whenHidden: WhenHidden = .ignore, announces: Bool = false, isRestored: Bool = true, whenEmpty: WhenEmpty? = nil,
        onBack: String? = nil,
        idle: (after: UInt64, step: String)? = nil, stages: [(after: UInt64, step: String)] = [],
        idleWhenHidden: WhenHidden = .allow, idleSpan: Span? = nil, timers: [Timer] = [],
        emitters: [String] = [],
        guarded: (by: String, steps: [String])? = nil, navigated: (by: String, steps: [String])? = nil,
        on rules: KeyValuePairs<String, Branches> = [:]
    ) {
        flows[name] = Flow(
            name: name, parameters: Self.parameters(parameters), key: key, result: result.map(Self.parameters),
            isResultPublic: isResultPublic, initial: initial, children: children,
            layers: layers, covers: covers, isUnique: isUnique, whenHidden: whenHidden, announces: announces,
            isRestored: isRestored,
            whenEmpty: whenEmpty, onBack: onBack, idle: idle.map { [$0] } ?? stages,
            idleWhenHidden: idleWhenHidden, idleSpan: idleSpan, timers: timers, emitters: emitters, guarded: guarded,
            navigated: navigated,
            rules: rules.map { (step: $0.key, branches: $0.value) })
    }

    /// Adds a guard or a navigator to an existing flow.
    mutating func ask(
        about flow: String, guarded: (by: String, steps: [String])?, navigated: (by: String, steps: [String])?
    ) {
        flows[flow]?.guarded = guarded
        flows[flow]?.navigated = navigated
        if navigated != nil { flows[flow]?.rules = [] }
    }

    /// Adds a value of the context to an existing flow.
    mutating func add(_ value: Context, to flow: String) { flows[flow]?.context.append(value) }

    mutating func addRule(_ step: String, _ branches: Branches, to flow: String) {
        flows[flow]?.rules.append((step: step, branches: branches))
    }

    /// `int64`, or `int64?` for an optional parameter.
    static func parameters(_ words: KeyValuePairs<String, String>) -> [Parameter] {
        words.compactMap { name, word in
            let isOptional = word.hasSuffix("?")
            guard let type = ValueType(name: isOptional ? String(word.dropLast()) : word) else {
                Issue.record("'\(word)' is no type")
                return nil
            }
            return Parameter(name, type, isOptional: isOptional)
        }.sorted { $0.name < $1.name }
    }
}

// MARK: - Names to numbers

extension DefinitionsBuilder {
    /// A contributor for an existing coordinator.
    static func contributor(_ part: Part, in definitions: Definitions) -> FlowContributor {
        Numbers(definitions).contributor(part)
    }

    var definitions: Definitions {
        var whole = self
        whole.declareMentioned()
        whole.addTexts()
        let names = Numbers(steps: whole.steps, screens: whole.screens, flows: whole.flows)
        return Definitions(
            steps: whole.steps.values.sorted { $0.name < $1.name },
            screens: whole.screens.values.sorted { $0.name < $1.name },
            flows: whole.flows.values.sorted { $0.name < $1.name }.map(names.flow),
            autostart: whole.autostart.map { root in
                Autostart(
                    names.flow(root.flow), id: root.id, arguments: root.arguments, step: root.step.map(names.step),
                    stepArguments: root.stepArguments, output: root.output, isPerOutput: root.isPerOutput,
                    whenOutputGone: root.whenOutputGone)
            },
            steppers: whole.steppers.map { stepper in
                StepperDefinition(
                    names.flow(stepper.flow), name: "com.example.Vehicle", object: .path("/vehicle"),
                    interface: "com.example.Vehicle1",
                    source: stepper.property.map { .property($0, absent: stepper.absent) } ?? .signal(stepper.signal),
                    step: names.step(stepper.step), bindings: stepper.with)
            }, context: names.context(whole.context), outputSetter: whole.outputSetter)
    }

    private mutating func addTexts() {
        for (name, texts) in texts {
            if let it = steps[name] {
                steps[name] = StepDeclaration(
                    name, parameters: it.parameters, isPrivate: it.isPrivate, texts: texts, isInput: it.isInput)
            }
            if let it = screens[name] {
                screens[name] = ScreenDeclaration(
                    name, parameters: it.parameters, presenter: it.presenter, context: it.context, texts: texts)
            }
            flows[name]?.texts = texts
        }
    }

    private mutating func declareMentioned() {
        for flow in flows.values {
            mention(step: flow.initial)
            mention(step: flow.onBack)
            for stage in flow.idle { mention(step: stage.step) }
            for timer in flow.timers { mention(step: timer.step) }
            for step in (flow.guarded?.steps ?? []) + (flow.navigated?.steps ?? []) { mention(step: step) }
            for rule in flow.rules {
                mention(step: rule.step)
                for part in rule.branches.parts { mention(part) }
            }
        }
        for value in context + flows.values.flatMap(\.context) { mention(step: value.changed?.step) }
        for stepper in steppers {
            mention(step: stepper.step)
            if flows[stepper.flow] == nil { flow(stepper.flow) }
        }
        for root in autostart {
            mention(step: root.step)
            if flows[root.flow] == nil { flow(root.flow) }
        }
    }

    private mutating func mention(_ part: Part) {
        switch part {
        case .screen(let name, let child):
            if screens[name] == nil { screen(name) }
            mention(step: child.step)
            mention(step: child.onDismissed)
            mention(step: child.onResult)
        case .flow(let name, let child):
            if flows[name] == nil { flow(name) }
            mention(step: child.step)
            mention(step: child.onDismissed)
            mention(step: child.onResult)
        case .current(let name, _), .parent(let name, _): mention(step: name)
        case .end(let name, _): mention(step: name)
        case .answer, .pop, .popRoot, .show, .hide, .dismiss, .evict, .set, .move: break
        }
    }

    private mutating func mention(step name: String?) {
        if let name, steps[name] == nil { step(name) }
    }
}

extension DefinitionsBuilder.Branches {
    fileprivate var branches: [DefinitionsBuilder.Branch] {
        switch self {
        case .always(let parts): [DefinitionsBuilder.Branch(parts: parts)]
        case .first(let branches): branches
        }
    }

    fileprivate var parts: [DefinitionsBuilder.Part] { branches.flatMap(\.parts) }
}

/// The indexes of names in sorted lists.
private struct Numbers {
    private let steps: [String]
    private let screens: [String]
    private let flows: [String]

    init(
        steps: [String: StepDeclaration], screens: [String: ScreenDeclaration], flows: [String: DefinitionsBuilder.Flow]
    ) {
        self.steps = steps.keys.sorted()
        self.screens = screens.keys.sorted()
        self.flows = flows.keys.sorted()
    }

    func step(_ name: String) -> StepID { StepID(place(name, steps)) }
    func flow(_ name: String) -> FlowID { FlowID(place(name, flows)) }

    init(_ definitions: Definitions) {
        steps = definitions.steps.map(\.name)
        screens = definitions.screens.map(\.name)
        flows = definitions.flows.map(\.name)
    }

    private func place(_ name: String, _ names: [String]) -> Int {
        guard let place = names.firstIndex(of: name) else {
            preconditionFailure("the builder mentions '\(name)' without declaring it")
        }
        return place
    }

    func flow(_ flow: DefinitionsBuilder.Flow) -> FlowDefinition {
        FlowDefinition(
            flow.name, parameters: flow.parameters, key: flow.key, result: flow.result,
            isResultPublic: flow.isResultPublic, initial: flow.initial.map(step),
            children: flow.children,
            layers: flow.layers, covers: flow.covers,
            isUnique: flow.isUnique, whenHidden: flow.whenHidden, announces: flow.announces,
            isRestored: flow.isRestored, whenEmpty: flow.whenEmpty,
            onBack: flow.onBack.map(step),
            idle: flow.idle.map {
                TimedStep(
                    after: flow.idleSpan ?? .fixed($0.after), step: step($0.step), whenHidden: flow.idleWhenHidden)
            },
            timers: flow.timers.map {
                FlowTimer(
                    since: $0.since, repeats: $0.repeats,
                    TimedStep(after: $0.time, step: step($0.step), whenHidden: $0.whenHidden))
            },
            emitters: flow.emitters.filter { $0 != "owner" }, ownersMayEmit: flow.emitters.contains("owner"),
            guard: flow.guarded.map { it in
                Guard(
                    Service(it.by, path: "/guard", timeout: Limits.guardTimeout),
                    steps: it.steps.isEmpty ? nil : Set(it.steps.map(step)))
            },
            navigator: flow.navigated.map { it in
                Navigator(
                    Service(it.by, path: "/navigator", timeout: Limits.guardTimeout), steps: Set(it.steps.map(step)))
            },
            rules: flow.rules
                .map { rule in
                    Rule(
                        step(rule.step),
                        rule.branches.branches.map {
                            Alternative(when: $0.when, unless: $0.unless, contributors: $0.parts.map(contributor))
                        })
                }
                .sorted { $0.step.index < $1.step.index },
            context: context(flow.context), texts: flow.texts)
    }

    func context(_ values: [DefinitionsBuilder.Context]) -> [ContextDeclaration] {
        values.sorted { $0.name < $1.name }.compactMap { value in
            ValueType(name: "string").map { type in
                ContextDeclaration(
                    value.name, type, initial: .string(value.initial), setters: value.setters,
                    isPrivate: value.isPrivate, isForDisk: value.isForDisk,
                    changed: value.changed.map { ContextDeclaration.Change(step($0.step), on: flow($0.flow)) })
            }
        }
    }

    func contributor(_ part: DefinitionsBuilder.Part) -> FlowContributor {
        switch part {
        case .screen(let name, let child): .child(template(.screen(ScreenID(place(name, screens))), child))
        case .flow(let name, let child): .child(template(.flow(flow(name)), child))
        case .pop(let name): .pop(.to(name))
        case .popRoot: .pop(.root)
        case .show(let name): .show(name)
        case .hide(let name): .hide(name)
        case .dismiss(let name): .dismiss(name)
        case .evict: .evict
        case .move(let source): .move(source)
        case .set(let bindings): .set(bindings)
        case .current(let name, let with): .current(StepTemplate(step(name), arguments: source(with)))
        case .parent(let name, let with): .parent(StepTemplate(step(name), arguments: source(with)))
        case .answer(let with): .answer(.given(with))
        case .end(let name, let with): .end(name.map { StepTemplate(step($0), arguments: source(with)) })
        }
    }

    private func template(_ presentable: ChildTemplate.Presentable, _ child: DefinitionsBuilder.Child) -> ChildTemplate
    {
        ChildTemplate(
            presentable, id: child.id, arguments: source(child.with), step: child.step.map(step),
            stepArguments: source(child.stepWith), style: child.style, whenHidden: child.whenHidden,
            reuses: child.reuses, raises: child.raises, clears: child.clears,
            layer: child.layer,
            onDismissed: child.onDismissed.map { StepTemplate(step($0), arguments: source(child.onDismissedWith)) },
            onResult: child.onResult.map { StepTemplate(step($0), arguments: source(child.onResultWith)) })
    }

    private func source(_ bindings: [Binding]?) -> ArgumentSource {
        bindings.map(ArgumentSource.given) ?? .inherited
    }
}
