/// A declared step, by its index in ``Definitions/steps``.
public struct StepID: Hashable, Sendable {
    private let number: Int32

    /// The index.
    public var index: Int { Int(number) }

    /// Creates an id from an index.
    public init(_ index: Int) { number = Int32(index) }
}

/// A declared screen, by its index in ``Definitions/screens``.
public struct ScreenID: Hashable, Sendable {
    private let number: Int32

    /// The index.
    public var index: Int { Int(number) }

    /// Creates an id from an index.
    public init(_ index: Int) { number = Int32(index) }
}

/// A defined flow, by its index in ``Definitions/flows``.
public struct FlowID: Hashable, Sendable {
    private let number: Int32

    /// The index.
    public var index: Int { Int(number) }

    /// Creates an id from an index.
    public init(_ index: Int) { number = Int32(index) }
}

/// All definitions, checked: each name is resolved, and each argument has the right type.
///
/// The core relies on these checks. `FlowFile` builds definitions from files. They never change, and are an object so that
/// looking something up in them copies nothing.
public final class Definitions: Equatable, Sendable {
    /// The steps, sorted by name, followed by those that clients registered, in order of registration.
    public let steps: [StepDeclaration]
    /// The screens, sorted by name, followed by those of flows that clients registered.
    public let screens: [ScreenDeclaration]
    /// The flows, sorted by name, followed by those that clients registered.
    public let flows: [FlowDefinition]
    /// The roots that start with the daemon, in order.
    public let autostart: [Autostart]
    /// The properties and signals of other services that emit steps, in order (S-42).
    public let steppers: [StepperDefinition]
    /// The values that all flows and screens can know, sorted by name (S-57).
    public let context: [ContextDeclaration]
    /// The bus name whose owner can say which outputs there are (`SetOutputs`); nil if nobody can (S-53).
    public let outputSetter: String?

    /// The bus names of the presenters that are started early, unique and in the order of their screens (S-44).
    public let earlyPresenters: [String]

    /// Whether some flow has an idle step.
    let haveIdleFlows: Bool
    /// Whether some flow has a timer that is no idle step (S-55).
    let haveTimers: Bool
    /// The values of the context that are times, with those that they can be, in µs (S-55).
    public let spans: [String: ClosedRange<UInt64>]
    /// Whether some screen keeps the flows above it from being idle.
    let haveWakingScreens: Bool
    /// Whether the owners of some screen are asked whether they are alive.
    let haveWatchdogs: Bool
    /// Whether some screen is evicted when it was out of sight for some time.
    let haveEvictedScreens: Bool
    /// Whether some screen gets values of the context.
    let haveContextScreens: Bool
    /// Whether some flow or screen has a title.
    let haveTitles: Bool
    /// Whether some flow has a guard or a navigator.
    let askOthers: Bool
    /// Whether some rule depends on which presentables are live (S-35).
    let askWhatIsAlive: Bool

    private let similarSteps: SimilarNames
    private let similarScreens: SimilarNames
    private let similarFlows: SimilarNames
    private let stepIndex: [String: Int]
    private let screenIndex: [String: Int]
    private let flowIndex: [String: Int]

