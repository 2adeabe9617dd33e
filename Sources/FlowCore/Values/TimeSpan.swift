/// Time spans as text, in the format of systemd, for instance `1min 30s`.
///
/// Source: systemd.time(7), "Parsing Time Spans". Unlike there, a number needs a unit, as it could mean milliseconds or
/// seconds.
public enum TimeSpan {
    /// What is wrong with a text.
    public struct Invalid: Error {
        /// What is wrong, and what would be right.
        public let text: String
    }

    private static let second: UInt64 = 1_000_000
    private static let day = 24 * 60 * 60 * second
    private static let rule =
        "it has to be whole numbers with units, such as '250ms', '60s', '5min', '2h' or '1min 30s'"

    /// Times after which something happens, in µs: at least 10 ms, as periodic events have to leave time for other work and
    /// callees need time to answer, and at most 30 days.
    public static let usual: ClosedRange<UInt64> = 10_000...30 * day
    /// Those of timers (S-55), in µs.
    public static let ofTimers: ClosedRange<UInt64> = second...30 * day
    /// For how long callers wait, in µs.
    public static let ofCallers: ClosedRange<UInt64> = 10_000...Limits.answerTimeouts.upperBound

    /// The value of the context that stands for no time at all (S-55).
    public static let never = "never"

    /// Returns the time in µs.
    ///
    /// - Parameter range: the times that are allowed; from 0 on, also `0s` is.
    public static func microseconds(
        _ text: String, in range: ClosedRange<UInt64> = usual
    ) throws(Invalid) -> UInt64 {
        let quoted = "'\(Names.escaped(text))'"
        let longest = self.text(range.upperBound)
        let tooLong = Invalid(text: "\(quoted) is too long; at most \(longest) allowed")
        var sum: UInt64 = 0
        var rest = text.drop { $0 == " " }
        guard !rest.isEmpty else { throw Invalid(text: "\(quoted) is no time span; \(rule)") }
        while !rest.isEmpty {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            rest = rest.dropFirst(digits.count).drop { $0 == " " }
            let word = rest.prefix { $0.isLetter }
            if !digits.isEmpty, word.isEmpty, rest.first?.isNumber ?? true {
                throw Invalid(text: "the number '\(digits)' has no unit; \(rule)")
            }
            guard !digits.isEmpty, !word.isEmpty else { throw Invalid(text: "\(quoted) is no time span; \(rule)") }
            guard let unit = unit(String(word)) else {
                throw Invalid(
                    text: "'\(Names.escaped(String(word)))' is no unit of time; it has to be "
                        + Names.list(["us", "ms", "s", "min", "h", "d", "w"], "or"))
            }
            rest = rest.dropFirst(word.count).drop { $0 == " " }
            // Digits fail to convert only if there are too many.
            guard let count = UInt64(digits) else { throw tooLong }
            let (part, isHuge) = count.multipliedReportingOverflow(by: unit)
            guard !isHuge, part <= range.upperBound else { throw tooLong }
            sum += part
            guard sum <= range.upperBound else { throw tooLong }
        }
        guard sum >= range.lowerBound else {
            let shortest =
                range.lowerBound >= second ? "\(range.lowerBound / second)s" : "\(range.lowerBound / 1_000)ms"
            throw Invalid(text: "\(quoted) is too short; it has to be at least \(shortest)")
        }
        return sum
    }

    private static func text(_ time: UInt64) -> String {
        time >= day ? "\(time / day) days are" : "\(time / (60 * 60 * second)) hour is"
    }

    /// Returns a unit in µs. Months and years are recognized, but too long.
    private static func unit(_ word: String) -> UInt64? {
        switch word {
        case "usec", "us", "\u{B5}s", "\u{3BC}s": 1
        case "msec", "ms": 1_000
        case "seconds", "second", "sec", "s": second
        case "minutes", "minute", "min", "m": 60 * second
        case "hours", "hour", "hr", "h": 60 * 60 * second
        case "days", "day", "d": day
        case "weeks", "week", "w": 7 * day
        case "months", "month", "M": 2_629_800 * second
        case "years", "year", "y": 31_557_600 * second
        default: nil
        }
    }
}
