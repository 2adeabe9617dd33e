import BusTestSupport
import Testing

/// RegisterFlow with the option `screens`: a flow with its screens.
@Suite("Registered screens")
struct RegisteredScreensTests {
    private static let definitions = """
        [steps]
        show = {}
        [screens]
        page = {}
        [[autostart]]
        flow = "main"
        [flows.main]
        navigator = { name = "com.example.Peer", path = "/other", steps = ["show"] }
        """

    private let service: Service
    private let peer: TestClient

    init() throws {
        service = try Service(Self.definitions)
        peer = try service.peer(nil)
    }

    private func declared(_ names: String...) -> BusValue {
        .array(of: "{sa{ss}}", names.map { .dictEntry(.string($0), .array(of: "{ss}", [.dictEntry("n", "int64?")])) })
    }

    /// Screens with the argument `n`.
    private func screens(_ names: String...) -> BusValue {
        .array(
            of: "{sa{sv}}",
            names.map {
                .dictEntry(.string($0), .options(["arguments": .array(of: "{ss}", [.dictEntry("n", "int64?")])]))
            })
    }

    /// The client registers the flow `mine` with the step `go` and the screens `own` and `more`.
    private func register(screens: BusValue? = nil, presenter: String = "/show") throws {
        try peer.call(
            Service.name, Service.root, Service.name + ".Coordinator", "RegisterFlow", "mine", .objectPath("/nav"),
            declared("go"),
            .options(["screens": screens ?? self.screens("own", "more"), "presenter": .objectPath(presenter)]))
    }

    private var changes: Int { service.client.log.count { $0.member == "DefinitionsChanged" } }

    /// `/main`, which lives in a process of its own, has a screen of the client's flow.
    private func showInMain() throws {
        let other = try service.peer()
        other.playNavigator(at: "/other") { _ in .contributors(("screen", "more", .options())) }
        #expect(try service.emit("show", on: "/main")[1] == "navigated")
        let call = try peer.waitForCall("Present") { $0.values[1] == "more" }
        #expect(call.values[0].brief == "/main/more")
    }

    @Test func `S-31 S-32 its client presents the screen for any flow, and gets Withdraw at the end`() throws {
        peer.playNavigator(at: "/nav") { call in
            .contributors(("screen", "own", .options(["arguments": .options(["n": call.values[2]["n"] ?? .int64(0)])])))
        }
        peer.playPresenter(at: "/show")
        try register()
        try service.coordinate("mine")
        try service.listen()
        #expect(try service.emit("go", ["n": .byte(7)], on: "/mine")[1] == "navigated")
        let call = try peer.waitForCall("Present")
        #expect(call.path == "/show")
        #expect(call.values[0].brief == "/mine/own" && call.values[1] == "own")
        #expect(call.values[2]["n"] == .int64(7))
        try service.client.waitForSignal("PropertiesChanged") {
            $0.path == Service.tree + "/mine/own" && $0.values[1]["Owner"]?.text == peer.uniqueName
        }
        #expect(try service.property("Presenter", of: "/mine/own", "Presentable").text == peer.uniqueName)

        try showInMain()
        try peer.call(Service.name, Service.root, Service.name + ".Coordinator", "UnregisterFlow", "mine")
        let withdrawn = try peer.waitForCall("Withdraw") { $0.values[0].brief == "/main/more" }
        #expect(withdrawn.path == "/show" && withdrawn.values[2] == "undeclared")
        #expect(try service.objects().keys == [Service.tree + "/main"])
        let refusal = try service.refusal { try service.emit("show", on: "/main") }
        #expect(refusal.name == Service.name + ".Error.NavigatorFailed")
        #expect(refusal.message.contains("no definition declares that screen"), "\(refusal.message)")
    }

    @Test func `S-32 a navigator registers a screen while it is asked, and contributes it then`() throws {
        peer.playNavigator(at: "/nav") { _ in .later }
        peer.playPresenter(at: "/show")
        try register(screens: screens("own"))
        try service.coordinate("mine")
        let step = try service.startEmit("go", on: "/mine")
        let call = try peer.waitForCall("Navigate")
        try register()
        try peer.reply(to: call, [.array(of: "(ssa{sv})", [.structure(["screen", "more", .options()])])])
        #expect(try service.client.answer(to: step)[1] == "navigated")
        #expect(try peer.waitForCall("Present").values[0].brief == "/mine/more")
    }

    @Test func `S-32 screens of a client that leaves are dismissed in the flows of others`() throws {
        peer.playPresenter(at: "/show") { _ in .later }
        try register()
        try showInMain()
        try service.listen()
        peer.disconnect()
        try service.client.waitForSignal("InterfacesRemoved") { $0.values[0].brief == "/main/more" }
        try service.client.waitForSignal("DefinitionsChanged")
        #expect(try service.objects().keys == [Service.tree + "/main"])
    }

    @Test func `S-32 D-3 the same registration again is answered without a signal, after a restart, too`() throws {
        try service.listen()
        peer.playPresenter(at: "/show") { _ in .later }
        try register()
        try register()
        try service.synchronize()
        #expect(changes == 1)
        try showInMain()

        try service.restart()
        #expect(try service.coordinator("GetDefinitionNames") == [.strings(["main", "mine"])])
        // It was asked, and had not answered.
        try peer.wait(for: "another Present") { peer.calls("Present").count == 2 }
        let again = peer.calls("Present")[1]
        #expect(again.path == "/show" && again.values[0].brief == "/main/more" && again.values[3]["reason"] == "launch")
        try service.listen()
        try register()
        try service.synchronize()
        #expect(changes == 0)
    }

    @Test
    func
        `S-32 D-3 it can change its screens any time: new ones are shown, dropped ones are dismissed, over a restart, too`()
        throws
    {
        try service.listen()
        peer.playPresenter(at: "/show")
        peer.playPresenter(at: "/new")
        try register(screens: screens("own"))
        let refusal = try service.refusal { try register(screens: screens("own", "page")) }
        #expect(refusal.name == Service.name + ".Error.InvalidArguments")
        try register()
        try showInMain()
        try service.synchronize()
        #expect(changes == 2)
        try service.restart()
        try service.listen()
        try register(screens: screens("own", "more", "third"), presenter: "/new")
        #expect(try service.objects().keys == [Service.tree + "/main", Service.tree + "/main/more"])
        try register(screens: screens("own"))
        let withdrawn = try peer.waitForCall("Withdraw")
        #expect(withdrawn.values[0].brief == "/main/more" && withdrawn.values[2] == "undeclared")
        try service.synchronize()
        #expect(changes == 2)
        #expect(try service.objects().keys == [Service.tree + "/main"])
    }
}