    /// Creates definitions. No list may contain a name twice.
    public init(
        steps: [StepDeclaration] = [], screens: [ScreenDeclaration] = [], flows: [FlowDefinition] = [],
        autostart: [Autostart] = [], steppers: [StepperDefinition] = [], context: [ContextDeclaration] = [],
        outputSetter: String? = nil
    ) {
        self.steps = steps
        self.screens = screens
        self.flows = flows
        self.autostart = autostart
        self.steppers = steppers
        self.context = context
        self.outputSetter = outputSetter
        var early: Set<String> = []
        earlyPresenters = screens.filter(\.startsEarly).compactMap(\.presenter?.service.name)
            .filter { early.insert($0).inserted }
        haveIdleFlows = flows.contains { !$0.idle.isEmpty }
        haveTimers = flows.contains { $0.clocks.count > 1 }
        spans = Self.spans(flows, screens)
        haveWakingScreens = screens.contains(where: \.keepsAwake)
        haveWatchdogs = screens.contains { $0.watchdog != nil }
        haveEvictedScreens = screens.contains { $0.evictAfter != nil }
        haveContextScreens = screens.contains { !$0.context.isEmpty }
        haveTitles = screens.contains { $0.texts.title != nil } || flows.contains { $0.texts.title != nil }
        askOthers = flows.contains(where: \.asksOthers)
        askWhatIsAlive = flows.contains { $0.rules.contains { $0.alternatives.contains(where: \.asksWhatIsAlive) } }
        similarSteps = SimilarNames(steps.lazy.map(\.name))
        similarScreens = SimilarNames(screens.lazy.map(\.name))
        similarFlows = SimilarNames(flows.lazy.map(\.name))
        stepIndex = Self.index(steps.lazy.map(\.name))
        screenIndex = Self.index(screens.lazy.map(\.name))
        flowIndex = Self.index(flows.lazy.map(\.name))
    }

    /// The bus names of emitters, setters, guards, navigators and presenters, sorted and unique.
    public var busNames: [String] {
        var names = Set(context.flatMap(\.setters))
        if let outputSetter { names.insert(outputSetter) }
        for flow in flows {
            names.formUnion(flow.emitters)
            names.formUnion(flow.context.flatMap(\.setters))
            if let `guard` = flow.guard { names.insert(`guard`.service.name) }
            if let navigator = flow.navigator { names.insert(navigator.service.name) }
        }
        for screen in screens { if let presenter = screen.presenter { names.insert(presenter.service.name) } }
        return names.filter { !$0.hasPrefix(":") }.sorted()
    }

    /// The step with a name.
    public func step(named name: String) -> StepID? { stepIndex[name].map(StepID.init) }
    /// The screen with a name.
    public func screen(named name: String) -> ScreenID? { screenIndex[name].map(ScreenID.init) }
    /// The flow with a name.
    public func flow(named name: String) -> FlowID? { flowIndex[name].map(FlowID.init) }

    /// The step.
    public subscript(step: StepID) -> StepDeclaration { steps[step.index] }
    /// The screen.
    public subscript(screen: ScreenID) -> ScreenDeclaration { screens[screen.index] }
    /// The flow.
    public subscript(flow: FlowID) -> FlowDefinition { flows[flow.index] }

    /// The error for a step that no definition declares (S-3).
    public func unknownStep(_ name: String) -> FlowError {
        guard Names.isStepName(name) else {
            return FlowError(
                .unknownStep, "'\(Names.escaped(name))' can't be the name of a step: \(Names.stepNameRule)")
        }
        return FlowError(.unknownStep, "no definition declares a step '\(name)'\(similarSteps.suggestion(for: name))")
    }

    /// The error for a flow that is not defined.
    public func unknownFlow(_ name: String) -> FlowError {
        let suggestion = similarFlows.suggestion(for: name)
        return FlowError(.unknownFlow, "no flow '\(Names.escaped(name))' is defined\(suggestion)")
    }

    /// Returns `; did you mean 'NAME'?`, or nothing, for a screen that no definition declares.
    public func suggestion(forScreen name: String) -> String { similarScreens.suggestion(for: name) }

    /// Returns `; did you mean 'NAME'?`, or nothing, for a step that no definition declares.
    public func suggestion(forStep name: String) -> String { similarSteps.suggestion(for: name) }

    /// Returns `; did you mean 'NAME'?`, or nothing, for a flow that is not defined.
    public func suggestion(forFlow name: String) -> String { similarFlows.suggestion(for: name) }

    /// Returns `; did you mean 'NAME'?`, or nothing, for a name that neither a screen nor a flow has.
    func suggestion(forPresentable name: String) -> String {
        Names.suggestion(for: name, among: [similarScreens, similarFlows].compactMap { $0.nearest(to: name) })
    }

