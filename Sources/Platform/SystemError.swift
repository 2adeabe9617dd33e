internal import Glibc

/// A call into the C library that failed.
public struct SystemError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The C function.
    public let call: StaticString
    /// The errno value, positive.
    public let code: Int32

    /// The failure of a call, by errno (positive).
    public init(_ call: StaticString, errno code: Int32) {
        self.call = call
        self.code = code
    }

    /// Same function and errno.
    public static func == (one: SystemError, other: SystemError) -> Bool {
        one.code == other.code && one.call.description == other.call.description
    }

    /// The text of the errno: "File exists"; strerror(3).
    public var reason: String { Self.reason(code) }

    /// The function and the reason: "open: File exists".
    public var description: String { "\(call): \(reason)" }

    /// There is no such file, folder or program: ENOENT.
    public var isMissing: Bool { code == ENOENT }

    /// The text of an errno; strerror_r(3).
    public static func reason(_ code: Int32) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let start = buffer.baseAddress, strerror_r(code, start, buffer.count) == 0 else {
                return "error \(code)"
            }
            return String(cString: start)
        }
    }
}
