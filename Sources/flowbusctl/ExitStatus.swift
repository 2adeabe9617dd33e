/// The exit status of the program; see flowbusctl(1), "Exit status". From 64 on they are those of sysexits.h(3head).
enum ExitStatus: Int32 {
    /// Success; a step was navigated or deferred.
    case success = 0
    /// A negative result: the step was not navigated, or the files have errors.
    case negative = 1
    /// The service answered with an error.
    case refused = 2
    /// The command line is invalid: ArgumentParser's status.
    case usage = 64
    /// A value on the command line is invalid.
    case badValue = 65
    /// The node or the folder does not exist.
    case noInput = 66
    /// The service or the bus is not available.
    case unavailable = 69
    /// An input or output error.
    case inputOutput = 74
    /// The time limit was reached.
    case timeout = 124
}

/// An error that ends a command: the message, and the exit status.
struct Failure: Error, Equatable {
    let status: ExitStatus
    /// What is wrong, and what to do. It continues after `flowbusctl: `.
    let message: String
    /// The name of the D-Bus error, if the service sent one.
    let errorName: String?
    /// The text of the error from the service, by line.
    let lines: [String]

    init(_ status: ExitStatus, _ message: String, errorName: String? = nil, lines: [String] = []) {
        self.status = status
        self.message = message
        self.errorName = errorName
        self.lines = lines
    }
}
