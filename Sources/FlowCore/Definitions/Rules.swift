/// The rule of a flow for a step.
public struct Rule: Equatable, Sendable {
    /// The step.
    public let step: StepID
    /// The alternatives. The first that matches is applied; if none does, the step is `unhandled`.
    public let alternatives: [Alternative]

    /// Creates a rule.
    public init(_ step: StepID, _ alternatives: [Alternative]) {
        self.step = step
        self.alternatives = alternatives
    }

    /// Creates a rule with one alternative that always matches.
    public init(_ step: StepID, _ contributors: [FlowContributor]) {
        self.init(step, [Alternative(contributors: contributors)])
    }
}

/// A list of contributors, with conditions.
public struct Alternative: Equatable, Sendable {
    /// Conditions that all have to match; empty for none.
    public let when: [Condition]
    /// Conditions that must not all match; empty for none.
    public let unless: [Condition]
    /// The contributors, in order; `none = true` is the empty list (S-17).
    public let contributors: [FlowContributor]

    /// Creates an alternative.
    public init(when: [Condition] = [], unless: [Condition] = [], contributors: [FlowContributor]) {
        self.when = when
        self.unless = unless
        self.contributors = contributors
    }

    /// Whether it depends on which presentables are live (S-35).
    var asksWhatIsAlive: Bool {
        (when + unless).contains { if case .alive = $0 { true } else { false } }
    }
}

/// A condition of an alternative.
public enum Condition: Equatable, Sendable {
    /// The step has an argument with this name and value; the value is of the declared type.
    case argument(String, Value)
    /// A presentable of this name, and with these values of its key, is live in the same tree, or as a root (S-35, S-51).
    case alive(KeyedName)
    /// The context has this value of this name, as the flow sees it (S-57); the value is of the declared type.
    case context(String, Value)
    /// Two values are the same, at least one of which is looked up when the step is taken (S-53). An absent one is the same as none.
    case same(Binding.Source, Binding.Source)
}

/// A contributor, as a definition file declares it: RxFlow's FlowContributor.
public enum FlowContributor: Equatable, Sendable {
    /// Adds a child to the flow (S-18).
    case child(ChildTemplate)
    /// Dismisses children of the flow, the newest first (S-19).
    case pop(Pop)
    /// Brings the newest child of this name to the front (S-37).
    case show(KeyedName)
    /// Hides the newest child flow of this name (S-37).
    case hide(KeyedName)
    /// Dismisses the newest child of this name, with everything below it (S-37).
    case dismiss(KeyedName)
    /// Takes the covered screens of the tree from their processes (S-44).
    case evict
    /// Sets values of the context, as the flow sees it (S-57).
    case set([Binding])
    /// Moves the root of the flow to this output; an empty one stands for none (S-53).
    case move(Binding.Source)
    /// Forwards a step to the flow itself (S-20).
    case current(StepTemplate)
    /// Forwards a step to the parent (S-20).
    case parent(StepTemplate)
    /// Ends the flow, and forwards a step to the parent if there is one (S-21).
    case end(StepTemplate?)
    /// Ends the flow with a result (S-45); inherited arguments are no result.
    case answer(ArgumentSource)
}

/// The children that a `pop` dismisses (S-19).
public enum Pop: Equatable, Sendable {
    /// The children newer than the newest one of this name; none if there is no such child.
    case to(KeyedName)
    /// All children but the oldest.
    case root
}

/// A child to create. It never changes, and is an object so that whoever looks at it copies none of its parts.
public final class ChildTemplate: Equatable, Sendable {
    /// The screen or flow of the child.
    public enum Presentable: Hashable, Sendable {
        /// A screen.
        case screen(ScreenID)
        /// A flow.
        case flow(FlowID)
    }

    /// The screen or flow of the child.
    public let presentable: Presentable
    /// The requested id; nil for its name, or the first free one of `name_2`, `name_3`, … (S-1).
    public let id: String?
    /// The arguments of the child.
    public let arguments: ArgumentSource
    /// The initial step of the child; nil for a flow's `initial`, and for none in a screen.
    public let step: StepID?
    /// The initial step's arguments.
    public let stepArguments: ArgumentSource
    /// The style, a hint how to show it (`modal`, …); nil for none, or for that of a child that is reused (S-52).
    public let style: String?
    /// Overrides the policy of the definition (S-15); nil does not.
    public let whenHidden: WhenHidden?
    /// Whether an existing child of that name gets the new arguments instead: the newest child, or with tabs any child
    /// (S-19); if the child has a key, the newest one with equal values (S-51).
    public let reuses: Bool
    /// Whether, in a stack, that child can be any one of that name, and becomes the newest of all (S-37).
    public let raises: Bool
    /// Whether the flow's children are dismissed first (S-19).
    public let clears: Bool
    /// The layer in which the child stands; nil for the lowest (S-37), or for that of a child that is reused (S-52).
    public let layer: String?
    /// A step that is triggered on the flow when the child is dismissed by anything but a rule (S-23). Its arguments
    /// can refer to the child's own (``Binding/Source/step(_:)``), to its name and to the reason; inherited arguments
    /// are the child's own.
    public let onDismissed: StepTemplate?
    /// A step that is triggered on the flow when the child answers with a result (S-45). Its arguments can refer to the
    /// result, to the step that contributed the child, to the child's own arguments and to its name; inherited arguments are
    /// those of the result.
    public let onResult: StepTemplate?

