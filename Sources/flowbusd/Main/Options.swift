public import ArgumentParser
public import Logging
import SdBus

/// The command line.
struct Options: ParsableArguments {
    /// The maximum of ``historyDays``: a hundred years.
    static let mostDays = 36_500
    /// The defaults of ``historyEntries`` and ``historyDays`` (D-10).
    static let standardEntries = 100_000
    static let standardDays = 30

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
            "Read the definition files (*.toml) in this directory instead of those in the standard directories.",
            discussion: """
                This option can be given several times; a file hides files of the same name in later directories.
                """, valueName: "dir"))
    var flows: [String] = []

    @Flag(exclusivity: .exclusive)
    var bus: BusChoice?

    @Option(
        help: ArgumentHelp(
            "Serve the bus at this D-Bus address.",
            discussion: """
                When the connection to that bus is lost, flowbusd tries to reconnect, at intervals that grow to 5 seconds, unless \
                systemd started it.
                """, valueName: "address"))
    var address: String?

    @Option(
        help: ArgumentHelp(
            "Store the tree in this directory, or nowhere with 'none' (default: $RUNTIME_DIRECTORY, or "
                + "$XDG_RUNTIME_DIR/flowbus).",
            discussion: """
                The directory should not outlive the login session. With 'none' flowbusd starts with an empty forest each time, and \
                the property 'Durable' is false.
                """, valueName: "dir|none"))
    var runtime: FolderChoice?

    @Option(
        help: ArgumentHelp(
            "Store the history in this directory, or nowhere with 'none' (default: $STATE_DIRECTORY, or "
                + "$XDG_STATE_HOME/flowbus).",
            discussion: "With 'none' there is no history.", valueName: "dir|none"))
    var state: FolderChoice?

    @Option(
        help: ArgumentHelp(
            "When to restore the forest on start.",
            discussion: """
                - bus: If the bus is still the same one.
                - always: On another bus as well, for instance after a reboot, from a copy of the tree in the directory of --state. \
                The copy has no private arguments. Then screens are hidden, nothing has an owner, presenters are called again, and \
                flows with 'restore = false' are left out.
                - never: Never.

                Serials continue in any case.
                """, valueName: "bus|always|never"))
    var restore: Restore = .bus

    @Flag(
        help: ArgumentHelp(
            "Take over from the flowbusd that serves this bus, if there is one.",
            discussion: """
                The running one passes on the bus name, writes its stores, and exits with status 0; calls that arrive meanwhile \
                wait, and none is lost. Only root and the user of the running one may do this. If the running one does not hand over \
                within 10 seconds, it keeps the name, and the new one exits with status 69.
                """))
    var replace = false

    @Option(
        help: ArgumentHelp("Keep this many navigations in the history; 0 disables the history.", valueName: "number"))
    var historyEntries = Options.standardEntries

    @Option(
        help: ArgumentHelp(
            "Keep each navigation for this many days, from 1 to \(Options.mostDays).",
            discussion: """
                Days count while the machine runs or sleeps; changes of the clock have no effect. Older entries are removed at the \
                start and once a day, at most a quarter of all entries at a time, with a message in the log.
                """, valueName: "number"))
    var historyDays = Options.standardDays

    @Flag(help: "Read the definition files, print all errors and warnings with their locations, and exit.")
    var check = false

    @Flag(help: "Print the introspection XML of the given interface, or of all interfaces, and exit.")
    var introspect = false

    @Argument(help: ArgumentHelp("The interface to print, with --introspect.", valueName: "interface"))
    var interface: String?

    @Option(
        help: ArgumentHelp(
            "Write every event and its effects to this file, including private arguments.",
            discussion: "The file also has activation tokens; only its owner can read it.", valueName: "file"))
    var record: String?

    @Option(
        help: ArgumentHelp(
            "Replay the events of a recorded file without a bus, print the first difference, and exit.",
            discussion: """
                A recording does not contain the definition files; give the --flows that were in force. It can be replayed up to the \
                point where other definitions were loaded.
                """, valueName: "file"))
    var replay: String?

    @Option(
        help: ArgumentHelp(
            "Log messages of this level and above.", discussion: "With 'debug', every navigation is logged.",
            valueName: "level"))
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
