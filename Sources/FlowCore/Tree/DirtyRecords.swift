/// The dirty records of nodes, and of the activity of flows.
///
/// A slot is listed at most once, so the lists are limited if no shell takes the records.
struct DirtyRecords: Sendable {
    private struct Flags: OptionSet, Sendable {
        let rawValue: UInt8
        static let isLive = Flags(rawValue: 1)
        static let isListed = Flags(rawValue: 2)
        static let isActivityListed = Flags(rawValue: 4)
        /// The record exists.
        static let isSaved = Flags(rawValue: 8)
        static let isActivitySaved = Flags(rawValue: 16)
    }

    /// By slot.
    private var flags: [Flags] = []
    /// The slots of nodes with dirty records, in order; some may be free by now.
    private(set) var nodes: [NodeSlot] = []
    /// The slots of flows with dirty activity records.
    private(set) var activities: [NodeSlot] = []
    /// The records of removed nodes.
    private(set) var gone: [RecordKey] = []

    /// Adds a node, which has no record yet.
    mutating func insert(_ slot: NodeSlot) {
        if slot.index < flags.count { flags[slot.index].insert(.isLive) } else { flags.append(.isLive) }
        touch(slot)
    }

    /// Removes a node with its records.
    mutating func remove(_ slot: NodeSlot, instance: UInt64) {
        let before = flags[slot.index]
        if before.contains(.isSaved) { gone.append(RecordKey(.node, instance)) }
        if before.contains(.isActivitySaved) { gone.append(RecordKey(.activity, instance)) }
        flags[slot.index] = before.intersection([.isListed, .isActivityListed])
    }

    /// Marks the record of a node as dirty.
    mutating func touch(_ slot: NodeSlot) {
        if flags[slot.index].contains(.isListed) { return }
        flags[slot.index].insert(.isListed)
        nodes.append(slot)
    }

    /// Marks the activity record of a flow as dirty.
    mutating func touchActivity(of slot: NodeSlot) {
        if flags[slot.index].contains(.isActivityListed) { return }
        flags[slot.index].insert(.isActivityListed)
        activities.append(slot)
    }

    /// Takes the nodes with dirty records, which count as written.
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

    /// Takes the flows with dirty activity records, which count as written.
    mutating func takeActivities() -> [NodeSlot] {
        if activities.isEmpty { return [] }
        defer { activities.removeAll(keepingCapacity: true) }
        return activities.filter { slot in
            flags[slot.index].remove(.isActivityListed)
            return flags[slot.index].contains(.isLive)
        }
    }

    /// Sets whether a flow has an activity record. Returns whether it had one.
    mutating func setActivitySaved(_ isSaved: Bool, of slot: NodeSlot) -> Bool {
        let before = flags[slot.index].contains(.isActivitySaved)
        if isSaved != before { flags[slot.index].formSymmetricDifference(.isActivitySaved) }
        return before
    }

    /// Takes the records of removed nodes.
    mutating func takeGone() -> [RecordKey] {
        if gone.isEmpty { return [] }
        defer { gone = [] }
        return gone
    }
}
