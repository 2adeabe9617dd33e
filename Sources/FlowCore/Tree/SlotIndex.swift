/// Finds the slot of a live presentable by what identifies it, its path or its instance (S-25), without a second list of those: it
/// has the slots and a hash for each, and its user reads in the nodes whether one is meant.
///
/// An open-addressing table with linear probing; what is removed leaves no mark, as those behind it move up. It takes 11 to 21
/// bytes for each presentable.
struct SlotIndex: Sendable {
    private struct Entry: Sendable {
        static let free = Entry(slot: -1, hash: 0)

        /// The index of a slot; negative if the place is free.
        var slot: Int32
        var hash: UInt32

        var isFree: Bool { slot < 0 }
    }

    private var entries: [Entry] = []
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
        while !entries[place].isFree {
            if entries[place].hash == hash {
                let slot = NodeSlot(Int(entries[place].slot))
                if isMeant(slot) { return slot }
            }
            place = next(place)
        }
        return nil
    }

    /// Adds a slot that is not there.
    mutating func insert(_ slot: NodeSlot, _ hash: UInt32) {
        if 4 * (count + 1) > 3 * entries.count { grow() }
        put(Entry(slot: Int32(truncatingIfNeeded: slot.index), hash: hash))
        count += 1
    }

    /// Removes a slot with this hash, if it is there.
    mutating func remove(_ slot: NodeSlot, _ hash: UInt32) {
        if count == 0 { return }
        var hole = home(of: hash)
        while entries[hole].slot != Int32(truncatingIfNeeded: slot.index) {
            if entries[hole].isFree { return }
            hole = next(hole)
        }
        count -= 1
        // An entry that a search would no longer reach moves into the hole.
        var place = next(hole)
        while !entries[place].isFree {
            if (place &- home(of: entries[place].hash)) & mask >= (place &- hole) & mask {
                entries[hole] = entries[place]
                hole = place
            }
            place = next(place)
        }
        entries[hole] = .free
    }

    private var mask: Int { entries.count - 1 }

    private func home(of hash: UInt32) -> Int { Int(hash) & mask }

    private func next(_ place: Int) -> Int { (place + 1) & mask }

    private mutating func put(_ entry: Entry) {
        var place = home(of: entry.hash)
        while !entries[place].isFree { place = next(place) }
        entries[place] = entry
    }

    private mutating func grow() {
        let old = entries
        entries = Array(repeating: .free, count: max(16, 2 * old.count))
        for entry in old where !entry.isFree { put(entry) }
    }
}
