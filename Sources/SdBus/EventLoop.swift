import CSdBus
import Glibc
import Platform

/// A signal that a service reacts to; signal(7).
public enum Signal: Sendable, CaseIterable {
    /// SIGTERM
    case terminate
    /// SIGINT
    case interrupt
    /// SIGHUP
    case hangUp

    /// Its number.
    public var number: Int32 {
        switch self {
        case .terminate: SIGTERM
        case .interrupt: SIGINT
        case .hangUp: SIGHUP
        }
    }

    /// Blocks signals in this thread and every thread that it starts later, so that only the loop sees them: call it
    /// before any other thread exists. sigprocmask(2).
    public static func block(_ signals: [Signal]) throws(SdError) {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in signals { sigaddset(&set, signal.number) }
        let result = pthread_sigmask(SIG_BLOCK, &set, nil)
        guard result == 0 else { throw SdError("pthread_sigmask", errno: result) }
    }

    /// Ignores SIGPIPE: a reader of standard error that left shall not end the service.
    public static func ignoreBrokenPipes() {
        // The answer is the old disposition; SIGPIPE can always be ignored.
        _ = Glibc.signal(SIGPIPE, SIG_IGN)
    }
}

/// An sd-event loop, used by the thread that made it. It owns exactly one reference.
public final class EventLoop {
    /// The loop, `sd_event *`.
    public let handle: OpaquePointer
    private var signals: [EventSource] = []

    /// A loop of its own; sd_event_new(3).
    public init() throws(SdError) {
        var made: OpaquePointer?
        try check("sd_event_new", sd_event_new(&made))
        guard let made else { throw SdError("sd_event_new", errno: ENOMEM) }
        handle = made
    }

    deinit { sd_event_unref(handle) }

    /// Runs until ``exit(_:)``; sd_event_loop(3).
    ///
    /// - Returns: the code given to ``exit(_:)``.
    public func run() throws(SdError) -> Int32 {
        // A loop that ended never runs again; the handlers of signals usually hold it, and end here.
        defer { signals = [] }
        return try check("sd_event_loop", sd_event_loop(handle))
    }

    /// Runs one turn: waits up to a time in µs (nil: for ever) for something to do, and does it; sd_event_run(3).
    ///
    /// - Returns: was there something?
    @discardableResult
    public func runOnce(timeout: UInt64?) throws(SdError) -> Bool {
        try check("sd_event_run", sd_event_run(handle, timeout ?? .max)) > 0
    }

    /// Ends ``run()`` after this turn with a code of 0 or more; sd_event_exit(3).
    public func exit(_ code: Int32) throws(SdError) { try check("sd_event_exit", sd_event_exit(handle, code)) }

    /// Runs a closure whenever a signal arrives, until ``run()`` returns. The signal must be blocked
    /// (``Signal/block(_:)``), else EBUSY; sd_event_add_signal(3).
    public func onSignal(_ signal: Signal, _ handler: @escaping () -> Void) throws(SdError) {
        let source = EventSource(handler)
        var made: OpaquePointer?
        let result = sd_event_add_signal(
            handle, &made, signal.number,
            { _, _, userdata in
                EventSource.fire(userdata)
                return 0
            }, source.opaque)
        try check("sd_event_add_signal", result)
        source.handle = made
        signals.append(source)
    }

    /// Tells the service manager that the loop is alive, as often as it asks for; sd_event_set_watchdog(3).
    ///
    /// - Returns: does the manager want that?
    @discardableResult
    public func enableWatchdog() throws(SdError) -> Bool {
        try check("sd_event_set_watchdog", sd_event_set_watchdog(handle, 1)) > 0
    }

    /// When the loop does deferred work.
    public enum Turn: Sendable {
        /// It takes turns with the messages that come, rather than to wait until there are none; for work that somebody
        /// waits for.
        case amongMessages
        /// After the messages that are at hand, before anything else.
        case afterMessages
        /// When nothing else is left to do.
        case whenIdle

        /// As the loop has it: the lowest comes first.
        var priority: Int64 {
            switch self {
            case .amongMessages: Int64(SD_EVENT_PRIORITY_NORMAL)
            case .afterMessages: Int64(SD_EVENT_PRIORITY_NORMAL) + 10
            case .whenIdle: Int64(SD_EVENT_PRIORITY_IDLE)
            }
        }
    }

