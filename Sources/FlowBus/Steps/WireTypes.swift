import FlowCore

/// A Swift type that corresponds to a basic D-Bus type.
protocol WireScalar {
    static var signature: String { get }
    var wireValue: Value { get }
    /// Converts a D-Bus value; nil if it has another type or is out of range.
    init?(wireValue: Value)
}

extension WireScalar where Self: FixedWidthInteger {
    /// Any integer type that can hold the value is accepted (S-3).
    init?(wireValue: Value) {
        guard let number = wireValue.integer, let value = Self(exactly: number) else { return nil }
        self = value
    }
}

extension Bool: WireScalar {
    static var signature: String { "b" }
    var wireValue: Value { .bool(self) }
    init?(wireValue: Value) {
        guard case .bool(let value) = wireValue else { return nil }
        self = value
    }
}

extension UInt8: WireScalar {
    static var signature: String { "y" }
    var wireValue: Value { .byte(self) }
}

extension Int16: WireScalar {
    static var signature: String { "n" }
    var wireValue: Value { .int16(self) }
}

extension UInt16: WireScalar {
    static var signature: String { "q" }
    var wireValue: Value { .uint16(self) }
}

extension Int32: WireScalar {
    static var signature: String { "i" }
    var wireValue: Value { .int32(self) }
}

extension UInt32: WireScalar {
    static var signature: String { "u" }
    var wireValue: Value { .uint32(self) }
}

extension Int: WireScalar {
    static var signature: String { "x" }
    var wireValue: Value { .int64(Int64(self)) }
}

extension Int64: WireScalar {
    static var signature: String { "x" }
    var wireValue: Value { .int64(self) }
}

extension UInt: WireScalar {
    static var signature: String { "t" }
    var wireValue: Value { .uint64(UInt64(self)) }
}

extension UInt64: WireScalar {
    static var signature: String { "t" }
    var wireValue: Value { .uint64(self) }
}

extension Double: WireScalar {
    static var signature: String { "d" }
    var wireValue: Value { .double(self) }
    init?(wireValue: Value) {
        guard case .double(let value) = wireValue else { return nil }
        self = value
    }
}

extension String: WireScalar {
    static var signature: String { "s" }
    var wireValue: Value { .string(self) }
    init?(wireValue: Value) {
        guard case .string(let value) = wireValue else { return nil }
        self = value
    }
}

/// A number type that D-Bus does not have.
protocol UnsupportedScalar {
    /// The type to use instead.
    static var replacement: String { get }
}

extension Float: UnsupportedScalar { static var replacement: String { "Double" } }
extension Int8: UnsupportedScalar { static var replacement: String { "Int16" } }
extension Int128: UnsupportedScalar { static var replacement: String { "Int64, or String" } }
extension UInt128: UnsupportedScalar { static var replacement: String { "UInt64, or String" } }

/// `Optional`: D-Bus has no nil, so an optional is left out, which requires a name.
protocol WireOptional {}

extension Optional: WireOptional {}

/// `Dictionary`: with string keys, Codable encodes it like a struct.
protocol WireDictionary {
    static var valueType: Any.Type { get }
    /// Whether Codable uses the key's string as the name of each entry; otherwise keys and values alternate in a list.
    static var hasNames: Bool { get }
}

extension Dictionary: WireDictionary {
    static var valueType: Any.Type { Value.self }
    static var hasNames: Bool { Key.self == String.self || Key.self is any CodingKeyRepresentable.Type }
}

/// `Set`: a list whose order differs between runs.
protocol WireSet {}

extension Set: WireSet {}
