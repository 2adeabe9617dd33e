// The only place that lists the cases of a value. Whatever treats all values alike switches over their shapes: the wire,
// records, traces, JSON, TOML and messages. The terms are those of the D-Bus specification, "Type System".

extension Value {
    /// The fixed types but file descriptors: one number, by the letter of the signature.
    public enum FixedType: UInt8, CaseIterable, Sendable {
        case bool = 0x62  // b
        case byte = 0x79  // y
        case int16 = 0x6e  // n
        case uint16 = 0x71  // q
        case int32 = 0x69  // i
        case uint32 = 0x75  // u
        case int64 = 0x78  // x
        case uint64 = 0x74  // t
        case double = 0x64  // d

        /// The number of bits of a number.
        @inlinable
        public var bitWidth: Int {
            switch self {
            case .bool, .byte: 8
            case .int16, .uint16: 16
            case .int32, .uint32: 32
            case .int64, .uint64, .double: 64
            }
        }

        /// Returns the number with these bits; nil if it is no integer.
        public func integer(bits: UInt64) -> Int128? {
            switch self {
            case .bool, .double: nil
            case .byte, .uint16, .uint32, .uint64: Int128(bits)
            case .int16, .int32, .int64: Int128(Int64(bitPattern: bits << (64 - bitWidth)) >> (64 - bitWidth))
            }
        }

        /// Returns the number with these bits as text, such as `true`, `-1` or `0.5`.
        public func text(bits: UInt64) -> String {
            switch self {
            case .bool: bits == 0 ? "false" : "true"
            case .double: "\(Double(bitPattern: bits))"
            case .byte, .int16, .uint16, .int32, .uint32, .int64, .uint64: "\(integer(bits: bits) ?? 0)"
            }
        }
    }

    /// The string-like types, by the letter of the signature.
    public enum StringLikeType: UInt8, CaseIterable, Sendable {
        case string = 0x73  // s
        case objectPath = 0x6f  // o
        case signature = 0x67  // g
    }

    /// What a value is made of.
    public enum Shape {
        /// A number by its bits; those beyond its width are zero.
        case fixed(FixedType, bits: UInt64)
        /// A text.
        case stringLike(StringLikeType, String)
        /// A value with its own type.
        case variant(Value)
        /// An array of bytes.
        case bytes([UInt8])
        /// An array of other elements, with the signature of one.
        case array(element: String, [Value])
        /// The members of a structure.
        case structure([Value])
        /// An entry of a dictionary.
        case entry(key: Value, value: Value)
    }

    /// What the value is made of.
    @inlinable @inline(__always)
    public var shape: Shape {
        switch self {
        case .bool(let flag): .fixed(.bool, bits: flag ? 1 : 0)
        case .byte(let number): .fixed(.byte, bits: UInt64(number))
        case .int16(let number): .fixed(.int16, bits: UInt64(UInt16(bitPattern: number)))
        case .uint16(let number): .fixed(.uint16, bits: UInt64(number))
        case .int32(let number): .fixed(.int32, bits: UInt64(UInt32(bitPattern: number)))
        case .uint32(let number): .fixed(.uint32, bits: UInt64(number))
        case .int64(let number): .fixed(.int64, bits: UInt64(bitPattern: number))
        case .uint64(let number): .fixed(.uint64, bits: number)
        case .double(let number): .fixed(.double, bits: number.bitPattern)
        case .string(let text): .stringLike(.string, text)
        case .objectPath(let text): .stringLike(.objectPath, text)
        case .signature(let text): .stringLike(.signature, text)
        case .variant(let value): .variant(value)
        case .bytes(let bytes): .bytes(bytes)
        case .array(let element, let elements): .array(element: element, elements)
        case .structure(let members): .structure(members)
        case .entry(let key, let value): .entry(key: key, value: value)
        // Nothing of it leaves the process.
        case .object: .structure([])
        }
    }

    /// Creates a number from its bits; those beyond its width do not count.
    @inlinable @inline(__always)
    public init(_ type: FixedType, bits: UInt64) {
        self =
            switch type {
            case .bool: .bool(bits != 0)
            case .byte: .byte(UInt8(truncatingIfNeeded: bits))
            case .int16: .int16(Int16(truncatingIfNeeded: bits))
            case .uint16: .uint16(UInt16(truncatingIfNeeded: bits))
            case .int32: .int32(Int32(truncatingIfNeeded: bits))
            case .uint32: .uint32(UInt32(truncatingIfNeeded: bits))
            case .int64: .int64(Int64(bitPattern: bits))
            case .uint64: .uint64(bits)
            case .double: .double(Double(bitPattern: bits))
            }
    }

    /// Creates a text of this type.
    @inlinable @inline(__always)
    public init(_ type: StringLikeType, _ text: String) {
        self =
            switch type {
            case .string: .string(text)
            case .objectPath: .objectPath(text)
            case .signature: .signature(text)
            }
    }
}
