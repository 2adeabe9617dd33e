import Glibc
import Synchronization

/// pipe2(2) is not imported, so a pipe is marked close-on-exec after its creation. Tests run in parallel: a child
/// started in between would keep the pipe of another test's child open.
private let making = Mutex(())

/// Makes a descriptor that no child gets, by a call that has no flag for that.
public func closedInChildren(_ make: () -> Int32) -> Int32 {
    making.withLock { _ in
        let descriptor = make()
        if descriptor >= 0 { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        return descriptor
    }
}

/// The two ends of a pipe(2). A ``ChildProcess`` inherits only its own.
struct Pipe {
    let readEnd: Int32
    let writeEnd: Int32

    /// Two ends from elsewhere, both of them close-on-exec.
    init(readEnd: Int32, writeEnd: Int32) { (self.readEnd, self.writeEnd) = (readEnd, writeEnd) }

    init(nonBlocking: Bool = false) throws {
        var ends: [Int32] = [-1, -1]
        let result = making.withLock { _ in
            let result = pipe(&ends)
            for end in ends where result == 0 { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            return result
        }
        guard result == 0 else { throw TestFailure("pipe: errno \(errno)") }
        for end in ends where nonBlocking { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        readEnd = ends[0]
        writeEnd = ends[1]
    }

    /// Starts a child.
    static func whileNoneIsHalfMade<Result: Sendable>(_ body: () -> Result) -> Result {
        making.withLock { _ in body() }
    }
}

/// Waits until a descriptor is ready or the deadline has passed; poll(2).
func waitForInput(_ descriptors: [pollfd], until deadline: Deadline) {
    var descriptors = descriptors
    let result = poll(&descriptors, nfds_t(descriptors.count), deadline.milliseconds)
    // After EINTR the caller checks again, as after an event.
    precondition(result >= 0 || errno == EINTR || errno == EAGAIN, "poll: errno \(errno)")
}
