internal import Glibc

/// CLOCK_MONOTONIC, which nobody can set; clock_gettime(2).
public enum MonotonicClock {
    /// Now, in µs.
    public static var now: UInt64 { microseconds(CLOCK_MONOTONIC) }
}

/// CLOCK_REALTIME: the time of day; clock_gettime(2).
public enum RealtimeClock {
    /// Now, in µs since 1970 (UTC).
    public static var now: UInt64 { microseconds(CLOCK_REALTIME) }
}

private func microseconds(_ clock: clockid_t) -> UInt64 {
    var time = timespec()
    // It can't fail for these two clocks and a valid pointer.
    clock_gettime(clock, &time)
    return UInt64(clamping: time.tv_sec) * 1_000_000 + UInt64(clamping: time.tv_nsec / 1000)
}
