/// A value of any D-Bus type.
public indirect enum BusValue: Equatable, Sendable {
    /// `y`
    case byte(UInt8)
    /// `b`
    case bool(Bool)
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
    /// `h`; a received one belongs to its ``ReceivedMessage``.
    case fileDescriptor(Int32)
    /// `a` of this type
    case array(of: String, [BusValue])
    /// `(…)`
    case structure([BusValue])
    /// `{…}`, only in an array
    case dictEntry(BusValue, BusValue)
    /// `v`
    case variant(BusValue)

    /// The signature of its type.
    public var type: String {
        switch self {
        case .byte: "y"
        case .bool: "b"
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
        case .fileDescriptor: "h"
        case .array(let element, _): "a" + element
        case .structure(let fields): "(" + fields.map(\.type).joined() + ")"
        case .dictEntry(let key, let value): "{" + key.type + value.type + "}"
        case .variant: "v"
        }
    }
}

// MARK: Short forms

extension BusValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral {
    /// A literal is an `s`.
    public init(stringLiteral value: String) { self = .string(value) }

    /// A literal is a `b`.
    public init(booleanLiteral value: Bool) { self = .bool(value) }

    /// An `as`.
    public static func strings(_ values: [String]) -> BusValue { .array(of: "s", values.map(BusValue.string)) }

    /// An `a{sv}` in this order; values other than variants are wrapped in one.
    public static func options(_ entries: KeyValuePairs<String, BusValue> = [:]) -> BusValue {
        .array(
            of: "{sv}",
            entries.map { key, value in
                if case .variant = value { return .dictEntry(.string(key), value) }
                return .dictEntry(.string(key), .variant(value))
            })
    }
}

extension BusValue {
    /// The text of an `s`, `o` or `g`, also in a variant.
    public var text: String? {
        switch self {
        case .string(let text), .objectPath(let text), .signature(let text): text
        case .variant(let value): value.text
        default: nil
        }
    }

    /// The number of any integer type, also in a variant.
    public var number: Int? {
        switch self {
        case .byte(let number): Int(number)
        case .int16(let number): Int(number)
        case .uint16(let number): Int(number)
        case .int32(let number): Int(number)
        case .uint32(let number): Int(number)
        case .int64(let number): Int(number)
        case .uint64(let number): Int(exactly: number)
        case .variant(let value): value.number
        default: nil
        }
    }

    /// The value of a `b`, also in a variant.
    public var truth: Bool? {
        switch self {
        case .bool(let truth): truth
        case .variant(let value): value.truth
        default: nil
        }
    }

    /// The elements of an array or structure, also in a variant; otherwise none.
    public var elements: [BusValue] {
        switch self {
        case .array(_, let elements), .structure(let elements): elements
        case .variant(let value): value.elements
        default: []
        }
    }

    /// The value for a string key of a dictionary, without its variant.
    public subscript(key: String) -> BusValue? {
        for case .dictEntry(let name, let value) in elements where name.text == key {
            if case .variant(let inner) = value { return inner }
            return value
        }
        return nil
    }

    /// The string keys of a dictionary, in the order of the wire.
    public var keys: [String] {
        elements.compactMap { element in
            guard case .dictEntry(let name, _) = element else { return nil }
            return name.text
        }
    }
}
