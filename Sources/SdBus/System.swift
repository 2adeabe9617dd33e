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

    /// Has it end with status 0, without a word, when it is not done by then: for what somebody waits for at a keyboard.
    /// alarm(2).
    public static func exitQuietly(afterSeconds seconds: UInt32) {
        _ = Glibc.signal(SIGALRM) { _ in _exit(0) }
        alarm(seconds)
    }
}

/// Standard error.
public enum StandardError {
    /// Writes a line of a log in one piece, if it can be written without waiting: a reader that stands still shall not
    /// stop a service. What can't be written is lost. poll(2), write(2).
    public static func log(_ line: String) {
        var descriptor = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
        guard poll(&descriptor, 1, 0) == 1, descriptor.revents & Int16(POLLOUT) != 0 else { return }
        // A pipe that can take anything can take this much, and not more for sure (pipe(7), PIPE_BUF).
        let text = line.utf8.count < 4096 ? line : String(decoding: line.utf8.prefix(4092), as: UTF8.self)
        _ = writeAll(text + "\n", to: STDERR_FILENO)
    }

    /// Writes a line in one piece; what can't be written is lost, as there is nobody left to tell. write(2).
    public static func writeLine(_ line: String) { _ = writeAll(line + "\n", to: STDERR_FILENO) }
}

/// Standard output.
public enum StandardOutput {
    /// Writes a line in one piece, unbuffered; what can't be written is lost. write(2).
    public static func writeLine(_ line: String) { _ = writeAll(line + "\n", to: STDOUT_FILENO) }

    /// Writes a text, unbuffered; write(2).
    public static func write(_ text: String) throws(SdError) {
        guard writeAll(text, to: STDOUT_FILENO) else { throw SdError("write", errno: errno) }
    }
}
