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

    var next: Entry? { entries.first }
    var count: Int { entries.count }

    mutating func insert(_ subject: Subject, due: Instant) { entries.insert(Entry(due: due, subject: subject)) }

    mutating func removeNext() { _ = entries.popFirst() }

    mutating func removeAll(where isOver: (Subject) -> Bool) { entries.removeAll { isOver($0.subject) } }
}
