/// Finds a number by a name that is given as bytes, without making a `String` of it.
///
/// Every call from the bus names an object and most name a step, as C strings. A `Dictionary<String, Int>` would ask for
/// a `String` a name, which is checked, copied and often allocated only to be compared once.
///
/// An open-addressing table with linear probing. Order never matters to anyone: it is only asked, never listed.
public struct NameIndex: Sendable {
    private struct Entry: Sendable {
        var hash: Int
        var name: String
        var number: Int
    }

    private enum Slot: Sendable {
        case free
        /// Held an entry once: a search has to go on past it.
        case removed
        case taken(Entry)
    }

    private var slots: [Slot] = []
    /// Slots that are not free, removed ones too: what decides when the table grows.
    private var used = 0
    /// How many names there are.
    public private(set) var count = 0

    /// An index without names.
    public init() {}

    /// The number kept for the name that these UTF-8 bytes spell.
    public func find(_ bytes: UnsafeRawBufferPointer) -> Int? {
        guard let position = position(of: bytes, hash: Self.hash(bytes)), case .taken(let entry) = slots[position]
        else { return nil }
        return entry.number
    }

    /// The number kept for this name.
    public func find(_ name: String) -> Int? {
        Self.withBytes(of: name) { find($0) }
    }

    /// Keeps a number for a name, in place of the one that it may have had.
    public mutating func insert(_ name: String, _ number: Int) {
        if 4 * (used + 1) > 3 * slots.count { grow() }
        let (hash, known) = Self.withBytes(of: name) { bytes in
            let hash = Self.hash(bytes)
            return (hash, position(of: bytes, hash: hash))
        }
        if let known {
            slots[known] = .taken(Entry(hash: hash, name: name, number: number))
            return
        }
        place(Entry(hash: hash, name: name, number: number))
        count += 1
    }

    /// Forgets a name.
    public mutating func remove(_ name: String) {
        guard let position = Self.withBytes(of: name, { position(of: $0, hash: Self.hash($0)) }) else { return }
        slots[position] = .removed
        count -= 1
    }

    private func position(of bytes: UnsafeRawBufferPointer, hash: Int) -> Int? {
        guard !slots.isEmpty else { return nil }
        var position = hash & (slots.count - 1)
        while true {
            switch slots[position] {
            case .free: return nil
            case .removed: break
            case .taken(let entry):
                if entry.hash == hash, Self.withBytes(of: entry.name, { $0.elementsEqual(bytes) }) { return position }
            }
            position = (position + 1) & (slots.count - 1)
        }
    }

    private mutating func place(_ entry: Entry) {
        var position = entry.hash & (slots.count - 1)
        while case .taken = slots[position] { position = (position + 1) & (slots.count - 1) }
        if case .free = slots[position] { used += 1 }
        slots[position] = .taken(entry)
    }

    private mutating func grow() {
        let old = slots
        var size = 16
        while 2 * (count + 1) > size { size *= 2 }
        slots = Array(repeating: .free, count: size)
        used = 0
        for case .taken(let entry) in old { place(entry) }
    }

    /// Seeded by the process, as names can be chosen by clients.
    private static func hash(_ bytes: UnsafeRawBufferPointer) -> Int {
        var hasher = Hasher()
        hasher.combine(bytes: bytes)
        return hasher.finalize()
    }

    private static func withBytes<Result>(of name: String, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        var name = name
        return name.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    }
}