    /// A child to create.
    public init(
        _ presentable: Presentable, id: String? = nil, arguments: ArgumentSource = .inherited, step: StepID? = nil,
        stepArguments: ArgumentSource = .inherited, style: String? = nil, whenHidden: WhenHidden? = nil,
        reuses: Bool = false, raises: Bool = false, clears: Bool = false, layer: String? = nil,
        onDismissed: StepTemplate? = nil, onResult: StepTemplate? = nil
    ) {
        self.presentable = presentable
        self.id = id
        self.arguments = arguments
        self.step = step
        self.stepArguments = stepArguments
        self.style = style
        self.whenHidden = whenHidden
        self.reuses = reuses || raises
        self.raises = raises
        self.clears = clears
        self.layer = layer
        self.onDismissed = onDismissed
        self.onResult = onResult
    }

    /// Whether they create the same child.
    public static func == (one: ChildTemplate, other: ChildTemplate) -> Bool {
        one === other
            || one.presentable == other.presentable && one.id == other.id && one.arguments == other.arguments
                && one.step == other.step && one.stepArguments == other.stepArguments && one.style == other.style
                && one.whenHidden == other.whenHidden && one.reuses == other.reuses && one.raises == other.raises
                && one.clears == other.clears && one.layer == other.layer && one.onDismissed == other.onDismissed
                && one.onResult == other.onResult
    }
}

/// A step to trigger.
public struct StepTemplate: Equatable, Sendable {
    /// The step.
    public let step: StepID
    /// Its arguments.
    public let arguments: ArgumentSource

    /// A step to trigger.
    public init(_ step: StepID, arguments: ArgumentSource = .inherited) {
        self.step = step
        self.arguments = arguments
    }

    /// The arguments that `$asked.…` refers to (S-45).
    func asked(of arguments: Arguments) -> Arguments {
        guard case .given(let bindings) = self.arguments else { return [] }
        return arguments.filter { argument in bindings.contains { $0.source == .asked(argument.name) } }
    }
}

/// The source of arguments (S-18).
public enum ArgumentSource: Equatable, Sendable {
    /// The arguments of the current step that are declared.
    case inherited
    /// These arguments only.
    case given([Binding])
}

/// An argument in a rule.
public struct Binding: Equatable, Sendable {
    /// The source of a value.
    public enum Source: Equatable, Sendable {
        /// A value in the file, of the declared type.
        case literal(Value)
        /// `$name`: the argument of the step, in `onDismissed` and `onResult` that of the child. Left out if there is none.
        case step(String)
        /// `$flow.name`: the argument of the flow. Left out if there is none.
        case flow(String)
        /// `$flow.output`: the output that the root stands on; empty if it has none (S-53).
        case output
        /// `$context.name`: the value of the context, as the flow sees it (S-57). Left out if there is none.
        case context(String)
        /// `$result.name` in `onResult`: the value of the result. Left out if there is none.
        case result(String)
        /// `$asked.name` in `onResult`: the argument of the step that contributed the child. Left out if there is none.
        case asked(String)
        /// `$name` in `onDismissed` and `onResult`: the name of the child.
        case childName
        /// `$reason` in `onDismissed`: the reason of the dismissal (``DismissalReason``).
        case reason
        /// `$error` in `onDismissed`: the name of the error that led to the dismissal; empty if none did.
        case error
        /// `$message` in `onDismissed`: the text of that error.
        case message

        /// The text that refers to the value; nil for one that stands there itself.
        public var reference: String? {
            switch self {
            case .literal: nil
            case .step(let name): "$" + name
            case .flow(let name): "$flow." + name
            case .output: "$flow.output"
            case .context(let name): "$context." + name
            case .result(let name): "$result." + name
            case .asked(let name): "$asked." + name
            case .childName: "$name"
            case .reason: "$reason"
            case .error: "$error"
            case .message: "$message"
            }
        }
    }

    /// The declared name of the argument.
    public let name: String
    /// The source of its value.
    public let source: Source

    /// Creates an argument.
    public init(_ name: String, _ source: Source) {
        self.name = name
        self.source = source
    }
}

/// The reason of a dismissal that a flow gets in `onDismissed` (S-23).
public enum DismissalReason: String, CaseIterable, Sendable {
    /// A client dismissed it.
    case dismissed
    /// Its owner, or its presenter, dismissed it and said what failed (S-22).
    case failed
    /// Back dismissed it.
    case back
    /// The connection of its owner ended (S-30).
    case ownerGone
    /// Its owner did not say in time that it is alive (S-44).
    case ownerHangs
    /// The process of its navigator ended (S-32).
    case navigatorGone
    /// Its presenter could not be called, or failed to show it (S-31).
    case presentFailed
    /// It is a flow without children, and no step waits for it (S-36).
    case empty
    /// It is a flow that declares a result, and ended without one (S-45).
    case ended
}
