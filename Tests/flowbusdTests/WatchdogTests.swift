import BusTestSupport
import FlowCore
import Glibc
import Testing

/// Programs that hang while they show a screen (S-44).
@Suite("Watchdogs")
struct WatchdogTests {
    private static func definitions(
        _ watchdog: String, _ whenOwnerGone: WhenOwnerGone = .dismiss, kills: Bool = false
    ) -> String {
        """
        [steps]
        open = {}
        lost = { why = "string" }
        [screens]
        page  = { presenter = "com.example.Peer", watchdog = { every = "\(watchdog)", kill = \(kills) }, whenOwnerGone = "\(whenOwnerGone.rawValue)" }
        [[autostart]]
        flow = "main"
        [flows.main.on]
        open = { screen = "page", onDismissed = { step = "lost", arguments = { why = "$reason" } } }
        lost = { none = true }

        """
    }

    /// An owner that answers once, and then hangs.
    private static func once() -> (ReceivedMessage) -> TestClient.Answer {
        var isFirst = true
        return { _ in
            defer { isFirst = false }
            return isFirst ? .values([]) : .later
        }
    }

    /// A peer that presents the page.
    private func open(_ service: Service, alive: ((ReceivedMessage) -> TestClient.Answer)?) throws -> TestClient {
        let peer = try service.peer()
        peer.playPresenter()
        if let alive { peer.serve(Peer.path, Peer.presenter, "Alive", alive) }
        try service.listen()
        try service.emit("open", on: "/main")
        try service.client.waitForSignal("PropertiesChanged") { $0.values[1]["Owner"]?.text == peer.uniqueName }
        try peer.call(Service.name, Service.tree + "/main/page", Service.name + ".Presentable", "SetVisible", true)
        return peer
    }

    @Test(arguments: [false, true])
    func `S-44 Alive is called again and again; an error is an answer, too`(isError: Bool) throws {
        let service = try Service(Self.definitions("500ms"))
        let peer = try open(service) { _ in
            isError ? .error(BusError("com.example.Error.Busy", "not now")) : .values([])
        }
        let call = try peer.waitForCall("Alive")
        #expect(call.path == Peer.path && call.interface == Peer.presenter && call.values == [] && call.expectsReply)
        try peer.wait(for: "two more") { peer.calls("Alive").count == 3 }
        try service.synchronize(peer)
        #expect(try service.property("Presented", of: "/main/page", "Presentable") == true)
    }

    @Test func `S-23 S-44 without an answer the screen loses its owner, which gets Withdraw`() throws {
        let service = try Service(Self.definitions("100ms"))
        let peer = try open(service, alive: Self.once())
        let lost = try service.client.waitForSignal("NavigationOccurred") { $0.values[3] == "lost" }
        #expect(lost.values[4] == .options(["why": "ownerHangs"]) && lost.values[2].text == peer.uniqueName)
        let call = try peer.waitForCall("Withdraw")
        #expect(call.values == [.objectPath(Service.tree + "/main/page"), .uint64(2), "ownerHangs"])
        #expect(peer.calls("Alive").count == 2)
        try service.process.waitForLine(in: .errors) {
            $0.contains("The owner of the screen 'page' hangs") && $0.contains(peer.uniqueName)
        }
        // A late answer is no news.
        try peer.reply(to: peer.calls("Alive")[1])
        try service.synchronize(peer)
        #expect(try service.objects().keys == [Service.tree + "/main"])
    }

    @Test func `S-44 a program that never answers counts as one without the method, until it does`() throws {
        let service = try Service(Self.definitions("100ms"))
        let peer = try open(service, alive: { _ in .later })
        try peer.waitForCall("Alive")
        try service.process.waitForLine(in: .errors) { $0.contains("The owner of the screen 'page' is not watched") }
        // It was only slow.
        try peer.reply(to: peer.calls("Alive")[0])
        try peer.wait(for: "the next call") { peer.calls("Alive").count == 2 }
        let lost = try service.client.waitForSignal("NavigationOccurred") { $0.values[3] == "lost" }
        #expect(lost.values[4] == .options(["why": "ownerHangs"]))
    }

    @Test func `S-44 an answer that came in time counts, however late flowbusd reads it`() throws {
        let service = try Service(Self.definitions("500ms"))
        let peer = try open(service, alive: Self.once())
        try peer.wait(for: "the second call") { peer.calls("Alive").count == 2 }
        service.process.send(signal: SIGSTOP)
        try peer.reply(to: peer.calls("Alive")[1])
        // Longer than the answer may take.
        try ChildProcess("sleep", ["1"]).waitForExit()
        service.process.send(signal: SIGCONT)
        try peer.wait(for: "the next call") { peer.calls("Alive").count == 3 }
        #expect(try service.property("Presented", of: "/main/page", "Presentable") == true)
    }

