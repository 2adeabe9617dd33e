import BusTestSupport
import FlowCore
import Foundation
import Glibc
import Testing

/// Processes that answer nothing, or do not even read, do not affect others.
@Suite("Stopped processes")
struct StoppedTests {
    private static let definitions = """
        [steps]
        open = { text = "string?" }
        again = { text = "string?" }
        go = { text = "string?" }
        clear = {}
        guarded = { text = "string?" }
        free = {}
        show = {}
        [screens]
        page = { presenter = "com.example.Peer", arguments = { text = "string?" } }
        second = { presenter = "com.example.Second" }
        plain = {}
        [[autostart]]
        flow = "main"
        [[autostart]]
        flow = "side"
        [flows.main.on]
        open = { screen = "page" }
        again = { screen = "page", reuse = true }
        clear = { screen = "plain", clear = true }
        guarded = { flow = "sub", stepArguments = { text = "$text" }, step = "go" }
        show = { screen = "second" }
        [flows.sub]
        whenEmpty = "stay"
        guard = "com.example.Peer"
        [flows.sub.on]
        go = { none = true }
        [flows.side.on]
        free = { none = true }
        """

    /// The memory that a process has, in KiB.
    private func memory(of process: ChildProcess) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(process.processID)/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
        return try #require(Int(line.filter(\.isNumber)))
    }

    /// Has a client emit 2,000 lists of two steps, which all succeed, and nothing is lost.
    private func live(_ service: Service) throws {
        let (client, listener) = (try TestClient(service.bus), try service.peer(nil))
        try listener.addMatch("type='signal',sender='\(Service.name)',path='\(Service.tree)/side'")
        let list = BusValue.array(of: "(sa{sv})", Array(repeating: .structure(["free", .options()]), count: 2))
        var last = 0
        for _ in 0..<20 {
            let calls = try (0..<100).map { _ in
                try client.start(
                    Service.name, Service.tree + "/side", Service.name + ".Stepper", "EmitSteps", [list])
            }
            for call in calls {
                let verdicts = try client.answer(to: call)[0].elements
                #expect(verdicts.count == 2)
                for verdict in verdicts {
                    #expect(verdict.elements[1] == "navigated")
                    let serial = verdict.elements[0].number ?? 0
                    #expect(serial > last)
                    last = serial
                }
            }
            client.clearLog()
        }
        try listener.wait(for: "all signals") { listener.signals.count { $0.member == "NavigationOccurred" } == 4_000 }
    }

    @Test func `S-33 a stopped guard, a stopped presenter and a stopped listener do not affect others`() throws {
        let service = try Service(Self.definitions)
        // It never reads: to the bus it is what a process is that was stopped.
        let stopped = try TestClient(service.bus)
        try stopped.requestName(Peer.name)
        try stopped.addMatch("type='signal'")
        let monitor = try ChildProcess("busctl", ["--address=\(service.bus.address)", "monitor", Service.name])
        try monitor.waitForLine(in: .errors) { $0.contains("Monitoring") }
        monitor.send(signal: SIGSTOP)
        defer { monitor.send(signal: SIGKILL) }
        for _ in 0..<200 {
            try service.emit("open", on: "/main")
            try service.emit("guarded", on: "/main")
        }
        try live(service)
        #expect(try service.objects().elements.count == 402)
        // When it goes on, it answers all that it was asked, in order.
        stopped.playPresenter()
        stopped.playGuard { .pass($0) }
        service.client.turn(stopped)
        try service.client.addMatch("type='signal',sender='\(Service.name)',member='NavigationOccurred'")
        try stopped.wait(for: "all calls") { stopped.log.count { $0.kind == .call } == 400 }
        try service.synchronize(stopped)
        #expect(
            try service.coordinator("ListOwned", .string(stopped.uniqueName))[0].elements.count == 200)
    }

    @Test func `S-33 100 calls are under way to a presenter; those of removed screens are never made`() throws {
        let service = try Service(Self.definitions)
        let peer = try service.peer()
        peer.playPresenter { _ in .later }
        for _ in 0..<150 { try service.emit("open", on: "/main") }
        try service.synchronize(peer)
        let first = peer.calls("Present")
        #expect(first.count == Limits.callsUnderWay)
        for call in first.prefix(10) { try peer.reply(to: call) }
        try peer.wait(for: "ten more") { peer.calls("Present").count == Limits.callsUnderWay + 10 }
        try service.emit("clear", on: "/main")
        for call in peer.calls("Present").dropFirst(10) { try peer.reply(to: call) }
        try peer.wait(for: "all withdrawn") { peer.calls("Withdraw").count == Limits.callsUnderWay + 10 }
        try service.synchronize(peer)
        #expect(peer.calls("Present").count == Limits.callsUnderWay + 10)
        peer.playPresenter()
        try service.emit("open", on: "/main")
        try peer.waitForCall("Present") { $0.values[3]["serial"]?.number == 152 }
    }

    @Test(
        .enabled(if: Sanitizer.current == nil, "a sanitizer keeps freed memory for a while"),
        arguments: ["guarded", "open", "again"])
    func `S-33 the memory of the service is bounded while a stopped process is asked again and again`(
        step: String
    ) throws {
        let service = try Service(Self.definitions)
        let stopped = try TestClient(service.bus)
        try stopped.requestName(Peer.name)
        try service.emit("open", on: "/main")
        let text = BusValue.string(String(repeating: "x", count: 30_000))
        func turns(_ count: Int) throws {
            for _ in 0..<count {
                #expect(try service.emit(step, ["text": text], on: "/main")[1] == "navigated")
                if step == "guarded" { try service.dismiss("/main/sub") }
                if step == "open" { try service.emit("clear", on: "/main") }
                service.client.clearLog()
            }
        }
        try turns(300)
        let before = try memory(of: service.process)
        try turns(2_000)
        let after = try memory(of: service.process)
        #expect(after - before < 16 * 1_024, "\(before) KiB, then \(after) KiB")
        try live(service)
    }

    @Test func `S-33 on a system bus, too, processes that do not answer affect no one else`() throws {
        // It has the limits of a system bus: 128 answers that one connection waits for.
        let bus = try PrivateBus(policy: "")
        let flows = try TemporaryDirectory()
        try flows.write("version = 1\n" + Self.definitions, to: "flows.toml")
        let process = try Service.start(
            ["--system", "--flows", flows.path], environment: ["DBUS_SYSTEM_BUS_ADDRESS": bus.address])
        try process.waitForLine(in: .errors) { $0.contains("Serving") }
        let (client, stopped, peer) = (try TestClient(bus), try TestClient(bus), try TestClient(bus))
        try stopped.requestName(Peer.name)
        try peer.requestName("com.example.Second")
        client.turn(peer)
        peer.playPresenter(at: "/com/example/Second") { _ in .later }
        func emit(_ step: String) throws {
            try client.call(
                Service.name, Service.tree + "/main", Service.name + ".Stepper", "EmitStep", .string(step), .options())
        }
        for _ in 0..<150 { try emit("open") }
        for _ in 0..<90 { try emit("show") }
        var answered = 0
        while answered < 90 {
            let call = try peer.waitForCall("Present")
            try peer.reply(to: call)
            answered += 1
        }
        for client in [peer, client] { try client.ping(Service.name) }
        #expect(process.exit == nil && !process.errors.contains("does not present"), "\(process.errors)")
    }
}
