import BusTestSupport
import Testing

/// Screens that are taken from their processes while they are out of sight (S-44).
@Suite("Evicted screens")
struct EvictingTests {
    private let service: Service
    private let peer: TestClient

    init() throws {
        service = try Service(
            """
            [steps]
            open = {}
            cover = {}
            uncover = {}
            memoryLow = {}
            [screens]
            note = { presenter = "com.example.Peer", evictAfter = "10ms", whenOwnerGone = "keep" }
            mail = { presenter = "com.example.Peer", evictAfter = "30d" }
            page = {}
            [[autostart]]
            flow = "main"
            [flows.main]
            children = "stack"
            [flows.main.on]
            open = [{ screen = "mail" }, { screen = "note" }]
            cover = { screen = "page" }
            uncover = { pop = "note" }
            memoryLow = { evict = true }
            """)
        peer = try service.peer()
        peer.playPresenter()
        try service.listen()
    }

    private func change(_ member: String, _ path: String, _ values: BusValue...) throws {
        let call = try peer.start(
            Service.name, Service.tree + path, Service.name + ".Presentable", member, values)
        try peer.answer(to: call)
    }

    /// Waits until the peer has to leave a screen.
    private func waitForWithdrawal(of path: String) throws {
        try peer.waitForCall("Withdraw") {
            $0.values[0] == .objectPath(Service.tree + path) && $0.values[2] == "evicted"
        }
    }

    @Test func `S-44 the owner gets Withdraw, saves and leaves; the next Present has what it saved`() throws {
        try service.emit("open", on: "/main")
        try peer.waitForCall("Present")
        try service.client.waitForSignal("PropertiesChanged") {
            $0.path == Service.tree + "/main/note" && $0.values[1]["Owner"]?.text == peer.uniqueName
        }
        try change("SetVisible", "/main/note", true)
        try service.emit("cover", on: "/main")
        try waitForWithdrawal(of: "/main/note")
        #expect(try service.property("Evicted", of: "/main/note", "Presentable") == false)
        try change("SaveState", "/main/note", .options(["text": "half a sen"]))
        try change("Release", "/main/note")
        #expect(try service.property("Evicted", of: "/main/note", "Presentable") == true)
        #expect(try service.property("Owner", of: "/main/note", "Presentable") == "")
        try service.restart()
        #expect(try service.property("Evicted", of: "/main/note", "Presentable") == true)
        peer.clearLog()
        try service.emit("uncover", on: "/main")
        let details = try peer.waitForCall("Present").values[3]
        #expect(details["reason"] == "recover" && details["state"] == .options(["text": "half a sen"]))
        #expect(try service.property("Evicted", of: "/main/note", "Presentable") == false)
    }

    @Test func `S-44 evict takes what is covered from its process`() throws {
        try service.emit("open", on: "/main")
        try peer.waitForCall("Present")
        try change("Claim", "/main/mail")
        try service.emit("memoryLow", on: "/main")
        try waitForWithdrawal(of: "/main/mail")
        peer.disconnect()
        try service.client.waitForSignal("PropertiesChanged") {
            $0.path == Service.tree + "/main/mail" && $0.values[1]["Owner"] == ""
        }
        #expect(try service.property("Evicted", of: "/main/mail", "Presentable") == true)
    }
}
