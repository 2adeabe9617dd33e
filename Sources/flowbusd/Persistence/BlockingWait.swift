import Platform
import SdBus

/// Waits while the daemon's own loop does not run: before it serves, and while there is no bus. The signals that end the daemon
/// end this, too. For one wait, which any event may end by ``end()``.
final class BlockingWait {
    /// How a wait ended.
    enum EndReason: Int32 {
        /// By ``BlockingWait/end()``.
        case ended
        /// The time is over.
        case over
        /// By a signal.
        case terminated
    }

    /// The loop in which it waits.
    let loop: EventLoop
    /// Whether to end when the time is over, rather than to wait on without limit.
    var isOver: () -> Bool = { true }
    private var timer: Timer?

    init() throws(SdError) {
        loop = try EventLoop()
        timer = try loop.timer { [unowned self] in if isOver() { exit(.over) } }
        for signal in [UnixSignal.terminate, .interrupt] {
            try loop.onSignal(signal) { [unowned self] in exit(.terminated) }
        }
    }

    /// Waits, at most for a time in µs.
    func wait(atMost time: UInt64) throws(SdError) -> EndReason {
        try timer?.arm(at: MonotonicClock.now + time)
        return EndReason(rawValue: try loop.run()) ?? .over
    }

    /// Ends the wait.
    func end() { exit(.ended) }

    private func exit(_ outcome: EndReason) {
        do {
            try loop.exit(outcome.rawValue)
        } catch {
            preconditionFailure("a loop that runs: \(error)")
        }
    }
}
