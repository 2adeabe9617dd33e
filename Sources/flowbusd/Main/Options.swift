public import ArgumentParser
public import Logging
import SdBus

/// The command line.
struct Options: ParsableArguments {
    /// The maximum of ``historyDays``: a hundred years.
    static let mostDays = 36_500

    /// When the tree is restored (D-3).
    enum Restore: String, CaseIterable, ExpressibleByArgument {
        /// On the same bus.
        case bus
        /// On another bus, too.
        case always
        /// Never.
        case never
    }

    /// Where to store something.
    enum FolderChoice: Equatable, ExpressibleByArgument {
        /// Nowhere.
        case none
        /// In this folder.
        case folder(String)

        init(argument: String) { self = argument == "none" ? .none : .folder(argument) }
    }

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

    @Option(
        help: ArgumentHelp(
            "Keep the tree in this folder, which should end with the login; 'none': nowhere. Without it: "
                + "$RUNTIME_DIRECTORY, else $XDG_RUNTIME_DIR/flowbus.",
            valueName: "dir|none"))
    var runtime: FolderChoice?

    @Option(
        help: ArgumentHelp(
            "Keep the history in this folder; 'none': nowhere. Without it: $STATE_DIRECTORY, else "
                + "$XDG_STATE_HOME/flowbus.",
            valueName: "dir|none"))
    var state: FolderChoice?

    @Option(
        help: ArgumentHelp(
            "When to come back where one was: after a restart on the same bus, on another one as well (always), or never.",
            valueName: "bus|always|never"))
    var restore: Restore = .bus

    @Flag(help: "Take over from the flowbusd that serves this bus, if there is one.")
    var replace = false

    @Option(
        help: ArgumentHelp("How many navigations the history keeps; 0: none, and no history.", valueName: "number"))
    var historyEntries = 100_000

    @Option(help: ArgumentHelp("How many days the history keeps a navigation.", valueName: "number"))
    var historyDays = 30

    @Flag(help: "Read the definition files, print every error and warning, and exit with 0, or with 1 for errors.")
    var check = false

    @Flag(help: "Print the XML of the interface named after it, or of all, and exit.")
    var introspect = false

    @Argument(help: ArgumentHelp("The interface to print, with --introspect.", valueName: "interface"))
    var interface: String?

    @Option(
        help: ArgumentHelp(
            "Write every event and what came of it to this file, with all arguments, private ones too.",
            valueName: "file"))
    var record: String?

    @Option(
        help: ArgumentHelp(
            "Do what a recorded file says once more, without a bus, and exit with 0, or with 1 where something else comes "
                + "of it.",
            valueName: "file"))
    var replay: String?

    @Option(
        help: ArgumentHelp("Log what is at least this important.", valueName: "level"))
    var logLevel: Logger.Level = .notice

    mutating func validate() throws {
        if let interface, !introspect {
            throw ValidationError(
                "Unexpected argument '\(interface)': only --introspect takes one, the name of an interface; what begins "
                    + "with '-' has to be one of the options of --help.")
        }
        let modes = [("--check", check), ("--introspect", introspect), ("--replay", replay != nil)].filter(\.1)
        if modes.count > 1 {
            throw ValidationError(
                "\(modes.map(\.0).joined(separator: " and ")) exclude each other: give one.")
        }
        if let mode = modes.first, record != nil {
            throw ValidationError("\(mode.0) serves nothing that --record could write down: give one.")
        }
        if flows.contains("") {
            throw ValidationError("--flows '' names no folder.")
        }
        for (name, choice) in [("runtime", runtime), ("state", state)] where choice == .folder("") {
            throw ValidationError("--\(name) '' names no folder: give one, or 'none'.")
        }
        if historyEntries < 0 {
            throw ValidationError("--history-entries '\(historyEntries)' is less than none: give 0 or more.")
        }
        if !(1...Self.mostDays).contains(historyDays) {
            throw ValidationError("--history-days '\(historyDays)' can't be: give 1 to \(Self.mostDays).")
        }
        if let address, let bus {
            throw ValidationError("--address '\(address)' and --\(bus) exclude each other: give one.")
        }
        if let address, let problem = Bus.Address.problem(of: address) {
            throw ValidationError("--address \(problem).")
        }
    }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
