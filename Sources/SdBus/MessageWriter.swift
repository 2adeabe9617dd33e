public import CSdBus

/// Appends to the body of a message of sd-bus: of an ``OutgoingMessage``, or of the answer that a property's getter fills. It
/// owns nothing.
///
/// Every call throws ``SdError``: ENXIO or EINVAL if the value does not fit the container, EPERM after the message
/// was sent, EINVAL for a string that is not D-Bus text (sd_bus_message_append_basic(3)).
public struct MessageWriter: BodyWriter {
    /// The message, `sd_bus_message *`.
    public let handle: OpaquePointer

    /// A writer for that message.
    @inlinable
    public init(_ handle: OpaquePointer) { self.handle = handle }

    @inlinable
    func basic(_ type: Int, _ value: UnsafeRawPointer?) throws(SdError) {
        try check(
            "sd_bus_message_append_basic",
            sd_bus_message_append_basic(handle, CChar(truncatingIfNeeded: type), value))
    }

    /// Appends a number of the fixed type with this letter, by its bits; sd_bus_message_append_basic(3).
    @inlinable
    public func append(_ type: UInt8, bits: UInt64) throws(SdError) {
        var bits = bits << Self.shift(of: type)
        try basic(Int(type), &bits)
    }

    /// How far a number of this type is shifted in eight bytes, so that sd-bus finds it in the first of them.
    @inlinable
    static func shift(of type: UInt8) -> UInt64 {
        #if _endian(big)
            switch type {
            case UInt8(ascii: "y"): 56
            case UInt8(ascii: "n"), UInt8(ascii: "q"): 48
            // sd-bus has a truth value as an `int`.
            case UInt8(ascii: "b"), UInt8(ascii: "i"), UInt8(ascii: "u"): 32
            default: 0
            }
        #else
            0
        #endif
    }

    /// Appends `s` from a C string.
    @inlinable
    public func append(_ value: UnsafePointer<CChar>) throws(SdError) { try basic(SD_BUS_TYPE_STRING, value) }

    /// Appends `o` from a C string.
    @inlinable
    public func appendObjectPath(_ value: UnsafePointer<CChar>) throws(SdError) {
        try basic(SD_BUS_TYPE_OBJECT_PATH, value)
    }

    /// Appends a literal as the string-like type with this letter; sd_bus_message_append_basic(3).
    @inlinable
    public func append(_ type: UInt8, _ value: StaticString) throws(SdError) { try basic(Int(type), value.utf8Start) }

    /// Appends a text of the string-like type with this letter; sd_bus_message_append_basic(3).
    @inlinable
    public func append(_ type: UInt8, _ value: String) throws(SdError) {
        // Not every overload of withCString passes typed errors on, so the closure returns the result.
        let result = value.withCString { sd_bus_message_append_basic(handle, CChar(bitPattern: type), $0) }
        try check("sd_bus_message_append_basic", result)
    }

    /// Appends `o`; sd_bus_message_append_basic(3).
    @inlinable
    public func appendObjectPath(_ path: String) throws(SdError) { try append(UInt8(ascii: "o"), path) }

    /// Appends `h`: the message takes a duplicate of the descriptor.
    @inlinable
    public func appendFileDescriptor(_ value: Int32) throws(SdError) {
        var value = value
        try basic(SD_BUS_TYPE_UNIX_FD, &value)
    }

    /// Appends `ay`; sd_bus_message_append_array(3).
    @inlinable
    public func append(_ bytes: [UInt8]) throws(SdError) {
        let result = bytes.withUnsafeBytes {
            sd_bus_message_append_array(
                handle, CChar(truncatingIfNeeded: SD_BUS_TYPE_BYTE), $0.baseAddress, $0.count)
        }
        try check("sd_bus_message_append_array", result)
    }

    /// Opens a container with these contents; sd_bus_message_open_container(3).
    @inlinable
    public func openContainer(_ type: Container, _ contents: StaticString) throws(SdError) {
        try openContainer(type, contents.cString)
    }

    /// Opens a container whose contents are no literal; sd_bus_message_open_container(3).
    @inlinable @_disfavoredOverload
    public func openContainer(_ type: Container, _ contents: String) throws(SdError) {
        let result = contents.withCString { sd_bus_message_open_container(handle, type.letter, $0) }
        try check("sd_bus_message_open_container", result)
    }

    /// Opens a container with the contents in a C string.
    @inlinable
    public func openContainer(_ type: Container, _ contents: UnsafePointer<CChar>) throws(SdError) {
        try check("sd_bus_message_open_container", sd_bus_message_open_container(handle, type.letter, contents))
    }

    /// Opens a variant whose content has the basic type with this letter; sd_bus_message_open_container(3).
    @inlinable
    public func openVariant(of type: UInt8) throws(SdError) {
        let result = Container.withContents(of: type) { contents in
            sd_bus_message_open_container(handle, Container.variant.letter, contents)
        }
        try check("sd_bus_message_open_container", result)
    }

    /// Closes the container that was opened last; sd_bus_message_close_container(3).
    @inlinable
    public func closeContainer() throws(SdError) {
        try check("sd_bus_message_close_container", sd_bus_message_close_container(handle))
    }

    /// Copies the next value of an incoming message, or all the rest of it, without decoding it; sd_bus_message_copy(3).
    @inlinable
    public func copy(from source: MessageReader, all: Bool = false) throws(SdError) {
        try check("sd_bus_message_copy", sd_bus_message_copy(handle, source.handle, all ? 1 : 0))
    }
}
