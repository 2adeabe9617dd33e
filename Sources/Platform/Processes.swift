internal import Glibc

/// Other processes, by /proc: for a message to a person, never for a decision.
public enum Processes {
    /// When a process was started, in µs since 1970 (UTC); proc(5), `/proc/PID/stat`.
    public static func startTime(of process: Int32) -> UInt64? {
        guard let stat = try? InputFile.text(of: "/proc/\(process)/stat"),
            // The name is in parentheses, and may contain some itself.
            let name = stat.lastIndex(of: ")"),
            let machine = try? InputFile.text(of: "/proc/stat"),
            let bootLine = machine.split(separator: "\n").first(where: { $0.hasPrefix("btime ") }),
            let boot = UInt64(bootLine.dropFirst(6))
        else { return nil }
        // Field 22; the first one after the name is field 3.
        let fields = stat[name...].split(separator: " ").dropFirst()
        guard fields.count > 19, let ticks = UInt64(fields[fields.startIndex + 19]) else { return nil }
        let perSecond = UInt64(clamping: sysconf(Int32(_SC_CLK_TCK)))
        guard perSecond > 0 else { return nil }
        return boot * 1_000_000 + ticks * 1_000_000 / perSecond
    }
}