    /// The indexes follow from the other parts.
    public static func == (one: Definitions, other: Definitions) -> Bool {
        one.steps == other.steps && one.screens == other.screens && one.flows == other.flows
            && one.autostart == other.autostart && one.steppers == other.steppers && one.context == other.context
            && one.outputSetter == other.outputSetter
    }

    private static func index(_ names: some Collection<String>) -> [String: Int] {
        Dictionary(zip(names, 0...)) { first, _ in first }
    }
}

/// A declared argument of a step, a screen or a flow.
public struct Parameter: Hashable, Sendable {
    /// The argument's name: `[A-Za-z_][A-Za-z0-9_]*`.
    public let name: String
    /// The type of its values.
    public let type: ValueType
    /// Whether it can be left out (`?`).
    public let isOptional: Bool

    /// Creates an argument.
    public init(_ name: String, _ type: ValueType, isOptional: Bool = false) {
        self.name = name
        self.type = type
        self.isOptional = isOptional
    }
}

/// A step that can be emitted (S-3).
public struct StepDeclaration: Hashable, Sendable {
    /// The step's name.
    public let name: String
    /// Its arguments, sorted by name.
    public let parameters: [Parameter]
    /// Whether the values of its arguments stay out of broadcasts and properties (`[private]`).
    public let isPrivate: Bool
    /// What people read of it (S-58).
    public let texts: Texts
    /// Whether a client that emits it reaches flows (S-34), so that they are not idle; false for what is no input of a person (S-56).
    public let isInput: Bool

    /// Creates a step.
    public init(
        _ name: String, parameters: [Parameter] = [], isPrivate: Bool = false, texts: Texts = Texts(),
        isInput: Bool = true
    ) {
        self.name = name
        self.parameters = parameters
        self.isPrivate = isPrivate
        self.isInput = isInput
        self.texts = texts
    }

    /// An argument that can't be left out; nil if there is none.
    var requiredParameter: Parameter? { parameters.first { !$0.isOptional } }
}

/// A screen that flows can contribute (S-1).
public struct ScreenDeclaration: Hashable, Sendable {
    /// The screen's name.
    public let name: String
    /// Its arguments, sorted by name.
    public internal(set) var parameters: [Parameter]
    /// The names of the arguments by which instances below one parent are told apart, sorted; empty if they are not (S-51).
    public internal(set) var key: [String]
    /// The presenter that is called to show it; nil if there is none.
    public internal(set) var presenter: Presenter?
    /// What its presenter is told of the command line that the screen is, by `Present`; empty if it is none (S-59).
    public let run: Arguments
    /// Whether the program of its presenter is started before the screen is needed (S-44).
    public let startsEarly: Bool
    /// The policy for the end of its owner's connection (S-30).
    public let whenOwnerGone: WhenOwnerGone
    /// Whether the flows above it are not idle while it is presented (S-34).
    public internal(set) var keepsAwake: Bool
    /// How long it may take from the step until it is visible, in µs, before that is logged; nil without a limit (S-46).
    public internal(set) var budget: UInt64?
    /// Whether its owner is called again when it comes back in sight (S-38).
    public internal(set) var isPresentedOnReturn: Bool
    /// Whether the state that its owner saves may be written to a disk (S-44).
    public let isStateOnDisk: Bool
    /// After this time out of sight it is taken from its process; nil if it never is (S-44).
    public let evictAfter: Span?
    /// The values that it can answer with, sorted by name (S-45); nil if it can't answer.
    public internal(set) var result: [Parameter]?
    /// Whether these values are public, unlike others (S-45).
    public let isResultPublic: Bool
    /// How often its owner is asked whether it is alive while it is presented, and how long each answer may take, in µs; nil if
    /// it is not asked (S-44).
    public internal(set) var watchdog: UInt64?
    /// Whether the process of an owner that hangs is ended (S-44).
    public let endsHungProcess: Bool
    /// How long it waits in sight for its presenter before it is dismissed; nil if its state decides (S-47).
    public let patience: Span?
    /// The names of the values of the context that its owner gets, sorted (S-57).
    public let context: [String]
    /// What people read of it (S-58).
    public let texts: Texts

