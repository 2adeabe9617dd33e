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
            A line has the time, the serial, the flow, the step with its arguments, and what the step led to: '2026-11-21 \
            12:00:01 #17 did navigate flow=main step=open item=7 → screen page'.
            """)

    @ParentCommand var root: Flowbusctl
    @OptionGroup var options: Options

    @Argument(
        help: ArgumentHelp(
            "Show this flow only, live or not, and the flows below it.",
            discussion: "A screen stands for its flow, and an instance for its present path.", valueName: "node"),
        completion: Completion.nodes)
    var node: String?

    @Flag(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Keep running, and show navigations as they occur.",
            discussion: """
                No navigation is missing or printed twice, even if the service restarts. Steps that failed and that no client \
                waited for are shown as 'did not navigate'.
                """))
    var follow = false

    @Option(
        help: ArgumentHelp(
            "Start at a time, or after the navigation with this serial.",
            discussion: """
                A time is '2026-11-21 12:00:01', '2026-11-21', '12:00', 'today', 'yesterday' or '5min ago'; a serial is a number.
                """,
            valueName: "time|serial"))
    var since: String?

    @Option(
        name: [.customShort("n"), .long],
        help: ArgumentHelp(
            "Show only this many of the latest navigations (default: 100, or all with --since).", valueName: "number"))
    var lines: Int?

    func validate() throws {
        if let lines, lines < 0 { throw ValidationError("--lines '\(lines)' is negative: give 0 or more.") }
    }

    func run(_ context: Context) throws(Failure) -> ExitStatus {
        let target = try self.node.map { text throws(Failure) in try Target(text) }
        let begin = try since.map { text throws(Failure) in try Begin(text) }
        let client = try context.connect()
        var node: NodePath?
        if let target {
            let place = try client.place(of: target)
            if case .instance = target {
                context.output.note("'\(target.text)' is '\(place.text)'; this is the log of that path")
            }
            node = try flow(of: place, client, context.output)
        }
        var log = LogFollower(client, context.output, node)
        if follow { try log.subscribe() }
        try log.printHistory(begin, lines: lines ?? (since == nil ? 100 : nil), isFollowed: follow)
        if follow { try log.follow() }
        return .success
    }

    /// Returns the flow of a live screen, as screens don't navigate.
    private func flow(of node: NodePath, _ client: ServiceClient, _ output: Output) throws(Failure) -> NodePath {
        let live = try client.liveNodes()
        guard let found = live.first(where: { $0.path == node }) else {
            guard try !client.latestHistory(1, after: 0, below: node).isEmpty else {
                _ = try client.liveNodes(below: node)
                return node
            }
            return node
        }
        guard !found.isFlow, let flow = node.parent else { return node }
        output.note("'\(node.text)' is a screen; this is the log of its flow '\(flow.text)'")
        return flow
    }
}

/// The start of the log.
enum Begin: Equatable {
    case serial(UInt64)
    /// In µs since 1970 (UTC).
    case time(UInt64)

    /// Reads an argument: only digits are a serial.
    init(_ text: String) throws(Failure) {
        if let serial = UInt64(text), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            self = .serial(serial)
        } else {
            self = .time(try TypedTime.time(text))
        }
    }
}

/// Prints the history, and then the signals. It subscribes before it reads the history, so no navigation is missing;
/// serials remove duplicates.
private struct LogFollower {
    private let client: ServiceClient
    private let output: Output
    private let node: NodePath?
    /// The serial of the latest navigation that was printed, or the last one before the requested range.
    private var last: UInt64 = 0

    init(_ client: ServiceClient, _ output: Output, _ node: NodePath?) {
        self.client = client
        self.output = output
        self.node = node
    }

    func subscribe() throws(Failure) {
        try client.subscribeToOwner()
        try client.subscribe(
            "type='signal',sender='\(BusNames.service)',interface='\(BusNames.Interface.flow)',"
                + "path_namespace='\(node?.objectPath ?? "\(BusNames.tree)")'")
    }

    mutating func printHistory(_ begin: Begin?, lines: Int?, isFollowed: Bool) throws(Failure) {
        do throws(Failure) {
            let floor: UInt64
            switch begin {
            case nil: floor = 0
            case .serial(let serial): floor = serial - min(serial, 1)
            case .time(let time): floor = try client.serial(before: time)
            }
            if lines == 0 {
                last = try client.latestSerial()
            } else if let lines {
                try print(client.latestHistory(lines, after: floor, below: node))
            } else {
                try print(client.history(after: floor, below: node))
            }
        } catch  where isFollowed && error.errorName == "\(BusNames.BusError.accessDenied)" {
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
            guard let signal = try client.next() else { continue }
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

    /// After a restart, navigations before the subscription are in the history.
    private mutating func ownerChanged(_ owner: String) throws(Failure) {
        guard !owner.isEmpty else {
            output.note("the service is gone; waiting for its restart")
            return
        }
        do throws(Failure) {
            // Without persistence, the service counts from the beginning.
            if try client.latestSerial(activates: false) < last { last = 0 }
            try print(client.history(after: last, below: node, activates: false))
        } catch  where client.isConnected && error.status != .inputOutput {
            // The service is gone again, or refuses the history; new signals still arrive.
            return
        }
    }
}
