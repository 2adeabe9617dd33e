internal import CSdBus

/// A call that is answered after its handler has returned; sd-bus answers nothing by itself where the handler returned 1.
///
/// It keeps what an answer needs, who called and the call's number, in a message of its own, and owns exactly one
/// reference to that. The call itself can have 128 MiB and descriptors of open files, and nobody knows how long it waits.
public final class PendingCall {
    private let handle: OpaquePointer

    /// Keeps a call beyond its handler.
    ///
    /// - Throws: ``SdError``: ENOTCONN where the connection is lost.
    public init(_ call: MessageReader) throws(SdError) {
        var cookie: UInt64 = 0
        try check("sd_bus_message_get_cookie", sd_bus_message_get_cookie(call.handle, &cookie))
        var made: OpaquePointer?
        let result = sd_bus_message_new_method_call(
            sd_bus_message_get_bus(call.handle), &made, nil, "/", nil, "HeldCall")
        try check("sd_bus_message_new_method_call", result)
        guard let made else { throw SdError("sd_bus_message_new_method_call", result: -1) }
        handle = made
        try check("sd_bus_message_set_sender", sd_bus_message_set_sender(made, call.sender))
        try check("sd_bus_message_set_expect_reply", sd_bus_message_set_expect_reply(made, call.expectsReply ? 1 : 0))
        try check("sd_bus_message_seal", sd_bus_message_seal(made, cookie, 0))
    }

    deinit { sd_bus_message_unref(handle) }

    /// Stands for the call, to be answered while this is held. Of the call itself it has the sender alone.
    public var call: MessageReader { MessageReader(handle) }
}
