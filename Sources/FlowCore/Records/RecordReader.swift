/// The error of a record that can't be read.
public struct RecordFailure: Error, Equatable, Sendable {
    /// The reason.
    public let message: String

    /// Creates an error.
    public init(_ message: String) { self.message = message }
}

/// Reads numbers as ``RecordWriter`` writes them, from any source of bytes.
public protocol NumberReading {
    /// Reads a byte.
    mutating func byte() throws(RecordFailure) -> UInt8
}

extension NumberReading {
    /// Reads a number: seven bits a byte, the lowest first; all bytes but the last have the highest bit set.
    @inlinable
    public mutating func number() throws(RecordFailure) -> UInt64 { try longNumber() }

    @inlinable
    mutating func longNumber() throws(RecordFailure) -> UInt64 {
        var number: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let byte = try byte()
            let bits = UInt64(byte & 0x7f)
            guard shift < 64, (bits << shift) >> shift == bits else {
                throw RecordFailure("a number has more than 64 bits")
            }
            number |= bits << shift
            if byte < 0x80 { return number }
            shift += 7
        }
    }
}

/// Reads bytes of ``RecordWriter``. Any other bytes give an error, and nothing worse.
public struct RecordReader: NumberReading, Sendable {
    private let bytes: [UInt8]
    private var place = 0

    /// Creates a reader.
    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Whether all bytes are read.
    public var isAtEnd: Bool { place == bytes.count }

    /// The number of remaining bytes.
    private var rest: Int { bytes.count - place }

    /// Reads a byte.
    public mutating func byte() throws(RecordFailure) -> UInt8 {
        guard place < bytes.count else { throw RecordFailure("it ends too early") }
        defer { place += 1 }
        return bytes[place]
    }

    /// Reads a number. Most have one byte.
    public mutating func number() throws(RecordFailure) -> UInt64 {
        if place < bytes.count, bytes[place] < 0x80 {
            defer { place += 1 }
            return UInt64(bytes[place])
        }
        return try longNumber()
    }

    /// Reads the number of elements that follow, each of which takes at least a byte.
    public mutating func count() throws(RecordFailure) -> Int {
        let count = try number()
        guard count <= UInt64(rest) else { throw RecordFailure("\(count) things do not fit into \(rest) bytes") }
        return Int(count)
    }

    /// Reads a boolean.
    public mutating func flag() throws(RecordFailure) -> Bool {
        switch try byte() {
        case 0: return false
        case 1: return true
        case let other: throw RecordFailure("\(other) is neither true nor false")
        }
    }

    /// Reads a text.
    public mutating func text() throws(RecordFailure) -> String {
        let count = try count()
        if count == 0 { return "" }
        defer { place += count }
        let text: String? = bytes.withUnsafeBufferPointer { bytes in
            let content = UnsafeBufferPointer(rebasing: bytes[place..<place + count])
            // Most texts are: decoding them is less work than the search for errors.
            if content.allSatisfy({ $0 < 0x80 }) { return String(decoding: content, as: UTF8.self) }
            return String(validating: content, as: UTF8.self)
        }
        guard let text else { throw RecordFailure("a text is not UTF-8") }
        return text
    }

    private mutating func content() throws(RecordFailure) -> ArraySlice<UInt8> {
        let count = try count()
        defer { place += count }
        return bytes[place..<place + count]
    }

    /// Reads a list.
    public mutating func list<Element>(
        _ read: (inout RecordReader) throws(RecordFailure) -> Element
    ) throws(RecordFailure) -> [Element] {
        var list: [Element] = []
        for _ in 0..<(try count()) { list.append(try read(&self)) }
        return list
    }

    /// Reads arguments, and which of them are private.
    public mutating func arguments() throws(RecordFailure) -> Arguments {
        var arguments: Arguments = []
        try code(&arguments)
        return arguments
    }

    /// Reads a value with its type.
    public mutating func value() throws(RecordFailure) -> Value { try value(nesting: 0) }

    private mutating func value(nesting: Int) throws(RecordFailure) -> Value {
        // Values from the bus have a tighter limit; each of their levels takes a few of these.
        guard nesting <= 8 * Limits.argumentNesting else { throw RecordFailure("values are nested too deep") }
        let byte = try byte()
        if let type = Value.FixedType(rawValue: byte) {
            let bits = try number()
            guard bits <= .max >> UInt64(64 - type.bitWidth) else {
                throw RecordFailure("\(bits) does not fit into \(type.bitWidth) bits")
            }
            return Value(type, bits: bits)
        }
        if let type = Value.StringLikeType(rawValue: byte) { return Value(type, try text()) }
        guard let tag = ContainerTag(rawValue: byte) else { throw RecordFailure("there is no type \(byte)") }
        switch tag {
        case .variant: return .variant(try value(nesting: nesting + 1))
        case .bytes: return .bytes(Array(try content()))
        case .array:
            let element = try text()
            return .array(element: element, try values(nesting: nesting + 1))
        case .structure: return .structure(try values(nesting: nesting + 1))
        case .entry:
            let key = try value(nesting: nesting + 1)
            return .entry(key: key, value: try value(nesting: nesting + 1))
        }
    }

    private mutating func values(nesting: Int) throws(RecordFailure) -> [Value] {
        try list { reader throws(RecordFailure) in try reader.value(nesting: nesting) }
    }

    /// Refuses bytes that follow.
    func end() throws(RecordFailure) {
        guard isAtEnd else { throw RecordFailure("\(rest) bytes too many") }
    }
}
