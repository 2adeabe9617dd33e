/// A declared step, by its place in ``Definitions/steps``.
public struct StepID: Hashable, Sendable {
    /// The place.
    public let index: Int

    /// The step at this place.
    public init(_ index: Int) { self.index = index }
}

/// A declared screen, by its place in ``Definitions/screens``.
public struct ScreenID: Hashable, Sendable {
    /// The place.
    public let index: Int

    /// The screen at this place.
    public init(_ index: Int) { self.index = index }
}

/// A defined flow, by its place in ``Definitions/flows``.
public struct FlowID: Hashable, Sendable {
    /// The place.
    public let index: Int

    /// The flow at this place.
    public init(_ index: Int) { self.index = index }
}

/// Everything that the definition files declare, checked: each name is found, each argument fits.
///
/// The core trusts it; who builds one answers for what ``Coordinator`` does with it. `FlowFile` builds it from files.
public struct Definitions: Equatable, Sendable {
    /// The steps, sorted by name; behind them those that clients registered, in the order they came.
    public let steps: [StepDeclaration]
    /// The screens, sorted by name; behind them those that came with flows that clients registered.
    public let screens: [ScreenDeclaration]
    /// The flows, in the same order.
    public let flows: [FlowDefinition]
    /// The roots that start with the daemon, in order.
    public let autostart: [Autostart]

    /// Whether some flow has an idle step.
    let haveIdleFlows: Bool
    /// Whether some flow has a guard or a navigator.
    let askOthers: Bool

    private let stepIndex: NameIndex
    private let screenIndex: NameIndex
    private let flowIndex: NameIndex

    /// Definitions of these parts; no list has a name twice.
    public init(
        steps: [StepDeclaration] = [], screens: [ScreenDeclaration] = [], flows: [FlowDefinition] = [],
        autostart: [Autostart] = []
    ) {
        self.steps = steps
        self.screens = screens
        self.flows = flows
        self.autostart = autostart
        haveIdleFlows = flows.contains { $0.idle != nil }
        askOthers = flows.contains(where: \.asksOthers)
        stepIndex = Self.index(steps.map(\.name))
        screenIndex = Self.index(screens.map(\.name))
        flowIndex = Self.index(flows.map(\.name))
    }

    /// The bus names whose owners matter: emitters, guards, navigators and presenters. Sorted, none twice.
    public var busNames: [String] {
        var names: Set<String> = []
        for flow in flows {
            names.formUnion(flow.emitters)
            if let `guard` = flow.guard { names.insert(`guard`.service.name) }
            if let navigator = flow.navigator { names.insert(navigator.service.name) }
        }
        for screen in screens { if let presenter = screen.presenter { names.insert(presenter.service.name) } }
        return names.filter { !$0.hasPrefix(":") }.sorted()
    }

    /// The step whose name these UTF-8 bytes spell.
    public func step(named bytes: UnsafeRawBufferPointer) -> StepID? { stepIndex.find(bytes).map(StepID.init) }
    /// The step of this name.
    public func step(named name: String) -> StepID? { stepIndex.find(name).map(StepID.init) }
    /// The screen of this name.
    public func screen(named name: String) -> ScreenID? { screenIndex.find(name).map(ScreenID.init) }
    /// The flow of this name.
    public func flow(named name: String) -> FlowID? { flowIndex.find(name).map(FlowID.init) }

    /// The step.
    public subscript(step: StepID) -> StepDeclaration { steps[step.index] }
    /// The screen.
    public subscript(screen: ScreenID) -> ScreenDeclaration { screens[screen.index] }
    /// The flow.
    public subscript(flow: FlowID) -> FlowDefinition { flows[flow.index] }

    /// The refusal of a step that no definition declares (S-3).
    public func unknownStep(_ name: String) -> FlowError {
        guard Names.isStepName(name) else {
            return FlowError(
                .unknownStep, "'\(Names.escaped(name))' can't be the name of a step: \(Names.stepNameRule)")
        }
        let suggestion = Names.suggestion(for: name, among: steps.lazy.map(\.name))
        return FlowError(.unknownStep, "no definition declares a step '\(name)'\(suggestion)")
    }

    /// The refusal of a flow that is not defined.
    public func unknownFlow(_ name: String) -> FlowError {
        let suggestion = Names.suggestion(for: name, among: flows.lazy.map(\.name))
        return FlowError(.unknownFlow, "no flow '\(Names.escaped(name))' is defined\(suggestion)")
    }

    /// Same parts; the indexes follow from them.
    public static func == (one: Definitions, other: Definitions) -> Bool {
        one.steps == other.steps && one.screens == other.screens && one.flows == other.flows
            && one.autostart == other.autostart
    }

    private static func index(_ names: [String]) -> NameIndex {
        var index = NameIndex()
        for (number, name) in names.enumerated() { index.insert(name, number) }
        return index
    }
}

/// A declared argument of a step, a screen or a flow.
public struct Parameter: Hashable, Sendable {
    /// The argument's name: `[A-Za-z_][A-Za-z0-9_]*`.
    public let name: String
    /// What type its values have.
    public let type: ValueType
    /// Whether it may be left out (`?`).
    public let isOptional: Bool

    /// An argument of this name and type.
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

    /// A step of this name.
    public init(_ name: String, parameters: [Parameter] = [], isPrivate: Bool = false) {
        self.name = name
        self.parameters = parameters
        self.isPrivate = isPrivate
    }
}

/// A screen that flows can contribute (S-1).
public struct ScreenDeclaration: Hashable, Sendable {
    /// The screen's name.
    public let name: String
    /// Its arguments, sorted by name.
    public let parameters: [Parameter]
    /// Who is asked to show it; nil: nobody in particular.
    public let presenter: Presenter?
    /// What becomes of it when its owner is gone (S-30).
    public let whenOwnerGone: WhenOwnerGone

