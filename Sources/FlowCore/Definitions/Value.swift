/// A D-Bus value with its type: a value received as `q` is sent as `q`.
///
/// File descriptors have no case: a navigation is persisted and broadcast, and a descriptor can be neither.
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
    /// `v`: a value inside another, with its own type.
    indirect case variant(Value)
    /// `ay`: an array of bytes, which is never ``array(element:_:)``.
    case bytes([UInt8])
    /// `a…`: the signature of an element, which an empty array needs, too, and the elements.
    case array(element: String, [Value])
    /// `(…)`
    case structure([Value])
    /// `{…}`: an entry of a dictionary, inside an array only.
    indirect case entry(key: Value, value: Value)
}

extension Value {
    /// The D-Bus signature of the value.
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

    /// Returns whether the value has exactly this type. Strings, the common case, make no signature to compare.
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

    /// The number, if the value has an integer type.
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

    /// The number of bytes that the value counts for against the limits: at least the bytes on the wire with all
    /// padding, and at least ``Limits/valueBytes``.
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

/// The text of a value in a message.
extension Value: CustomStringConvertible {
    /// The text of the value without its type; strings have no quotes.
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
