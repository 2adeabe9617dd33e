import FlowCore
import FlowFile
import Platform

/// Times and time spans on the command line.
enum TypedTime {
    /// Returns a time span such as `5s`, in µs.
    static func span(_ text: String?) throws(Failure) -> UInt64? {
        guard let text else { return nil }
        do throws(ArgumentText.InvalidValue) {
            return try ArgumentText.microseconds(of: text)
        } catch {
            throw Failure(.badValue, error.text)
        }
    }

    /// Returns a time such as `2026-11-21 12:00:01`, `12:00`, `today` or `5min ago`, in µs since 1970 (UTC).
    static func time(_ text: String, now: UInt64 = RealtimeClock.now) throws(Failure) -> UInt64 {
        let day: UInt64 = 24 * 60 * 60 * 1_000_000
        switch text {
        case "now": return now
        case "today": return midnight(now)
        case "yesterday": return midnight(midnight(now) - day / 2)
        default: break
        }
        if text.hasSuffix(" ago"), let span = try? ArgumentText.microseconds(of: String(text.dropLast(4))) {
            return now - min(now, span)
        }
        if let time = clock(text, now) { return time }
        throw Failure(
            .badValue,
            "'\(Names.escaped(text))' is no time; write it as '2026-11-21 12:00:01', '2026-11-21', '12:00', 'today', 'yesterday' "
                + "or '5min ago', and a serial as '17'")
    }

    private static func midnight(_ time: UInt64) -> UInt64 {
        var local = LocalTime(time)
        (local.hour, local.minute, local.second) = (0, 0, 0)
        return local.time ?? time
    }

    /// Returns a day, a time of today, or both.
    private static func clock(_ text: String, _ now: UInt64) -> UInt64? {
        let parts = text.split(separator: text.contains("T") ? "T" : " ", omittingEmptySubsequences: false)
        var local = LocalTime(midnight(now))
        var rest = parts[...]
        if let day = rest.first.flatMap({ numbers($0, separator: "-") }), day.count == 3 {
            (local.year, local.month, local.day) = (day[0], day[1], day[2])
            rest.removeFirst()
        }
        if let clock = rest.first.flatMap({ numbers($0, separator: ":") }), (2...3).contains(clock.count) {
            (local.hour, local.minute, local.second) = (clock[0], clock[1], clock.count == 3 ? clock[2] : 0)
            rest.removeFirst()
        }
        return rest.isEmpty ? local.time : nil
    }

    private static func numbers(_ text: Substring, separator: Character) -> [Int]? {
        let parts = text.split(separator: separator, omittingEmptySubsequences: false)
        let numbers = parts.compactMap { part in
            part.allSatisfy { $0.isASCII && $0.isNumber } && part.count <= 4 ? Int(part) : nil
        }
        return numbers.count == parts.count && numbers.count > 1 ? numbers : nil
    }
}
