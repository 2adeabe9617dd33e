/// Which flow's time comes next (S-34).
///
/// Each flow that is watched stands in it once, and one that is gone may still. An entry may be too early, never too
/// late: whoever reaches a flow only notes the time at the flow, as that happens with every step, and the entry is put
/// right when it comes up.
struct Alarms: Sendable {
    struct Entry: Equatable, Sendable {
        var due: Instant
        var flow: NodeID

        /// By time, then by age, so that the order is always the same.
        static func < (one: Entry, other: Entry) -> Bool {
            (one.due.microseconds, one.flow.instance) < (other.due.microseconds, other.flow.instance)
        }
    }

    /// The next one stands last.
    private var entries: [Entry] = []

    var next: Entry? { entries.last }
    var count: Int { entries.count }

    mutating func insert(_ flow: NodeID, due: Instant) {
        let entry = Entry(due: due, flow: flow)
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entry < entries[middle] { low = middle + 1 } else { high = middle }
        }
        entries.insert(entry, at: low)
    }

    mutating func removeNext() { entries.removeLast() }

    mutating func removeAll() { entries = [] }

    mutating func removeAll(where isOver: (NodeID) -> Bool) { entries.removeAll { isOver($0.flow) } }
}
