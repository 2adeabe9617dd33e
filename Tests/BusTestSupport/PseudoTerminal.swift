import Glibc

/// A pseudoterminal for the standard output of a program; pty(7). It ends lines with a carriage return and a line feed.
public struct PseudoTerminal {
    private let columns: UInt16
    private let rows: UInt16

    /// A terminal of a size.
    public init(columns: UInt16 = 80, rows: UInt16 = 24) { (self.columns, self.rows) = (columns, rows) }

    /// Whether this machine has pseudoterminals: a chroot may have no /dev/pts.
    public static var isThere: Bool {
        let shown = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard shown >= 0 else { return false }
        close(shown)
        return true
    }

    /// Opens one: the end to read the output from, and the end to write to.
    func ends() throws -> Pipe {
        let shown = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard shown >= 0 else { throw TestFailure("/dev/ptmx: errno \(errno)") }
        // unlockpt(3) and ptsname(3) are not imported; these are their requests of ioctl_tty(2).
        let (setLock, getNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)
        var (lock, number): (Int32, UInt32) = (0, 0)
        guard ioctl(shown, setLock, &lock) == 0, ioctl(shown, getNumber, &number) == 0 else {
            close(shown)
            throw TestFailure("the pseudoterminal: errno \(errno)")
        }
        let written = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
        // struct winsize, whose module depends on the version of glibc.
        var size: (rows: UInt16, columns: UInt16, width: UInt16, height: UInt16) = (rows, columns, 0, 0)
        guard written >= 0, ioctl(written, UInt(TIOCSWINSZ), &size) == 0 else {
            close(shown)
            throw TestFailure("the pseudoterminal: errno \(errno)")
        }
        return Pipe(readEnd: shown, writeEnd: written)
    }
}
