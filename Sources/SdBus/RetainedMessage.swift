internal import CSdBus

/// A message that is kept beyond its handler as it came, for a moment: it can be large, and have descriptors of open files
/// (what waits for long is a ``PendingCall``). It owns exactly one reference.
public final class RetainedMessage {
    /// The message; valid while this is held.
    public let message: MessageReader

    /// Keeps a message; sd_bus_message_ref(3).
    public init(_ message: MessageReader) {
        self.message = message
        sd_bus_message_ref(message.handle)
    }

    /// Keeps a message of which the caller has a reference, and gives it up.
    init(taking handle: OpaquePointer) { message = MessageReader(handle) }

    deinit { sd_bus_message_unref(message.handle) }
}
