public import ArgumentParser
public import Logging

/// The command line.
struct Options: ParsableArguments {
    /// Which bus to serve.
    enum BusChoice: EnumerableFlag {
        case session, system

        static func help(for value: BusChoice) -> ArgumentHelp? {
            switch value {
            case .session: "Serve the session bus (default)."
            case .system: "Serve the system bus."
            }
        }
    }

    @Option(
        help: ArgumentHelp(
            "Read the definition files (*.toml) of this folder instead of the standard ones. Can be given several times; "
                + "a file hides those of the same name in later folders.",
            valueName: "dir"))
    var flows: [String] = []

    @Flag(exclusivity: .exclusive)
    var bus: BusChoice?

    @Option(help: ArgumentHelp("Serve the bus at this D-Bus address.", valueName: "address"))
    var address: String?

    @Flag(help: "Read the definition files, print every error and warning, and exit with 0, or with 1 for errors.")
    var check = false

    @Flag(help: "Print the XML of the interface named after it, or of all, and exit.")
    var introspect = false

    @Argument(help: ArgumentHelp("The interface to print, with --introspect.", valueName: "interface"))
    var interface: String?

    @Option(
        help: ArgumentHelp("Log what is at least this important.", valueName: "level"))
    var logLevel: Logger.Level = .notice

    mutating func validate() throws {
        if let interface, !introspect {
            throw ValidationError("Unexpected argument '\(interface)': an interface is named with --introspect alone.")
        }
        if let address, let bus {
            throw ValidationError("--address '\(address)' and --\(bus) exclude each other: give one.")
        }
        // sd-bus takes any text, and says of one without a transport that the connection was refused.
        if let address, !address.contains(":") {
            throw ValidationError(
                "--address '\(address)' is no D-Bus address: one reads as unix:path=/run/user/1000/bus.")
        }
    }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
