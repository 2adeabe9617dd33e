// Callbacks of sd-bus are C functions. A literal closure that captures nothing becomes one without an allocation; its
// object comes in through `userdata`.

public import CSdBus

/// A handler of a method, a signal or an answer:
/// `{ message, userdata, error in answering(message) { call throws(SdError) in … } }`.
public typealias MessageHandler =
    @convention(c) (
        _ message: OpaquePointer?, _ userdata: UnsafeMutableRawPointer?, _ error: UnsafeMutablePointer<sd_bus_error>?
    ) -> Int32

/// A property's getter: `{ _, path, _, _, reply, userdata, error in filling(reply) { body throws(SdError) in … } }`.
public typealias PropertyGetter =
    @convention(c) (
        _ bus: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ interface: UnsafePointer<CChar>?,
        _ property: UnsafePointer<CChar>?, _ reply: OpaquePointer?, _ userdata: UnsafeMutableRawPointer?,
        _ error: UnsafeMutablePointer<sd_bus_error>?
    ) -> Int32

/// Looks up an object with this path and interface below a prefix. Returns 0 if there is none; 1 if there is one, with the
/// handlers' userdata in `found`; or a negative errno. sd_bus_add_fallback_vtable(3).
public typealias ObjectLookup =
    @convention(c) (
        _ bus: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ interface: UnsafePointer<CChar>?,
        _ userdata: UnsafeMutableRawPointer?, _ found: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
        _ error: UnsafeMutablePointer<sd_bus_error>?
    ) -> Int32

/// Runs a method's handler, and turns an error into the errno that sd-bus answers with.
///
/// - Returns: the result for the C callback: 1, as the call was (or will be) answered.
@inlinable @inline(__always)
public func answering(_ message: OpaquePointer?, _ body: (MessageReader) throws(SdError) -> Void) -> Int32 {
    guard let message else { return 0 }
    do throws(SdError) {
        try body(MessageReader(message))
        return 1
    } catch {
        return -error.code
    }
}

/// Runs a property's getter, which appends the one value of the property's type.
///
/// - Returns: the result for the C callback.
@inlinable @inline(__always)
public func filling(_ reply: OpaquePointer?, _ body: (MessageWriter) throws(SdError) -> Void) -> Int32 {
    guard let reply else { return 0 }
    do throws(SdError) {
        try body(MessageWriter(reply))
        return 1
    } catch {
        return -error.code
    }
}

/// Sets the error that sd-bus answers with after the callback (sd_bus_error_set(3)).
///
/// - Returns: the result for the C callback: the negative errno of the name.
public func setting(_ error: UnsafeMutablePointer<sd_bus_error>?, name: StaticString, text: String) -> Int32 {
    text.withCString { sd_bus_error_set(error, name.cString, $0) }
}
