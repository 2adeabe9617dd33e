/// What comes next by time: flows that nobody reached (S-34), and calls that were not answered (S-9).
///
/// An entry may be too early, never too late, and may be for what is no more: whoever reaches a flow only notes the time at
/// the flow, as that happens with every step, and whoever answers a call leaves its entry. It is put right when it comes up.
struct Alarms: Sendable {
    /// What the time is for.
    enum Subject: Equatable, Sendable {
        case flow(NodeID)
        case call(RequestID)

        /// By kind, then by age.
        fileprivate var rank: (Int, UInt64) {
            switch self {
            case .flow(let node): (0, node.instance)
            case .call(let request): (1, request.number)
            }
        }
    }

    struct Entry: Comparable, Sendable {
        var due: Instant
        var subject: Subject

        /// By time, then by rank, so that the order is always the same.
        static func < (one: Entry, other: Entry) -> Bool {
            if one.due != other.due { return one.due < other.due }
            return one.subject.rank < other.subject.rank
        }
    }

    private var entries = Heap<Entry>()
    /// Until when what is due is taken, since the timer fired; nil: nothing is.
    private var dueBy: Instant?
    /// The time that the shell was last asked to come back at.
    private(set) var timer: Instant?

    var next: Entry? { entries.first }
    var count: Int { entries.count }

    mutating func insert(_ subject: Subject, due: Instant) { entries.insert(Entry(due: due, subject: subject)) }

    mutating func removeNext() { _ = entries.popFirst() }

    mutating func removeAll(where isOver: (Subject) -> Bool) { entries.removeAll { isOver($0.subject) } }

    // MARK: The timer

    /// The timer fired: what is due by now is to be taken.
    mutating func fire(at now: Instant) { (timer, dueBy) = (nil, now) }

    /// Whether there may be more of what was due when the timer fired.
    var hasDue: Bool { dueBy != nil }

    /// Takes the next of what was due when the timer fired; nil: none is left.
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

    /// Leaves out what is due.
    mutating func forgetDue() { dueBy = nil }

    /// Notes that the shell is asked to come back for the next entry.
    ///
    /// - Returns: whether that is another time than it knows.
    mutating func arm() -> Bool {
        guard next?.due != timer else { return false }
        timer = next?.due
        return true
    }
}
