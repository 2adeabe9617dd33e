import Glibc

/// The time since the boot of the machine, including sleep, which nobody can set (CLOCK_BOOTTIME, clock_gettime(2)).
///
/// The days of the history are counted by it (D-10): the time of day is wrong on a machine without a battery until
/// somebody sets it, and sometimes on others.
public struct BootClock: Sendable {
    /// The id of a boot (random(4), boot_id); zeros if it is not known.
    public struct Boot: Equatable, Sendable {
        let high: UInt64
        let low: UInt64

        /// A boot id of these two numbers.
        public init(high: UInt64, low: UInt64) {
            self.high = high
            self.low = low
        }
    }

    /// The id of this boot.
    public let boot: Boot
    /// The time since then, in µs.
    public let now: @Sendable () -> UInt64

    /// A clock with these values.
    public init(boot: Boot, now: @escaping @Sendable () -> UInt64) {
        self.boot = boot
        self.now = now
    }

    /// The clock of the machine.
    public static let system = BootClock(boot: kernelBoot) {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return UInt64(clamping: time.tv_sec) * 1_000_000 + UInt64(clamping: time.tv_nsec / 1000)
    }

    private static let kernelBoot: Boot = {
        var text = [UInt8](repeating: 0, count: 64)
        let descriptor = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return Boot(high: 0, low: 0) }
        defer { close(descriptor) }
        let count = max(0, read(descriptor, &text, text.count))
        let digits = text[..<count].compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        guard digits.count == 32 else { return Boot(high: 0, low: 0) }
        func number(_ digits: ArraySlice<Int>) -> UInt64 { digits.reduce(0) { $0 << 4 | UInt64($1) } }
        return Boot(high: number(digits[..<16]), low: number(digits[16...]))
    }()
}
