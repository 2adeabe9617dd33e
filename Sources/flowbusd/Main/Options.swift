import Logging
import SdBus

/// The options of the command line.
struct Options: Equatable {
    /// The maximum of ``historyDays``: a hundred years.
    static let mostDays = 36_500
    /// The defaults of ``historyEntries`` and ``historyDays`` (D-10).
    static let standardEntries = 100_000
    static let standardDays = 30

    /// When to restore the forest (D-3).
    enum Restore: String, CaseIterable {
        /// On the same bus.
        case bus
        /// On another bus, too.
        case always
        /// Never.
        case never
    }

    /// Where to store something.
    enum FolderChoice: Equatable {
        /// Nowhere.
        case none
        /// In this folder.
        case folder(String)

        init(_ argument: String) { self = argument == "none" ? .none : .folder(argument) }
    }

    /// Which bus to serve.
    enum BusChoice {
        case session, system
    }

    /// `--flows`
    var flows: [String] = []
    /// `--session`, `--system`
    private(set) var bus: BusChoice?
    /// `--address`
    var address: String?
    /// `--runtime`
    var runtime: FolderChoice?
    /// `--state`
    var state: FolderChoice?
    /// `--restore`
    var restore = Restore.bus
    /// `--replace`
    var replace = false
    /// `--history-entries`
    var historyEntries = Options.standardEntries
    /// `--history-days`
    var historyDays = Options.standardDays
    /// `--check`
    var check = false
    /// `--introspect`
    var introspect = false
    /// The interface to print, with `--introspect`.
    var interface: String?
    /// `--record`
    var record: String?
    /// `--replay`
    var replay: String?
    /// `--log-level`
    var logLevel = Logger.Level.notice

    /// Chooses the bus, once.
    mutating func choose(_ choice: BusChoice) throws(UsageError) {
        if let bus, bus != choice {
            throw UsageError(
                "Value to be set with flag '--\(choice)' had already been set with flag '--\(bus)'")
        }
        bus = choice
    }

    /// Checks what depends on several options, and the values.
    func validate() throws(UsageError) {
        if let interface, !introspect {
            throw UsageError(
                "Unexpected argument '\(interface)': only --introspect takes one, the name of an interface; what begins "
                    + "with '-' has to be one of the options of --help.")
        }
        let modes = [("--check", check), ("--introspect", introspect), ("--replay", replay != nil)].filter(\.1)
        if modes.count > 1 {
            throw UsageError(
                "\(modes.map(\.0).joined(separator: " and ")) exclude each other: give one.")
        }
        if let mode = modes.first, record != nil {
            throw UsageError("\(mode.0) serves nothing that --record could write down: give one.")
        }
        if flows.contains("") {
            throw UsageError("--flows '' names no folder.")
        }
        for (name, choice) in [("runtime", runtime), ("state", state)] where choice == .folder("") {
            throw UsageError("--\(name) '' names no folder: give one, or 'none'.")
        }
        if historyEntries < 0 {
            throw UsageError("--history-entries '\(historyEntries)' is less than none: give 0 or more.")
        }
        if !(1...Self.mostDays).contains(historyDays) {
            throw UsageError("--history-days '\(historyDays)' can't be: give 1 to \(Self.mostDays).")
        }
        if let address, let bus {
            throw UsageError("--address '\(address)' and --\(bus) exclude each other: give one.")
        }
        if let address, let problem = Bus.Address.problem(of: address) {
            throw UsageError("--address \(problem).")
        }
    }
}
