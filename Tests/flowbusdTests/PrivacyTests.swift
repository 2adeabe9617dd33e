import BusTestSupport
import Foundation
import Testing

/// Nobody but the owner is told what it saved, and nobody but whom rules tell is told a result (S-44, S-45).
///
/// Each private value is a word of its own, for which everything is searched that leaves flowbusd: all messages that it
/// sends (a monitor of the bus sees them), its log, and its files.
@Suite("Privacy of states and results")
struct PrivacyTests {
    private static let definitions = """
        [private]
        steps = ["pay"]
        [steps]
        open = {}
        pay = { card = "string" }
        picked = { contact = "string?", card = "string?" }
        home = {}
        last = {}
        [screens]
        note = { presenter = "com.example.Peer", stateOnDisk = true }
        pad = { presenter = "com.example.Peer", result = { contact = "string" } }
        shown = { presenter = "com.example.Peer", arguments = { contact = "string?", card = "string?" } }
        page = {}
        [[autostart]]
        flow = "main"
        [flows.main]
        children = "stack"
        [flows.main.on]
        open = { screen = "note" }
        pay = { screen = "pad", onResult = { step = "picked", arguments = { contact = "$result.contact", card = "$asked.card" } } }
        picked = { screen = "shown" }
        home = { screen = "page" }
        last = { none = true }
        """
    /// What is private: what the two screens save, the result, and the argument of the private step.
    private static let (keptState, state, result, asked) = (
        "half-a-sentence", "first-digits", "alice-at-home", "4929-1234"
    )
    private static let words = [keptState, state, result, asked]

    private let service: Service
    private let peer: TestClient
    /// The program that is answered.
    private let asker: TestClient
    private let monitor: TestClient

    init() throws {
        service = try Service(Self.definitions, options: ["--restore", "always", "--log-level", "trace"])
        let (bus, path) = ("org.freedesktop.DBus", "/org/freedesktop/DBus")
        monitor = try TestClient(service.bus)
        try monitor.call(
            bus, path, bus + ".Monitoring", "BecomeMonitor",
            .array(of: "s", [.string("sender='\(Service.name)'")]), .uint32(0))
        peer = try service.peer()
        peer.playPresenter()
        asker = try service.peer(nil)
        try service.listen()
    }

    /// The screen's presenter is called, and owns it. Returns the arguments and the details of the call.
    private func present(_ screen: String) throws -> (arguments: BusValue, details: BusValue) {
        let call = try peer.waitForCall("Present") { $0.values[1].text == screen }
        try service.waitForOwner(peer, of: "/main/" + screen)
        return (call.values[2], call.values[3])
    }

    private func call(_ member: String, _ argument: BusValue, on screen: String) throws {
        try service.presentable(member, "/main/" + screen, argument, by: peer)
    }

    /// Calls everything that reads, as a stranger.
    private func readEverything() throws {
        let (name, stranger) = (Service.name, try TestClient(service.bus))
        let objects = try service.objects().keys
        let properties = "org.freedesktop.DBus.Properties"
        for path in objects {
            for role in ["Presentable", "Flow", "Stepper"] where role != "Flow" || path == Service.tree + "/main" {
                try stranger.call(name, path, properties, "GetAll", .string("\(name).\(role)"))
            }
            try stranger.call(name, path, "org.freedesktop.DBus.Introspectable", "Introspect")
            for step in ["picked", "home"] {
                try stranger.call(name, path, name + ".Stepper", "Explain", .string(step), .options())
            }
        }
        for (member, arguments) in [("GetStack", [""]), ("GetDefinitions", []), ("GetTimings", []), ("GetTimers", [])]
            as [(String, [BusValue])]
        {
            let call = try stranger.start(name, Service.root, name + ".Coordinator", member, arguments)
            try stranger.answer(to: call)
        }
        _ = try service.history()
    }

    /// The messages of the service with one of the words, but for those to the owner and to whoever asked.
    private func leaks() throws -> [String] {
        try service.emit("last", on: "/main")
        try monitor.wait(for: "the last signal") {
            monitor.log.contains { $0.member == "NavigationOccurred" && $0.values[3] == "last" }
        }
        return monitor.log.filter { message in
            ![peer.uniqueName, Peer.name, asker.uniqueName].contains(message.destination)
                && Self.words.contains { "\(message)".contains($0) }
        }.map { "to '\($0.destination)': \($0)" }
    }

    /// Restarts the service. Returns what its process had logged.
    private func restart() throws -> String {
        let before = service.process
        try service.restart(by: SIGTERM)
        return before.errors + before.output
    }

    private func files(below folder: String, with word: String) throws -> [String] {
        let root = service.stores.path + "/" + folder
        return try FileManager.default.subpathsOfDirectory(atPath: root).filter {
            guard let data = FileManager.default.contents(atPath: root + "/" + $0) else { return false }
            return data.range(of: Data(word.utf8)) != nil
        }
    }

    @Test func `S-44 S-45 S-10 D-3 states and results are told to nobody else, and are on a disk only where declared`()
        throws
    {
        try service.emit("open", on: "/main")
        _ = try present("note")
        try call("SaveState", .options(["text": .string(Self.keptState)]), on: "note")
        try service.emitWithOptions(
            "pay", ["card": .string(Self.asked)], on: "/main", ["ask": true, "token": "t"], by: asker)
        _ = try present("pad")
        try call("SaveState", .options(["text": .string(Self.state)]), on: "pad")
        try readEverything()

        // The owners' next processes are told what was saved.
        var log = try restart()
        try readEverything()
        try call("Finish", .options(["contact": .string(Self.result)]), on: "pad")
        let answer = try asker.waitForSignal("Answered")
        #expect(answer.values == ["t", "result", .options(["contact": .string(Self.result)])])
        let shown = try present("shown")
        #expect(shown.arguments == .options(["card": .string(Self.asked), "contact": .string(Self.result)]))
        try readEverything()
        try service.emit("home", on: "/main")
        try readEverything()
        log += try restart()

        #expect(log.contains("NavigationOccurred") || log.contains("pay"), "the log says what happens")
        let leaks = try leaks()
        #expect(leaks == [])
        // The monitor would have seen them.
        for word in [Self.result, Self.asked] { #expect(monitor.log.contains { "\($0)".contains(word) }) }
        for word in Self.words {
            #expect(!log.contains(word), "\(log)")
            // The folder of this boot has everything, or a restart would lose it; the disk has what is declared.
            #expect(try files(below: "state", with: word).isEmpty == (word != Self.keptState), "\(word)")
        }
        #expect(try files(below: "run", with: Self.keptState).isEmpty == false)
    }
}
