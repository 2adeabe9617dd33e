public import ArgumentParser
public import Logging
import SdBus

/// The command line.
struct Options: ParsableArguments {
    /// The maximum of ``historyDays``: a hundred years.
    static let mostDays = 36_500

    /// When to restore the forest (D-3).
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
            "Read the definition files (*.toml) in this directory instead of those in the standard directories. Can be "
                + "given several times; a file hides files of the same name in later directories.",
            valueName: "dir"))
    var flows: [String] = []

    @Flag(exclusivity: .exclusive)
    var bus: BusChoice?

    @Option(help: ArgumentHelp("Serve the bus at this D-Bus address.", valueName: "address"))
    var address: String?

    @Option(
        help: ArgumentHelp(
            "Store the tree in this directory, or nowhere with 'none' (default: $RUNTIME_DIRECTORY, or "
                + "$XDG_RUNTIME_DIR/flowbus).",
            valueName: "dir|none"))
    var runtime: FolderChoice?

    @Option(
        help: ArgumentHelp(
            "Store the history in this directory, or nowhere with 'none' (default: $STATE_DIRECTORY, or "
                + "$XDG_STATE_HOME/flowbus).",
            valueName: "dir|none"))
    var state: FolderChoice?

    @Option(
        help: ArgumentHelp(
            "When to restore the forest on start: if the bus is still the same one, always, or never.",
            valueName: "bus|always|never"))
    var restore: Restore = .bus

    @Flag(help: "Take over from the flowbusd that serves this bus, if there is one.")
    var replace = false

    @Option(
        help: ArgumentHelp("Keep this many navigations in the history; 0 disables the history.", valueName: "number"))
    var historyEntries = 100_000

    @Option(help: ArgumentHelp("Keep each navigation for this many days.", valueName: "number"))
    var historyDays = 30

    @Flag(help: "Read the definition files, print all errors and warnings, and exit.")
    var check = false

    @Flag(help: "Print the introspection XML of the given interface, or of all interfaces, and exit.")
    var introspect = false

    @Argument(help: ArgumentHelp("The interface to print, with --introspect.", valueName: "interface"))
    var interface: String?

    @Option(
        help: ArgumentHelp(
            "Write every event and its effects to this file, including private arguments.",
            valueName: "file"))
    var record: String?

    @Option(
        help: ArgumentHelp(
            "Replay the events of a recorded file without a bus, print the first difference, and exit.",
            valueName: "file"))
    var replay: String?

    @Option(
        help: ArgumentHelp("Log messages of this level and above.", valueName: "level"))
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
