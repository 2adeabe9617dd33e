import ArgumentParser
import FlowCore
import FlowWire
import Platform
import SdBus

/// `log`
struct LogCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "log", abstract: "Show past navigations of all flows, or of one flow.",
        discussion: """
            A line reads '2026-11-21 12:00:01 #17 did navigate flow=main step=open item=7 → screen page'. With --follow, steps \
            that failed and that no client waited for are shown, too.
            """)

    @ParentCommand var root: Flowbusctl
    @OptionGroup var options: Options

    @Argument(
        help: ArgumentHelp("Show this flow only, live or not, and the flows below it.", valueName: "node"),
        completion: Completion.nodes)
    var node: String?

    @Flag(name: .shortAndLong, help: "Keep running, and show navigations as they occur.")
    var follow = false

    @Option(
        help: ArgumentHelp(
            "Start at a time ('2026-11-21 12:00', '12:00', 'today', '5min ago'), or after a serial ('17').",
            valueName: "time|serial"))
    var since: String?

    @Option(
        name: [.customShort("n"), .long],
        help: ArgumentHelp(
            "Show only this many of the latest navigations (default: 100, or all with --since).", valueName: "number"))
    var lines: Int?

    func validate() throws {
        if let lines, lines < 0 { throw ValidationError("--lines '\(lines)' is less than none: give 0 or more.") }
    }

    func run(_ context: Context) throws(Failure) -> ExitStatus {
        let target = try self.node.map { text throws(Failure) in try Target(text) }
        let begin = try since.map { text throws(Failure) in try Begin(text) }
        let navigation = try context.connect()
        var node: NodePath?
        if let target {
            let place = try navigation.place(of: target)
            if case .instance = target {
                context.output.note("'\(target.text)' is '\(place.text)'; this is the log of that place")
            }
            node = try flow(of: place, navigation, context.output)
        }
        var log = LogFollower(navigation, context.output, node)
        if follow { try log.subscribe() }
        try log.printHistory(begin, lines: lines ?? (since == nil ? 100 : nil), isFollowed: follow)
        if follow { try log.follow() }
        return .success
    }

    /// Screens don't navigate: the flow of one that is live.
    private func flow(of node: NodePath, _ navigation: Navigation, _ output: Output) throws(Failure) -> NodePath {
        let live = try navigation.liveNodes()
        guard let found = live.first(where: { $0.path == node }) else {
            guard try !navigation.latestHistory(1, after: 0, below: node).isEmpty else {
                _ = try navigation.liveNodes(below: node)
                return node
            }
            return node
        }
        guard !found.isFlow, let flow = node.parent else { return node }
        output.note("'\(node.text)' is a screen; this is the log of its flow '\(flow.text)'")
        return flow
    }
}

/// Where the log begins.
enum Begin: Equatable {
    case serial(UInt64)
    /// In µs since 1970 (UTC).
    case time(UInt64)

    /// Reads what was typed: digits alone are a serial.
    init(_ text: String) throws(Failure) {
        if let serial = UInt64(text), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            self = .serial(serial)
        } else {
            self = .time(try TypedTime.time(text))
        }
    }
}

/// The history, and then what happens: no navigation is missing in between, and none is there twice, as each has its
/// serial. The signals are asked for before the history is.
private struct LogFollower {
    private let navigation: Navigation
    private let output: Output
    private let node: NodePath?
    /// The serial of the latest navigation that was printed, or that is older than what was asked for.
    private var last: UInt64 = 0

    init(_ navigation: Navigation, _ output: Output, _ node: NodePath?) {
        self.navigation = navigation
        self.output = output
        self.node = node
    }

    func subscribe() throws(Failure) {
        try navigation.subscribeToOwner()
        try navigation.subscribe(
            "type='signal',sender='\(BusNames.service)',interface='\(BusNames.Interface.flow)',"
                + "path_namespace='\(node?.objectPath ?? "\(BusNames.tree)")'")
    }

    mutating func printHistory(_ begin: Begin?, lines: Int?, isFollowed: Bool) throws(Failure) {
        do throws(Failure) {
            let floor: UInt64
            switch begin {
            case nil: floor = 0
            case .serial(let serial): floor = serial - min(serial, 1)
            case .time(let time): floor = try navigation.serial(before: time)
            }
            if lines == 0 {
                last = try navigation.latestSerial()
            } else if let lines {
                try print(navigation.latestHistory(lines, after: floor, below: node))
            } else {
                try print(navigation.history(after: floor, below: node))
            }
        } catch  where isFollowed && error.errorName == "\(BusNames.StandardError.accessDenied)" {
            output.note("no history: \(error.message)")
        }
    }

    private mutating func print(_ entries: [LogEntry]) throws(Failure) {
        for entry in entries where entry.serial > last {
            try output.isJSON ? output.line(entry.json) : output.line(entry.line(output))
            last = entry.serial
        }
    }

    /// Runs until it is interrupted, or the bus is lost.
    mutating func follow() throws(Failure) -> Never {
        while true {
            guard let signal = try navigation.next() else { continue }
            let now = RealtimeClock.now
            if let owner = signal.newOwner {
                try ownerChanged(owner)
            } else if signal.interface == "\(BusNames.Interface.flow)" {
                if let entry = LogEntry(signal, at: now) {
                    try print([entry])
                } else if let failed = FailedStep(signal, at: now) {
                    try output.isJSON ? output.line(failed.json) : output.line(failed.line(output))
                }
            }
        }
    }

    /// After a restart: what happened before the signals were there to be heard is in the history.
    private mutating func ownerChanged(_ owner: String) throws(Failure) {
        guard !owner.isEmpty else {
            output.note("the service is gone; waiting until it is there again")
            return
        }
        do throws(Failure) {
            // One that kept nothing counts from the beginning.
            if try navigation.latestSerial(activates: false) < last { last = 0 }
            try print(navigation.history(after: last, below: node, activates: false))
        } catch  where navigation.bus.isOpen && error.status != .inputOutput {
            // It is gone once more, or does not tell: what comes next is heard all the same.
            return
        }
    }
}
