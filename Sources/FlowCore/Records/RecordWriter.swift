/// Writes values as the bytes of records; ``RecordReader`` reads them in the same order.
///
/// Numbers take seven bits a byte, the low ones first. Texts and lists begin with their length.
public struct RecordWriter: Sendable {
    /// The written bytes.
    public private(set) var bytes: [UInt8] = []

    /// Creates a writer with capacity for a number of bytes.
    public init(reserving count: Int = 0) { bytes.reserveCapacity(count) }

    /// Removes the bytes, and keeps the capacity.
    public mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    /// Appends a number.
    public mutating func append(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Appends a byte.
    public mutating func append(byte: UInt8) { bytes.append(byte) }

    /// Appends a boolean.
    public mutating func append(_ flag: Bool) { bytes.append(flag ? 1 : 0) }

    /// Appends a text.
    public mutating func append(_ text: String) {
        let count = text.utf8.count
        append(UInt64(count))
        if count == 0 { return }
        // Nearly all texts are stored in one piece, which is faster to append.
        if text.utf8.withContiguousStorageIfAvailable({ bytes.append(contentsOf: $0) }) == nil {
            bytes.append(contentsOf: text.utf8)
        }
    }

    /// Appends a list.
    public mutating func append<Elements: Collection>(
        list: Elements, _ append: (inout RecordWriter, Elements.Element) -> Void
    ) {
        self.append(UInt64(list.count))
        for element in list { append(&self, element) }
    }

    /// Appends arguments, and which of them are private.
    public mutating func append(_ arguments: Arguments) {
        var arguments = arguments
        code(&arguments)
    }

    /// Appends a value with its type.
    public mutating func append(_ value: Value) {
        switch value.shape {
        case .fixed(let type, let bits):
            append(byte: type.rawValue)
            append(bits)
        case .stringLike(let type, let text):
            append(byte: type.rawValue)
            append(text)
        case .variant(let value):
            append(byte: ContainerTag.variant.rawValue)
            append(value)
        case .bytes(let content):
            append(byte: ContainerTag.bytes.rawValue)
            append(UInt64(content.count))
            bytes.append(contentsOf: content)
        case .array(let element, let elements):
            append(byte: ContainerTag.array.rawValue)
            append(element)
            append(list: elements) { $0.append($1) }
        case .structure(let members):
            append(byte: ContainerTag.structure.rawValue)
            append(list: members) { $0.append($1) }
        case .entry(let key, let value):
            append(byte: ContainerTag.entry.rawValue)
            append(key)
            append(value)
        }
    }
}

/// The types of containers in records; part of the format, as are the letters of other types.
enum ContainerTag: UInt8 {
    case variant = 0x76  // v
    case bytes = 0x42  // B: an array of bytes
    case array = 0x61  // a
    case structure = 0x28  // (
    case entry = 0x7b  // {
}
