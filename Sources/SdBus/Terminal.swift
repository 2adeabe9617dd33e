internal import Glibc

/// The terminal that a person sits at.
public enum Terminal {
    /// Does standard output go to one? isatty(3).
    public static var isOutput: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Does standard error go to one? isatty(3).
    public static var isErrors: Bool { isatty(STDERR_FILENO) == 1 }

    /// How many characters the one of standard output shows; nil where there is none, or it does not tell.
    /// ioctl_tty(2).
    public static var size: (columns: Int, rows: Int)? {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return nil }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Is UTF-8 what the user's locale has texts in (`LC_ALL`, `LC_CTYPE`, `LANG`)? setlocale(3), nl_langinfo(3).
    public static var usesUTF8: Bool {
        // An empty name: the environment's. It fails for a locale that is not installed, and what it is stays "C".
        guard setlocale(LC_CTYPE, "") != nil, let name = nl_langinfo(Int32(CODESET)) else { return false }
        return String(cString: name) == "UTF-8"
    }
}