    @Test func `S-44 a program without the method is not watched, which is logged once`() throws {
        let service = try Service(Self.definitions("20ms"))
        let peer = try open(service, alive: nil)
        try peer.waitForCall("Alive")
        try service.process.waitForLine(in: .errors) { $0.contains("The owner of the screen 'page' is not watched") }
        let page = Service.tree + "/main/page"
        for isVisible in [false, true, false, true] {
            try peer.call(Service.name, page, Service.name + ".Presentable", "SetVisible", .bool(isVisible))
        }
        // Another screen is watched meanwhile.
        let other = try service.peer(nil)
        other.serve(Peer.path, Peer.presenter, "Withdraw") { _ in .later }
        other.serve(Peer.path, Peer.presenter, "Alive") { _ in .values([]) }
        peer.playPresenter { _ in .later }
        try service.emit("open", on: "/main")
        try peer.call("org.freedesktop.DBus", "/", "org.freedesktop.DBus", "ReleaseName", .string(Peer.name))
        try other.requestName(Peer.name)
        try service.synchronize(peer, other)
        try service.presentable("Claim", "/main/page_2", by: other)
        try other.call(Service.name, page + "_2", Service.name + ".Presentable", "SetVisible", true)
        try other.wait(for: "three calls") { other.calls("Alive").count == 3 }
        #expect(peer.calls("Alive").count == 1)
        #expect(try service.property("Presented", of: "/main/page", "Presentable") == true)
        #expect(service.process.errors.split(separator: "\n").count { $0.contains("is not watched") } == 1)
    }

    @Test func `S-30 S-44 present: a stopped process that goes on shows its screen again`() throws {
        let peers = try Peers()
        let ui = try peers.start(Peer.name, "--Present=show")
        let service = try Service(Self.definitions("200ms", .present), bus: peers.bus)
        try service.listen()
        try service.emit("open", on: "/main")
        try peers.wait(for: "Present /main/page", of: ui)
        try service.client.waitForSignal("PropertiesChanged") { $0.values[1]["Presented"] == true }
        // It was asked again, so it has answered.
        for _ in 0..<2 { try peers.wait(for: "Alive \(Peer.path)", of: ui) }
        kill(ui.processID, SIGSTOP)
        defer { kill(ui.processID, SIGCONT) }
        let change = try service.client.waitForSignal("PropertiesChanged") { $0.values[1]["Owner"] == "" }
        #expect(change.values[1]["Visible"] == false && change.values[1]["Presented"] == false)
        service.client.clearLog()
        kill(ui.processID, SIGCONT)
        try peers.wait(for: "Withdraw /main/page ownerHangs", of: ui)
        try peers.wait(for: "Present /main/page again", of: ui)
        try service.client.waitForSignal("PropertiesChanged") { $0.values[1]["Presented"] == true }
        #expect(try service.property("Owner", of: "/main/page", "Presentable").text == ui.uniqueName)
    }

    @Test func `S-44 kill: the process that hangs is ended, and the bus starts another one`() throws {
        let peers = try Peers(startable: [Peer.name: "--Present=show"])
        let ui = try peers.start(Peer.name, "--Present=show")
        let service = try Service(Self.definitions("200ms", .present, kills: true), bus: peers.bus)
        try service.listen()
        try service.emit("open", on: "/main")
        try service.client.waitForSignal("PropertiesChanged") { $0.values[1]["Presented"] == true }
        // It was asked again, so it has answered.
        for _ in 0..<2 { try peers.wait(for: "Alive \(Peer.path)", of: ui) }
        service.client.clearLog()
        kill(ui.processID, SIGSTOP)
        let next = try peers.wait(for: "Present /main/page again", of: Peer.name)
        #expect(next.processID != ui.processID)
        try service.client.waitForSignal("PropertiesChanged") { $0.values[1]["Presented"] == true }
        try service.process.waitForLine(in: .errors) {
            $0.contains("The process that hangs with the screen 'page' was ended")
                && $0.contains("process \(ui.processID)")
        }
    }

    @Test func `S-44 kill: a process that flowbusd descends from is not ended`() throws {
        let service = try Service(Self.definitions("200ms", kills: true))
        let peer = try open(service, alive: Self.once())
        try peer.waitForCall("Withdraw")
        try service.process.waitForLine(in: .errors) {
            $0.contains("'page' is not ended, as flowbusd descends from it") && $0.contains("process \(getpid())")
        }
    }

    @Test func `S-44 a process that is killed while it is asked is gone, and does not hang`() throws {
        let peers = try Peers()
        let ui = try peers.start(Peer.name, "--Present=show", "--Alive=hold")
        let service = try Service(Self.definitions("500ms"), bus: peers.bus)
        try service.listen()
        try service.emit("open", on: "/main")
        try peers.wait(for: "Alive \(Peer.path)", of: ui)
        try peers.kill(ui)
        let lost = try service.client.waitForSignal("NavigationOccurred") { $0.values[3] == "lost" }
        #expect(lost.values[4] == .options(["why": "ownerGone"]))
    }
}
