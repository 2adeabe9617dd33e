import CSdBus

/// A registration with sd-bus (a match, a vtable, a pending call). It owns exactly one reference, and the registration
/// ends with it.
public final class Slot {
    /// The slot, `sd_bus_slot *`.
    public let handle: OpaquePointer

    @usableFromInline
    init(_ call: StaticString, _ result: Int32, _ handle: OpaquePointer?) throws(SdError) {
        try check(call, result)
        guard let handle else { throw SdError(call, result: -1) }
        self.handle = handle
    }

    deinit { sd_bus_slot_unref(handle) }
}
