internal import CSdBus

/// Where the answer to a call goes: to its sender, under its number. It can outlive the call, which may have 128 MiB and open
/// files.
public struct Caller {
    /// The unique name of the sender; empty on a connection without a bus.
    public let name: String
    /// The call's number.
    public let number: UInt32
    /// Whether an answer is wanted.
    public let expectsReply: Bool

    /// The sender of a call.
    public init(_ call: MessageReader) {
        var number: UInt64 = 0
        sd_bus_message_get_cookie(call.handle, &number)
        // Numbers have 32 bits in the protocol.
        self.number = UInt32(truncatingIfNeeded: number)
        name = String(cString: call.sender)
        expectsReply = call.expectsReply
    }
}
