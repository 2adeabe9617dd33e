public import CSdBus
import Glibc

/// A container type of D-Bus, by its letter; sd_bus_message_enter_container(3).
public enum Container {
    /// `a…`
    case array
    /// `(…)`
    case structure
    /// `{…}`
    case dictEntry
    /// `v`
    case variant

    /// The letter in sd-bus: `a`, `r`, `e` or `v`.
    @inlinable
    public var letter: CChar {
        switch self {
        case .array: CChar(SD_BUS_TYPE_ARRAY)
        case .structure: CChar(SD_BUS_TYPE_STRUCT)
        case .dictEntry: CChar(SD_BUS_TYPE_DICT_ENTRY)
        case .variant: CChar(SD_BUS_TYPE_VARIANT)
        }
    }

    /// Hands over the contents of a container with one element of the basic type with this letter, as a C string.
    @inlinable
    static func withContents(of type: UInt8, _ body: (UnsafePointer<CChar>?) -> Int32) -> Int32 {
        // The letter and a NUL.
        withUnsafeBytes(of: (CChar(bitPattern: type), CChar(0))) { bytes in
            body(bytes.baseAddress?.assumingMemoryBound(to: CChar.self))
        }
    }
}

/// An incoming message. It owns nothing: it, and every C string from it, is valid while the handler runs.
///
/// Reading moves a cursor that belongs to the message, not to this value.
public struct MessageReader {
    /// The message, `sd_bus_message *`.
    public let handle: OpaquePointer

    /// A reader of a message.
    @inlinable
    public init(_ handle: OpaquePointer) { self.handle = handle }

    // MARK: Header

    /// The object path; empty in an answer.
    @inlinable
    public var path: UnsafePointer<CChar> { sd_bus_message_get_path(handle) ?? ("" as StaticString).cString }

    /// The unique name of the sender; empty on a connection without a bus.
    @inlinable
    public var sender: UnsafePointer<CChar> { sd_bus_message_get_sender(handle) ?? ("" as StaticString).cString }

    /// The interface; nil if there is none.
    @inlinable
    public var interface: UnsafePointer<CChar>? { sd_bus_message_get_interface(handle) }

    /// The method's or signal's name; empty in an answer.
    @inlinable
    public var member: UnsafePointer<CChar> { sd_bus_message_get_member(handle) ?? ("" as StaticString).cString }

    /// Whether this is a call, rather than an answer or a signal; sd_bus_message_is_method_call(3).
    @inlinable
    public var isCall: Bool { sd_bus_message_is_method_call(handle, nil, nil) > 0 }

    /// Whether this is a signal; sd_bus_message_is_signal(3).
    public var isSignal: Bool { sd_bus_message_is_signal(handle, nil, nil) > 0 }

    /// The signature of the whole body.
    @inlinable
    public var signature: UnsafePointer<CChar> {
        sd_bus_message_get_signature(handle, 1) ?? ("" as StaticString).cString
    }

    /// Whether the caller wants an answer; sd-bus drops an answer that nobody wants.
    @inlinable
    public var expectsReply: Bool { sd_bus_message_get_expect_reply(handle) > 0 }

    /// Whether the user may be asked for something, such as a password, to serve the call: the flag
    /// ALLOW_INTERACTIVE_AUTHORIZATION of the D-Bus specification; sd_bus_message_get_allow_interactive_authorization(3).
    @inlinable
    public var allowsInteractiveAuthorization: Bool {
        sd_bus_message_get_allow_interactive_authorization(handle) > 0
    }

    /// The number of the call that this answers, as ``OutgoingMessage/sendCall()`` gave it; nil if this is no answer.
    /// sd_bus_message_get_reply_cookie(3).
    public var answeredCall: UInt64? {
        var (type, cookie): (UInt8, UInt64) = (0, 0)
        sd_bus_message_get_type(handle, &type)
        guard [SD_BUS_MESSAGE_METHOD_RETURN, SD_BUS_MESSAGE_METHOD_ERROR].contains(Int(type)),
            sd_bus_message_get_reply_cookie(handle, &cookie) >= 0
        else { return nil }
        return cookie
    }

    /// The D-Bus error's name, if this is an error.
    @inlinable
    public var errorName: UnsafePointer<CChar>? { sd_bus_message_get_error(handle)?.pointee.name }

    /// The D-Bus error's text, if this is an error with one.
    @inlinable
    public var errorMessage: UnsafePointer<CChar>? { sd_bus_message_get_error(handle)?.pointee.message }

    // MARK: Basic types

    /// One basic value (sd_bus_message_read_basic(3)).
    ///
    /// - Throws: ``SdError``: ENXIO for another type, EBADMSG for a broken message, ENODATA at the end.
    @inlinable
    func basic(_ type: Int, _ value: UnsafeMutableRawPointer) throws(SdError) {
        let result = sd_bus_message_read_basic(handle, CChar(truncatingIfNeeded: type), value)
        guard result > 0 else { throw .unread(result) }
    }

    /// Reads `y`.
    @inlinable
    public func readByte() throws(SdError) -> UInt8 {
        var value: UInt8 = 0
        try basic(SD_BUS_TYPE_BYTE, &value)
        return value
    }

