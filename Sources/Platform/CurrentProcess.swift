internal import Glibc

/// This process.
public enum CurrentProcess {
    /// Its number; getpid(2).
    public static var id: Int32 { getpid() }

    /// The user it acts for; geteuid(2).
    public static var effectiveUserID: UInt32 { geteuid() }

    /// Ends it; exit(3).
    public static func exit(_ code: Int32) -> Never { Glibc.exit(code) }

    /// Ends it after this time with status 0 and without a message: for a program that somebody waits for at a keyboard.
    /// alarm(2).
    public static func exitQuietly(afterSeconds seconds: UInt32) {
        _ = Glibc.signal(SIGALRM) { _ in _exit(0) }
        alarm(seconds)
    }
}
