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
    /// An object of this process, for a host whose flows are in the same process: nothing encodes it, and no other process sees it.
    case object(Object)

    /// A reference to an object. Two are equal if it is the same object.
    public struct Object: Hashable, Sendable {
        /// The object.
        public let reference: any AnyObject & Sendable

        /// Creates a reference.
        public init(_ reference: any AnyObject & Sendable) { self.reference = reference }

        /// Whether it is the same object.
        public static func == (one: Object, other: Object) -> Bool { one.reference === other.reference }

        /// Hashes the identity of the object.
        public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(reference)) }
    }
}

extension Value {
    /// The D-Bus signature of the value.
    public var signature: String {
        switch shape {
        case .fixed(let type, _): String(UnicodeScalar(type.rawValue))
        case .stringLike(let type, _): String(UnicodeScalar(type.rawValue))
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

    /// The number, if the value has an integer type.
    public var integer: Int128? {
        guard case .fixed(let type, let bits) = shape else { return nil }
        return type.integer(bits: bits)
    }

    /// The number of bytes that the value counts for against the limits: at least the bytes on the wire with all
    /// padding, and at least ``Limits/valueBytes``.
    public var byteCount: Int {
        // Most values are numbers and texts.
        switch self {
        case .bool, .int32, .uint32, .int64, .uint64, .double, .object: Limits.valueBytes
        case .string(let text): Limits.valueBytes + text.utf8.count
        default: Limits.valueBytes + contentByteCount
        }
    }

    private var contentByteCount: Int {
        switch shape {
        case .fixed: 0
        case .stringLike(_, let text): text.utf8.count
        case .variant(let value): value.byteCount
        case .bytes(let bytes): bytes.count
        case .array(_, let elements), .structure(let elements): elements.reduce(0) { $0 + $1.byteCount }
        case .entry(let key, let value): key.byteCount + value.byteCount
        }
    }
}

extension Value {
    /// Whether it is the same value of the same type. Numbers are compared by their bits, as one that is not a number is equal to
    /// none, and dictionaries without regard to their order.
    func isSame(as other: Value) -> Bool {
        if case .object = self { return self == other }
        return switch (shape, other.shape) {
        case (.fixed(let type, let bits), .fixed(let otherType, let otherBits)): type == otherType && bits == otherBits
        case (.variant(let value), .variant(let otherValue)): value.isSame(as: otherValue)
        case (.array(let element, let values), .array(let otherElement, let others)):
            element == otherElement && Value.areSame(values, others)
        case (.structure(let values), .structure(let others)): Value.areSame(values, others)
        case (.entry(let key, let value), .entry(let otherKey, let otherValue)):
            key.isSame(as: otherKey) && value.isSame(as: otherValue)
        case (.stringLike, _), (.bytes, _): self == other
        case (.fixed, _), (.variant, _), (.array, _), (.structure, _), (.entry, _): false
        }
    }

    private static func areSame(_ values: [Value], _ others: [Value]) -> Bool {
        guard values.count == others.count else { return false }
        if zip(values, others).allSatisfy({ $0.isSame(as: $1) }) { return true }
        // Neither of them gives a key twice, or it is not the same dictionary.
        let (entries, twins) = (entries(of: values), entries(of: others))
        return entries.count == values.count && twins.count == values.count
            && entries.allSatisfy { key, value in twins[key].map { value.isSame(as: $0) } == true }
    }

    private static func entries(of values: [Value]) -> [Value: Value] {
        var entries: [Value: Value] = [:]
        for case .entry(let key, let value) in values { entries[key] = value }
        return entries
    }
}

/// The text of a value in a message.
extension Value: CustomStringConvertible {
    /// The text of the value without its type; strings have no quotes.
    public var description: String {
        switch shape {
        case .fixed(let type, let bits): type.text(bits: bits)
        case .stringLike(_, let text): text
        case .variant(let value): value.description
        case .bytes(let bytes): "[" + bytes.map(\.description).joined(separator: ", ") + "]"
        case .array(_, let elements): "[" + elements.map(\.description).joined(separator: ", ") + "]"
        case .structure(let members): "(" + members.map(\.description).joined(separator: ", ") + ")"
        case .entry(let key, let value): "\(key): \(value)"
        }
    }
}
