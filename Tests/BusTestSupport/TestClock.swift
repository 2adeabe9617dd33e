import Synchronization

/// A clock that a test sets: the time since a start of the machine, and the number of that start.
package final class TestClock: Sendable {
    private let time: Mutex<UInt64>
    private let start = Mutex<UInt64>(1)

    /// Creates a clock.
    package init(now: UInt64) { time = Mutex(now) }

    /// The time in µs.
    package var now: UInt64 {
        get { time.withLock { $0 } }
        set { time.withLock { $0 = newValue } }
    }
    /// The number of the machine's start.
    package var boot: UInt64 {
        get { start.withLock { $0 } }
        set { start.withLock { $0 = newValue } }
    }
}
