internal import CSdBus
internal import Glibc

/// A process, which is never mistaken for a later one with its number; pidfd_open(2).
public struct ProcessHandle: ~Copyable {
    private let descriptor: Int32

    /// The process that has this number now.
    ///
    /// - Throws: ``SdError``: ESRCH if there is none.
    public init(of process: Int32) throws(SdError) {
        descriptor = pidfd_open(process, 0)
        guard descriptor >= 0 else { throw SdError("pidfd_open", errno: errno) }
    }

    /// The process of a descriptor that somebody else closes.
    public init(copying descriptor: Int32) throws(SdError) {
        self.descriptor = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard self.descriptor >= 0 else { throw SdError("fcntl", errno: errno) }
    }

    deinit { close(descriptor) }

    /// Ends it at once, with SIGKILL; pidfd_send_signal(2).
    public func kill() throws(SdError) {
        guard pidfd_send_signal(descriptor, SIGKILL, nil, 0) >= 0 else {
            throw SdError("pidfd_send_signal", errno: errno)
        }
    }
}
