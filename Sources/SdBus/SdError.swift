/// A call into libsystemd that failed.
public struct SdError: Error, Equatable, Sendable {
    /// The C function.
    public let call: StaticString
    /// The errno value it returned, positive.
    public let code: Int32

    /// The failure of a call, by the negative errno that it returned.
    public init(_ call: StaticString, result: Int32) {
        self.call = call
        code = -result
    }

    /// Same function and errno.
    public static func == (one: SdError, other: SdError) -> Bool {
        one.code == other.code && one.call.description == other.call.description
    }
}
