internal import CSdBus
internal import Dispatch
internal import Glibc

// A loop inside another main loop, which waits for ``EventLoop/descriptor``, and then runs turns of this one.
//
// sd-event arms its timers, and sd-bus its descriptors, when a turn begins. A change between turns has no effect until the
// next turn, which a ``Wakeup`` makes come.

extension EventLoop {
    /// A descriptor that is readable when the loop has something to do; sd_event_get_fd(3). It belongs to the loop.
    public var descriptor: Int32 { sd_event_get_fd(handle) }

    /// Runs a closure in each turn in which a descriptor is readable; sd_event_add_io(3). Unless the closure reads it, the
    /// next turn comes at once.
    ///
    /// - Returns: the registration; it ends with its last reference, before the descriptor is closed.
    public func onReadable(_ descriptor: Int32, _ handler: @escaping () -> Void) throws(SdError) -> Input {
        let source = EventSource(handler)
        var made: OpaquePointer?
        let result = sd_event_add_io(
            handle, &made, descriptor, EPOLLIN.rawValue,
            { _, _, _, userdata in
                EventSource.fire(userdata)
                return 0
            }, source.opaque)
        try check("sd_event_add_io", result)
        source.handle = made
        return Input(source)
    }
}

/// See ``EventLoop/onReadable(_:_:)``.
public final class Input {
    private let source: EventSource

    init(_ source: EventSource) { self.source = source }
}

/// Makes a loop take a turn, by an eventfd(2) that the loop waits for.
public final class Wakeup {
    private let descriptor: Int32
    private var input: Input?
    private var isSignalled = false

    /// Wakes this loop.
    public init(_ loop: EventLoop) throws(SdError) {
        descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard descriptor >= 0 else { throw SdError("eventfd", errno: errno) }
        input = try loop.onReadable(descriptor) { [unowned self] in
            isSignalled = false
            drain(descriptor)
        }
    }

    deinit {
        input = nil
        close(descriptor)
    }

    /// Makes the next turn come, even if nothing else is to do. Until that turn, further calls have no effect.
    public func signal() {
        guard !isSignalled else { return }
        var one: UInt64 = 1
        // It fails with EAGAIN if the counter is full, and then the descriptor is readable, too.
        isSignalled = write(descriptor, &one, MemoryLayout.size(ofValue: one)) >= 0 || errno == EAGAIN
    }
}

/// The main queue of Dispatch, which also runs the jobs of the main actor, in another main loop. Uses the calls that
/// Foundation's run loop uses.
public enum MainQueue {
    /// Runs a closure in each turn in which the queue has jobs.
    public static func onJobs(in loop: EventLoop, _ handler: @escaping () -> Void) throws(SdError) -> Input {
        let descriptor = _dispatch_get_main_queue_handle_4CF()
        return try loop.onReadable(descriptor) {
            drain(descriptor)
            handler()
        }
    }

    /// Runs all jobs in the queue. Only for the main thread, and not from a job.
    public static func run() { _dispatch_main_queue_callback_4CF(nil) }
}

/// Resets the counter of an eventfd(2).
private func drain(_ descriptor: Int32) {
    var count: UInt64 = 0
    _ = read(descriptor, &count, MemoryLayout.size(ofValue: count))
}
