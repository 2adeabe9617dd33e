/// The next events by time: timers of flows (S-34, S-55), calls whose callers have waited long enough (S-9), properties that changed
/// too soon after they had emitted (S-42), empty flows that begin again (S-48), and screens: their presenters are called again (S-47), they are evicted, or their
/// owners are asked whether they are alive (S-44).
///
/// An entry may be too early, never too late, and its subject may be gone. Every step reaches a flow, so reaching only
/// notes the time at the flow; answering a call leaves its entry, too. Entries are corrected when they are due.
struct Alarms: Sendable {
    /// The subject of an entry.
    enum Subject: Equatable, Sendable {
        case flow(NodeID)
        case call(RequestID)
        case stepper(StepperID)
        /// An empty flow that begins again (S-48).
        case beginning(NodeID)
        case screen(NodeID)
        /// Values of the context that changed too soon after a signal (S-57): those of a flow, or of the coordinator.
        case context(NodeID?)
        /// An output that is missing (S-53).
        case outputs

        /// Orders subjects by kind, then by age.
        fileprivate var rank: (Int, UInt64) {
            switch self {
            case .flow(let node): (0, node.instance)
            case .call(let request): (1, request.number)
            case .stepper(let stepper): (2, UInt64(stepper.index))
            case .screen(let node): (3, node.instance)
            case .beginning(let node): (4, node.instance)
            case .context(let node): (5, node?.instance ?? 0)
            case .outputs: (6, 0)
            }
        }
    }

    struct Entry: Comparable, Sendable {
        var due: Instant
        var subject: Subject

        /// Orders entries by time, then by rank, so that the order is always the same.
        static func < (one: Entry, other: Entry) -> Bool {
            if one.due != other.due { return one.due < other.due }
            return one.subject.rank < other.subject.rank
        }
    }

    private var entries = Heap<Entry>()
    /// The time up to which due entries are taken since the timer fired; nil if there are none.
    private var dueBy: Instant?
    /// The time for which the driver was last asked to wake the coordinator.
    private(set) var timer: Instant?

    /// Whether flows were covered, or times are longer, since the timer was set.
    var mayBeEarly = false

    var next: Entry? { entries.first }
    var count: Int { entries.count }

    mutating func insert(_ subject: Subject, due: Instant) { entries.insert(Entry(due: due, subject: subject)) }

    mutating func removeNext() { _ = entries.popFirst() }

    mutating func removeAll(where isOver: (Entry) -> Bool) { entries.removeAll(where: isOver) }

    // MARK: The timer

    /// The timer fired: entries that are due by now will be taken.
    mutating func fire(at now: Instant) { (timer, dueBy) = (nil, now) }

    /// Whether more entries may be due since the timer fired.
    var hasDue: Bool { dueBy != nil }

    /// Takes the next due entry since the timer fired; nil if none is left.
    mutating func takeDue() -> Entry? {
        guard let limit = dueBy, let next = takeNext(dueBy: limit) else {
            dueBy = nil
            return nil
        }
        return next
    }

    /// Takes the next entry, if it is due by this time.
    mutating func takeNext(dueBy now: Instant) -> Entry? {
        guard let next, next.due <= now else { return nil }
        removeNext()
        return next
    }

    /// Drops the due entries.
    mutating func forgetDue() { dueBy = nil }

    /// Whether the timer has to change, or the next entry may be too early.
    var isNews: Bool { mayBeEarly || next?.due != timer }

    /// Notes that the timer is set for the next entry.
    ///
    /// - Returns: whether the timer has to change.
    mutating func arm() -> Bool {
        guard next?.due != timer else { return false }
        timer = next?.due
        return true
    }
}
