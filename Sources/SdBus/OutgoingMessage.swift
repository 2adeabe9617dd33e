public import CSdBus

/// A message to send. It owns exactly one reference and releases it at its end, sent or not.
///
/// ```swift
/// let signal = try OutgoingMessage(signal: bus, path: path, interface: "…", member: "NavigationOccurred")
/// try signal.body.append(serial)
/// try signal.send()
/// ```
public struct OutgoingMessage: ~Copyable {
    /// The message, `sd_bus_message *`.
    public let handle: OpaquePointer
    /// The messages that have to be written before this one.
    @usableFromInline let output: MessageOutput?

    /// The writer for the body; use it before the message is sent.
    @inlinable
    public var body: MessageWriter { MessageWriter(handle) }

    @inlinable
    init(
        _ call: StaticString, _ result: Int32, _ handle: OpaquePointer?, after output: MessageOutput? = nil
    ) throws(SdError) {
        try check(call, result)
        guard let handle else { throw SdError(call, result: -1) }
        self.handle = handle
        self.output = output
    }

    /// A signal; sd_bus_message_new_signal(3).
    ///
    /// - Throws: ``SdError``: ENOTCONN without a connection, EINVAL for an invalid path.
    @inlinable
    public init(signal bus: Bus, path: UnsafePointer<CChar>, interface: StaticString, member: StaticString)
        throws(SdError)
    {
        var made: OpaquePointer?
        let result = sd_bus_message_new_signal(bus.handle, &made, path, interface.cString, member.cString)
        try self.init("sd_bus_message_new_signal", result, made, after: bus.output)
    }

    /// The answer to a call, on a connection without a ``MessageOutput``; sd_bus_message_new_method_return(3).
    ///
    /// If the caller wants none, ``send()`` drops it.
    @inlinable
    public init(replyTo call: MessageReader) throws(SdError) {
        var made: OpaquePointer?
        let result = sd_bus_message_new_method_return(call.handle, &made)
        try self.init("sd_bus_message_new_method_return", result, made)
    }

    /// An error as the answer to a call; sd_bus_message_new_method_error(3).
    public init(errorTo call: MessageReader, name: UnsafePointer<CChar>, text: UnsafePointer<CChar>) throws(SdError) {
        var made: OpaquePointer?
        var error = sd_bus_error()
        error.name = name
        error.message = text
        let result = sd_bus_message_new_method_error(call.handle, &made, &error)
        try self.init("sd_bus_message_new_method_error", result, made)
    }

    /// An error as the answer to a call, by an errno (positive); sd_bus_message_new_method_errno(3).
    public init(errorTo call: MessageReader, errno code: Int32) throws(SdError) {
        var made: OpaquePointer?
        let result = sd_bus_message_new_method_errno(call.handle, &made, -code, nil)
        try self.init("sd_bus_message_new_method_errno", result, made)
    }

    /// A call; sd_bus_message_new_method_call(3).
    @inlinable
    public init(
        call bus: Bus, destination: UnsafePointer<CChar>, path: UnsafePointer<CChar>,
        interface: UnsafePointer<CChar>, member: UnsafePointer<CChar>
    ) throws(SdError) {
        var made: OpaquePointer?
        let result = sd_bus_message_new_method_call(bus.handle, &made, destination, path, interface, member)
        try self.init("sd_bus_message_new_method_call", result, made, after: bus.output)
    }

    deinit { sd_bus_message_unref(handle) }

    /// Sends a signal to one client only; sd_bus_message_set_destination(3).
    @inlinable
    public func setDestination(_ name: UnsafePointer<CChar>) throws(SdError) {
        try check("sd_bus_message_set_destination", sd_bus_message_set_destination(handle, name))
    }

    /// Marks a call that wants no answer; sd_bus_message_set_expect_reply(3).
    @inlinable
    public func setExpectsNoReply() throws(SdError) {
        try check("sd_bus_message_set_expect_reply", sd_bus_message_set_expect_reply(handle, 0))
    }

    /// Sets whether the bus may start the receiver of a call; the default is true.
    /// sd_bus_message_set_auto_start(3).
    @inlinable
    public func setAutoStart(_ mayStart: Bool) throws(SdError) {
        try check("sd_bus_message_set_auto_start", sd_bus_message_set_auto_start(handle, mayStart ? 1 : 0))
    }

    /// Sets whether the user may be asked for something to serve a call; the default is false.
    /// sd_bus_message_set_allow_interactive_authorization(3).
    @inlinable
    public func setAllowsInteractiveAuthorization(_ allows: Bool) throws(SdError) {
        try check(
            "sd_bus_message_set_allow_interactive_authorization",
            sd_bus_message_set_allow_interactive_authorization(handle, allows ? 1 : 0))
    }

    /// Queues the message in its connection (sd_bus_send(3)), which writes it at once if it can. It never waits, unless a
    /// ``MessageOutput`` of the connection has messages that do not fit into the socket. Passing
    /// failures, after which sd-bus has neither sent nor queued it, are retried at once, a few times.
    ///
    /// - Throws: ``SdError``: ENOTCONN, ECONNRESET for a lost connection, ENOBUFS if the connection's queue is full. The
    ///   message is not sent, now or later.
    @inlinable
    public consuming func send() throws(SdError) {
        let message = handle
        try output?.drain()
        try check("sd_bus_send", tryingAgain { sd_bus_send(nil, message, nil) })
    }

    /// Sends a call as ``send()`` does, whose answer comes as any other message, with the number of the call.
    ///
    /// - Returns: that number, the call's cookie.
    public consuming func sendCall() throws(SdError) -> UInt64 {
        let message = handle
        try output?.drain()
        var cookie: UInt64 = 0
        try check("sd_bus_send", tryingAgain { sd_bus_send(nil, message, &cookie) })
        return cookie
    }

    /// Sends a call as ``send()`` does, and hands its answer to a C callback (sd_bus_call_async(3)).
    ///
    /// The answer is a method return or an error, which sd-bus makes itself after the timeout or when the connection is
    /// lost. It can be from anybody: sd-bus does not compare its sender with the callee.
    ///
    /// - Parameter timeout: in µs, 0 for the default of 25 s.
    /// - Returns: the slot; the callback never runs after the slot is released.
    @inlinable
    public consuming func call(
        timeout: UInt64, userdata: UnsafeMutableRawPointer?, callback: @escaping MessageHandler
    ) throws(SdError) -> Slot {
        let message = handle
        try output?.drain()
        let bus = sd_bus_message_get_bus(message)
        var slot: OpaquePointer?
        let result = tryingAgain { sd_bus_call_async(bus, &slot, message, callback, userdata, timeout) }
        return try Slot("sd_bus_call_async", result, slot)
    }
}

/// Repeats a call into sd-bus at once while it fails with a passing failure, a few times at most.
@inlinable
func tryingAgain(_ call: () -> Int32) -> Int32 {
    var result = call()
    var left = 4
    while result < 0, left > 0, SdError.canPass(result) {
        result = call()
        left -= 1
    }
    return result
}

extension MessageReader {
    /// Answers a call without values.
    @inlinable
    public func replyEmpty() throws(SdError) { try OutgoingMessage(replyTo: self).send() }

    /// Answers a call with an error.
    public func replyError(name: StaticString, text: String) throws(SdError) {
        try OutgoingMessage(errorTo: self, name: name.cString, text: text).send()
    }

    /// Answers a call with an error from C strings.
    public func replyError(name: UnsafePointer<CChar>, text: UnsafePointer<CChar>) throws(SdError) {
        try OutgoingMessage(errorTo: self, name: name, text: text).send()
    }
}
