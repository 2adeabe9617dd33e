package import FlowCore

/// A value of the bus with its type, for arguments, results and states that have no Swift type here: `["movieId": 23, "title": "Heat"]`.
///
/// A literal is the type that Swift would send: an `Int` is an ``int64(_:)``, a `Double` a ``double(_:)``. The service takes any integer type
/// that holds the number.
public enum DBusValue: Hashable, Sendable {
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
    indirect case variant(DBusValue)
    /// `ay`: an array of bytes, which is never ``array(element:_:)``.
    case bytes([UInt8])
    /// `a…`: the signature of an element, which an empty array needs, too, and the elements.
    case array(element: String, [DBusValue])
    /// `(…)`
    case structure([DBusValue])
    /// `{…}`: an entry of a dictionary, inside an array only.
    indirect case entry(key: DBusValue, value: DBusValue)
}

extension DBusValue: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByStringLiteral
{
    /// A ``bool(_:)``.
    ///
    /// - Parameter value: the value.
    public init(booleanLiteral value: Bool) { self = .bool(value) }

    /// An ``int64(_:)``.
    ///
    /// - Parameter value: the value.
    public init(integerLiteral value: Int64) { self = .int64(value) }

    /// A ``double(_:)``.
    ///
    /// - Parameter value: the value.
    public init(floatLiteral value: Double) { self = .double(value) }

    /// A ``string(_:)``.
    ///
    /// - Parameter value: the value.
    public init(stringLiteral value: String) { self = .string(value) }
}

extension DBusValue {
    /// A value of the machine; nil for an object of this process, which is none of the bus.
    package init?(_ value: Value) {
        switch value {
        case .bool(let value): self = .bool(value)
        case .byte(let value): self = .byte(value)
        case .int16(let value): self = .int16(value)
        case .uint16(let value): self = .uint16(value)
        case .int32(let value): self = .int32(value)
        case .uint32(let value): self = .uint32(value)
        case .int64(let value): self = .int64(value)
        case .uint64(let value): self = .uint64(value)
        case .double(let value): self = .double(value)
        case .string(let text): self = .string(text)
        case .objectPath(let text): self = .objectPath(text)
        case .signature(let text): self = .signature(text)
        case .variant(let inner):
            guard let inner = DBusValue(inner) else { return nil }
            self = .variant(inner)
        case .bytes(let bytes): self = .bytes(bytes)
        case .array(let element, let values): self = .array(element: element, values.compactMap { DBusValue($0) })
        case .structure(let values): self = .structure(values.compactMap { DBusValue($0) })
        case .entry(let key, let value):
            guard let key = DBusValue(key), let value = DBusValue(value) else { return nil }
            self = .entry(key: key, value: value)
        case .object: return nil
        }
    }
}

extension Value {
    /// A value as the machine has it.
    package init(_ value: DBusValue) {
        self =
            switch value {
            case .bool(let value): .bool(value)
            case .byte(let value): .byte(value)
            case .int16(let value): .int16(value)
            case .uint16(let value): .uint16(value)
            case .int32(let value): .int32(value)
            case .uint32(let value): .uint32(value)
            case .int64(let value): .int64(value)
            case .uint64(let value): .uint64(value)
            case .double(let value): .double(value)
            case .string(let text): .string(text)
            case .objectPath(let text): .objectPath(text)
            case .signature(let text): .signature(text)
            case .variant(let inner): .variant(Value(inner))
            case .bytes(let bytes): .bytes(bytes)
            case .array(let element, let values): .array(element: element, values.map { Value($0) })
            case .structure(let values): .structure(values.map { Value($0) })
            case .entry(let key, let value): .entry(key: Value(key), value: Value(value))
            }
    }
}
