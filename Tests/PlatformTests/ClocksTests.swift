import Platform
import Testing

@Suite("Clocks and local time")
struct ClocksTests {
    @Test func `clocks run in microseconds`() {
        let first = MonotonicClock.now
        #expect(MonotonicClock.now >= first)
        // Between 2020 and 2100: neither seconds nor nanoseconds.
        #expect((1_577_836_800_000_000..<4_102_444_800_000_000).contains(RealtimeClock.now))
    }

    @Test func `a local time is read and written`() {
        let now = RealtimeClock.now / 1_000_000 * 1_000_000
        #expect(LocalTime(now).time == now)
        var time = LocalTime(now)
        (time.year, time.month, time.day, time.hour, time.minute, time.second) = (2026, 1, 2, 3, 4, 5)
        #expect(time.text == "2026-01-02 03:04:05")
        time.day = 32
        #expect(time.time == nil)
    }
}
