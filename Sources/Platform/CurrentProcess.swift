internal import Glibc

/// This process.
public enum CurrentProcess {
    /// Its number; getpid(2).
    public static var id: Int32 { getpid() }

    /// The user it acts for; geteuid(2).
    public static var effectiveUserID: UInt32 { geteuid() }

    /// Its command line, with the name of the program; proc(5), `/proc/PID/cmdline`.
    ///
    /// `CommandLine.arguments` has it from there, too, but is empty where that file can't be read: a program would do what it
    /// does without arguments.
    public static func arguments() throws(SystemError) -> [String] {
        let text = try InputFile.text(of: "/proc/self/cmdline")
        // Each argument ends with NUL.
        return text.split(separator: "\0", omittingEmptySubsequences: false).dropLast().map(String.init)
    }

    /// Ends it; exit(3).
    public static func exit(_ code: Int32) -> Never { Glibc.exit(code) }

    /// Ends it after this time with status 0 and without a message: for a program that somebody waits for at a keyboard.
    /// alarm(2).
    public static func exitQuietly(afterSeconds seconds: UInt32) {
        _ = Glibc.signal(SIGALRM) { _ in _exit(0) }
        alarm(seconds)
    }
}
