import BusTestSupport
import Glibc

/// A bus with processes that a test kills: those that the test starts, and those that the bus starts (Tests/TestPeer).
final class Peers {
    /// One of them.
    struct Peer: Equatable {
        /// Its bus name.
        let name: String
        let processID: Int32
        /// Its connection.
        let uniqueName: String
    }

    /// A report of a process.
    private struct PeerReport {
        let peer: Peer
        let text: String
        var isRead = false
    }

    let bus: PrivateBus
    private let services: TemporaryDirectory
    private let listener: TestClient
    private var children: [ChildProcess] = []
    private var reports: [PeerReport] = []
    private var readCount = 0

    /// Creates a bus that can start processes of these names, with these options, and that fails to start the broken
    /// ones.
    init(startable: [String: String] = [:], broken: [String] = [], on program: PrivateBus.Program = .daemon) throws {
        services = try TemporaryDirectory()
        let peer = try Service.program(named: "test-peer")
        for (name, options) in startable {
            // dbus-daemon makes an empty argument of a space at the end.
            let command = options.isEmpty ? name : "\(name) \(options)"
            try services.write(
                "[D-BUS Service]\nName=\(name)\nExec='\(peer)' \(command)\n", to: "\(name).service")
        }
        for name in broken {
            try services.write("[D-BUS Service]\nName=\(name)\nExec=/bin/false\n", to: "\(name).service")
        }
        bus = try PrivateBus(program, serviceDirectories: [services.path])
        listener = try TestClient(bus)
        try listener.addMatch("type='signal',interface='org.flowbus.TestPeer'")
    }

    /// Starts a process of this name (`-` for none), and waits until it has carried out its options.
    func start(_ name: String, _ options: String...) throws -> Peer {
        let child = try ChildProcess(
            Service.program(named: "test-peer"), [name] + options, environment: ["DBUS_STARTER_ADDRESS": bus.address])
        children.append(child)
        return try wait(for: "ready", of: name) { $0.processID == child.processID }
    }

    /// Waits for a report of a process of this name. Each report is waited for once.
    ///
    /// - Returns: the process.
    @discardableResult
    func wait(for text: String, of name: String, where matches: (Peer) -> Bool = { _ in true }) throws -> Peer {
        var found: Peer?
        try listener.wait(for: "'\(text)' of \(name)") {
            collect()
            let place = reports.firstIndex { !$0.isRead && $0.text == text && $0.peer.name == name && matches($0.peer) }
            guard let place else { return false }
            reports[place].isRead = true
            found = reports[place].peer
            return true
        }
        guard let found else { throw TestFailure("no '\(text)' of \(name)") }
        return found
    }

    /// The same for one process.
    func wait(for text: String, of peer: Peer) throws { try wait(for: text, of: peer.name) { $0 == peer } }

    /// All reports of processes of this name so far, except that they are ready.
    func reports(by name: String) throws -> [String] {
        try listener.ping()
        collect()
        return reports.filter { $0.peer.name == name && $0.text != "ready" }.map(\.text)
    }

    /// Makes a process answer the calls that it delays, and all later ones.
    func go(_ peer: Peer) throws { try listener.call(peer.uniqueName, "/peer", "org.flowbus.TestPeer", "Go") }

    /// Makes a process carry out an option.
    func perform(_ option: String, by peer: Peer) throws {
        try listener.call(peer.uniqueName, "/peer", "org.flowbus.TestPeer", "Do", .string(option))
    }

    /// Kills processes, one right after the other, and waits until the bus has seen it.
    func kill(_ peers: Peer...) throws {
        for peer in peers {
            try listener.addMatch(
                "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='\(peer.uniqueName)'")
        }
        for peer in peers { Glibc.kill(peer.processID, SIGKILL) }
        for peer in peers {
            try listener.wait(for: "the end of \(peer.uniqueName)") {
                listener.log.contains { $0.member == "NameOwnerChanged" && $0.values[0].text == peer.uniqueName }
            }
        }
    }

    private func collect() {
        while readCount < listener.log.count {
            let message = listener.log[readCount]
            readCount += 1
            guard message.member == "Report", message.values.count == 3, let name = message.values[0].text,
                let processID = message.values[1].number, let text = message.values[2].text
            else { continue }
            let peer = Peer(name: name, processID: Int32(processID), uniqueName: message.sender)
            reports.append(PeerReport(peer: peer, text: text))
        }
    }
}

// MARK: - The service as clients see it

extension Service {
    /// All live objects, with their state: "/shop/list visible presented owner=:1.5". Introspect has to list the same
    /// children.
    func treeLines() throws -> [String] {
        let objects = try objects()
        let paths = objects.keys.filter { $0.hasPrefix(Self.tree + "/") }.sorted()
        for path in [Self.tree] + paths {
            let children = paths.filter { $0.hasPrefix(path + "/") && !$0.dropFirst(path.count + 1).contains("/") }
            let answer = try client.call(Self.name, path, "org.freedesktop.DBus.Introspectable", "Introspect")
            let nodes = (answer[0].text ?? "").split(separator: "\n").filter { $0.contains("<node name=") }.map {
                path + "/" + ($0.split(separator: "\"").dropFirst().first ?? "")
            }
            guard nodes.sorted() == children else { throw TestFailure("\(path) has \(children) and shows \(nodes)") }
        }
        return paths.map { path in
            let presentable = objects[path]?[Self.name + ".Presentable"]
            var line = String(path.dropFirst(Self.tree.count))
            if presentable?["Visible"] == true { line += " visible" }
            if presentable?["Presented"] == true { line += " presented" }
            if let owner = presentable?["Owner"]?.text, !owner.isEmpty { line += " owner=" + owner }
            return line
        }
    }

    /// Waits for a navigation of a flow.
    @discardableResult
    func waitForNavigation(_ step: String, of path: String) throws -> ReceivedMessage {
        try client.waitForSignal("NavigationOccurred") {
            $0.path == Self.tree + path && $0.values[3].text == step
        }
    }

    /// Waits until a presentable's property has a value.
    func waitForChange(of path: String, _ property: String, to value: BusValue) throws {
        try client.waitForSignal("PropertiesChanged") {
            $0.path == Self.tree + path && $0.values[1][property] == value
        }
    }

    /// Sends a step without waiting for its verdict.
    func start(_ step: String, on path: String, by other: TestClient? = nil) throws -> AwaitedReply {
        try (other ?? client).start(
            Self.name, Self.tree + path, Self.name + ".Stepper", "EmitStep", [.string(step), .options()])
    }
}
