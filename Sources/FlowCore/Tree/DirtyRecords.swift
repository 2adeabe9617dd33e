/// Which records of nodes, and of the activity of flows, are out of date.
///
/// A slot is listed once, whatever comes and goes there: so the lists don't pile up if no shell takes records.
struct DirtyRecords: Sendable {
    private struct Flags: OptionSet, Sendable {
        let rawValue: UInt8
        static let isLive = Flags(rawValue: 1)
        static let isListed = Flags(rawValue: 2)
        static let isActivityListed = Flags(rawValue: 4)
        /// There is a record.
        static let isSaved = Flags(rawValue: 8)
        static let isActivitySaved = Flags(rawValue: 16)
    }

    /// By slot.
    private var flags: [Flags] = []
    /// The slots of nodes whose records are out of date, in the order in which they became so; some may be free by now.
    private(set) var nodes: [NodeSlot] = []
    /// Those of flows whose records of their activity are.
    private(set) var activities: [NodeSlot] = []
    /// Records of nodes that are gone.
    private(set) var gone: [RecordKey] = []

    /// A new node: it has no record yet.
    mutating func insert(_ slot: NodeSlot) {
        if slot.index < flags.count { flags[slot.index].insert(.isLive) } else { flags.append(.isLive) }
        touch(slot)
    }

    /// A node is gone, and its records with it.
    mutating func remove(_ slot: NodeSlot, instance: UInt64) {
        let before = flags[slot.index]
        if before.contains(.isSaved) { gone.append(RecordKey(.node, instance)) }
        if before.contains(.isActivitySaved) { gone.append(RecordKey(.activity, instance)) }
        flags[slot.index] = before.intersection([.isListed, .isActivityListed])
    }

    /// The record of a node is out of date.
    mutating func touch(_ slot: NodeSlot) {
        if flags[slot.index].contains(.isListed) { return }
        flags[slot.index].insert(.isListed)
        nodes.append(slot)
    }

    /// The record of a flow's activity is out of date.
    mutating func touchActivity(of slot: NodeSlot) {
        if flags[slot.index].contains(.isActivityListed) { return }
        flags[slot.index].insert(.isActivityListed)
        activities.append(slot)
    }

    /// The nodes whose records are out of date; they count as recorded now.
    mutating func takeNodes() -> [NodeSlot] {
        if nodes.isEmpty { return [] }
        defer { nodes.removeAll(keepingCapacity: true) }
        return nodes.filter { slot in
            flags[slot.index].remove(.isListed)
            guard flags[slot.index].contains(.isLive) else { return false }
            flags[slot.index].insert(.isSaved)
            return true
        }
    }

    /// The flows whose records of their activity are out of date; they count as recorded now.
    mutating func takeActivities() -> [NodeSlot] {
        if activities.isEmpty { return [] }
        defer { activities.removeAll(keepingCapacity: true) }
        return activities.filter { slot in
            flags[slot.index].remove(.isActivityListed)
            return flags[slot.index].contains(.isLive)
        }
    }

    /// Notes whether a flow has a record of its activity; gives whether it had one.
    mutating func setActivitySaved(_ isSaved: Bool, of slot: NodeSlot) -> Bool {
        let before = flags[slot.index].contains(.isActivitySaved)
        if isSaved != before { flags[slot.index].formSymmetricDifference(.isActivitySaved) }
        return before
    }

    /// The records of nodes that are gone, since last asked.
    mutating func takeGone() -> [RecordKey] {
        if gone.isEmpty { return [] }
        defer { gone = [] }
        return gone
    }
}
