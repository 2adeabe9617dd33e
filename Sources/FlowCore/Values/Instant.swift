/// A time. Each event comes with one, because the core has no clock. Any clock that never goes back is suitable.
public struct Instant: Comparable, Hashable, Sendable {
    /// The time since a fixed start, in µs.
    public let microseconds: UInt64

    /// Creates the time that is this many µs after the start.
    public init(microseconds: UInt64) { self.microseconds = microseconds }

    /// Returns the time that is this many µs later, or the greatest one.
    func advanced(by microseconds: UInt64) -> Instant {
        let (sum, overflows) = self.microseconds.addingReportingOverflow(microseconds)
        return Instant(microseconds: overflows ? .max : sum)
    }

    /// Orders times, the earlier one first.
    public static func < (one: Instant, other: Instant) -> Bool { one.microseconds < other.microseconds }
}