    /// Creates a screen.
    public init(
        _ name: String, parameters: [Parameter] = [], key: [String] = [], presenter: Presenter? = nil,
        run: Arguments = [], startsEarly: Bool = false,
        whenOwnerGone: WhenOwnerGone = .dismiss, isPresentedOnReturn: Bool = true, keepsAwake: Bool = false,
        budget: UInt64? = nil, isStateOnDisk: Bool = false, evictAfter: Span? = nil, watchdog: UInt64? = nil,
        endsHungProcess: Bool = false, patience: Span? = nil, result: [Parameter]? = nil,
        isResultPublic: Bool = false, context: [String] = [], texts: Texts = Texts()
    ) {
        self.name = name
        self.parameters = parameters
        self.key = key
        self.presenter = presenter
        self.run = run
        self.startsEarly = startsEarly
        self.whenOwnerGone = whenOwnerGone
        self.keepsAwake = keepsAwake
        self.budget = budget
        self.isPresentedOnReturn = isPresentedOnReturn
        self.isStateOnDisk = isStateOnDisk
        self.evictAfter = evictAfter
        self.result = result
        self.isResultPublic = isResultPublic
        self.watchdog = watchdog
        self.endsHungProcess = endsHungProcess
        self.patience = patience
        self.context = context
        self.texts = texts
    }
}

/// Which children of a flow cover the others (S-14).
public enum Children: String, CaseIterable, Sendable {
    /// No child covers another, as in RxFlow.
    case free
    /// The newest child covers the others.
    case stack
    /// The selected child covers the others.
    case tabs
    /// The newest visible child of the highest layer covers those below it (S-37).
    case layers

    /// Those of flows that clients can register, which name no layers.
    public static let ofRegistrations = allCases.filter { $0 != .layers }
}

/// A layer of a flow, in which children stand (S-37).
public struct Layer: Hashable, Sendable {
    /// The layer's name.
    public let name: String
    /// Whether its children cover others.
    public let covers: Bool

    /// Creates a layer.
    public init(_ name: String, covers: Bool = true) {
        self.name = name
        self.covers = covers
    }
}

/// What becomes of a flow when it is empty (S-36).
public enum WhenEmpty: String, CaseIterable, Sendable {
    /// It is dismissed.
    case go
    /// It stays.
    case stay
    /// It stays, and takes its initial step again (S-48).
    case again
}

/// What the gate does with a step on a presentable that is not presented (S-15).
public enum WhenHidden: String, CaseIterable, Sendable {
    /// It drops the step, with the verdict `hidden`.
    case ignore
    /// It lets the step through, as with RxFlow's `allowStepWhenNotPresented`.
    case allow
    /// It defers the newest step until the presentable is presented.
    case latest
    /// It defers up to ``Limits/deferredSteps`` steps, in order, until the presentable is presented.
    case queue
    /// It defers them, too, and lets one through at a time: the next one when the cascade of the one before has ended, if the
    /// presentable is presented then (S-16).
    case turn
}

