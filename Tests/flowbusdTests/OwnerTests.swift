import BusTestSupport
import Testing

/// Claim, Release and ListOwned; programs that know nothing of flowbus.
@Suite("Owners")
struct OwnerTests {
    private static let definitions = """
        [steps]
        open = {}
        show = { n = "int64" }
        [screens]
        page = {}
        shop_window = { application = "com.example.Peer", arguments = { n = "int64" } }
        other = { application = { name = "com.example.Peer", action = "win.other" } }
        [[autostart]]
        flow = "main"
        [flows.main.on]
        open = { screen = "page" }
        show = [{ screen = "shop_window" }, { screen = "other" }]
        """

    private func error(_ name: String) -> String { Service.name + ".Error." + name }

    @Test func `S-29 of many that claim at once exactly one wins`() throws {
        let service = try Service(Self.definitions)
        let clients = try (0..<2).map { _ in try service.peer(nil) }
        for number in 1...20 {
            try service.emit("open", on: "/main")
            let path = Service.tree + "/main/page" + (number == 1 ? "" : "_\(number)")
            let calls = try clients.map {
                try $0.start(Service.name, path, Service.name + ".Presentable", "Claim")
            }
            var refused: [BusError] = []
            for (client, call) in zip(clients, calls) {
                do { try client.answer(to: call) } catch let error as BusError { refused.append(error) }
            }
            #expect(refused.map(\.name) == [error("AlreadyClaimed")])
            let owner = try service.client.property(Service.name, path, Service.name + ".Presentable", "Owner")
            #expect(clients.map(\.uniqueName).contains(owner.text ?? ""))
            #expect(refused[0].message.contains("'\(owner.text ?? "")'"))
        }
        let owned = try clients.map { client in
            try client.call(Service.name, Service.root, Service.name + ".Coordinator", "ListOwned", "")[0].elements
        }
        #expect(owned[0].count + owned[1].count == 20)
    }

    @Test func `S-29 Claim, Release, ListOwned`() throws {
        let service = try Service(Self.definitions)
        let (client, owner) = (service.client, try service.peer(nil))
        for _ in 0..<3 { try service.emit("open", on: "/main") }
        try service.listen()
        for path in ["/main/page_2", "/main/page", "/main"] {
            for _ in 0..<2 { try service.presentable("Claim", path, by: owner) }
            let change = try client.waitForSignal("PropertiesChanged")
            #expect(change.values[1] == .options(["Owner": .string(owner.uniqueName)]))
        }
        let list = BusValue.array(
            of: "(ot)",
            [("/main", 1), ("/main/page", 2), ("/main/page_2", 3)].map {
                .structure([.objectPath(Service.tree + $0.0), .uint64($0.1)])
            })
        #expect(try service.coordinator("ListOwned", .string(owner.uniqueName)) == [list])
        #expect(
            try owner.call(Service.name, Service.root, Service.name + ".Coordinator", "ListOwned", "") == [list])
        #expect(try service.coordinator("ListOwned", "") == [.array(of: "(ot)", [])])
        #expect(try service.coordinator("ListOwned", ":9.9") == [.array(of: "(ot)", [])])
        let name = try service.refusal { try service.coordinator("ListOwned", "com.example.Peer") }
        #expect(name.name == error("InvalidArguments") && name.message.contains("'com.example.Peer'"))
        for member in ["Claim", "Release", "Dismiss"] {
            let refusal = try service.refusal { try service.presentable(member, "/main/page") }
            #expect(refusal.name == error(member == "Claim" ? "AlreadyClaimed" : "NotOwner"))
            #expect(refusal.message.contains("'\(owner.uniqueName)'"), "\(refusal.message)")
        }
        try service.presentable("Release", "/main/page", by: owner)
        #expect(try client.waitForSignal("PropertiesChanged").values[1] == .options(["Owner": ""]))
        let nobody = try service.refusal { try service.presentable("Release", "/main/page", by: owner) }
        #expect(nobody.name == error("NotOwner") && nobody.message.contains("nobody does"))
        try service.presentable("Claim", "/main/page")
        for member in ["Claim", "Release"] {
            let gone = try service.refusal { try service.presentable(member, "/main/gone") }
            #expect(gone.name == "org.freedesktop.DBus.Error.UnknownObject")
        }
        // A claimed screen without a presenter: its owner gets `Withdraw` at "/" when an ancestor is removed.
        try service.presentable("Release", "/main", by: owner)
        try service.dismiss("/main")
        let reported = try owner.waitForCall("Withdraw")
        #expect(reported.path == "/")
        #expect(reported.values == [.objectPath(Service.tree + "/main/page_2"), .uint64(3), "parent"])
        try service.synchronize(owner)
        #expect(owner.calls("Withdraw").count == 1)
        #expect(client.calls("Withdraw").count == 1)
    }

    @Test func `S-29 a program that knows nothing of flowbus is activated with the screen, and shows it`() throws {
        let service = try Service(Self.definitions)
        let peer = try service.peer()
        peer.serve(Peer.path, "org.freedesktop.Application", "ActivateAction") { _ in .values([]) }
        try service.listen()
        try service.emitWithOptions("show", ["n": .byte(2)], on: "/main", ["activation-token": "tok"])
        let (first, second) = (try peer.waitForCall("ActivateAction"), try peer.waitForCall("ActivateAction"))
        func parameter(_ path: String, _ arguments: BusValue) -> BusValue {
            .array(of: "v", [.variant(.structure([.objectPath(Service.tree + path), arguments]))])
        }
        let token = BusValue.options(["activation-token": "tok", "desktop-startup-id": "tok"])
        #expect(
            first.values == [
                "shop-window", parameter("/main/shop_window", .options(["n": .int64(2)])), .options(),
            ])
        #expect(second.values == ["win.other", parameter("/main/other", .options()), token])
        for path in ["/main/shop_window", "/main/other"] {
            let change = try service.client.waitForSignal("PropertiesChanged") { $0.path == Service.tree + path }
            #expect(change.values[1]["Owner"]?.text == peer.uniqueName)
            #expect(change.values[1]["Visible"] == true)
            #expect(try service.property("Presented", of: path, "Presentable") == true)
        }
        // It gets no Withdraw for a screen that it did not know.
        try service.presentable("Release", "/main/other", by: peer)
        try service.dismiss("/main")
        try service.synchronize(peer)
    }

    @Test func `Coordinate gives its activation token to the first screen`() throws {
        let service = try Service(
            Self.definitions.replacing("[flows.main.on]", with: "[flows.main]\ninitial = \"open\"\n[flows.main.on]")
                .replacing("page = {}", with: "page = { presenter = \"com.example.Peer\" }"))
        let peer = try service.peer(nil)
        peer.playPresenter()
        try peer.requestName(Peer.name)
        try service.coordinate("main", options: ["activation-token": "tok", "id": "mine"])
        let call = try peer.waitForCall("Present") { $0.values[0].text?.hasSuffix("/mine/page") == true }
        #expect(call.values[3]["activation-token"] == "tok")
        let long = try service.refusal {
            try service.coordinate("main", options: ["activation-token": .string(String(repeating: "x", count: 1_025))])
        }
        #expect(long.name == error("LimitExceeded") && long.message.contains("1025 bytes"))
    }
}
