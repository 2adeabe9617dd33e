import FlowCore

/// Writes one entry of a batch into memory that has room for it: as ``RecordWriter`` does, but without checking the room for
/// each byte.
struct EntryOutput {
    /// An upper bound of an entry without texts, contributors and arguments: its length and those of four texts, its flags,
    /// and three numbers.
    static let fixedBytes = 5 * numberBytes + 1 + 3 * numberBytes
    /// An upper bound of a number.
    private static let numberBytes = 10

    private let room: UnsafeMutableBufferPointer<UInt8>
    private let start: Int
    private var place: Int

    /// Writes at this place.
    init(_ room: UnsafeMutableBufferPointer<UInt8>, at start: Int) {
        self.room = room
        self.start = start
        place = start
    }

    /// Begins an entry, with one byte for the length, which mostly is enough.
    mutating func begin(_ flags: EntryFlags) {
        place += 1
        put(flags.rawValue)
    }

    /// Ends the entry, with its length.
    ///
    /// - Returns: the place after it.
    mutating func end() -> Int {
        let length = place - start - 1
        if length < 0x80 {
            room[start] = UInt8(truncatingIfNeeded: length)
            return place
        }
        // The entry moves to make room for a longer length.
        let more = Self.byteCount(of: UInt64(length)) - 1
        if let base = room.baseAddress {
            (base + start + 1 + more).update(from: base + start + 1, count: length)
        }
        place = start
        append(UInt64(length))
        return place + length
    }

    private mutating func put(_ byte: UInt8) {
        room[place] = byte
        place += 1
    }

    /// A number.
    mutating func append(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            put(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        put(UInt8(truncatingIfNeeded: rest))
    }

    /// A text.
    mutating func append(_ text: String) {
        // Not by `withUTF8`, which needs a variable, and so a copy.
        append(UInt64(text.utf8.count))
        let isDone: Void? = text.utf8.withContiguousStorageIfAvailable { append($0) }
        if isDone == nil { append(Array(text.utf8)) }
    }

    /// Bytes as they are.
    mutating func append(_ bytes: [UInt8]) {
        bytes.withUnsafeBufferPointer { append($0) }
    }

    private mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let from = bytes.baseAddress, let to = room.baseAddress else { return }
        (to + place).update(from: from, count: bytes.count)
        place += bytes.count
    }

    /// Arguments without containers, as by ``RecordWriter``.
    mutating func append(_ arguments: Arguments) {
        append(UInt64(arguments.count))
        // By their places: to iterate copies each.
        for place in arguments.indices {
            append(arguments[place].name)
            put(arguments[place].isPrivate ? 1 : 0)
            switch arguments[place].value.shape {
            case .fixed(let type, let bits): append(type.rawValue, bits)
            case .stringLike(let type, let text): append(type.rawValue, text)
            // ``byteCount(of:)`` excludes these.
            case .variant, .bytes, .array, .structure, .entry: break
            }
        }
    }

    /// Contributors whose arguments are simple values, as ``RecordWriter`` has them.
    mutating func append(_ contributions: [Contribution]) {
        append(UInt64(contributions.count))
        for contribution in contributions {
            append(contribution.kind.rawValue)
            append(contribution.name)
            append(contribution.path ?? "")
            append(contribution.style)
            append(contribution.arguments)
        }
    }

    /// What contributors take at most; nil if there are others than simple values among their arguments.
    static func byteCount(of contributions: [Contribution]) -> Int? {
        var count = numberBytes
        for contribution in contributions {
            guard let argumentBytes = byteCount(of: contribution.arguments) else { return nil }
            count +=
                4 * numberBytes + contribution.kind.rawValue.utf8.count + contribution.name.utf8.count
                + (contribution.path?.utf8.count ?? 0) + contribution.style.utf8.count + argumentBytes
        }
        return count
    }

    private mutating func append(_ letter: UInt8, _ number: UInt64) {
        put(letter)
        append(number)
    }

    private mutating func append(_ letter: UInt8, _ text: String) {
        put(letter)
        append(text)
    }

    /// An upper bound of arguments; nil if there are containers.
    static func byteCount(of arguments: Arguments) -> Int? {
        var count = numberBytes
        for place in arguments.indices {
            // The length of the name, whether it is private, the letter of the type, the number or the text's length.
            count += numberBytes + 1 + 1 + numberBytes + arguments[place].name.utf8.count
            switch arguments[place].value.shape {
            case .fixed: break
            case .stringLike(_, let text): count += text.utf8.count
            case .variant, .bytes, .array, .structure, .entry: return nil
            }
        }
        return count
    }

    private static func byteCount(of number: UInt64) -> Int {
        max(1, (UInt64.bitWidth - number.leadingZeroBitCount + 6) / 7)
    }
}
