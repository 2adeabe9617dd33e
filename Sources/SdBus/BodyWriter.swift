/// Appends values to the body of a message: of one that sd-bus makes (``MessageWriter``), or of one that is marshalled here
/// (``Marshaller``).
///
/// Every call throws ``SdError``, for instance EINVAL for a text that is no D-Bus text.
public protocol BodyWriter {
    /// Appends a number of the fixed type with this letter, by its bits; those beyond its width are zero.
    func append(_ type: UInt8, bits: UInt64) throws(SdError)
    /// Appends a text of the string-like type with this letter.
    func append(_ type: UInt8, _ text: String) throws(SdError)
    /// Appends `o`, a path that is known to be valid.
    func appendObjectPath(_ path: String) throws(SdError)
    /// Appends a literal as the string-like type with this letter.
    func append(_ type: UInt8, _ text: StaticString) throws(SdError)
    /// Appends `ay`.
    func append(_ bytes: [UInt8]) throws(SdError)
    /// Appends an entry of an `a{sv}`: its name, and a value of this type.
    func appendEntry(_ name: StaticString, _ type: StaticString, _ value: (Self) throws -> Void) throws
    /// Appends an entry of an `a{sv}` with a number of the fixed type with this letter, by its bits.
    func appendEntry(_ name: String, of type: UInt8, bits: UInt64) throws(SdError)
    /// Appends an entry of an `a{sv}` with a text of the string-like type with this letter.
    func appendEntry(_ name: String, of type: UInt8, _ text: String) throws(SdError)
    /// Opens a container with these contents.
    func openContainer(_ type: Container, _ contents: StaticString) throws(SdError)
    /// Opens a container whose contents are no literal.
    @_disfavoredOverload
    func openContainer(_ type: Container, _ contents: String) throws(SdError)
    /// Opens a variant whose content has the basic type with this letter.
    func openVariant(of type: UInt8) throws(SdError)
    /// Closes the container that was opened last.
    func closeContainer() throws(SdError)
}

extension BodyWriter {
    /// Appends `y`.
    @inlinable
    public func append(_ value: UInt8) throws(SdError) { try append(UInt8(ascii: "y"), bits: UInt64(value)) }

    /// Appends `b`.
    @inlinable
    public func append(_ value: Bool) throws(SdError) { try append(UInt8(ascii: "b"), bits: value ? 1 : 0) }

    /// Appends `n`.
    @inlinable
    public func append(_ value: Int16) throws(SdError) {
        try append(UInt8(ascii: "n"), bits: UInt64(UInt16(bitPattern: value)))
    }

    /// Appends `q`.
    @inlinable
    public func append(_ value: UInt16) throws(SdError) { try append(UInt8(ascii: "q"), bits: UInt64(value)) }

    /// Appends `i`.
    @inlinable
    public func append(_ value: Int32) throws(SdError) {
        try append(UInt8(ascii: "i"), bits: UInt64(UInt32(bitPattern: value)))
    }

    /// Appends `u`.
    @inlinable
    public func append(_ value: UInt32) throws(SdError) { try append(UInt8(ascii: "u"), bits: UInt64(value)) }

    /// Appends `x`.
    @inlinable
    public func append(_ value: Int64) throws(SdError) {
        try append(UInt8(ascii: "x"), bits: UInt64(bitPattern: value))
    }

    /// Appends `t`.
    @inlinable
    public func append(_ value: UInt64) throws(SdError) { try append(UInt8(ascii: "t"), bits: value) }

    /// Appends `d`.
    @inlinable
    public func append(_ value: Double) throws(SdError) { try append(UInt8(ascii: "d"), bits: value.bitPattern) }

    /// Appends `s`.
    @inlinable
    public func append(_ value: String) throws(SdError) { try append(UInt8(ascii: "s"), value) }

    /// Appends `s` from a literal.
    @inlinable @_disfavoredOverload
    public func append(_ value: StaticString) throws(SdError) { try append(UInt8(ascii: "s"), value) }

    /// Appends `o` from a literal.
    @inlinable @_disfavoredOverload
    public func appendObjectPath(_ value: StaticString) throws(SdError) { try append(UInt8(ascii: "o"), value) }

    /// Appends `g`, a valid signature.
    @inlinable
    public func appendSignature(_ value: String) throws(SdError) { try append(UInt8(ascii: "g"), value) }

    /// Appends an entry of an `a{sv}`: its name, and a value of this type.
    ///
    /// - Throws: what the body throws, and ``SdError``.
    @inlinable
    public func appendEntry(
        _ name: StaticString, _ type: StaticString, _ value: (Self) throws -> Void
    ) throws {
        try openContainer(.dictEntry, "sv")
        try append(name)
        try openContainer(.variant, type)
        try value(self)
        try closeContainer()
        try closeContainer()
    }

    /// Appends an entry of an `a{sv}` with a number of the fixed type with this letter, by its bits.
    @inlinable
    public func appendEntry(_ name: String, of type: UInt8, bits: UInt64) throws(SdError) {
        try openContainer(.dictEntry, "sv")
        try append(name)
        try openVariant(of: type)
        try append(type, bits: bits)
        try closeContainer()
        try closeContainer()
    }

    /// Appends an entry of an `a{sv}` with a text of the string-like type with this letter.
    @inlinable
    public func appendEntry(_ name: String, of type: UInt8, _ text: String) throws(SdError) {
        try openContainer(.dictEntry, "sv")
        try append(name)
        try openVariant(of: type)
        try append(type, text)
        try closeContainer()
        try closeContainer()
    }

    /// Appends an array (or dictionary) without elements.
    @inlinable
    public func appendEmptyArray(_ contents: StaticString) throws(SdError) {
        try openContainer(.array, contents)
        try closeContainer()
    }
}