    /// A screen of this name.
    public init(
        _ name: String, parameters: [Parameter] = [], presenter: Presenter? = nil,
        whenOwnerGone: WhenOwnerGone = .dismiss
    ) {
        self.name = name
        self.parameters = parameters
        self.presenter = presenter
        self.whenOwnerGone = whenOwnerGone
    }
}

/// Who covers whom among the children of a flow (S-14).
public enum Children: String, CaseIterable, Sendable {
    /// Nobody covers anybody: RxFlow's.
    case free
    /// The newest child covers the others.
    case stack
    /// The selected child covers the others.
    case tabs
}

/// What becomes of a step from outside on a presentable that is not presented (S-15).
public enum WhenHidden: String, CaseIterable, Sendable {
    /// It is ignored: the verdict is `hidden`.
    case ignore
    /// It is taken all the same: RxFlow's `allowStepWhenNotPresented`.
    case allow
    /// The newest one is kept until the presentable is presented.
    case latest
    /// Up to ``Limits/deferredSteps`` are kept in order until the presentable is presented.
    case queue
}

/// A flow's definition: its rules (S-2).
public struct FlowDefinition: Equatable, Sendable {
    /// The flow's name.
    public let name: String
    /// Its arguments, sorted by name.
    public let parameters: [Parameter]
    /// The step it sets off on itself when it starts, unless told another.
    public let initial: StepID?
    /// Who covers whom among its children.
    public let children: Children
    /// Whether it is live at most once among the roots (S-2).
    public let isUnique: Bool
    /// For steps that are emitted on the flow itself (S-15).
    public let whenHidden: WhenHidden
    /// Whether navigations are announced before they happen (`NavigationWillOccur`).
    public let announces: Bool
    /// Whether it comes back when the tree of another bus is restored (D-3).
    public let isRestored: Bool
    /// The step it sets off on itself where Back ends at it (S-24).
    public let onBack: StepID?
    /// What happens when nothing from outside reaches it for a time (S-34).
    public let idle: Idle?
    /// Only owners of these bus names may emit steps on it and its screens, or send it Back; empty: everyone may.
    public let emitters: [String]
    /// Who is asked before it takes a step (S-5); nil: nobody.
    public let `guard`: Guard?
    /// Who decides where its steps lead; nil: its ``rules`` do.
    public let navigator: Navigator?
    /// What the steps lead to, sorted by ``StepID/index``.
    public let rules: [Rule]
    /// Whether a step may have to wait for an answer of another process.
    let asksOthers: Bool

    /// A flow of this name and these rules.
    public init(
        _ name: String, parameters: [Parameter] = [], initial: StepID? = nil, children: Children = .free,
        isUnique: Bool = false, whenHidden: WhenHidden = .ignore, announces: Bool = false, isRestored: Bool = true,
        onBack: StepID? = nil, idle: Idle? = nil, emitters: [String] = [], guard: Guard? = nil,
        navigator: Navigator? = nil,
        rules: [Rule] = []
    ) {
        self.name = name
        self.parameters = parameters
        self.initial = initial
        self.children = children
        self.isUnique = isUnique
        self.whenHidden = whenHidden
        self.announces = announces
        self.isRestored = isRestored
        self.onBack = onBack
        self.idle = idle
        self.emitters = emitters
        self.guard = `guard`
        self.navigator = navigator
        self.rules = rules
        asksOthers = `guard` != nil || navigator != nil
    }

    /// The place of the rule for a step in ``rules``, nil where the flow has none.
    func rule(for step: StepID) -> Int? {
        var (low, high) = (0, rules.count)
        while low < high {
            let middle = (low + high) / 2
            if rules[middle].step.index < step.index { low = middle + 1 } else { high = middle }
        }
        return low < rules.count && rules[low].step == step ? low : nil
    }
}

/// A step that a flow sets off on itself when no step from outside reached it, or anything below it, for a time (S-34).
public struct Idle: Hashable, Sendable {
    /// For how long, in µs; more than 0.
    public let after: UInt64
    /// The step; it needs no arguments.
    public let step: StepID

    /// A step after so many µs.
    public init(after: UInt64, step: StepID) {
        self.after = after
        self.step = step
    }
}

/// A root that starts with the daemon.
public struct Autostart: Equatable, Sendable {
    /// What flow.
    public let flow: FlowID
    /// The root's id; nil: the flow's name.
    public let id: String?
    /// The flow's arguments.
    public let arguments: Arguments
    /// Its initial step; nil: the flow's `initial`.
    public let step: StepID?
    /// The initial step's arguments.
    public let stepArguments: Arguments

    /// A root to start with.
    public init(
        _ flow: FlowID, id: String? = nil, arguments: Arguments = [], step: StepID? = nil, stepArguments: Arguments = []
    ) {
        self.flow = flow
        self.id = id
        self.arguments = arguments
        self.step = step
        self.stepArguments = stepArguments
    }
}

// MARK: - What follows from them

extension Definitions {
    /// The arguments as the step's declaration has them (S-3).
    func admit(_ arguments: Arguments, of step: StepID) throws(FlowError) -> Arguments {
        let declaration = steps[step.index]
        return try Declaration.admit(
            arguments, as: declaration.parameters, of: "step '\(declaration.name)'", isPrivate: declaration.isPrivate)
    }

    /// What only flows have, at birth.
    func newState(of id: FlowID, hasInitial: Bool, _ now: Instant) -> Node.FlowState {
        let definition = flows[id.index]
        return Node.FlowState(
            definition: id, covering: definition.children, readiness: hasInitial ? .awaitingStep : .ready,
            reached: definition.idle == nil ? nil : now)
    }
}
