// Callbacks of sd-bus are C functions. A literal closure that captures nothing becomes one without an allocation; what
// it works on comes in through `userdata`.

public import CSdBus

/// A method's handler, or what gets a signal or an answer:
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

/// Is there an object with this path and interface below a prefix? 0: no; 1: yes, and what the handlers get as userdata
/// is in `found`; negative: an errno. sd_bus_add_fallback_vtable(3).
public typealias ObjectLookup =
    @convention(c) (
        _ bus: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ interface: UnsafePointer<CChar>?,
        _ userdata: UnsafeMutableRawPointer?, _ found: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
        _ error: UnsafeMutablePointer<sd_bus_error>?
    ) -> Int32

/// Lists the objects below a path; answer with ``NodeList``. sd_bus_add_node_enumerator(3).
public typealias NodeEnumerator =
    @convention(c) (
        _ bus: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ userdata: UnsafeMutableRawPointer?,
        _ nodes: NodeList.Result?, _ error: UnsafeMutablePointer<sd_bus_error>?
    ) -> Int32

/// The frame of a method's handler: runs it, and turns what it throws into the errno that sd-bus answers with.
///
/// - Returns: what the C callback shall return: 1, as the call was (or will be) answered.
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

/// The frame of a property's getter: appends the one value of the property's type.
///
/// - Returns: what the C callback shall return.
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
/// - Returns: what the C callback shall return: the negative errno that belongs to the name.
public func setting(_ error: UnsafeMutablePointer<sd_bus_error>?, name: StaticString, text: String) -> Int32 {
    text.withCString { sd_bus_error_set(error, name.cString, $0) }
}
