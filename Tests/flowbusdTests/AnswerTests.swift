import BusTestSupport
import Glibc
import Testing

/// The senders whose answers count, and until when, on each implementation of the bus.
@Suite("Answers of other processes")
struct AnswerTests {
    private static let definitions = """
        [steps]
        go = {}
        open = {}
        lost = { why = "string" }
        [screens]
        page = { presenter = { name = "com.example.Peer", timeout = "60s" }, patience = "0s" }
        [[autostart]]
        flow = "main"
        [[autostart]]
        flow = "shop"
        [flows.main]
        guard = { name = "com.example.Peer", timeout = "10s" }
        [flows.main.on]
        go = { none = true }
        [flows.shop.on]
        open = { screen = "page", onDismissed = { step = "lost", arguments = { why = "$reason" } } }
        lost = { none = true }
        """

    private func error(_ name: String) -> String { Service.name + ".Error." + name }

    /// Sends forged answers to calls that flowbusd may have made to other processes.
    private func forge(_ values: [BusValue], by forger: TestClient, to service: Service, numbers: Int = 200) throws {
        let owner = try service.client.call(
            "org.freedesktop.DBus", "/", "org.freedesktop.DBus", "GetNameOwner", .string(Service.name))
        // More numbers than flowbusd can have used: each forged answer to a question about a client makes it ask once more.
        for number in 1...UInt64(numbers) {
            try forger.forge(values, to: owner[0].text ?? "", call: 1 << 31 + number)
        }
        try forger.ping(Service.name)
    }

    @Test(arguments: PrivateBus.Program.allCases)
    func `S-5 S-31 a guard that crashes while it is asked is GuardFailed at once, one that was stopped GuardTimeout`(
        program: PrivateBus.Program
    ) throws {
        let peers = try Peers(on: program)
        let service = try Service(Self.definitions, bus: peers.bus)
        let crashing = try peers.start(Peer.name, "--Adapt=hold")
        let first = try service.startEmit("go", on: "/main")
        try peers.wait(for: "Adapt /main go", of: crashing)
        try peers.kill(crashing)
        let gone = try service.refusal(of: first)
        #expect(gone.name == error("GuardFailed"))
        #expect(gone.message.contains("'org.freedesktop.DBus.Error.NoReply'"), "\(gone.message)")

        try service.write(Self.definitions.replacing("10s", with: "100ms"))
        try service.coordinator("Reload")
        let stopped = try peers.start(Peer.name, "--Adapt=hold")
        Glibc.kill(stopped.processID, SIGSTOP)
        defer { Glibc.kill(stopped.processID, SIGKILL) }
        let late = try service.refusal { try service.emit("go", on: "/main") }
        #expect(late.name == error("GuardTimeout"))
        #expect(late.message == "the guard 'com.example.Peer' did not answer in time")
    }

    @Test(arguments: PrivateBus.Program.allCases)
    func `S-5 a guard that the bus starts is accepted, one that it can't start has failed`(
        program: PrivateBus.Program
    ) throws {
        let peers = try Peers(startable: [Peer.name: ""], broken: ["com.example.Broken"], on: program)
        let service = try Service(
            Self.definitions + "\n[[autostart]]\nflow = \"broken\"\n[flows.broken]\nguard = \"com.example.Broken\"\n"
                + "[flows.broken.on]\ngo = { none = true }\n", bus: peers.bus)
        #expect(try service.emit("go", on: "/main") == [.uint64(1), "navigated"])
        let broken = try service.refusal { try service.emit("go", on: "/broken") }
        #expect(broken.name == error("GuardFailed"))
        #expect(broken.message.contains("org.freedesktop.DBus.Error."), "\(broken.message)")
    }

    @Test(arguments: PrivateBus.Program.allCases)
    func `S-5 S-31 answers from unexpected senders for the guard or the presenter are ignored, theirs count`(
        program: PrivateBus.Program
    ) throws {
        let service = try Service(Self.definitions, bus: PrivateBus(program))
        let (peer, forger) = (try service.peer(), try service.peer(nil))
        let step = try service.startEmit("go", on: "/main")
        let asked = try peer.waitForCall("Adapt")
        try forge(["open", .options()], by: forger, to: service)
        try peer.reply(to: asked, [asked.values[1], asked.values[2]])
        #expect(try service.client.answer(to: step) == [.uint64(1), "navigated"])

        try service.emit("open", on: "/shop")
        let presented = try peer.waitForCall("Present")
        try forge([], by: forger, to: service, numbers: 600)
        #expect(try service.property("Owner", of: "/shop/page", "Presentable") == "")
        try service.listen()
        try peer.reply(to: presented)
        try service.client.waitForSignal("PropertiesChanged") { $0.values[1]["Owner"]?.text == peer.uniqueName }
        // dbus-broker itself does not deliver such a reply.
        if program != .broker {
            var count = 0
            try service.process.waitForLine(in: .errors) { line in
                if line.contains("An answer is ignored") { count += 1 }
                return count == 2
            }
        }
        let lines = service.process.errors.split(separator: "\n").filter { $0.contains("An answer is ignored") }
        #expect(lines.count == (program == .broker ? 0 : 2), "\(lines)")
        #expect(lines.allSatisfy { $0.contains("'\(forger.uniqueName)' sent it, but 'com.example.Peer' was called") })
    }

    @Test(arguments: PrivateBus.Program.allCases)
    func `S-31 S-29 a presenter that answers after its time limit gets Withdraw`(
        program: PrivateBus.Program
    ) throws {
        let service = try Service(Self.definitions.replacing("60s", with: "50ms"), bus: PrivateBus(program))
        let peer = try service.peer()
        peer.playPresenter { _ in .later }
        try service.listen()
        try service.emit("open", on: "/shop")
        let call = try peer.waitForCall("Present")
        let lost = try service.client.waitForSignal("NavigationOccurred") { $0.values[3] == "lost" }
        #expect(lost.values[4] == .options(["why": "presentFailed"]))
        try peer.reply(to: call)
        let reported = try peer.waitForCall("Withdraw")
        #expect(reported.path == Peer.path)
        #expect(reported.values == [call.values[0], call.values[3]["instance"] ?? "", "presentFailed"])
        // An error shows nothing; and only one answer counts.
        try service.emit("open", on: "/shop")
        let other = try peer.waitForCall("Present")
        try service.client.waitForSignal("NavigationOccurred") { $0.values[3] == "lost" }
        try peer.reply(to: other, BusError("com.example.No", "no"))
        try peer.reply(to: call)
        try service.synchronize(peer)
        #expect(peer.calls("Withdraw").count == 1)
    }

    @Test func `a presenter that fails repeatedly causes a few lines of the log, and a count`() throws {
        let service = try Service(Self.definitions)
        let peer = try service.peer()
        peer.playPresenter { _ in .error(BusError("com.example.No", "no")) }
        // Each in a flow of its own: in one of them its presenter would soon have to wait (S-36).
        for number in 0..<200 {
            try service.coordinate("shop", options: ["id": .string("shop\(number)")])
            try service.emit("open", on: "/shop\(number)")
        }
        try service.synchronize(peer)
        let line = "'com.example.Peer' does not present the screen 'page'"
        #expect(service.process.errors.split(separator: "\n").count { $0.contains(line) } == 5)
        #expect(try service.process.terminate() == .status(0))
        let last = service.process.errors.split(separator: "\n").filter { $0.contains(line) }.last ?? ""
        #expect(last.contains("warning: \(line): 195 more, not logged (FLOWBUS_PEER=com.example.Peer)"), "\(last)")
    }
}
