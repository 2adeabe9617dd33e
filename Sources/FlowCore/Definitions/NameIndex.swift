/// Maps names to numbers, and finds a name given as bytes without making a `String` of it.
///
/// Every call from the bus names an object, and most name a step, as C strings. A lookup in a `Dictionary<String, Int>`
/// would need a `String`, which is validated, copied and often allocated for one comparison.
///
/// The index is an open-addressing table with linear probing. It is never enumerated, so its order does not matter.
public struct NameIndex: Sendable {
    /// The state of a place in the table. It is stored apart from the names, so that a search reads plain numbers only.
    private enum Mark {
        static let free = 0
        /// Held a name that was removed: a search has to continue past it.
        static let removed = 1
        /// Set in each hash, so that it differs from the other marks.
        static let taken = 2
    }

    private struct Entry: Sendable {
        var name: String
        var number: Int
    }

    /// A ``Mark``, or the hash of the name at this place.
    private var hashes: [Int] = []
    private var entries: [Entry] = []
    /// The number of places that are not free, including removed ones; it decides when the table grows.
    private var used = 0
    /// The number of names.
    public private(set) var count = 0

    /// Creates an empty index.
    public init() {}

    /// Creates an empty index with room for this many names.
    init(reserving count: Int) { grow(for: count) }

    /// Returns the number of a name in UTF-8.
    public func find(_ bytes: UnsafeRawBufferPointer) -> Int? {
        place(of: bytes, hash: Self.hash(bytes)).map { entries[$0].number }
    }

    /// Returns the number of a name.
    public func find(_ name: String) -> Int? {
        Self.withBytes(of: name) { find($0) }
    }

    /// Sets the number of a name.
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

    /// Removes a name.
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

    private mutating func grow(for names: Int = 0) {
        var size = 16
        while 2 * max(count + 1, names) > size { size *= 2 }
        let old = (hashes, entries)
        hashes = Array(repeating: Mark.free, count: size)
        entries = Array(repeating: Entry(name: "", number: 0), count: size)
        used = 0
        for (hash, entry) in zip(old.0, old.1) where hash & ~1 != 0 { put(entry, hash: hash) }
    }

    /// Seeded for each process, as clients can choose names. Never one of the marks.
    static func hash(_ bytes: UnsafeRawBufferPointer) -> Int {
        var hasher = Hasher()
        hasher.combine(bytes: bytes)
        return hasher.finalize() | Mark.taken
    }

    /// Compares eight bytes at a time.
    static func isEqual(_ name: String, _ bytes: UnsafeRawBufferPointer) -> Bool {
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

    @inline(__always)
    static func withBytes<Result>(of name: String, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        // Every string of Swift's own has its bytes at hand. `withUTF8` would need a copy of it, for a reference more.
        let result = name.utf8.withContiguousStorageIfAvailable { body(UnsafeRawBufferPointer($0)) }
        if let result { return result }
        var name = name
        return name.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    }
}
