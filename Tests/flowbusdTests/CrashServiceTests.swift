import BusTestSupport
import Glibc
import Testing

/// flowbusd itself is killed. Without persistence it starts with an empty tree.
@Suite("Crashes: the service")
struct CrashServiceTests {
    private static let definitions = """
        [steps]
        begin = {}
        paid  = {}
        probe = {}
        gone  = { why = "string" }

        [screens]
        home = { presenter = "org.example.Ui", patience = "0s" }
        page = { presenter = "org.example.Ui" }

        [[autostart]]
        flow = "main"

        [flows.main]
        initial   = "begin"
        whenEmpty = "stay"
        guard   = { name = "org.example.Guard", steps = ["paid"] }
        [flows.main.on]
        begin = { screen = "home" }
        paid  = { screen = "page", onDismissed = { step = "gone", arguments = { why = "$reason" } } }
        gone  = { none = true }
        probe = { none = true }

        [flows.side]
        """

    @Test func `every caller gets an error of the bus; a new service starts with the connected clients`() throws {
        let peers = try Peers()
        let asked = try peers.start("org.example.Guard", "--Adapt=hold")
        let ui = try peers.start("org.example.Ui", "--Present=show", "--watch")
        let navigator = try peers.start("-", "--register=wizard:turn", "--Navigate=hold")
        let old = try Service(Self.definitions, bus: peers.bus)
        try peers.wait(for: "Present /main/home", of: ui)
        try peers.wait(for: "flowbusd there", of: ui)
        try peers.perform("--register=wizard:turn", by: navigator)
        try peers.wait(for: "RegisterFlow", of: navigator)
        let clients = try (0..<4).map { _ in try TestClient(peers.bus) }
        var calls = try clients.prefix(3).map { try old.start("paid", on: "/main", by: $0) }
        calls.append(
            try clients[3].start(
                Service.name, Service.root, Service.name + ".Coordinator", "NavigateAlong",
                [.array(of: "(ssa{sv})", [.structure(["main", "paid", .options()])]), .options()]))
        for client in clients { try client.ping(Service.name) }
        try peers.wait(for: "Adapt /main paid", of: asked)

        old.process.send(signal: SIGKILL)
        for (client, call) in zip(clients, calls) {
            #expect(
                try old.refusal { try client.answer(to: call) }.name == "org.freedesktop.DBus.Error.NoReply")
        }
        try peers.wait(for: "flowbusd gone", of: ui)
        #expect(try old.process.waitForExit() == .signal(SIGKILL))

        let new = try Service(Self.definitions, bus: peers.bus)
        try peers.wait(for: "flowbusd there", of: ui)
        try peers.wait(for: "Present /main/home", of: ui)
        // The guard's answer to a service that is gone reaches no one.
        try peers.go(asked)
        #expect(try new.emit("paid", on: "/main")[1] == "navigated")
        try peers.wait(for: "Present /main/page", of: ui)
        try new.client.waitUntilOwned("/main/page", by: ui.uniqueName)
        #expect(
            try new.treeLines() == [
                "/main visible presented", "/main/home visible presented owner=\(ui.uniqueName)",
                "/main/page visible presented owner=\(ui.uniqueName)",
            ])
        #expect(try new.coordinator("GetDefinitionNames") == [.strings(["main", "side"])])
        try peers.perform("--register=wizard:turn", by: navigator)
        try peers.wait(for: "RegisterFlow", of: navigator)
        #expect(try new.emit("probe", on: "/main")[1] == "navigated")
    }

    @Test func `with its presenter at the same time: the bus starts the presenter for the next one`() throws {
        let peers = try Peers(startable: ["org.example.Ui": "--Present=show"])
        let ui = try peers.start("org.example.Ui", "--Present=hold")
        let old = try Service(Self.definitions, bus: peers.bus)
        try peers.wait(for: "Present /main/home", of: ui)
        old.process.send(signal: SIGKILL)
        try peers.kill(ui)
        #expect(try old.process.waitForExit() == .signal(SIGKILL))
        let new = try Service(Self.definitions, bus: peers.bus)
        let next = try peers.wait(for: "Present /main/home", of: "org.example.Ui") { $0 != ui }
        try new.client.waitUntilOwned("/main/home", by: next.uniqueName)
        #expect(
            try new.treeLines() == [
                "/main visible presented", "/main/home visible presented owner=\(next.uniqueName)",
            ])
    }

    @Test func `S-29 S-30 S-32 state of clients that vanished before their call was handled`() throws {
        let peers = try Peers()
        let service = try Service(Self.definitions, bus: peers.bus)
        try service.client.waitUntilGone("/main/home")
        let asked = try peers.start("org.example.Guard")
        let ui = try peers.start("org.example.Ui", "--Present=hold")
        try service.coordinate("side")
        try service.emit("paid", on: "/main")
        try peers.wait(for: "Present /main/page", of: ui)
        try service.listen()

        // It reads nothing until it continues; the senders are gone by then.
        service.process.send(signal: SIGSTOP)
        let emitter = try peers.start("-", "--emit=/main:probe")
        let owner = try peers.start("-", "--claim=/side:1")
        let navigator = try peers.start("-", "--register=wizard:probe")
        try peers.go(ui)
        try peers.kill(emitter, owner, navigator, ui, asked)
        service.process.send(signal: SIGCONT)

        let ends = [
            "NavigationOccurred /main 4 0 \(ui.uniqueName) gone {why: ownerGone} [] {}",
            "InterfacesRemoved /side",
        ]
        let client = service.client
        try client.wait(for: "all ends") {
            let reported = client.transcript
            return ends.allSatisfy(reported.contains)
        }
        let transcript = client.transcript
        for one in [
            "NavigationOccurred /main 3 0 \(emitter.uniqueName) probe {} [] {}",
            "PropertiesChanged /side Owner=\(owner.uniqueName)", "PropertiesChanged /main/page Owner=\(ui.uniqueName)",
            "InterfacesRemoved /main/page",
        ] { #expect(transcript.contains(one), "\(one) \(transcript)") }
        #expect(try service.treeLines() == ["/main visible presented"])
        // The bus no longer knows whether the client was allowed to register.
        #expect(!transcript.contains { $0.hasPrefix("DefinitionsChanged") })
        #expect(try service.coordinator("GetDefinitionNames") == [.strings(["main", "side"])])
        #expect(try service.emit("probe", on: "/main") == [.uint64(5), "navigated"])
    }
}

extension TestClient {
    /// Waits until a client owns a presentable, and has shown it.
    fileprivate func waitUntilOwned(_ path: String, by owner: String) throws {
        try addMatch("type='signal',sender='\(Service.name)',member='PropertiesChanged'")
        let role = Service.name + ".Presentable"
        func isShown() throws -> Bool {
            try property(Service.name, Service.tree + path, role, "Visible") == true
        }
        while try !isShown() { try waitForSignal("PropertiesChanged") { $0.path == Service.tree + path } }
        guard try property(Service.name, Service.tree + path, role, "Owner").text == owner else {
            throw TestFailure("'\(path)' is not owned by \(owner)")
        }
    }

    /// Waits until a presentable is gone.
    fileprivate func waitUntilGone(_ path: String) throws {
        try addMatch("type='signal',sender='\(Service.name)',member='InterfacesRemoved'")
        func isGone() throws -> Bool {
            try call(Service.name, Service.root, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")[0][
                Service.tree + path] == nil
        }
        while try !isGone() { try waitForSignal("InterfacesRemoved") }
    }
}
