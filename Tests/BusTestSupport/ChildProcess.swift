import Foundation
import Glibc

/// A program that a test started. No signal is blocked or ignored in it, whatever the test's process does; its output
/// is collected; it is killed when its last reference goes.
public final class ChildProcess {
    /// How a program ended.
    public enum Exit: Equatable, Sendable {
        /// By itself, with this status.
        case status(Int32)
        /// By this signal.
        case signal(Int32)
    }

    /// Standard output or standard error.
    public enum Stream: Sendable {
        /// Standard output.
        case output
        /// Standard error.
        case errors
    }

    /// The process id.
    public let processID: Int32
    private let name: String
    private let collected: ChildOutput

    /// Starts a program: a path, or a name that is looked up in `PATH`.
    ///
    /// - Parameters:
    ///   - program: the path or name.
    ///   - arguments: its arguments.
    ///   - environment: changes to the test's own environment; nil removes a variable. The variables of a service
    ///     manager (`NOTIFY_SOCKET` and the like) are always removed, unless they are set here.
    ///   - terminal: the terminal for its standard output; nil for a pipe.
    /// - Throws: ``TestFailure`` if it can't be started.
    public init(
        _ program: String, _ arguments: [String] = [], environment: [String: String?] = [:],
        terminal: PseudoTerminal? = nil
    ) throws {
        name = program
        collected = try ChildOutput()
        let output = try terminal?.ends() ?? Pipe()
        let errors = try Pipe()
        let result: Int32
        (result, processID) = Self.spawn(
            [program] + arguments, environment: Self.merged(environment), output: output.writeEnd,
            errors: errors.writeEnd)
        close(output.writeEnd)
        close(errors.writeEnd)
        guard result == 0 else {
            close(output.readEnd)
            close(errors.readEnd)
            throw TestFailure("\(program) doesn't start: errno \(result)")
        }
        collected.collect(output.readEnd, into: \.output)
        collected.collect(errors.readEnd, into: \.errors)
        collected.reap(processID)
    }

    deinit { collected.signal(SIGKILL, to: processID) }

    // MARK: Output

    /// Everything it has written to standard output.
    public var output: String { text(.output) }

    /// Everything it has written to standard error.
    public var errors: String { text(.errors) }

    /// Waits until it has written a complete line that matches, from the first line on.
    ///
    /// - Returns: the line without its end.
    /// - Throws: ``TestFailure`` with all output, if it ended without such a line or the time limit has passed.
    @discardableResult
    public func waitForLine(
        in stream: Stream = .output, within bound: Duration = failureBound, where matches: (String) -> Bool
    ) throws -> String {
        var seen = 0
        var found: String?
        try wait(within: bound, for: "a line in \(stream)") { state in
            let bytes = stream == .output ? state.output : state.errors
            while let end = bytes[seen...].firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: bytes[seen..<end], as: UTF8.self)
                seen = end + 1
                if matches(line) {
                    found = line
                    return true
                }
            }
            return state.openPipes == 0
        }
        guard let found else { throw failure("ended without the line that was waited for") }
        return found
    }

    // MARK: Its end

    /// How it ended; nil while it runs.
    public var exit: Exit? { collected.current.exit }

    /// Sends it a signal, unless it has ended.
    public func send(signal: Int32) { collected.signal(signal, to: processID) }

    /// Waits until it has ended and all its output has arrived.
    ///
    /// - Throws: ``TestFailure`` with all output, if the time limit has passed.
    @discardableResult
    public func waitForExit(within bound: Duration = failureBound) throws -> Exit {
        var exit: Exit?
        try wait(within: bound, for: "its end") { state in
            exit = state.exit
            return state.exit != nil && state.openPipes == 0
        }
        guard let exit else { throw failure("has no exit status") }
        return exit
    }

    /// Sends it SIGTERM and waits for its end.
    @discardableResult
    public func terminate(within bound: Duration = failureBound) throws -> Exit {
        send(signal: SIGTERM)
        return try waitForExit(within: bound)
    }

    // MARK: -

    private func text(_ stream: Stream) -> String {
        let state = collected.current
        return String(decoding: stream == .output ? state.output : state.errors, as: UTF8.self)
    }

    private func failure(_ what: String) -> TestFailure {
        let state = exit.map { "\($0)" } ?? "running"
        return TestFailure("\(name) (\(state)) \(what)\n--- output\n\(output)--- errors\n\(errors)---")
    }

    private func wait(within bound: Duration, for what: String, until done: (ChildOutput.State) -> Bool) throws {
        let deadline = Deadline(bound)
        while true {
            collected.clearNotifications()
            if done(collected.current) { return }
            guard !deadline.isOver else { throw failure("was waited for in vain: \(what)") }
            waitForInput([collected.newsDescriptor], until: deadline)
        }
    }

    private static func merged(_ changes: [String: String?]) -> [String] {
        var merged = ProcessInfo.processInfo.environment
        for name in ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "JOURNAL_STREAM", "INVOCATION_ID"] {
            merged[name] = nil
        }
        for (name, value) in changes { merged[name] = value }
        return merged.map { "\($0.key)=\($0.value)" }
    }

    private static func spawn(_ arguments: [String], environment: [String], output: Int32, errors: Int32) -> (
        result: Int32, process: pid_t
    ) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO)

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        var all = sigset_t()
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        var process: pid_t = 0
        let result = withStringArray(arguments) { argv in
            withStringArray(environment) { envp in
                Pipe.whileNoneIsHalfMade { posix_spawnp(&process, arguments[0], &actions, &attributes, argv, envp) }
            }
        }
        return (result, process)
    }
}

/// Provides a NULL-terminated `char **` for the length of a call.
private func withStringArray<Result>(
    _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
    let array = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: strings.count + 1)
    array.initialize(repeating: nil, count: strings.count + 1)
    for (index, string) in strings.enumerated() { array[index] = strdup(string) }
    defer {
        for index in strings.indices { free(array[index]) }
        array.deallocate()
    }
    return body(array)
}
