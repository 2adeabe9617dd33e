import BusTestSupport
import Testing

/// Claim, Release and ListOwned; programs that know nothing of flowbus.
@Suite("Owners")
struct OwnerTests {
    private static let definitions = """
        [steps]
        open = {}
        pay = {}
        paid = { why = "string", error = "string", text = "string" }
        show = { n = "int64" }
        activate = {}
        openFile = { uri = "string" }
        openAll = { uris = "as?" }
        [screens]
        page = {}
        shop_window = { application = { name = "com.example.Peer", action = "shop", parameter = "$n", close = "quit" }, arguments = { n = "int64" } }
        other = { application = { name = "com.example.Peer", action = "win.other" } }
        plain = { application = "com.example.Peer" }
        file = { application = { name = "com.example.Peer", open = "$uri" }, arguments = { uri = "string" } }
        files = { application = { name = "com.example.Peer", open = "$uris" }, arguments = { uris = "as?" } }
        [[autostart]]
        flow = "main"
        [flows.main.on]
        open = { screen = "page" }
        pay = { screen = "page", onDismissed = { step = "paid", arguments = { why = "$reason", error = "$error", text = "$message" } } }
        paid = { none = true }
        show = [{ screen = "shop_window" }, { screen = "other" }]
        activate = { screen = "plain" }
        openFile = { screen = "file" }
        openAll = { screen = "files" }
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

    @Test func `S-22 S-23 DismissWithOptions says what failed, and refuses what is no error`() throws {
        let service = try Service(Self.definitions)
        let owner = try service.peer(nil)
        try service.emit("pay", on: "/main")
        func dismiss(_ options: BusValue, by client: TestClient? = nil) throws {
            try service.presentable("DismissWithOptions", "/main/page", options, by: client)
        }
        try service.presentable("Claim", "/main/page", by: owner)
        for (options, text) in [
            (.options(["error": "declined"]), "'declined' can't be the name of an error"),
            (.options(["error": "com.example.1"]), "'com.example.1' can't be"),
            (.options(["error": "com..example"]), "can't be"), (.options(["error": ""]), "'' can't be"),
            (.options(["message": "no"]), "which is missing"), (.options(["reason": "no"]), "'reason'"),
            (.options(["error": true]), "'error'"),
        ] as [(BusValue, String)] {
            let refusal = try service.refusal { try dismiss(options, by: owner) }
            #expect(refusal.name == error("InvalidArguments") && refusal.message.contains(text), "\(refusal.message)")
        }
        let declined = BusValue.options(["error": "com.pay.Error.Declined", "message": "the card is blocked"])
        #expect(try service.refusal { try dismiss(declined) }.name == error("NotOwner"))
        try service.listen()
        try dismiss(declined, by: owner)
        let navigation = try service.client.waitForSignal("NavigationOccurred")
        #expect(
            navigation.values.contains(
                .options(["error": "com.pay.Error.Declined", "text": "the card is blocked", "why": "failed"])))
        // Without options it is Dismiss.
        try service.emit("open", on: "/main")
        try dismiss(.options())
        #expect(try service.refusal { try dismiss(.options()) }.name == "org.freedesktop.DBus.Error.UnknownObject")
    }

    @Test func `S-40 a program that knows nothing of flowbus is called as it is, and shows the screen`() throws {
        let service = try Service(Self.definitions)
        let peer = try service.peer()
        for member in ["Activate", "Open", "ActivateAction"] {
            peer.serve(Peer.path, "org.freedesktop.Application", member) { _ in .values([]) }
        }
        try service.listen()
        try service.emitWithOptions("show", ["n": .byte(2)], on: "/main", ["activation-token": "tok"])
        let (first, second) = (try peer.waitForCall("ActivateAction"), try peer.waitForCall("ActivateAction"))
        let token = BusValue.options(["activation-token": "tok", "desktop-startup-id": "tok"])
        #expect(first.values == ["shop", .array(of: "v", [.variant(.int64(2))]), .options()])
        // The highest of several gets the token (S-38).
        #expect(second.values == ["win.other", .array(of: "v", []), token])
        for path in ["/main/shop_window", "/main/other"] {
            let change = try service.client.waitForSignal("PropertiesChanged") { $0.path == Service.tree + path }
            #expect(change.values[1]["Owner"]?.text == peer.uniqueName)
            #expect(change.values[1]["Visible"] == true)
            #expect(try service.property("Presented", of: path, "Presentable") == true)
        }
        try service.emit("activate", on: "/main")
        #expect(try peer.waitForCall("Activate").values == [.options()])
        try service.emit("openFile", ["uri": "file:///a"], on: "/main")
        #expect(try peer.waitForCall("Open").values == [.array(of: "s", ["file:///a"]), .options()])
        try service.emit("openAll", ["uris": .array(of: "s", ["a:b", "c:d"])], on: "/main")
        #expect(try peer.waitForCall("Open").values == [.array(of: "s", ["a:b", "c:d"]), .options()])
        // Without its argument there is nothing to open.
        try service.emit("openAll", on: "/main")
        #expect(try peer.waitForCall("Activate").values == [.options()])
    }

    @Test func `S-40 anyone may dismiss what such a program shows, which gets its closing action and no Withdraw`()
        throws
    {
        let service = try Service(Self.definitions)
        let peer = try service.peer()
        peer.serve(Peer.path, "org.freedesktop.Application", "ActivateAction") { call in
            call.values[0] == "quit" ? .later : .values([])
        }
        try service.listen()
        try service.emit("show", ["n": .byte(2)], on: "/main")
        try service.client.waitForSignal("PropertiesChanged") {
            $0.path == Service.tree + "/main/other" && $0.values[1]["Owner"] != nil
        }
        #expect(try service.refusal { try service.show("/main/other", false) }.name == error("NotOwner"))
        try service.dismiss("/main/other")
        try service.dismiss("/main/shop_window")
        let quit = try peer.waitForCall("ActivateAction") { $0.values[0] == "quit" }
        #expect(quit.values == ["quit", .array(of: "v", []), .options()] && quit.path == Peer.path)
        try service.synchronize(peer)
        #expect(peer.calls("Withdraw").isEmpty)
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
