/// Finds a number by a name that is given as bytes, without making a `String` of it.
///
/// Every call from the bus names an object and most name a step, as C strings. A `Dictionary<String, Int>` would ask for
/// a `String` a name, which is checked, copied and often allocated only to be compared once.
///
/// An open-addressing table with linear probing. Order never matters to anyone: it is only asked, never listed.
public struct NameIndex: Sendable {
    /// What a place in the table holds: apart from the names, so that a search reads plain numbers only.
    private enum Mark {
        static let free = 0
        /// Held a name once: a search has to go on past it.
        static let removed = 1
        /// A hash has this bit, so that it is neither of the others.
        static let taken = 2
    }

    private struct Entry: Sendable {
        var name: String
        var number: Int
    }

    /// A ``Mark``, or the hash of the name that is there.
    private var hashes: [Int] = []
    private var entries: [Entry] = []
    /// Places that are not free, removed ones too: what decides when the table grows.
    private var used = 0
    /// How many names there are.
    public private(set) var count = 0

    /// An index without names.
    public init() {}

    /// The number kept for the name that these UTF-8 bytes spell.
    public func find(_ bytes: UnsafeRawBufferPointer) -> Int? {
        place(of: bytes, hash: Self.hash(bytes)).map { entries[$0].number }
    }

    /// The number kept for this name.
    public func find(_ name: String) -> Int? {
        Self.withBytes(of: name) { find($0) }
    }

    /// Keeps a number for a name, in place of the one that it may have had.
    public mutating func insert(_ name: String, _ number: Int) {
        if 4 * (used + 1) > 3 * hashes.count { grow() }
        let (hash, known) = Self.withBytes(of: name) { bytes in
            let hash = Self.hash(bytes)
            return (hash, place(of: bytes, hash: hash))
        }
        if let known {
            entries[known].number = number
        } else {
            put(Entry(name: name, number: number), hash: hash)
            count += 1
        }
    }

    /// Forgets a name.
    public mutating func remove(_ name: String) {
        guard let place = Self.withBytes(of: name, { place(of: $0, hash: Self.hash($0)) }) else { return }
        hashes[place] = Mark.removed
        entries[place] = Entry(name: "", number: 0)
        count -= 1
    }

    private func place(of bytes: UnsafeRawBufferPointer, hash: Int) -> Int? {
        guard !hashes.isEmpty else { return nil }
        let mask = hashes.count - 1
        var place = hash >> 2 & mask
        while hashes[place] != Mark.free {
            if hashes[place] == hash, Self.isEqual(entries[place].name, bytes) { return place }
            place = (place + 1) & mask
        }
        return nil
    }

    private mutating func put(_ entry: Entry, hash: Int) {
        var place = hash >> 2 & (hashes.count - 1)
        while hashes[place] & ~1 != 0 { place = (place + 1) & (hashes.count - 1) }
        if hashes[place] == Mark.free { used += 1 }
        hashes[place] = hash
        entries[place] = entry
    }

    private mutating func grow() {
        var size = 16
        while 2 * (count + 1) > size { size *= 2 }
        let old = (hashes, entries)
        hashes = Array(repeating: Mark.free, count: size)
        entries = Array(repeating: Entry(name: "", number: 0), count: size)
        used = 0
        for (hash, entry) in zip(old.0, old.1) where hash & ~1 != 0 { put(entry, hash: hash) }
    }

    /// Seeded by the process, as names can be chosen by clients. Never one of the marks.
    private static func hash(_ bytes: UnsafeRawBufferPointer) -> Int {
        var hasher = Hasher()
        hasher.combine(bytes: bytes)
        return hasher.finalize() | Mark.taken
    }

    /// Eight bytes at a time.
    private static func isEqual(_ name: String, _ bytes: UnsafeRawBufferPointer) -> Bool {
        withBytes(of: name) { name in
            guard name.count == bytes.count else { return false }
            var offset = 0
            while offset + 8 <= name.count {
                let (mine, theirs) = (
                    name.loadUnaligned(fromByteOffset: offset, as: UInt64.self),
                    bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                )
                guard mine == theirs else { return false }
                offset += 8
            }
            while offset < name.count {
                guard name[offset] == bytes[offset] else { return false }
                offset += 1
            }
            return true
        }
    }

    private static func withBytes<Result>(of name: String, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        var name = name
        return name.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    }
}
