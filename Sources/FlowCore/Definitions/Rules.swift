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

/// What has to be so for an alternative to be taken, or not to be taken.
public enum Condition: Equatable, Sendable {
    /// The step has the argument of this name with this value, which is of the argument's declared type.
    case argument(String, Value)
    /// A presentable of this name is live in the same tree, or as a root (S-35).
    case alive(String)
}

/// What a flow answers a step with: RxFlow's FlowContributor, as a definition file writes it.
public enum FlowContributor: Equatable, Sendable {
    /// A new child of the flow (S-18).
    case child(ChildTemplate)
    /// Children of the flow are dismissed, the newest first (S-19).
    case pop(Pop)
    /// Another step on this same flow (S-20).
    case current(StepTemplate)
    /// Another step on the flow's parent (S-20).
    case parent(StepTemplate)
    /// The flow ends, and the parent gets a step where one is named (S-21).
    case end(StepTemplate?)
}

/// Which children of a flow are dismissed (S-19).
public enum Pop: Hashable, Sendable {
    /// Those newer than the newest one of this name; none, if there is none of that name.
    case to(name: String)
    /// All but the oldest.
    case root
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
    /// Whether the newest child, with tabs any child, of that name gets the new arguments instead (S-19).
    public let reuses: Bool
    /// Whether the flow's children are dismissed first (S-19).
    public let clears: Bool
    /// A step that is set off on the flow when the child is dismissed by other hands (S-23). Its arguments can refer to
    /// the child's own (``Binding/Source/step(_:)``), its name and the reason; inherited are the child's own.
    public let onDismissed: StepTemplate?

    /// A child to be made.
    public init(
        _ presentable: Presentable, id: String? = nil, arguments: ArgumentSource = .inherited, step: StepID? = nil,
        stepArguments: ArgumentSource = .inherited, style: String = "", whenHidden: WhenHidden? = nil,
        reuses: Bool = false, clears: Bool = false, onDismissed: StepTemplate? = nil
    ) {
        self.presentable = presentable
        self.id = id
        self.arguments = arguments
        self.step = step
        self.stepArguments = stepArguments
        self.style = style
        self.whenHidden = whenHidden
        self.reuses = reuses
        self.clears = clears
        self.onDismissed = onDismissed
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

    /// How many bytes its own values count for, those that refer to others left aside.
    var byteCount: Int {
        guard case .given(let bindings) = arguments else { return 0 }
        return bindings.reduce(0) { sum, binding in
            guard case .literal(let value) = binding.source else { return sum }
            return sum + [Argument(binding.name, value)].byteCount
        }
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
        /// `$name`: the step's argument, in `onDismissed` the child's own. Left out where there is none.
        case step(String)
        /// `$flow.name`: the flow's own argument. Left out where the flow has none.
        case flow(String)
        /// `$name` in `onDismissed`: the name of the child that is gone.
        case childName
        /// `$reason` in `onDismissed`: why it is gone (``DismissalReason``).
        case reason
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

/// Why a presentable is gone, where its flow asked to be told (S-23).
public enum DismissalReason: String, CaseIterable, Sendable {
    /// A client dismissed it.
    case dismissed
    /// Back dismissed it.
    case back
    /// Its owner's connection is gone (S-30).
    case ownerGone
    /// Its navigator is gone (S-32).
    case navigatorGone
    /// Its presenter could not be called, or failed to show it (S-31).
    case presentFailed
}
