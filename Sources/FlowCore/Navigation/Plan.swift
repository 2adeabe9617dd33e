/// What a step's contributors come to at a flow, found to be possible: made by ``Planner``,
/// carried out by ``Machine/apply(_:_:_:_:)``.
struct Plan {
    struct Step {
        var step: StepID
        var arguments: Arguments
    }

    /// A child that a contributor asks for.
    enum Child {
        /// A new one, with its initial step.
        case make(Forest.Birth, Step?)
        /// One that is there gets new arguments; its initial step is triggered again (S-19).
        case reuse(NodeSlot, Arguments, Step?)
        /// One that a later `pop` of the same list takes away again: it comes to nothing.
        case popped
    }

    /// A child of the flow, as the list of contributors finds it at some place.
    enum Place: Equatable {
        case live(NodeSlot)
        /// In ``children``.
        case planned(Int)
    }

    /// Whether the flow ends, and with which step for its parent.
    enum End {
        case no
        case yes(Step?)
    }

    /// Live children that go, in order (S-19).
    var going: [NodeSlot] = []
    /// In the order of the list.
    var children: [Child] = []
    /// Which of ``children`` are reused, each time that one is.
    var reused: [Int] = []
    var ids = SiblingIDs.PlannedIDs()
    var forwardsToParent: [Step] = []
    var forwardsToCurrent: [Step] = []
    var end = End.no
    var contributions: [Contribution] = []
    /// The step's arguments as they are reported, and kept as those of the flow's latest navigation.
    var arguments: Arguments
    /// How many bytes those count for.
    var byteCount: Int

    /// What it will hold more for its client, and in total.
    var own = Accounting.Usage()
    var total = Accounting.Usage()

    /// Whether that needs leave: not if it is no more than what was there before.
    var needsRoom: Bool { own.nodes > 0 || own.bytes > 0 }

    /// The flow's children at the place of the list that is being planned; nil as long as nothing asked for them.
    var siblings: [Place]?
    /// Which of ``contributions`` are about which of ``children``.
    private var subjects: [(contribution: Int, child: Int)] = []

    /// A plan for a step whose arguments are reported so.
    init(arguments: Arguments) {
        self.arguments = arguments
        byteCount = arguments.byteCount
    }

    /// Plans a child, or another contribution to one that is planned.
    mutating func add(_ child: Child, at place: Int? = nil, _ contribution: Contribution) {
        let place = place ?? children.count
        if place == children.count { children.append(child) } else { children[place] = child }
        subjects.append((contributions.count, place))
        contributions.append(contribution)
    }

    /// Takes out what was contributed to children that come to nothing.
    mutating func dropPopped() {
        for (contribution, child) in subjects.reversed() {
            if case .popped = children[child] { contributions.remove(at: contribution) }
        }
    }

    /// Where a live child stands that is planned to be reused.
    func reuse(of slot: NodeSlot) -> Int? {
        children.firstIndex { if case .reuse(slot, _, _) = $0 { true } else { false } }
    }

    /// How many children it makes.
    var madeCount: Int {
        children.count { if case .make = $0 { true } else { false } }
    }
}

extension Plan.Child {
    /// How many bytes of arguments it will hold at first: its own, those that wait for its dismissal, and those of an
    /// initial step that waits, which a flow's never does (S-16).
    func byteCount(in forest: borrowing Forest) -> Int {
        switch self {
        case .make(let birth, let step):
            birth.byteCount + (birth.flow == nil ? step?.arguments.byteCount ?? 0 : 0)
        case .reuse(let slot, let arguments, let step):
            arguments.byteCount + (forest[slot].onDismissed?.byteCount ?? 0)
                + (forest[slot].flow == nil ? step?.arguments.byteCount ?? 0 : 0)
        case .popped: 0
        }
    }
}
