/// A value as it travels on the bus, with its D-Bus type: what went in as `q` goes out as `q`.
///
/// File descriptors have no case: a navigation is kept and told to many, a descriptor can be neither.
///
/// Source: D-Bus specification, "Type System"; S-3.
public enum Value: Hashable, Sendable {
    /// `b`
    case bool(Bool)
    /// `y`
    case byte(UInt8)
    /// `n`
    case int16(Int16)
    /// `q`
    case uint16(UInt16)
    /// `i`
    case int32(Int32)
    /// `u`
    case uint32(UInt32)
    /// `x`
    case int64(Int64)
    /// `t`
    case uint64(UInt64)
    /// `d`
    case double(Double)
    /// `s`
    case string(String)
    /// `o`
    case objectPath(String)
    /// `g`
    case signature(String)
    /// `v`: a value that carries its type along inside another.
    indirect case variant(Value)
    /// `ay`: the one array that is made of many small things, and is never ``array(element:_:)``.
    case bytes([UInt8])
    /// `a…`: the signature of one element, which an empty array needs too, and the elements.
    case array(element: String, [Value])
    /// `(…)`
    case structure([Value])
    /// `{…}`: an entry of a dictionary; stands in arrays alone.
    indirect case entry(key: Value, value: Value)
}

extension Value {
    /// The value's D-Bus signature.
    public var signature: String {
        switch self {
        case .bool: "b"
        case .byte: "y"
        case .int16: "n"
        case .uint16: "q"
        case .int32: "i"
        case .uint32: "u"
        case .int64: "x"
        case .uint64: "t"
        case .double: "d"
        case .string: "s"
        case .objectPath: "o"
        case .signature: "g"
        case .variant: "v"
        case .bytes: "ay"
        case .array(let element, _): "a" + element
        case .structure(let members): "(" + members.map(\.signature).joined() + ")"
        case .entry(let key, let value): "{" + key.signature + value.signature + "}"
        }
    }

    /// Whether the value is of this very type. Strings, the usual case, make no signature to compare.
    func hasSignature(_ other: String) -> Bool {
        if case .string = self { return other == "s" }
        return signature == other
    }

    var integerType: IntegerType? {
        switch self {
        case .byte: .byte
        case .int16: .int16
        case .uint16: .uint16
        case .int32: .int32
        case .uint32: .uint32
        case .int64: .int64
        case .uint64: .uint64
        case .bool, .double, .string, .objectPath, .signature, .variant, .bytes, .array, .structure, .entry: nil
        }
    }

    /// The number, where the value is of an integer type.
    public var integer: Int128? {
        switch self {
        case .byte(let number): Int128(number)
        case .int16(let number): Int128(number)
        case .uint16(let number): Int128(number)
        case .int32(let number): Int128(number)
        case .uint32(let number): Int128(number)
        case .int64(let number): Int128(number)
        case .uint64(let number): Int128(number)
        case .bool, .double, .string, .objectPath, .signature, .variant, .bytes, .array, .structure, .entry: nil
        }
    }

    /// How many bytes the value counts for against the limits: never less than it takes on the wire with all padding, and
    /// at least ``Limits/valueBytes``, as each value is kept as one.
    public var byteCount: Int {
        let content =
            switch self {
            case .bool, .byte, .int16, .uint16, .int32, .uint32, .int64, .uint64, .double: 0
            case .string(let text), .objectPath(let text), .signature(let text): text.utf8.count
            case .variant(let value): value.byteCount
            case .bytes(let bytes): bytes.count
            case .array(_, let elements), .structure(let elements): elements.reduce(0) { $0 + $1.byteCount }
            case .entry(let key, let value): key.byteCount + value.byteCount
            }
        return Limits.valueBytes + content
    }
}

/// How a value reads in a message to a person.
extension Value: CustomStringConvertible {
    /// The value's text, without its type; strings stand without quotes.
    public var description: String {
        switch self {
        case .bool(let value): "\(value)"
        case .byte(let value): "\(value)"
        case .int16(let value): "\(value)"
        case .uint16(let value): "\(value)"
        case .int32(let value): "\(value)"
        case .uint32(let value): "\(value)"
        case .int64(let value): "\(value)"
        case .uint64(let value): "\(value)"
        case .double(let value): "\(value)"
        case .string(let text), .objectPath(let text), .signature(let text): text
        case .variant(let value): value.description
        case .bytes(let bytes): "[" + bytes.map(\.description).joined(separator: ", ") + "]"
        case .array(_, let elements): "[" + elements.map(\.description).joined(separator: ", ") + "]"
        case .structure(let members): "(" + members.map(\.description).joined(separator: ", ") + ")"
        case .entry(let key, let value): "\(key): \(value)"
        }
    }
}
