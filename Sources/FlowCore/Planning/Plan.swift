/// The contributors of a step at a flow, found to be possible. ``Planner`` makes it, ``Machine/apply(_:_:_:_:)`` applies
/// it.
struct Plan {
    struct Step {
        var step: StepID
        var arguments: Arguments
    }

    /// A contributed child.
    enum Child {
        /// A new child, with its initial step.
        case make(Forest.Birth, Step?)
        /// The same, as soon as it was made.
        case made(NodeSlot, Step?)
        /// A live child with new arguments; its initial step is triggered again (S-19).
        case reuse(NodeSlot, Arguments, Node.OnResult?, Step?)
        /// A change of a child at this place of the list (S-37).
        case adjust(Place, Adjustment)
        /// A child that a later contributor of the same list removes.
        case popped
    }

    /// A change of a child that gives it no arguments (S-37).
    enum Adjustment {
        /// It is selected among tabs.
        case select
        /// It becomes the newest of its siblings.
        case raise
        /// It becomes visible, or hidden.
        case setVisible(Bool)
        /// It stands in another layer, and has another style; nil for what stays (S-52).
        case place(layer: String?, style: String?)
    }

    /// A child of the flow at some place of the list.
    enum Place: Equatable {
        case live(NodeSlot)
        /// A child among ``children``.
        case planned(Int)
    }

    /// A value of the context to set (S-57).
    struct ContextSetting {
        let holder: ContextHolder
        var argument: Argument
    }

    /// Whether the flow ends, with a step for its parent or without, or with a result (S-45).
    enum End {
        case no
        case yes(Step?)
        case answer(Arguments)
    }

    /// Live children to remove, in order (S-19).
    var going: [NodeSlot] = []
    /// In the order of the list.
    var children: [Child] = []
    var ids = SiblingIDs.PlannedIDs()
    var forwardsToParent: [Step] = []
    var forwardsToCurrent: [Step] = []
    /// Whether the covered screens of the tree are evicted.
    var evicts = false
    /// The output to which the root moves; nil if it does not.
    var output: String?
    /// Values of the context, of each the last.
    var settings: [ContextSetting] = []
    var end = End.no
    var contributions: [Contribution] = []
    /// The step's arguments for reports and for the flow's latest navigation.
    var arguments: Arguments
    /// The usage of these arguments, in bytes.
    var byteCount: Int

    /// What the plan adds to the usage of its client, and in total.
    var own = Accounting.Usage()
    var total = Accounting.Usage()

    /// Whether that has to be checked: not if it is no more than before.
    var needsQuota: Bool { own.nodes > 0 || own.bytes > 0 }

    /// The flow's children at the current place of the list; nil until a contributor needs them.
    var siblings: [Place]?
    /// Which of ``contributions`` belong to which of ``children``.
    private var subjects: [(contribution: Int, child: Int)] = []

    /// Creates a plan for a step with these arguments.
    init(arguments: Arguments) {
        self.arguments = arguments
        byteCount = arguments.byteCount
    }

    /// Adds a child, or another contribution to a planned one.
    mutating func add(_ child: Child, at place: Int? = nil, _ contribution: Contribution) {
        let place = place ?? children.count
        if place == children.count { children.append(child) } else { children[place] = child }
        subjects.append((contributions.count, place))
        contributions.append(contribution)
    }

    /// Adds a change of a child. Of several that show or hide it, or give it a place, the last counts, so that no signal reports one in
    /// between.
    mutating func adjust(_ place: Place, _ adjustment: Adjustment) {
        if case .setVisible = adjustment {
            for index in children.indices {
                if case .adjust(place, .setVisible) = children[index] { children[index] = .popped }
            }
        }
        if case .place(let layer, let style) = adjustment {
            for index in children.indices {
                guard case .adjust(place, .place(let former, let formerStyle)) = children[index] else { continue }
                children[index] = .adjust(place, .place(layer: layer ?? former, style: style ?? formerStyle))
                return
            }
        }
        children.append(.adjust(place, adjustment))
    }

    /// Whether a live child gets another place.
    func places(_ slot: NodeSlot) -> Bool {
        children.contains { if case .adjust(.live(slot), .place) = $0 { true } else { false } }
    }

    /// Removes the changes of a child that goes.
    mutating func dropAdjustments(of place: Place) {
        for index in children.indices {
            if case .adjust(place, _) = children[index] { children[index] = .popped }
        }
    }

    /// Removes the contributions of popped children.
    mutating func dropPopped() {
        for (contribution, child) in subjects.reversed() {
            if case .popped = children[child] { contributions.remove(at: contribution) }
        }
    }

    /// The place of a live child that is planned to be reused.
    func reuse(of slot: NodeSlot) -> Int? {
        children.firstIndex { if case .reuse(slot, _, _, _) = $0 { true } else { false } }
    }

    /// The number of new children.
    var madeCount: Int { children.count(where: \.isNew) }
}

extension Forest.Birth {
    /// The usage at first, in bytes: the arguments of the child, of its `onDismissed` and `onResult`, and of an initial step
    /// that waits, which a flow's never does (S-16).
    func byteCount(with initial: Plan.Step?) -> Int {
        flow == nil ? byteCount + (initial?.arguments.byteCount ?? 0) : byteCount
    }
}

extension Plan.Child {
    /// Whether it is made.
    var isNew: Bool {
        switch self {
        case .make, .made: true
        case .reuse, .adjust, .popped: false
        }
    }

    /// The slot of a child that was made, or is reused.
    var slot: NodeSlot? {
        switch self {
        case .made(let slot, _), .reuse(let slot, _, _, _): slot
        case .make, .adjust, .popped: nil
        }
    }

    /// The initial step that is triggered.
    var initial: Plan.Step? {
        switch self {
        case .make(_, let step), .made(_, let step), .reuse(_, _, _, let step): step
        case .adjust, .popped: nil
        }
    }

    /// The usage at first, in bytes.
    func byteCount(in forest: Forest) -> Int {
        switch self {
        case .make(let birth, let step):
            birth.byteCount(with: step)
        case .reuse(let slot, let arguments, let onResult, let step):
            arguments.byteCount + (forest[slot].onDismissed?.byteCount ?? 0) + (onResult?.byteCount ?? 0)
                + (forest[slot].arguments.hasSameValues(as: arguments) ? forest[slot].savedState.byteCount : 0)
                + (forest[slot].flow == nil ? step?.arguments.byteCount ?? 0 : 0)
        case .made, .adjust, .popped: 0
        }
    }
}
