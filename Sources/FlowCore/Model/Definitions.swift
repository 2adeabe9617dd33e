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
/// The core trusts it; who builds one answers for what ``FlowCoordinator`` does with it. `FlowFile` builds it from files.
public struct Definitions: Equatable, Sendable {
    /// The steps, sorted by name.
    public let steps: [StepDeclaration]
    /// The screens, sorted by name.
    public let screens: [ScreenDeclaration]
    /// The flows, sorted by name.
    public let flows: [FlowDefinition]
    /// The roots that start with the daemon, in order.
    public let autostart: [Autostart]

    private let stepIndex: NameIndex
    private let screenIndex: NameIndex
    private let flowIndex: NameIndex

    /// Definitions of these parts; each list is sorted by name and has no name twice.
    public init(
        steps: [StepDeclaration] = [], screens: [ScreenDeclaration] = [], flows: [FlowDefinition] = [],
        autostart: [Autostart] = []
    ) {
        self.steps = steps
        self.screens = screens
        self.flows = flows
        self.autostart = autostart
        stepIndex = Self.index(steps.map(\.name))
        screenIndex = Self.index(screens.map(\.name))
        flowIndex = Self.index(flows.map(\.name))
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
                .unknownStep, "'\(Names.shown(name))' can't be the name of a step: \(Names.stepNameRule)")
        }
        let suggestion = Names.suggestion(for: name, among: steps.lazy.map(\.name))
        return FlowError(.unknownStep, "no definition declares a step '\(name)'\(suggestion)")
    }

    /// The refusal of a flow that is not defined.
    public func unknownFlow(_ name: String) -> FlowError {
        let suggestion = Names.suggestion(for: name, among: flows.lazy.map(\.name))
        return FlowError(.unknownFlow, "no flow '\(Names.shown(name))' is defined\(suggestion)")
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

    /// A screen of this name.
    public init(_ name: String, parameters: [Parameter] = []) {
        self.name = name
        self.parameters = parameters
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
    /// What the steps lead to, sorted by ``StepID/index``.
    public let rules: [Rule]

    /// A flow of this name and these rules.
    public init(
        _ name: String, parameters: [Parameter] = [], initial: StepID? = nil, children: Children = .free,
        isUnique: Bool = false, whenHidden: WhenHidden = .ignore, announces: Bool = false, rules: [Rule] = []
    ) {
        self.name = name
        self.parameters = parameters
        self.initial = initial
        self.children = children
        self.isUnique = isUnique
        self.whenHidden = whenHidden
        self.announces = announces
        self.rules = rules
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

/// What a step leads to in a flow.
public struct Rule: Equatable, Sendable {
    /// The step.
    public let step: StepID
    /// The first alternative that matches is applied; where none does, the step is `unhandled`.
    public let alternatives: [Alternative]

    /// A rule for a step.
    public init(_ step: StepID, _ alternatives: [Alternative]) {
        self.step = step
        self.alternatives = alternatives
    }

    /// A rule for a step that always leads to the same.
    public init(_ step: StepID, _ contributors: [FlowContributor]) {
        self.init(step, [Alternative(contributors: contributors)])
    }
}

/// One of the things that a step can lead to, and when it does.
public struct Alternative: Equatable, Sendable {
    /// Taken only if all of these match; none: always.
    public let when: [Condition]
    /// Not taken if all of these match; none: no objection.
    public let unless: [Condition]
    /// What is contributed, in order; `none = true` is the empty list (S-17).
    public let contributors: [FlowContributor]

    /// An alternative under these conditions.
    public init(when: [Condition] = [], unless: [Condition] = [], contributors: [FlowContributor]) {
        self.when = when
        self.unless = unless
        self.contributors = contributors
    }
}

/// Matches when the step has this argument with this value.
public struct Condition: Equatable, Sendable {
    /// The argument's name.
    public let argument: String
    /// The value, of the argument's declared type.
    public let value: Value

    /// A condition on an argument of the step.
    public init(_ argument: String, _ value: Value) {
        self.argument = argument
        self.value = value
    }
}

/// What a flow answers a step with: RxFlow's FlowContributor, as a definition file writes it.
public enum FlowContributor: Equatable, Sendable {
    /// A new child of the flow (S-18).
    case child(ChildTemplate)
    /// Another step on this same flow (S-20).
    case current(StepTemplate)
    /// Another step on the flow's parent (S-20).
    case parent(StepTemplate)
    /// The flow ends, and the parent gets a step where one is named (S-21).
    case end(StepTemplate?)
}

/// A child to be made.
public struct ChildTemplate: Equatable, Sendable {
    /// What the child is made of.
    public enum Presentable: Hashable, Sendable {
        /// A screen.
        case screen(ScreenID)
        /// A flow.
        case flow(FlowID)
    }

    /// What the child is made of.
    public let presentable: Presentable
    /// The id asked for; nil: its name, or the first free `name_2`, `name_3`, … (S-1).
    public let id: String?
    /// The child's own arguments.
    public let arguments: ArgumentSource
    /// The child's initial step; nil: a flow's `initial`, none for a screen.
    public let step: StepID?
    /// The initial step's arguments.
    public let stepArguments: ArgumentSource
    /// How it is to be shown, for those who show it (`modal`, …); empty where nothing is said.
    public let style: String
    /// Overrides what the definition says (S-15).
    public let whenHidden: WhenHidden?

    /// A child to be made.
    public init(
        _ presentable: Presentable, id: String? = nil, arguments: ArgumentSource = .inherited, step: StepID? = nil,
        stepArguments: ArgumentSource = .inherited, style: String = "", whenHidden: WhenHidden? = nil
    ) {
        self.presentable = presentable
        self.id = id
        self.arguments = arguments
        self.step = step
        self.stepArguments = stepArguments
        self.style = style
        self.whenHidden = whenHidden
    }
}

/// A step to be set off.
public struct StepTemplate: Equatable, Sendable {
    /// The step.
    public let step: StepID
    /// Its arguments.
    public let arguments: ArgumentSource

    /// A step to be set off.
    public init(_ step: StepID, arguments: ArgumentSource = .inherited) {
        self.step = step
        self.arguments = arguments
    }
}

/// Where arguments come from (S-18).
public enum ArgumentSource: Equatable, Sendable {
    /// Those of the step at hand that the declaration has, too.
    case inherited
    /// These alone.
    case given([Binding])
}

/// One argument that a rule gives.
public struct Binding: Equatable, Sendable {
    /// Where a value comes from.
    public enum Source: Equatable, Sendable {
        /// It stands in the file, of the declared type already.
        case literal(Value)
        /// `$name`: the step's argument. Left out where the step has none.
        case step(String)
        /// `$flow.name`: the flow's own argument. Left out where the flow has none.
        case flow(String)
    }

    /// The argument's name, as what gets it declares it.
    public let name: String
    /// Where its value comes from.
    public let source: Source

    /// An argument that a rule gives.
    public init(_ name: String, _ source: Source) {
        self.name = name
        self.source = source
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
