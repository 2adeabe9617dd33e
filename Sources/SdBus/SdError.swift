import Glibc
internal import Platform

/// A call into libsystemd that failed (or into the C library on its behalf).
public struct SdError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The C function.
    public let call: StaticString
    /// The errno value it returned, positive.
    public let code: Int32

    /// The failure of a call, by the negative errno that it returned.
    public init(_ call: StaticString, result: Int32) {
        self.call = call
        // A C function that breaks its promise with Int32.min must not trap here.
        code = result == .min ? .max : -result
    }

    /// The failure of a call, by errno (positive).
    public init(_ call: StaticString, errno code: Int32) {
        self.call = call
        self.code = code
    }

    /// Same function and errno.
    public static func == (one: SdError, other: SdError) -> Bool {
        one.code == other.code && one.call.description == other.call.description
    }

    /// The text of the errno: "File exists"; strerror(3).
    public var reason: String { SystemError.reason(code) }

    /// The function and the reason: "sd_bus_request_name: File exists".
    public var description: String { "\(call): \(reason)" }

    /// There is no bus: no address is known (ENOMEDIUM), nothing is at that address, or nobody listens.
    public var isNoBus: Bool { [ENOMEDIUM, ENOENT, ENOTDIR, ECONNREFUSED, EHOSTUNREACH, ENETUNREACH].contains(code) }

    /// The bus, or a policy of it, refuses: EACCES or EPERM.
    public var isPermissionDenied: Bool { code == EACCES || code == EPERM }

    /// The name, the object or the slot is taken: EEXIST.
    public var isTaken: Bool { code == EEXIST }

    /// The message can't be read: EBADMSG.
    public var isBadMessage: Bool { code == EBADMSG }

    /// There is no such object.
    public static var noObject: SdError { SdError("sd_bus_object_find_t", errno: ENOENT) }

    /// There is no connection: ENOTCONN.
    public static var notConnected: SdError { SdError("sd_bus_call_async", errno: ENOTCONN) }

    /// A value has the wrong type for its place: EINVAL, ENXIO.
    public var isInvalid: Bool { code == EINVAL || code == ENXIO }

    // Constants of errno are no part of what can be inlined elsewhere: which module they belong to depends on the C library.

    /// Whether a call with this result, a negative errno, found another type than the one it was told: ENXIO.
    @usableFromInline
    static func isOfOtherType(_ result: Int32) -> Bool { result == -ENXIO }

    /// Whether a call with this result, a negative errno, may succeed when repeated: memory or buffers were short, or a signal
    /// interrupted it.
    @usableFromInline
    static func canPass(_ result: Int32) -> Bool {
        [-ENOMEM, -ENOBUFS, -EAGAIN, -EINTR].contains(result)
    }

    /// A message could not be made or sent, whatever its contents.
    public var isSendFailure: Bool {
        isDisconnected || Self.canPass(-code) || call.description == "sd_bus_send"
    }

    /// The connection is gone: ENOTCONN, ECONNRESET, EPIPE, ESHUTDOWN.
    public var isDisconnected: Bool { [ENOTCONN, ECONNRESET, EPIPE, ESHUTDOWN].contains(code) }
}

/// The result of a C call that reports failure as a negative errno.
///
/// - Returns: the result, 0 or positive.
/// - Throws: ``SdError`` for a negative one.
@inlinable @discardableResult
public func check(_ call: StaticString, _ result: Int32) throws(SdError) -> Int32 {
    guard result >= 0 else { throw SdError(call, result: result) }
    return result
}
