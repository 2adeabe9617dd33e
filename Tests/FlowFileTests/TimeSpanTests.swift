import Testing

import FlowCore

@Suite("TimeSpan")
struct TimeSpanTests {
    private struct Failure: Error, Equatable {
        let text: String

        init(_ text: String) { self.text = text }
    }

    private func convert(_ text: String, in range: ClosedRange<UInt64> = TimeSpan.usual) -> Result<UInt64, Failure> {
        do throws(TimeSpan.Invalid) {
            return .success(try TimeSpan.microseconds(text, in: range))
        } catch {
            return .failure(Failure(error.text))
        }
    }

    private static let spans: [(String, UInt64)] = [
        ("10000us", 10_000), ("20000usec", 20_000), ("30000\u{B5}s", 30_000), ("40000\u{3BC}s", 40_000),
        ("250ms", 250_000), ("10msec", 10_000),
        ("60s", 60_000_000), ("1sec", 1_000_000), ("1second", 1_000_000), ("2seconds", 2_000_000),
        ("5min", 300_000_000), ("1m", 60_000_000), ("1minute", 60_000_000), ("2minutes", 120_000_000),
        ("2h", 7_200_000_000), ("48hr", 172_800_000_000), ("1hour", 3_600_000_000), ("2hours", 7_200_000_000),
        ("1d", 86_400_000_000), ("1day", 86_400_000_000), ("2days", 172_800_000_000), ("1w", 604_800_000_000),
        ("1week", 604_800_000_000), ("2weeks", 1_209_600_000_000), ("1min 30s", 90_000_000), ("1min30s", 90_000_000),
        (" 2  h ", 7_200_000_000), ("300ms20s 1day", 86_420_300_000), ("1s 1s", 2_000_000), ("0h 9ms 1000us", 10_000),
        ("007s", 7_000_000), ("30d", 2_592_000_000_000), ("4w 2d", 2_592_000_000_000),
    ]

    @Test(arguments: spans)
    func `what systemd writes and reads`(text: String, microseconds: UInt64) {
        #expect(convert(text) == .success(microseconds))
    }

    @Test(arguments: [
        "30d 1us", "31d", "1month", "1M", "1y", "2years", "12months", "1year", "2592000001ms",
        "18446744073709551615us", "18446744073709551616us", "18446744073709551615h", "99999999999999999999999999s",
    ])
    func `too long`(text: String) {
        #expect(convert(text) == .failure(Failure("'\(text)' is too long; at most 30 days are allowed")))
    }

    @Test func `too long for waiting callers, and too short for timers`() {
        #expect(convert("1h", in: TimeSpan.ofCallers) == .success(3_600_000_000))
        #expect(
            convert("1h 1us", in: TimeSpan.ofCallers)
                == .failure(Failure("'1h 1us' is too long; at most 1 hour is allowed")))
        #expect(convert("1s", in: TimeSpan.ofTimers) == .success(1_000_000))
        #expect(
            convert("999ms", in: TimeSpan.ofTimers)
                == .failure(Failure("'999ms' is too short; it has to be at least 1s")))
        #expect(convert("0s", in: 0...TimeSpan.usual.upperBound) == .success(0))
    }

    @Test(arguments: ["0s", "0h 0min", "0ms"])
    func `no time at all`(text: String) {
        #expect(convert(text) == .failure(Failure("'\(text)' is too short; it has to be at least 10ms")))
    }

    private static let rule =
        "it has to be whole numbers with units, such as '250ms', '60s', '5min', '2h' or '1min 30s'"

    @Test(arguments: ["", " ", "s", "min 5", "-5s", "+5s", "1.5h", "1,5h", "1_000ms", "infinity", "5 s.", "٥s"])
    func `no time spans`(text: String) {
        #expect(convert(text) == .failure(Failure("'\(text)' is no time span; \(Self.rule)")))
    }

    @Test(arguments: [("60", "60"), ("1min 30", "30"), ("1 2s", "1"), ("0", "0")])
    func `numbers without a unit`(text: String, number: String) {
        #expect(convert(text) == .failure(Failure("the number '\(number)' has no unit; \(Self.rule)")))
    }

    @Test(arguments: [("5mn", "mn"), ("1min 5S", "S"), ("5ns", "ns"), ("5sé", "sé")])
    func `no units`(text: String, word: String) {
        let error = "'\(word)' is no unit of time; it has to be 'us', 'ms', 's', 'min', 'h', 'd' or 'w'"
        #expect(convert(text) == .failure(Failure(error)))
    }
}
