internal import CSdBus

/// A message that outlives its handler, for a short time: it can be large and have open files. (A call that waits for long
/// is a ``PendingCall``.) It owns exactly one reference.
public final class RetainedMessage {
    /// The message; valid as long as this object.
    public let message: MessageReader

    /// Retains a message; sd_bus_message_ref(3).
    public init(_ message: MessageReader) {
        self.message = message
        sd_bus_message_ref(message.handle)
    }

    /// Takes over a reference of the caller.
    init(taking handle: OpaquePointer) { message = MessageReader(handle) }

    deinit { sd_bus_message_unref(message.handle) }
}