    /// Reads `b`.
    @inlinable
    public func readBool() throws(SdError) -> Bool {
        var value: Int32 = 0
        try basic(SD_BUS_TYPE_BOOLEAN, &value)
        return value != 0
    }

    /// Reads `n`.
    @inlinable
    public func readInt16() throws(SdError) -> Int16 {
        var value: Int16 = 0
        try basic(SD_BUS_TYPE_INT16, &value)
        return value
    }

    /// Reads `q`.
    @inlinable
    public func readUInt16() throws(SdError) -> UInt16 {
        var value: UInt16 = 0
        try basic(SD_BUS_TYPE_UINT16, &value)
        return value
    }

    /// Reads `i`.
    @inlinable
    public func readInt32() throws(SdError) -> Int32 {
        var value: Int32 = 0
        try basic(SD_BUS_TYPE_INT32, &value)
        return value
    }

    /// Reads `u`.
    @inlinable
    public func readUInt32() throws(SdError) -> UInt32 {
        var value: UInt32 = 0
        try basic(SD_BUS_TYPE_UINT32, &value)
        return value
    }

    /// Reads `x`.
    @inlinable
    public func readInt64() throws(SdError) -> Int64 {
        var value: Int64 = 0
        try basic(SD_BUS_TYPE_INT64, &value)
        return value
    }

    /// Reads `t`.
    @inlinable
    public func readUInt64() throws(SdError) -> UInt64 {
        var value: UInt64 = 0
        try basic(SD_BUS_TYPE_UINT64, &value)
        return value
    }

    /// Reads `d`.
    @inlinable
    public func readDouble() throws(SdError) -> Double {
        var value: Double = 0
        try basic(SD_BUS_TYPE_DOUBLE, &value)
        return value
    }

    /// Reads a number of the fixed type with this letter; the bits beyond its width are zero.
    @inlinable
    public func readBits(_ type: UInt8) throws(SdError) -> UInt64 {
        var bits: UInt64 = 0
        try basic(Int(type), &bits)
        return bits >> MessageWriter.shift(of: type)
    }

    /// Reads `s`. sd-bus has checked that it is UTF-8 without a NUL.
    @inlinable
    public func readString() throws(SdError) -> UnsafePointer<CChar> { try text(SD_BUS_TYPE_STRING) }

    /// Reads `o`, a valid object path.
    @inlinable
    public func readObjectPath() throws(SdError) -> UnsafePointer<CChar> { try text(SD_BUS_TYPE_OBJECT_PATH) }

    /// Reads `g`, a valid signature.
    @inlinable
    public func readSignature() throws(SdError) -> UnsafePointer<CChar> { try text(SD_BUS_TYPE_SIGNATURE) }

    /// Reads a text of the string-like type with this letter.
    @inlinable
    public func readText(_ type: UInt8) throws(SdError) -> UnsafePointer<CChar> { try text(Int(type)) }

    /// Reads `h`: a descriptor that the message owns and closes.
    @inlinable
    public func readFileDescriptor() throws(SdError) -> Int32 {
        var value: Int32 = -1
        try basic(SD_BUS_TYPE_UNIX_FD, &value)
        return value
    }

    /// Reads an `as` as a whole.
    public func readStrings() throws(SdError) -> [String] {
        var all: [String] = []
        _ = try enterContainer(.array, "s")
        while let text = try nextString() { all.append(String(cString: text)) }
        try exitContainer()
        return all
    }

    /// Reads the next `s` of an array, or nil at its end: `while let name = try reader.nextString() { … }`.
    @inlinable
    public func nextString() throws(SdError) -> UnsafePointer<CChar>? {
        var value: UnsafePointer<CChar>?
        try check(
            "sd_bus_message_read_basic",
            sd_bus_message_read_basic(handle, CChar(truncatingIfNeeded: SD_BUS_TYPE_STRING), &value))
        return value
    }

    /// Reads one of the three types that are C strings.
    @inlinable
    func text(_ type: Int) throws(SdError) -> UnsafePointer<CChar> {
        var value: UnsafePointer<CChar>?
        try basic(type, &value)
        guard let value else { throw .unread(0) }
        return value
    }

