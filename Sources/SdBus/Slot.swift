import CSdBus

/// A registration with sd-bus (a match, a vtable, a pending call). It owns exactly one reference, and the registration
/// ends with it.
public final class Slot {
    /// The slot, `sd_bus_slot *`.
    public let handle: OpaquePointer

    /// The connection that sends a message to end the registration, as for a match rule.
    private weak var bus: Bus?

    @usableFromInline
    init(_ call: StaticString, _ result: Int32, _ handle: OpaquePointer?) throws(SdError) {
        try check(call, result)
        guard let handle else { throw SdError(call, result: -1) }
        self.handle = handle
    }

    convenience init(
        _ call: StaticString, _ result: Int32, _ handle: OpaquePointer?, removedBy bus: Bus
    ) throws(SdError) {
        try self.init(call, result, handle)
        self.bus = bus
    }

    deinit {
        if let output = bus?.output { output.end(handle) } else { sd_bus_slot_unref(handle) }
    }
}
