internal import Glibc

/// Other processes, by proc(5).
public enum Processes {
    /// The processes that this one descends from, the nearest first, as far as they can be seen.
    public static var ancestors: [Int32] {
        var found: [Int32] = []
        var next = getppid()
        while next > 0, found.count < 64 {
            found.append(next)
            guard let stat = try? InputFile.text(of: "/proc/\(next)/stat"), let name = stat.lastIndex(of: ")") else {
                break
            }
            // After the name: the state, and the parent.
            let fields = stat[name...].split(separator: " ")
            next = fields.count > 2 ? Int32(fields[2]) ?? 0 : 0
        }
        return found
    }

    /// Whether a process is in a container or in a sandbox of Flatpak; also if it can't be looked at.
    public static func isConfined(_ process: Int32) -> Bool {
        var (own, other) = (stat(), stat())
        guard stat("/proc/self/ns/pid", &own) == 0, stat("/proc/\(process)/ns/pid", &other) == 0 else { return true }
        return own.st_ino != other.st_ino || access("/proc/\(process)/root/.flatpak-info", F_OK) == 0
    }

    /// The name of a process's program as in `/proc/PID/comm`; nil if it can't be seen.
    public static func command(of process: Int32) -> String? {
        (try? InputFile.text(of: "/proc/\(process)/comm")).map { String($0.prefix { $0 != "\n" }) }
    }

    /// Whether a signal such as SIGSTOP, or a debugger, has stopped a process; false if it can't be seen.
    public static func isStopped(_ process: Int32) -> Bool {
        guard let stat = try? InputFile.text(of: "/proc/\(process)/stat"), let name = stat.lastIndex(of: ")") else {
            return false
        }
        let state = stat[name...].split(separator: " ").dropFirst().first
        return state == "T" || state == "t"
    }

    /// The command line of a process, with the name of its program, where this user may see it.
    public static func arguments(of process: Int32) -> [String] { words("/proc/\(process)/cmdline") }

    /// The environment that a process was started with, where this user may see it.
    public static func environment(of process: Int32) -> [String: String] {
        let pairs = words("/proc/\(process)/environ").compactMap { word -> (String, String)? in
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
        }
        return Dictionary(pairs) { first, _ in first }
    }

    /// The working directory of a process, where this user may see it; readlink(2).
    public static func folder(of process: Int32) -> String? {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = readlink("/proc/\(process)/cwd", &bytes, bytes.count)
        return length > 0 ? String(decoding: bytes[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self) : nil
    }

    /// Each word of such a file ends with NUL.
    private static func words(_ file: String) -> [String] {
        ((try? InputFile.text(of: file)) ?? "").split(separator: "\0", omittingEmptySubsequences: false).dropLast()
            .map(String.init)
    }

    /// For a message to a person: when a process was started, in µs since 1970 (UTC); proc(5), `/proc/PID/stat`.
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
