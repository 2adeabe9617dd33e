internal import Glibc

/// The terminal of the standard streams.
public enum Terminal {
    /// Whether standard output is a terminal; isatty(3).
    public static var isOutput: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Whether standard error is a terminal; isatty(3).
    public static var isErrors: Bool { isatty(STDERR_FILENO) == 1 }

    /// The size of standard output's terminal in characters; nil if there is none, or its size is unknown. ioctl_tty(2).
    public static var size: (columns: Int, rows: Int)? {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return nil }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Whether the user's locale (`LC_ALL`, `LC_CTYPE`, `LANG`) is in UTF-8; setlocale(3), nl_langinfo(3).
    public static var usesUTF8: Bool {
        // The empty name means the environment's locale. If that is not installed, this fails, and the locale stays "C".
        guard setlocale(LC_CTYPE, "") != nil, let name = nl_langinfo(Int32(CODESET)) else { return false }
        return String(cString: name) == "UTF-8"
    }
}
