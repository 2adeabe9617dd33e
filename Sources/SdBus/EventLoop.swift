import CSdBus
import Glibc
import Platform

/// A signal that a service reacts to; signal(7).
public enum UnixSignal: Sendable, CaseIterable {
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
    public static func block(_ signals: [UnixSignal]) throws(SdError) {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in signals { sigaddset(&set, signal.number) }
        let result = pthread_sigmask(SIG_BLOCK, &set, nil)
        guard result == 0 else { throw SdError("pthread_sigmask", errno: result) }
    }

    /// Ignores SIGPIPE: if the reader of standard error ends, the service must not.
    public static func ignoreBrokenPipes() {
        // The result is the old disposition; SIGPIPE can always be ignored.
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
        // A loop that ended never runs again. The handlers of signals usually refer to it, so they end here.
        defer { signals = [] }
        return try check("sd_event_loop", sd_event_loop(handle))
    }

    /// Runs one turn: waits up to a time in µs (nil: for ever) for something to do, and does it; sd_event_run(3).
    ///
    /// - Returns: whether there was something.
    @discardableResult
    public func runOnce(timeout: UInt64?) throws(SdError) -> Bool {
        try check("sd_event_run", sd_event_run(handle, timeout ?? .max)) > 0
    }

    /// Ends ``run()`` after this turn with a code of 0 or more; sd_event_exit(3).
    public func exit(_ code: Int32) throws(SdError) { try check("sd_event_exit", sd_event_exit(handle, code)) }

    /// Runs a closure whenever a signal arrives, until ``run()`` returns. The signal must be blocked
    /// (``UnixSignal/block(_:)``), else EBUSY; sd_event_add_signal(3).
    public func onSignal(_ signal: UnixSignal, _ handler: @escaping () -> Void) throws(SdError) {
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

    /// Sends the service manager keep-alive pings as often as it wants; sd_event_set_watchdog(3).
    ///
    /// - Returns: whether the manager wants them.
    @discardableResult
    public func enableWatchdog() throws(SdError) -> Bool {
        try check("sd_event_set_watchdog", sd_event_set_watchdog(handle, 1)) > 0
    }

    /// When the loop does deferred work.
    public enum Phase: Sendable {
        /// In turn with incoming messages, rather than after all of them: for work that somebody waits for.
        case amongMessages
        /// After the messages that have arrived, before anything else.
        case afterMessages
        /// When nothing else is left to do.
        case whenIdle

        /// The priority in the loop: the lowest comes first.
        var priority: Int64 {
            switch self {
            case .amongMessages: Int64(SD_EVENT_PRIORITY_NORMAL)
            case .afterMessages: Int64(SD_EVENT_PRIORITY_NORMAL) + 10
            case .whenIdle: Int64(SD_EVENT_PRIORITY_IDLE)
            }
        }
    }

    /// Makes work that runs once, when its turn comes: to schedule it again before it ran has no effect.
    ///
    /// - Parameters:
    ///   - turn: when.
    ///   - handler: runs in the loop, each time after ``DeferredTask/schedule()``.
    /// - Returns: the task, which ends with its last reference.
    public func deferred(_ phase: Phase = .whenIdle, _ handler: @escaping () -> Void) throws(SdError) -> DeferredTask {
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
        try check("sd_event_source_set_priority", sd_event_source_set_priority(made, phase.priority))
        try source.enable(SD_EVENT_OFF)
        return DeferredTask(source)
    }

    /// Makes a timer on CLOCK_MONOTONIC that is not armed yet; sd_event_add_time(3).
    ///
    /// - Parameter accuracy: how much later it may fire, in µs.
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

    /// Makes the handler run once when its turn comes.
    public func schedule() throws(SdError) { try source.enable(SD_EVENT_ONESHOT) }
}

/// See ``EventLoop/timer(accuracy:_:)``.
public final class Timer {
    private let source: EventSource

    init(_ source: EventSource) { self.source = source }

    /// Fires once at a time of CLOCK_MONOTONIC in µs; a time that is past means the next turn.
    public func arm(at time: UInt64) throws(SdError) {
        try EventSource.change("sd_event_source_set_time", sd_event_source_set_time(source.handle, time))
        try source.enable(SD_EVENT_ONESHOT)
    }

    /// Keeps it from firing.
    public func disarm() throws(SdError) { try source.enable(SD_EVENT_OFF) }
}

/// One event source and its closure. C has an unretained pointer to it: the source is disabled at its end, so that
/// no callback comes after it.
final class EventSource {
    var handle: OpaquePointer?
    private let handler: () -> Void

    init(_ handler: @escaping () -> Void) { self.handler = handler }

    deinit { sd_event_source_disable_unref(handle) }

    var opaque: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    func enable(_ state: Int) throws(SdError) {
        try Self.change(
            "sd_event_source_set_enabled", sd_event_source_set_enabled(handle, Int32(truncatingIfNeeded: state)))
    }

    /// Checks the result of a change. After the loop has ended (ESTALE), nothing has its turn any more, and what is wanted makes no
    /// difference: a program that ends may still send, which arms timers for answers.
    static func change(_ call: StaticString, _ result: Int32) throws(SdError) {
        if result != -ESTALE { try check(call, result) }
    }

    static func fire(_ userdata: UnsafeMutableRawPointer?) {
        guard let userdata else { return }
        // The handler may drop the last reference to its own source, so keep one while the handler runs.
        let source = Unmanaged<EventSource>.fromOpaque(userdata).takeUnretainedValue()
        withExtendedLifetime(source) { source.handler() }
    }
}
