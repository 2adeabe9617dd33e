import Platform
import SdBus

/// Waits where the daemon's own loop does not run: before it serves, and while there is no bus. What ends the daemon ends
/// this, too. For one wait; it can be for several things, each of which says so by ``end()``.
final class Waiting {
    /// How a wait ended.
    enum Outcome: Int32 {
        /// By ``Waiting/end()``.
        case ended
        /// The time is over.
        case over
        /// The process was told to end.
        case terminated
    }

    /// The loop in which it waits.
    let loop: EventLoop
    /// Asked when the time is over: false, and it waits on, for as long as it takes.
    var isOver: () -> Bool = { true }
    private var timer: Timer?

    init() throws(SdError) {
        loop = try EventLoop()
        timer = try loop.timer { [unowned self] in if isOver() { exit(.over) } }
        for signal in [Signal.terminate, .interrupt] {
            try loop.onSignal(signal) { [unowned self] in exit(.terminated) }
        }
    }

    /// Waits so many µs at the most.
    func wait(atMost time: UInt64) throws(SdError) -> Outcome {
        try timer?.arm(at: MonotonicClock.now + time)
        return Outcome(rawValue: try loop.run()) ?? .over
    }

    /// What was waited for is there.
    func end() { exit(.ended) }

    private func exit(_ outcome: Outcome) {
        do {
            try loop.exit(outcome.rawValue)
        } catch {
            preconditionFailure("a loop that runs: \(error)")
        }
    }
}
