internal import CSdBus

/// A call that is answered after its handler has returned. (sd-bus leaves the answer to the handler if it returns 1.)
///
/// It has the sender and the number of the call, which an answer needs, in a message of its own, and owns exactly one
/// reference to that. The call itself can have 128 MiB and open files, and may wait for long.
public final class PendingCall {
    private let handle: OpaquePointer

    /// A call that outlives its handler.
    ///
    /// - Throws: ``SdError``: ENOTCONN if the connection is lost.
    public init(_ call: MessageReader) throws(SdError) {
        var cookie: UInt64 = 0
        try check("sd_bus_message_get_cookie", sd_bus_message_get_cookie(call.handle, &cookie))
        var made: OpaquePointer?
        let result = sd_bus_message_new_method_call(
            sd_bus_message_get_bus(call.handle), &made, nil, "/", nil, "PendingCall")
        try check("sd_bus_message_new_method_call", result)
        guard let made else { throw SdError("sd_bus_message_new_method_call", result: -1) }
        handle = made
        try check("sd_bus_message_set_sender", sd_bus_message_set_sender(made, call.sender))
        try check("sd_bus_message_set_expect_reply", sd_bus_message_set_expect_reply(made, call.expectsReply ? 1 : 0))
        try check("sd_bus_message_seal", sd_bus_message_seal(made, cookie, 0))
    }

    deinit { sd_bus_message_unref(handle) }

    /// Stands for the call in an answer; valid as long as this object. It has nothing of the call but the sender.
    public var call: MessageReader { MessageReader(handle) }
}
