/// The dirty records of nodes. Each node has a record of its own; a flow can have one of its activity, and a screen one of the
/// state that its owner saved.
///
/// A slot is listed at most once for each record, so the lists are limited until a shell takes the records.
struct DirtyRecords: Sendable {
    /// One of the records of a node.
    enum Part: UInt8, CaseIterable, Sendable {
        case node
        case activity
        case savedState

        var kind: RecordKey.Kind {
            switch self {
            case .node: .node
            case .activity: .activity
            case .savedState: .savedState
            }
        }
    }

    private struct Flags: OptionSet, Sendable {
        let rawValue: UInt8
        static let isLive = Flags(rawValue: 128)
        static let areListed = Flags(rawValue: 7)
        static func isListed(_ part: Part) -> Flags { Flags(rawValue: 1 << part.rawValue) }
        /// The record exists.
        static func isSaved(_ part: Part) -> Flags { Flags(rawValue: 8 << part.rawValue) }
    }

    /// Whether a shell takes the records; if not, nothing is noted.
    private let isWanted: Bool
    /// By slot.
    private var flags: [Flags] = []
    /// By part: the slots of nodes with dirty records, in order; some may be free by now.
    private var lists: [[NodeSlot]] = Part.allCases.map { _ in [] }
    /// The records of removed nodes.
    private(set) var gone: [RecordKey] = []

    init(isWanted: Bool = true) { self.isWanted = isWanted }

    /// Whether no record of this kind is dirty. Some may be of nodes that are gone by now.
    func isEmpty(_ part: Part) -> Bool { lists[Int(part.rawValue)].isEmpty }

    /// Adds a node, which has no record yet.
    mutating func insert(_ slot: NodeSlot) {
        if !isWanted { return }
        if slot.index < flags.count { flags[slot.index].insert(.isLive) } else { flags.append(.isLive) }
        // The slot may still be listed for the node before.
        touch(slot, .node)
    }

    /// Removes a node with its records.
    mutating func remove(_ slot: NodeSlot, instance: UInt64) {
        if !isWanted { return }
        let before = flags[slot.index]
        for part in Part.allCases where before.contains(.isSaved(part)) { gone.append(RecordKey(part.kind, instance)) }
        flags[slot.index] = before.intersection(.areListed)
    }

    /// Marks a record of a node as dirty.
    mutating func touch(_ slot: NodeSlot, _ part: Part) {
        if isWanted, !flags[slot.index].contains(.isListed(part)) { list(slot, part) }
    }

    private mutating func list(_ slot: NodeSlot, _ part: Part) {
        flags[slot.index].insert(.isListed(part))
        lists[Int(part.rawValue)].append(slot)
    }

    /// Takes the live nodes with dirty records of this kind. Their own records count as written.
    mutating func take(_ part: Part) -> [NodeSlot] {
        if isEmpty(part) { return [] }
        defer { lists[Int(part.rawValue)].removeAll(keepingCapacity: true) }
        return lists[Int(part.rawValue)].filter { slot in
            flags[slot.index].remove(.isListed(part))
            guard flags[slot.index].contains(.isLive) else { return false }
            if part == .node { flags[slot.index].insert(.isSaved(.node)) }
            return true
        }
    }

    /// Sets whether a node has a record of this kind. Returns whether it had one.
    mutating func setSaved(_ isSaved: Bool, _ slot: NodeSlot, _ part: Part) -> Bool {
        let before = flags[slot.index].contains(.isSaved(part))
        if isSaved != before { flags[slot.index].formSymmetricDifference(.isSaved(part)) }
        return before
    }

    /// Takes the records of removed nodes.
    mutating func takeGone() -> [RecordKey] {
        if gone.isEmpty { return [] }
        defer { gone = [] }
        return gone
    }
}
