/// Finds the place of a live presentable by its instance (S-25), without a second list of instances: it has the places
/// alone, and reads in the nodes which instance each holds.
///
/// An open-addressing table with linear probing. Nobody chooses instances, so a multiplication that scatters them is all the
/// hash that is needed; what is removed leaves no mark, as those behind it move up. It takes 5 to 11 bytes for each presentable.
struct InstanceIndex: Sendable {
    private static let free: Int32 = -1

    /// Places in the list of nodes, or ``free``.
    private var slots: [Int32] = []
    private var count = 0

    /// The place of the node with this instance.
    func find(_ instance: UInt64, in nodes: [Node]) -> NodeSlot? {
        guard instance != 0, !slots.isEmpty else { return nil }
        var place = home(of: instance)
        while slots[place] != Self.free {
            let slot = Int(slots[place])
            if nodes[slot].instance == instance { return NodeSlot(slot) }
            place = next(place)
        }
        return nil
    }

    /// Adds a node that is in the list already.
    mutating func insert(_ slot: NodeSlot, in nodes: [Node]) {
        if 4 * (count + 1) > 3 * slots.count { grow(nodes) }
        put(Int32(truncatingIfNeeded: slot.index), nodes[slot.index].instance)
        count += 1
    }

    /// Forgets a node that is in the list still.
    mutating func remove(_ slot: NodeSlot, in nodes: [Node]) {
        guard !slots.isEmpty else { return }
        var hole = home(of: nodes[slot.index].instance)
        while slots[hole] != Int32(truncatingIfNeeded: slot.index) {
            if slots[hole] == Self.free { return }
            hole = next(hole)
        }
        count -= 1
        // An entry that a search would no longer reach moves into the hole.
        var place = next(hole)
        while slots[place] != Self.free {
            let wanted = home(of: nodes[Int(slots[place])].instance)
            if (place &- wanted) & mask >= (place &- hole) & mask {
                slots[hole] = slots[place]
                hole = place
            }
            place = next(place)
        }
        slots[hole] = Self.free
    }

    private var mask: Int { slots.count - 1 }

    private func home(of instance: UInt64) -> Int { Int(truncatingIfNeeded: instance.scattered) & mask }

    private func next(_ place: Int) -> Int { (place + 1) & mask }

    private mutating func put(_ slot: Int32, _ instance: UInt64) {
        var place = home(of: instance)
        while slots[place] != Self.free { place = next(place) }
        slots[place] = slot
    }

    private mutating func grow(_ nodes: [Node]) {
        let old = slots
        slots = Array(repeating: Self.free, count: max(16, 2 * old.count))
        for slot in old where slot != Self.free { put(slot, nodes[Int(slot)].instance) }
    }
}