    /// Reads an `ay` where it lies in the message (sd_bus_message_read_array(3)).
    @inlinable
    public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) throws -> Result {
        try body(bytes())
    }

    /// Reads `ay`.
    @inlinable
    public func readBytes() throws(SdError) -> [UInt8] { Array(try bytes()) }

    @inlinable
    func bytes() throws(SdError) -> UnsafeRawBufferPointer {
        var start: UnsafeRawPointer?
        var count = 0
        let result = sd_bus_message_read_array(handle, CChar(truncatingIfNeeded: SD_BUS_TYPE_BYTE), &start, &count)
        try check("sd_bus_message_read_array", result)
        return UnsafeRawBufferPointer(start: start, count: count)
    }

    // MARK: Containers and the cursor

    /// Steps into a container with these contents (sd_bus_message_enter_container(3)); leave it with
    /// ``exitContainer()``.
    ///
    /// - Returns: false at the end of the array around it (or of the message), so that
    ///   `while try reader.enterContainer(.dictEntry, "sv") { … }` reads a dictionary.
    /// - Throws: ``SdError``: ENXIO for something else, EBADMSG for a broken message.
    @inlinable
    public func enterContainer(_ type: Container, _ contents: StaticString) throws(SdError) -> Bool {
        try enterContainer(type, contents.cString)
    }

    /// Steps into a container whose contents are no literal.
    @inlinable
    public func enterContainer(_ type: Container, _ contents: UnsafePointer<CChar>) throws(SdError) -> Bool {
        try check(
            "sd_bus_message_enter_container", sd_bus_message_enter_container(handle, type.letter, contents)) > 0
    }

    /// Steps into a variant, if its content has the basic type with this letter.
    ///
    /// - Returns: whether it has.
    @inlinable
    public func enterVariant(of type: UInt8) throws(SdError) -> Bool {
        let result = Container.withContents(of: type) { contents in
            sd_bus_message_enter_container(handle, Container.variant.letter, contents)
        }
        return SdError.isOfOtherType(result) ? false : try check("sd_bus_message_enter_container", result) > 0
    }

    /// Skips values of these types; sd_bus_message_skip(3).
    public func skip(_ types: StaticString) throws(SdError) {
        try check("sd_bus_message_skip", sd_bus_message_skip(handle, types.cString))
    }

    /// Steps out of the container; it must be read to its end (EBUSY), or skipped.
    @inlinable
    public func exitContainer() throws(SdError) {
        try check("sd_bus_message_exit_container", sd_bus_message_exit_container(handle))
    }

    /// The letter of the next type and, for a container, its contents; nil at the end of this container.
    ///
    /// The contents are valid until the message is read on (sd_bus_message_peek_type(3)).
    @inlinable
    public func peekType() throws(SdError) -> (type: UInt8, contents: UnsafePointer<CChar>?)? {
        var type: CChar = 0
        var contents: UnsafePointer<CChar>?
        guard
            try check("sd_bus_message_peek_type", sd_bus_message_peek_type(handle, &type, &contents)) > 0
        else { return nil }
        return (UInt8(bitPattern: type), contents)
    }

    /// Whether this container is read to its end.
    @inlinable
    public func isAtEnd() throws(SdError) -> Bool {
        try check("sd_bus_message_at_end", sd_bus_message_at_end(handle, 0)) > 0
    }

    /// About how many bytes the values of the whole message take. Afterwards the message is at its start again.
    ///
    /// - Parameter limit: counting ends here.
    public func byteCount(upTo limit: Int) throws(SdError) -> Int {
        var count = 0
        try measure(&count, limit)
        try rewind()
        return min(count, limit)
    }

    /// The recursion is as deep as the types nest, 64 levels at most.
    private func measure(_ count: inout Int, _ limit: Int) throws(SdError) {
        while count < limit {
            var type: CChar = 0
            var contents: UnsafePointer<CChar>?
            let result = sd_bus_message_peek_type(handle, &type, &contents)
            try check("sd_bus_message_peek_type", result)
            guard result > 0 else { return }
            count += 8
            if let contents {
                if Int(type) == SD_BUS_TYPE_ARRAY, let size = try fixedArraySize(of: contents) {
                    count += size
                    continue
                }
                try check("sd_bus_message_enter_container", sd_bus_message_enter_container(handle, type, contents))
                try measure(&count, limit)
                if count >= limit { return }
                try check("sd_bus_message_exit_container", sd_bus_message_exit_container(handle))
            } else if [SD_BUS_TYPE_STRING, SD_BUS_TYPE_OBJECT_PATH, SD_BUS_TYPE_SIGNATURE].contains(Int(type)) {
                var text: UnsafePointer<CChar>?
                try basic(Int(type), &text)
                count += text.map { strlen($0) } ?? 0
            } else {
                var value: UInt64 = 0
                try basic(Int(type), &value)
            }
        }
    }

    /// Reads an array of numbers, which can be long, in one piece; nil if it has other elements.
    private func fixedArraySize(of contents: UnsafePointer<CChar>) throws(SdError) -> Int? {
        guard strlen(contents) == 1, strchr("ynqiuxtd", Int32(contents.pointee)) != nil else { return nil }
        var values: UnsafeRawPointer?
        var size = 0
        try check(
            "sd_bus_message_read_array", sd_bus_message_read_array(handle, contents.pointee, &values, &size))
        return size
    }

    /// Back to the start of the message, or of this container only (sd_bus_message_rewind(3)).
    @inlinable
    public func rewind(wholeMessage: Bool = true) throws(SdError) {
        try check("sd_bus_message_rewind", sd_bus_message_rewind(handle, wholeMessage ? 1 : 0))
    }
}

extension SdError {
    /// A failed read_basic, out of line; the result 0 means that nothing is left.
    @usableFromInline
    static func unread(_ result: Int32) -> SdError {
        SdError("sd_bus_message_read_basic", result: result == 0 ? -ENODATA : result)
    }
}
