/// The exit statuses, from sysexits.h(3head), so that a unit file can list those after which a restart helps.
enum ExitStatus: Int32 {
    /// A signal or a handover ended the process.
    case success = 0
    /// `--check` found errors, `--replay` a difference.
    case checkFailed = 1
    /// The command line is wrong.
    case usage = 64
    /// The trace for `--replay` can't be read.
    case noInput = 66
    /// There is no bus, or the name is taken and not handed over.
    case unavailable = 69
    /// Another failure of the operating system or libsystemd.
    case systemError = 71
    /// The file for `--record` can't be created.
    case cannotCreate = 73
    /// The bus, or the name on it, was lost.
    case busLost = 75
    /// The bus does not let this user own the name, or connect; or the owner of the name does not hand it over to this user.
    case noPermission = 77
    /// The definition files have errors.
    case invalidDefinitions = 78
}
