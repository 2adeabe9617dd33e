internal import Glibc

/// Standard error.
public enum StandardError {
    /// Writes a line of a log in one piece, unless that would block: a reader that has stopped must not stop a service.
    /// A line that can't be written is lost. poll(2), write(2).
    public static func log(_ line: String) {
        var descriptor = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
        guard poll(&descriptor, 1, 0) == 1, descriptor.revents & Int16(POLLOUT) != 0 else { return }
        // A pipe that is writable takes this much for sure, and no more (pipe(7), PIPE_BUF).
        let text = line.utf8.count < 4096 ? line : String(decoding: line.utf8.prefix(4092), as: UTF8.self)
        _ = writeAll(text + "\n", to: STDERR_FILENO)
    }

    /// Writes a line in one piece. A failure is ignored: there is nowhere to report it. write(2).
    public static func writeLine(_ line: String) { _ = writeAll(line + "\n", to: STDERR_FILENO) }
}

/// Standard output.
public enum StandardOutput {
    /// Writes a line in one piece, unbuffered. A failure is ignored. write(2).
    public static func writeLine(_ line: String) { _ = writeAll(line + "\n", to: STDOUT_FILENO) }

    /// Writes a text, unbuffered; write(2).
    public static func write(_ text: String) throws(SystemError) {
        guard writeAll(text, to: STDOUT_FILENO) else { throw SystemError("write", errno: errno) }
    }
}
