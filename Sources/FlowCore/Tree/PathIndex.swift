/// Finds the place of a live presentable by its path, given as bytes, without a second list of paths: it has the places and a hash
/// of each, and reads the paths in the nodes.
///
/// An open-addressing table with linear probing; what is removed leaves no mark, as those behind it move up. It takes 11 to 21
/// bytes for each presentable.
struct PathIndex: Sendable {
    private static let free: Int32 = -1

    /// Places in the list of nodes, or ``free``.
    private var slots: [Int32] = []
    /// By place in this table.
    private var hashes: [UInt32] = []
    private var count = 0

    /// The place of the node with the path of these UTF-8 bytes.
    func find(_ path: UnsafeRawBufferPointer, in nodes: [Node]) -> NodeSlot? {
        if count == 0 { return nil }
        let hash = Self.hash(path)
        var place = home(of: hash)
        while slots[place] != Self.free {
            let slot = Int(slots[place])
            if hashes[place] == hash, NameIndex.isEqual(nodes[slot].path, path) { return NodeSlot(slot) }
            place = next(place)
        }
        return nil
    }

    /// Adds a node with a path that no other has.
    mutating func insert(_ slot: NodeSlot, _ path: String) {
        if 4 * (count + 1) > 3 * slots.count { grow() }
        put(Int32(truncatingIfNeeded: slot.index), Self.hash(path))
        count += 1
    }

    /// Forgets a node with this path.
    mutating func remove(_ slot: NodeSlot, _ path: String) {
        if count == 0 { return }
        var hole = home(of: Self.hash(path))
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

    private static func hash(_ path: UnsafeRawBufferPointer) -> UInt32 {
        UInt32(truncatingIfNeeded: NameIndex.hash(path) >> 8)
    }

    private static func hash(_ path: String) -> UInt32 { NameIndex.withBytes(of: path) { hash($0) } }
}