    /// Work to be done once, when its turn comes: scheduling it again before it ran changes nothing.
    ///
    /// - Parameters:
    ///   - turn: when.
    ///   - handler: runs in the loop, each time after ``DeferredTask/schedule()``.
    /// - Returns: the task, which ends with its last reference.
    public func deferred(_ turn: Turn = .whenIdle, _ handler: @escaping () -> Void) throws(SdError) -> DeferredTask {
        let source = EventSource(handler)
        var made: OpaquePointer?
        let result = sd_event_add_defer(
            handle, &made,
            { _, userdata in
                EventSource.fire(userdata)
                return 0
            }, source.opaque)
        try check("sd_event_add_defer", result)
        source.handle = made
        try check("sd_event_source_set_priority", sd_event_source_set_priority(made, turn.priority))
        try source.enable(SD_EVENT_OFF)
        return DeferredTask(source)
    }

    /// A timer on CLOCK_MONOTONIC that isn't running yet; sd_event_add_time(3).
    ///
    /// - Parameter accuracy: how much later than asked it may fire, in µs.
    /// - Returns: the timer, which ends with its last reference.
    public func timer(accuracy: UInt64 = 1000, _ handler: @escaping () -> Void) throws(SdError) -> Timer {
        let source = EventSource(handler)
        var made: OpaquePointer?
        let result = sd_event_add_time(
            handle, &made, CLOCK_MONOTONIC, 0, accuracy,
            { _, _, userdata in
                EventSource.fire(userdata)
                return 0
            }, source.opaque)
        try check("sd_event_add_time", result)
        source.handle = made
        try source.enable(SD_EVENT_OFF)
        return Timer(source)
    }

    /// CLOCK_MONOTONIC in µs as of the start of this turn, without a system call; sd_event_now(3).
    public var now: UInt64 {
        var time: UInt64 = 0
        guard sd_event_now(handle, CLOCK_MONOTONIC, &time) >= 0 else { return MonotonicClock.now }
        return time
    }

    /// CLOCK_REALTIME in µs since 1970 (UTC) as of the start of this turn, without a system call; sd_event_now(3).
    public var realTime: UInt64 {
        var time: UInt64 = 0
        guard sd_event_now(handle, CLOCK_REALTIME, &time) >= 0 else { return RealtimeClock.now }
        return time
    }
}

/// See ``EventLoop/deferred(_:_:)``.
public final class DeferredTask {
    private let source: EventSource

    init(_ source: EventSource) { self.source = source }

    /// Has the handler run once when its turn comes.
    public func schedule() throws(SdError) { try source.enable(SD_EVENT_ONESHOT) }
}

/// See ``EventLoop/timer(accuracy:_:)``.
public final class Timer {
    private let source: EventSource

    init(_ source: EventSource) { self.source = source }

    /// Fires once at a time of CLOCK_MONOTONIC in µs; a time that is past means the next turn.
    public func arm(at time: UInt64) throws(SdError) {
        try check("sd_event_source_set_time", sd_event_source_set_time(source.handle, time))
        try source.enable(SD_EVENT_ONESHOT)
    }

    /// Doesn't fire.
    public func disarm() throws(SdError) { try source.enable(SD_EVENT_OFF) }
}

/// One event source and its closure. The C side knows it by an unretained pointer: the source is disabled at its end,
/// so no callback comes after it.
final class EventSource {
    var handle: OpaquePointer?
    private let handler: () -> Void

    init(_ handler: @escaping () -> Void) { self.handler = handler }

    deinit { sd_event_source_disable_unref(handle) }

    var opaque: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    func enable(_ state: Int) throws(SdError) {
        try check(
            "sd_event_source_set_enabled", sd_event_source_set_enabled(handle, Int32(truncatingIfNeeded: state)))
    }

    static func fire(_ userdata: UnsafeMutableRawPointer?) {
        guard let userdata else { return }
        // The handler may drop the last reference to its own source: hold it while the handler runs.
        let source = Unmanaged<EventSource>.fromOpaque(userdata).takeUnretainedValue()
        withExtendedLifetime(source) { source.handler() }
    }
}
