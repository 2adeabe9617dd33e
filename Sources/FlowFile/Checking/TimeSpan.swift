import FlowCore

/// Time spans in the format of systemd, for instance `1min 30s`.
///
/// Source: systemd.time(7), "Parsing Time Spans". Unlike there, a number needs a unit, as it could mean milliseconds or
/// seconds.
enum TimeSpan {
    /// The longest allowed time span, which depends on its use.
    enum Maximum {
        /// For periodic events.
        case thirtyDays
        /// For waiting callers.
        case oneHour

        /// In µs.
        var microseconds: UInt64 {
            switch self {
            case .thirtyDays: 30 * 24 * 60 * 60 * second
            case .oneHour: Limits.answerTimeouts.upperBound
            }
        }

        fileprivate var rule: String {
            switch self {
            case .thirtyDays: "at most 30 days are allowed"
            case .oneHour: "at most 1 hour is allowed"
            }
        }
    }

    private static let second: UInt64 = 1_000_000
    private static let rule =
        "it has to be whole numbers with units, such as '250ms', '60s', '5min', '2h' or '1min 30s'"

    /// The shortest allowed time span, in µs. Periodic events have to leave time for other work, and callees need time
    /// to answer.
    static let shortest: UInt64 = 10_000

    /// Returns the time in µs: at least ``shortest``, at most the longest.
    static func microseconds(
        _ text: String, atMost maximum: Maximum = .thirtyDays
    ) throws(Literal.InvalidValue) -> UInt64 {
        let quoted = Text.quoted(text)
        let tooLong = Literal.InvalidValue("\(quoted) is too long; \(maximum.rule)")
        let maximum = maximum.microseconds
        var sum: UInt64 = 0
        var rest = text.drop { $0 == " " }
        guard !rest.isEmpty else { throw Literal.InvalidValue("\(quoted) is no time span; \(rule)") }
        while !rest.isEmpty {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            rest = rest.dropFirst(digits.count).drop { $0 == " " }
            let word = rest.prefix { $0.isLetter }
            if !digits.isEmpty, word.isEmpty, rest.first?.isNumber ?? true {
                throw Literal.InvalidValue("the number \(Text.quoted(String(digits))) has no unit; \(rule)")
            }
            guard !digits.isEmpty, !word.isEmpty else {
                throw Literal.InvalidValue("\(quoted) is no time span; \(rule)")
            }
            guard let unit = unit(String(word)) else {
                let units = Text.list(["us", "ms", "s", "min", "h", "d", "w"], "or")
                throw Literal.InvalidValue("\(Text.quoted(String(word))) is no unit of time; it has to be \(units)")
            }
            rest = rest.dropFirst(word.count).drop { $0 == " " }
            // Digits fail to convert only if there are too many.
            guard let count = UInt64(digits) else { throw tooLong }
            let (part, isHuge) = count.multipliedReportingOverflow(by: unit)
            guard !isHuge, part <= maximum else { throw tooLong }
            sum += part
            guard sum <= maximum else { throw tooLong }
        }
        guard sum >= shortest else { throw Literal.InvalidValue("\(quoted) is too short; it has to be at least 10ms") }
        return sum
    }

    /// Returns a unit in µs. Months and years are recognized, but too long.
    private static func unit(_ word: String) -> UInt64? {
        switch word {
        case "usec", "us", "\u{B5}s", "\u{3BC}s": 1
        case "msec", "ms": 1_000
        case "seconds", "second", "sec", "s": second
        case "minutes", "minute", "min", "m": 60 * second
        case "hours", "hour", "hr", "h": 60 * 60 * second
        case "days", "day", "d": 24 * 60 * 60 * second
        case "weeks", "week", "w": 7 * 24 * 60 * 60 * second
        case "months", "month", "M": 2_629_800 * second
        case "years", "year", "y": 31_557_600 * second
        default: nil
        }
    }
}