/// A flow's definition: its rules (S-2).
public struct FlowDefinition: Equatable, Sendable {
    /// The flow's name.
    public let name: String
    /// Its arguments, sorted by name.
    public let parameters: [Parameter]
    /// The names of the arguments by which instances below one parent are told apart, sorted; empty if they are not (S-51).
    public let key: [String]
    /// The values that it can answer with, sorted by name (S-45); nil if it can't answer.
    public let result: [Parameter]?
    /// Whether these values are public, unlike others (S-45).
    public let isResultPublic: Bool
    /// The initial step; nil if there is none.
    public let initial: StepID?
    /// Which of its children cover the others.
    public let children: Children
    /// The layers of its children, the lowest first; empty unless ``children`` are ``Children/layers``.
    public let layers: [Layer]
    /// Whether a root of it covers the lower ones on its output (S-41).
    public let covers: Bool
    /// Whether at most one root of it can be live (S-2).
    public let isUnique: Bool
    /// The policy for steps that are emitted on the flow itself (S-15).
    public let whenHidden: WhenHidden
    /// Whether navigations are announced before they occur (`NavigationWillOccur`).
    public let announces: Bool
    /// Whether it is restored with the tree of another bus (D-3).
    public let isRestored: Bool
    /// What becomes of it when it is empty (S-36); nil: a child goes, a root of `autostart` begins again, another root
    /// stays.
    public let whenEmpty: WhenEmpty?
    /// The step that is triggered when Back ends at the flow (S-24).
    public let onBack: StepID?
    /// The steps that are triggered when no step from outside reached the flow for some time, one after the other (S-34);
    /// empty if there are none.
    public let idle: [TimedStep]
    /// Its other timers, in order (S-55).
    public let timers: [FlowTimer]
    /// The bus names whose owners alone may make the calls that S-5 lists, such as emitting steps on the flow; empty if every
    /// client may, unless ``ownersMayEmit``.
    public let emitters: [String]
    /// Whether the owners of presentables may emit on them, call Touch and go back, beside the ``emitters`` (`"owner"`, S-43).
    public let ownersMayEmit: Bool
    /// The guard, which is asked before the flow takes a step (S-5); nil if there is none.
    public let `guard`: Guard?
    /// The navigator, which decides where its steps lead; nil if its ``rules`` do.
    public let navigator: Navigator?
    /// The rules, sorted by ``StepID/index``.
    public let rules: [Rule]
    /// The values that it and all below it can know, sorted by name (S-57).
    public let context: [ContextDeclaration]
    /// What people read of it (S-58).
    public let texts: Texts
    /// The timer of ``idle``, first, and ``timers``; empty if it has neither.
    let clocks: [FlowTimer]
    /// Whether a step can have to wait for another process.
    let asksOthers: Bool
    /// Whether only some clients may emit on it.
    let isRestricted: Bool

    /// Creates a flow.
    public init(
        _ name: String, parameters: [Parameter] = [], key: [String] = [], result: [Parameter]? = nil,
        isResultPublic: Bool = false,
        initial: StepID? = nil, children: Children = .free, layers: [Layer] = [], covers: Bool = true,
        isUnique: Bool = false,
        whenHidden: WhenHidden = .ignore, announces: Bool = false,
        isRestored: Bool = true, whenEmpty: WhenEmpty? = nil, onBack: StepID? = nil, idle: [TimedStep] = [],
        timers: [FlowTimer] = [], emitters: [String] = [], ownersMayEmit: Bool = false, guard: Guard? = nil,
        navigator: Navigator? = nil,
        rules: [Rule] = [], context: [ContextDeclaration] = [], texts: Texts = Texts()
    ) {
        self.name = name
        self.parameters = parameters
        self.key = key
        self.result = result
        self.isResultPublic = isResultPublic
        self.initial = initial
        self.children = children
        self.layers = layers
        self.covers = covers
        self.isUnique = isUnique
        self.whenHidden = whenHidden
        self.announces = announces
        self.isRestored = isRestored
        self.whenEmpty = whenEmpty
        self.onBack = onBack
        self.idle = idle
        self.timers = timers
        clocks = idle.isEmpty && timers.isEmpty ? [] : [FlowTimer(idle)] + timers
        self.emitters = emitters
        self.ownersMayEmit = ownersMayEmit
        self.guard = `guard`
        self.navigator = navigator
        self.rules = rules
        self.context = context
        self.texts = texts
        asksOthers = `guard` != nil || navigator != nil
        isRestricted = ownersMayEmit || !emitters.isEmpty
    }

    /// Returns the index of the rule for a step in ``rules``; nil if there is none.
    func rule(for step: StepID) -> Int? {
        var (low, high) = (0, rules.count)
        while low < high {
            let middle = (low + high) / 2
            if rules[middle].step.index < step.index { low = middle + 1 } else { high = middle }
        }
        return low < rules.count && rules[low].step == step ? low : nil
    }
}
