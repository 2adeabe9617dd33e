internal import Glibc

/// A time of the day in the user's time zone.
public struct LocalTime: Equatable, Sendable {
    /// The date: years of the common era, months and days from 1.
    public var year: Int, month: Int, day: Int
    /// The time, on a 24-hour clock.
    public var hour: Int, minute: Int, second: Int

    /// The local time at a time in µs since 1970 (UTC); localtime_r(3).
    public init(_ time: UInt64) {
        var seconds = time_t(clamping: time / 1_000_000)
        var parts = tm()
        localtime_r(&seconds, &parts)
        (year, month, day) = (Int(parts.tm_year) + 1900, Int(parts.tm_mon) + 1, Int(parts.tm_mday))
        (hour, minute, second) = (Int(parts.tm_hour), Int(parts.tm_min), Int(parts.tm_sec))
    }

    /// In µs since 1970 (UTC); nil where there is no such day or time. mktime(3).
    public var time: UInt64? {
        var parts = tm()
        (parts.tm_year, parts.tm_mon) = (Int32(clamping: year - 1900), Int32(clamping: month - 1))
        (parts.tm_mday, parts.tm_hour) = (Int32(clamping: day), Int32(clamping: hour))
        (parts.tm_min, parts.tm_sec) = (Int32(clamping: minute), Int32(clamping: second))
        parts.tm_isdst = -1
        let result = mktime(&parts)
        // mktime reads January 32nd as February 1st.
        guard result >= 0, parts.tm_mday == Int32(clamping: day), parts.tm_mon == Int32(clamping: month - 1),
            (0..<24).contains(hour), (0..<60).contains(minute), (0..<60).contains(second)
        else { return nil }
        return UInt64(result) * 1_000_000
    }

    /// "2026-11-21 12:00:01"
    public var text: String {
        "\(year)-\(Self.padded(month))-\(Self.padded(day)) "
            + "\(Self.padded(hour)):\(Self.padded(minute)):\(Self.padded(second))"
    }

    private static func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
