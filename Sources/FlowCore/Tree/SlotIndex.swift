/// Finds the slot of a live presentable by what identifies it, its path or its instance (S-25), without a second list of those: it
/// has the slots and a hash for each, and its user reads in the nodes whether one is meant.
///
/// An open-addressing table with linear probing; what is removed leaves no mark, as those behind it move up. It takes 11 to 21
/// bytes for each presentable.
struct SlotIndex: Sendable {
    private static let free: Int32 = -1

    /// Slots, or ``free``.
    private var slots: [Int32] = []
    /// By place in this table.
    private var hashes: [UInt32] = []
    private var count = 0

    /// The hash of a path. Clients can choose paths, so it is seeded for each process.
    static func hash(_ path: UnsafeRawBufferPointer) -> UInt32 {
        UInt32(truncatingIfNeeded: NameIndex.hash(path) >> 8)
    }

    /// The hash of a path.
    static func hash(_ path: String) -> UInt32 { NameIndex.withBytes(of: path) { hash($0) } }

    /// The hash of an instance. Nobody chooses instances.
    static func hash(_ instance: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: instance.scattered) }

    /// The slot with this hash that is meant.
    @inline(__always)
    func find(_ hash: UInt32, where isMeant: (NodeSlot) -> Bool) -> NodeSlot? {
        if count == 0 { return nil }
        var place = home(of: hash)
        while slots[place] != Self.free {
            let slot = NodeSlot(Int(slots[place]))
            if hashes[place] == hash, isMeant(slot) { return slot }
            place = next(place)
        }
        return nil
    }

    /// Adds a slot that is not there.
    mutating func insert(_ slot: NodeSlot, _ hash: UInt32) {
        if 4 * (count + 1) > 3 * slots.count { grow() }
        put(Int32(truncatingIfNeeded: slot.index), hash)
        count += 1
    }

    /// Removes a slot with this hash, if it is there.
    mutating func remove(_ slot: NodeSlot, _ hash: UInt32) {
        if count == 0 { return }
        var hole = home(of: hash)
        while slots[hole] != Int32(truncatingIfNeeded: slot.index) {
            if slots[hole] == Self.free { return }
            hole = next(hole)
        }
        count -= 1
        // An entry that a search would no longer reach moves into the hole.
        var place = next(hole)
        while slots[place] != Self.free {
            if (place &- home(of: hashes[place])) & mask >= (place &- hole) & mask {
                (slots[hole], hashes[hole]) = (slots[place], hashes[place])
                hole = place
            }
            place = next(place)
        }
        slots[hole] = Self.free
    }

    private var mask: Int { slots.count - 1 }

    private func home(of hash: UInt32) -> Int { Int(hash) & mask }

    private func next(_ place: Int) -> Int { (place + 1) & mask }

    private mutating func put(_ slot: Int32, _ hash: UInt32) {
        var place = home(of: hash)
        while slots[place] != Self.free { place = next(place) }
        (slots[place], hashes[place]) = (slot, hash)
    }

    private mutating func grow() {
        let old = (slots, hashes)
        let size = max(16, 2 * slots.count)
        slots = Array(repeating: Self.free, count: size)
        hashes = Array(repeating: 0, count: size)
        for (slot, hash) in zip(old.0, old.1) where slot != Self.free { put(slot, hash) }
    }
}
