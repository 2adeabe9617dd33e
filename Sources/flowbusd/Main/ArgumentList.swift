import FlowCore

/// An error in the command line.
struct UsageError: Error, Equatable {
    /// What is wrong, and what would be right.
    let message: String
    /// The option that it is about.
    var option: String?

    init(_ message: String, option: String? = nil) {
        self.message = message
        self.option = option
    }
}

/// Parses the command line.
enum ArgumentList {
    /// What the arguments ask for.
    enum Request: Equatable {
        case run(Options)
        case help
        case version
        /// A description for programs: `flowbus-manual` makes the manual page of it.
        case description
    }

    /// Parses the arguments after the program's name.
    static func request(of arguments: [String]) throws(UsageError) -> Request {
        var options = Options()
        if arguments.isEmpty { return .run(options) }
        let named = arguments.prefix { $0 != "--" }
        if named.contains("--help") || named.contains("-h") { return .help }
        if named.contains("--version") { return .version }
        if named.contains("--experimental-dump-help") { return .description }
        var rest = arguments[...]
        var isAfterOptions = false
        while let argument = rest.popFirst() {
            if argument == "--", !isAfterOptions {
                isAfterOptions = true
            } else if argument.hasPrefix("-"), argument != "-", !isAfterOptions {
                try set(argument, &rest, in: &options)
            } else if options.interface == nil {
                options.interface = argument
            } else {
                throw UsageError("Unexpected argument '\(argument)'")
            }
        }
        try options.validate()
        return .run(options)
    }

    /// Sets the option that an argument names: `--flows`, with its value after it, or `--flows=dir`.
    private static func set(
        _ argument: String, _ rest: inout ArraySlice<String>, in options: inout Options
    ) throws(UsageError) {
        let name = String(argument.prefix { $0 != "=" })
        let given = name == argument ? nil : String(argument.dropFirst(name.count + 1))
        guard let option = CommandOption.all.first(where: { $0.name == name }) else {
            let names = CommandOption.all.map(\.name)
            throw UsageError("Unknown option '\(name)'" + Names.suggestion(for: name, among: names))
        }
        guard option.value != nil else {
            if let given {
                throw UsageError("The option '\(name)' does not take any value, but '\(given)' was specified.")
            }
            _ = try option.set(&options, "")
            return
        }
        // What looks like an option is none's value; after a '=' it can be one.
        let next = rest.first.flatMap { $0.hasPrefix("-") && $0 != "-" ? nil : $0 }
        guard let value = given ?? next, given != "" else {
            throw UsageError("Missing value for '\(option.usage)'", option: name)
        }
        if given == nil { rest.removeFirst() }
        guard try option.set(&options, value) else {
            let choices = option.choices.map { "'\($0)'" }
            let help = choices.isEmpty ? "" : ". Please provide one of \(choices.joined(separator: ", "))."
            throw UsageError("The value '\(value)' is invalid for '\(option.usage)'\(help)", option: name)
        }
    }
}
