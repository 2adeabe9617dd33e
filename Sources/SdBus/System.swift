// What a service needs of the C library, so that it calls no C itself.

import Glibc

/// CLOCK_MONOTONIC: time since some start, which nobody sets back; clock_gettime(2).
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

/// The environment's variables; environ(7).
public enum Environment {
    /// A variable's value; nil if it is not set.
    public static func value(of name: String) -> String? { getenv(name).map { String(cString: $0) } }

    /// All of them. An entry without `=` is no variable.
    public static var all: [String: String] {
        var all: [String: String] = [:]
        var entry = environ
        while let text = entry.pointee {
            let parts = String(cString: text).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { all[String(parts[0])] = String(parts[1]) }
            entry += 1
        }
        return all
    }
}

/// This process.
public enum CurrentProcess {
    /// Its number; getpid(2).
    public static var id: Int32 { getpid() }

    /// The user it acts for; geteuid(2).
    public static var effectiveUserID: UInt32 { geteuid() }

    /// Ends it; exit(3).
    public static func exit(_ code: Int32) -> Never { Glibc.exit(code) }
}

/// Standard error.
public enum StandardError {
    /// Writes a line in one piece; what can't be written is lost, as there is nobody left to tell. write(2).
    public static func writeLine(_ line: String) { write(line, to: STDERR_FILENO) }
}

/// Standard output.
public enum StandardOutput {
    /// Writes a line in one piece, unbuffered; what can't be written is lost. write(2).
    public static func writeLine(_ line: String) { write(line, to: STDOUT_FILENO) }
}

private func write(_ line: String, to descriptor: Int32) {
    var line = line + "\n"
    line.withUTF8 { buffer in
        var rest = UnsafeRawBufferPointer(buffer)
        while let start = rest.baseAddress, !rest.isEmpty {
            let written = Glibc.write(descriptor, start, rest.count)
            if written < 0 && errno == EINTR { continue }
            guard written > 0 else { return }
            rest = UnsafeRawBufferPointer(rebasing: rest[written...])
        }
    }
}
