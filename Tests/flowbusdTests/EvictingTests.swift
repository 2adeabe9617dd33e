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

    /// Waits until the peer has to leave a screen.
    private func waitForWithdrawal(of path: String) throws {
        try peer.waitForCall("Withdraw") {
            $0.values[0] == .objectPath(Service.tree + path) && $0.values[2] == "evicted"
        }
    }

    @Test func `S-44 the owner gets Withdraw, saves and leaves; the next Present has what it saved`() throws {
        try service.emit("open", on: "/main")
        try peer.waitForCall("Present")
        try service.waitForOwner(peer, of: "/main/note")
        try service.presentable("SetVisible", "/main/note", true, by: peer)
        try service.emit("cover", on: "/main")
        try waitForWithdrawal(of: "/main/note")
        #expect(try service.property("Evicted", of: "/main/note", "Presentable") == false)
        try service.presentable("SaveState", "/main/note", .options(["text": "half a sen"]), by: peer)
        try service.presentable("Release", "/main/note", by: peer)
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
        try service.presentable("Claim", "/main/mail", by: peer)
        try service.emit("memoryLow", on: "/main")
        try waitForWithdrawal(of: "/main/mail")
        peer.disconnect()
        try service.client.waitForSignal("PropertiesChanged") {
            $0.path == Service.tree + "/main/mail" && $0.values[1]["Owner"] == ""
        }
        #expect(try service.property("Evicted", of: "/main/mail", "Presentable") == true)
    }
}
