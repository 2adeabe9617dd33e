import Glibc

/// As in `Sources/Store`, for machines that go down within one process.
public struct BootClock: Sendable {
    /// The id of a boot.
    public struct Boot: Equatable, Sendable {
        let high: UInt64
        let low: UInt64

        /// A boot id of these two numbers.
        public init(high: UInt64, low: UInt64) {
            self.high = high
            self.low = low
        }
    }

    /// The number of the boot.
    public nonisolated(unsafe) static var number: UInt64 = 1

    /// The id of this boot.
    public let boot: Boot
    /// The time since then, in µs.
    public let now: @Sendable () -> UInt64

    /// A clock with these values.
    public init(boot: Boot, now: @escaping @Sendable () -> UInt64) {
        self.boot = boot
        self.now = now
    }

    /// The clock of the simulated machine.
    public static var system: BootClock {
        BootClock(boot: Boot(high: 1, low: number)) {
            var time = timespec()
            clock_gettime(CLOCK_BOOTTIME, &time)
            return UInt64(clamping: time.tv_sec) * 1_000_000 + UInt64(clamping: time.tv_nsec / 1000)
        }
    }
}
