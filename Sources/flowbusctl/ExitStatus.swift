/// What the program ends with; flowbusctl(1), "Exit status". From 64 on they are those of sysexits.h(3head).
enum ExitStatus: Int32 {
    /// It is done; a step is navigated, or kept until its presentable is presented.
    case success = 0
    /// A negative result: the step was not navigated, the files have errors.
    case negative = 1
    /// The service refused, with an error.
    case refused = 2
    /// The command line is wrong: ArgumentParser's status.
    case usage = 64
    /// A value on the command line is not what it has to be.
    case badValue = 65
    /// There is no such node, or no such folder.
    case noInput = 66
    /// There is no service, or no bus.
    case unavailable = 69
    /// Something could not be written or read.
    case inputOutput = 74
    /// It took too long.
    case timeout = 124
}

/// Why a command ends before it is done: the line for a person, and the status.
struct Failure: Error, Equatable {
    let status: ExitStatus
    /// What was wrong, and what to do. Goes on after `flowbusctl: `.
    let message: String
    /// The D-Bus error, where the service refused.
    let errorName: String?
    /// The error's text as the service wrote it, line by line.
    let lines: [String]

    init(_ status: ExitStatus, _ message: String, errorName: String? = nil, lines: [String] = []) {
        self.status = status
        self.message = message
        self.errorName = errorName
        self.lines = lines
    }
}
