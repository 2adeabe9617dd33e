import BusTestSupport
import FlowCore
import Testing

/// SaveState and SetTitle through a bus (S-44).
@Suite("Saved states and titles")
struct SavedStateTests {
    private let service: Service
    private let peer: TestClient

    init() throws {
        service = try Service(
            """
            [steps]
            open = {}
            cover = {}
            uncover = {}
            edit = { item = "int64" }
            [screens]
            note = { presenter = "com.example.Peer", whenOwnerGone = "keep", arguments = { item = "int64?" } }
            page = {}
            [[autostart]]
            flow = "main"
            [flows.main]
            children = "stack"
            [flows.main.on]
            open = { screen = "note" }
            cover = { screen = "page" }
            uncover = { pop = "note" }
            edit = { screen = "note", reuse = true }
            """)
        peer = try service.peer()
        peer.playPresenter()
        try service.listen()
        try service.emit("open", on: "/main")
        try service.waitForOwner(peer, of: "/main/note")
    }

    @discardableResult
    private func call(_ member: String, _ argument: BusValue, on path: String = "/main/note") throws -> [BusValue] {
        try service.presentable(member, path, argument, by: peer)
    }

    /// The owner goes, and another process is called when the screen is in sight again. Returns the details.
    private func presentAnew() throws -> BusValue {
        peer.disconnect()
        try service.client.waitForEnd(of: peer.uniqueName)
        let next = try service.peer()
        next.playPresenter()
        for step in ["cover", "uncover"] { try service.emit(step, on: "/main") }
        return try next.waitForCall("Present").values[3]
    }

    @Test func `S-44 D-1 the next process gets what the one before saved, over a restart of the service`() throws {
        #expect(try peer.waitForCall("Present").values[3].keys.contains("state") == false)
        let state: BusValue = .options(["text": "half a sen", "marks": .strings(["a", "b"]), "at": .uint32(10)])
        #expect(try call("SaveState", state) == [])
        try service.restart()
        let details = try presentAnew()
        #expect(details["reason"] == "recover" && details["state"] == state)
    }

    @Test func `S-44 S-33 what can't be saved is refused, and what was saved stays`() throws {
        func refuse(_ member: String, _ argument: BusValue, _ code: String, _ text: String) throws {
            let refusal = try service.refusal { try call(member, argument) }
            #expect(refusal.name.hasSuffix(code) && refusal.message.contains(text), "\(refusal)")
        }
        try call("SaveState", .options(["text": "kept"]))
        try refuse("SaveState", .options(["text": .fileDescriptor(2)]), "InvalidArguments", "the value 'text'")
        let many = BusValue.array(
            of: "{sv}", (0...Limits.argumentCount).map { .dictEntry(.string("v\($0)"), .variant(.byte(1))) })
        try refuse("SaveState", many, "LimitExceeded", "more than \(Limits.argumentCount) values")
        let large = String(repeating: "x", count: Limits.argumentBytes)
        try refuse("SaveState", .options(["text": .string(large)]), "LimitExceeded", "\(Limits.argumentBytes) bytes")
        try refuse("SetTitle", .string(large), "LimitExceeded", "\(Limits.titleLength)")
        for (member, argument) in [("SaveState", .options()), ("SetTitle", "")] as [(String, BusValue)] {
            let refusal = try service.refusal { try call(member, argument, on: "/main") }
            #expect(refusal.name == "org.freedesktop.DBus.Error.NotSupported")
            #expect(refusal.message.contains("'\(Service.tree)/main' is a flow"))
        }
        let refusal = try service.refusal {
            try service.presentable("SaveState", "/main/note", .options())
        }
        #expect(refusal.name == Service.name + ".Error.NotOwner")
        #expect(try presentAnew()["state"] == .options(["text": "kept"]))
    }

    @Test func `S-44 what was sent before the owner knew of other arguments is refused`() throws {
        peer.playPresenter { _ in .later }
        try service.emit("edit", ["item": .int64(2)], on: "/main")
        let present = try peer.waitForCall("Present") { $0.values[3]["reason"] == "update" }
        let refusal = try service.refusal { try call("SaveState", .options(["text": "of the former item"])) }
        #expect(refusal.name == Service.name + ".Error.StaleArguments")
        #expect(refusal.message.contains("'\(Service.tree)/main/note' was reused with other arguments"))
        try peer.reply(to: present)
        try peer.ping(Service.name)
        #expect(try call("SaveState", .options(["text": "of this item"])) == [])
    }

    @Test func `S-44 the title is a property of screens alone, and GetStack has it`() throws {
        try call("SetTitle", "Notes, page 1")
        #expect(service.client.transcriptOfTree.last == "PropertiesChanged /main/note Title=Notes, page 1")
        #expect(try service.property("Title", of: "/main/note", "Presentable") == "Notes, page 1")
        #expect(try service.property("Title", of: "/main", "Presentable") == "")
        let stack = try service.coordinator("GetStack", "")
        #expect(stack[0].elements.first?.elements[2]["title"] == "Notes, page 1")
        try service.restart()
        #expect(try service.property("Title", of: "/main/note", "Presentable") == "Notes, page 1")
    }
}
