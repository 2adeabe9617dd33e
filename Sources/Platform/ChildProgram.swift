internal import Glibc

/// Runs programs that read a text; posix_spawnp(3).
public enum ChildProgram {
    /// How a program ended.
    public enum Exit: Equatable, Sendable {
        /// By itself, with this status.
        case status(Int32)
        /// By this signal.
        case signal(Int32)
    }

    /// Runs a program from `PATH` with a text as its standard input, and waits for its end. It inherits the other standard
    /// streams.
    ///
    /// - Throws: ``SystemError``: ENOENT if there is no such program, else the reason why it can't be run.
    public static func run(
        _ program: String, _ arguments: [String] = [], input: String
    ) throws(SystemError) -> Exit {
        // A file without a name rather than a pipe, which would have to be written while the program reads. tmpfile(3).
        guard let stream = tmpfile() else { throw SystemError("tmpfile", errno: errno) }
        defer { fclose(stream) }
        let file = fileno(stream)
        guard writeAll(input, to: file) else { throw SystemError("write", errno: errno) }
        guard lseek(file, 0, SEEK_SET) == 0 else { throw SystemError("lseek", errno: errno) }
        return try wait(for: spawn([program] + arguments, input: file))
    }

    /// Runs a program from `PATH` without input, and returns what it writes to its standard output; what it says on standard
    /// error is lost. It is killed when the time is over, or when it
    /// has closed its output.
    ///
    /// - Parameter time: the time limit, in µs.
    /// - Returns: the text; nil if there is no such program, if it takes longer, or if it writes more than 64 KiB.
    public static func output(of words: [String], within time: UInt64) -> String? {
        let null = open("/dev/null", O_RDWR | O_CLOEXEC)
        var ends: [Int32] = [-1, -1]
        guard null >= 0 else { return nil }
        defer { close(null) }
        guard pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[0]) }
        let process = try? spawn(words, input: null, output: ends[1], errors: null)
        close(ends[1])
        guard let process else { return nil }
        let end = MonotonicClock.now + time
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        var isWhole = false
        while !isWhole, bytes.count < 64 * 1024 {
            let now = MonotonicClock.now
            var waiting = pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0)
            let ready = now < end ? poll(&waiting, 1, Int32(clamping: (end - now) / 1000 + 1)) : 0
            if ready < 0 && errno == EINTR { continue }
            guard ready > 0 else { break }
            let count = read(ends[0], &chunk, chunk.count)
            if count < 0 && errno == EINTR { continue }
            if count > 0 { bytes += chunk[..<count] } else { isWhole = true }
        }
        // One that has closed its output has said all, and could go on for ever.
        kill(process, SIGKILL)
        _ = try? wait(for: process)
        return isWhole ? String(decoding: bytes, as: UTF8.self) : nil
    }

    private static func spawn(
        _ words: [String], input: Int32, output: Int32? = nil, errors: Int32? = nil
    ) throws(SystemError) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        if let output { posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO) }
        if let errors { posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO) }
        // The program starts with no signal blocked or ignored, whatever this process does.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        var list = words.map { strdup($0) }
        defer { for word in list { free(word) } }
        list.append(nil)
        var process = pid_t()
        let result = posix_spawnp(&process, words[0], &actions, &attributes, list, environ)
        guard result == 0 else { throw SystemError("posix_spawnp", errno: result) }
        return process
    }

    private static func wait(for process: pid_t) throws(SystemError) -> Exit {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 {
            guard errno == EINTR else { throw SystemError("waitpid", errno: errno) }
        }
        // WIFEXITED, WEXITSTATUS and WTERMSIG, which are macros; waitpid(2).
        let signal = status & 0x7f
        return signal == 0 ? .status((status >> 8) & 0xff) : .signal(signal)
    }
}
