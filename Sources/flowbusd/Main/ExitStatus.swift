/// What the process ends with; the numbers of sysexits.h(3head), so that a unit file can tell what a restart can mend.
enum ExitStatus: Int32 {
    /// Ended as it was told to.
    case success = 0
    /// `--check` found errors, `--replay` a difference.
    case checkFailed = 1
    /// The command line is wrong: ArgumentParser's status.
    case usage = 64
    /// The trace to be replayed can't be read.
    case noInput = 66
    /// No bus, or the name is taken, and not handed over.
    case unavailable = 69
    /// The operating system or libsystemd failed in a way that has no status of its own.
    case systemError = 71
    /// The file to record to can't be made.
    case cannotCreate = 73
    /// The bus was lost, or the name on it.
    case busLost = 75
    /// The bus does not let this user own the name, or connect; or the name's owner does not hand it over to this user.
    case noPermission = 77
    /// The definition files have errors.
    case invalidDefinitions = 78
}
