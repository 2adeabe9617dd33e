/// Writes values to bytes, as records are made of; ``RecordReader`` reads them in the same order.
///
/// Numbers take seven bits a byte, the low ones first. Texts and lists begin with their length.
public struct RecordWriter: Sendable {
    /// What was written so far.
    public private(set) var bytes: [UInt8] = []

    /// A writer with room for so many bytes.
    public init(reserving count: Int = 0) { bytes.reserveCapacity(count) }

    /// Forgets what was written, and keeps the room.
    public mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    /// A number.
    public mutating func append(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// One byte.
    public mutating func append(byte: UInt8) { bytes.append(byte) }

    /// A truth.
    public mutating func append(_ flag: Bool) { bytes.append(flag ? 1 : 0) }

    /// A text.
    public mutating func append(_ text: String) {
        append(UInt64(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    /// What may be there or not.
    public mutating func append<Wrapped>(
        optional value: Wrapped?, _ append: (inout RecordWriter, Wrapped) -> Void
    ) {
        self.append(value != nil)
        if let value { append(&self, value) }
    }

    /// A list.
    public mutating func append<Elements: Collection>(
        list: Elements, _ append: (inout RecordWriter, Elements.Element) -> Void
    ) {
        self.append(UInt64(list.count))
        for element in list { append(&self, element) }
    }

    /// Arguments, and which of them are private.
    public mutating func append(_ arguments: Arguments) {
        append(UInt64(arguments.count))
        for argument in arguments {
            append(argument.name)
            append(argument.isPrivate)
            append(argument.value)
        }
    }

    /// A value with its type.
    public mutating func append(_ value: Value) {
        switch value {
        case .bool(let flag): append(tag: .bool, flag ? 1 : 0)
        case .byte(let number): append(tag: .byte, UInt64(number))
        case .int16(let number): append(tag: .int16, UInt64(UInt16(bitPattern: number)))
        case .uint16(let number): append(tag: .uint16, UInt64(number))
        case .int32(let number): append(tag: .int32, UInt64(UInt32(bitPattern: number)))
        case .uint32(let number): append(tag: .uint32, UInt64(number))
        case .int64(let number): append(tag: .int64, UInt64(bitPattern: number))
        case .uint64(let number): append(tag: .uint64, number)
        case .double(let number): append(tag: .double, number.bitPattern)
        case .string(let text):
            append(tag: .string)
            append(text)
        case .objectPath(let text):
            append(tag: .objectPath)
            append(text)
        case .signature(let text):
            append(tag: .signature)
            append(text)
        case .variant(let value):
            append(tag: .variant)
            append(value)
        case .bytes(let content):
            append(tag: .bytes, UInt64(content.count))
            bytes.append(contentsOf: content)
        case .array(let element, let elements):
            append(tag: .array)
            append(element)
            append(list: elements) { $0.append($1) }
        case .structure(let members):
            append(tag: .structure)
            append(list: members) { $0.append($1) }
        case .entry(let key, let value):
            append(tag: .entry)
            append(key)
            append(value)
        }
    }

    private mutating func append(tag: ValueTag) { bytes.append(tag.rawValue) }

    private mutating func append(tag: ValueTag, _ number: UInt64) {
        append(tag: tag)
        append(number)
    }
}

/// The types of values, by the letters of their signatures; these are part of the format.
enum ValueTag: UInt8 {
    case bool = 0x62  // b
    case byte = 0x79  // y
    case int16 = 0x6e  // n
    case uint16 = 0x71  // q
    case int32 = 0x69  // i
    case uint32 = 0x75  // u
    case int64 = 0x78  // x
    case uint64 = 0x74  // t
    case double = 0x64  // d
    case string = 0x73  // s
    case objectPath = 0x6f  // o
    case signature = 0x67  // g
    case variant = 0x76  // v
    case bytes = 0x42  // B: an array of bytes
    case array = 0x61  // a
    case structure = 0x28  // (
    case entry = 0x7b  // {
}
