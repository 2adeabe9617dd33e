import BusTestSupport
import FlowCore
import Testing

/// Presenters: processes that are called to show a screen, and get Withdraw when it is gone.
@Suite("Presenters")
struct PresenterTests {
    static let definitions = """
        [steps]
        open = { n = "int64?", pin = "string?" }
        secret = { pin = "string" }
        again = { n = "int64?" }
        clear = {}
        pop = {}
        stop = {}
        sub = {}
        lost = { why = "string" }
        mixed = {}
        [private]
        steps = ["secret"]
        [screens]
        page = { presenter = "com.example.Peer", arguments = { n = "int64?" } }
        vault = { presenter = "com.example.Peer", arguments = { pin = "string" } }
        plain = {}
        [[autostart]]
        flow = "main"
        [flows.main.on]
        open = { screen = "page", style = "modal", onDismissed = { step = "lost", arguments = { why = "$reason" } } }
        secret = { screen = "vault" }
        again = { screen = "page", reuse = true }
        clear = { screen = "plain", clear = true }
        pop = [{ pop = "root" }, { none = true }]
        sub = { flow = "sub" }
        lost = { none = true }
        [flows.sub.on]
        open = { screen = "page" }
        stop = { end = true }
        """

    private let service: Service
    private let peer: TestClient

    init() throws {
        service = try Service(Self.definitions)
        peer = try service.peer()
        peer.playPresenter()
    }

    private func error(_ name: String) -> String { Service.name + ".Error." + name }

    /// Waits until the screen at a path has an owner.
    private func waitForOwner(of path: String) throws {
        try service.client.waitForSignal("PropertiesChanged") {
            $0.path == Service.tree + path && ($0.values[1]["Owner"]?.text ?? "") != ""
        }
    }

    @Test
    func `S-31 S-29 Present is called before the navigation is signalled, and the process that answers is the owner`()
        throws
    {
        try service.listen()
        peer.playPresenter { _ in .later }
        try peer.addMatch("type='signal',sender='\(Service.name)'")
        #expect(try service.emit("open", ["n": .byte(3)], on: "/main") == [.uint64(1), "navigated"])
        let call = try peer.waitForCall("Present")
        #expect(call.path == Peer.path && call.interface == Peer.presenter)
        let page = Service.tree + "/main/page"
        #expect(
            call.values == [
                .objectPath(page), "page", .options(["n": .int64(3)]),
                .options([
                    "instance": .uint64(2), "style": "modal", "styles": .strings(["modal"]),
                    "flow": .objectPath(Service.tree + "/main"), "root": .objectPath(Service.tree + "/main"),
                    "serial": .uint64(1), "reason": "launch", "direction": "push",
                ]),
            ])
        let order = peer.log.filter { $0.kind != .reply }.map(\.member)
        #expect(order == ["Present", "InterfacesAdded", "NavigationOccurred", "StackChanged"])
        #expect(try service.property("Presenter", of: "/main/page", "Presentable").text == Peer.name)
        #expect(try service.property("Owner", of: "/main/page", "Presentable") == "")
        let added = try service.client.waitForSignal("InterfacesAdded").values[1][Service.name + ".Presentable"]
        #expect(added?["Presenter"]?.text == Peer.name && added?["Owner"] == "")
        try peer.reply(to: call)
        try waitForOwner(of: "/main/page")
        #expect(try service.property("Owner", of: "/main/page", "Presentable").text == peer.uniqueName)
        // Its answer does not make it visible.
        #expect(try service.property("Visible", of: "/main/page", "Presentable") == false)
        let refusal = try service.refusal { try service.show("/main/page") }
        #expect(refusal.name == error("NotOwner"))
        #expect(refusal.message.contains("'\(peer.uniqueName)'"))
        #expect(try service.refusal { try service.dismiss("/main/page") }.name == error("NotOwner"))
        try peer.call(Service.name, page, Service.name + ".Presentable", "SetVisible", true)
        #expect(try service.property("Presented", of: "/main/page", "Presentable") == true)
    }

    @Test func `S-19 S-29 'again', the activation token once, and private arguments to the presenter alone`() throws {
        try service.listen()
        try service.emitWithOptions("open", on: "/main", ["activation-token": "tok"])
        #expect(try peer.waitForCall("Present").values[3]["activation-token"] == "tok")
        try waitForOwner(of: "/main/page")
        try service.emitWithOptions("again", ["n": .int64(5)], on: "/main", ["activation-token": ""])
        let again = try peer.waitForCall("Present")
        #expect(again.values[2] == .options(["n": .int64(5)]))
        #expect(again.values[3]["again"] == true && again.values[3]["serial"] == .uint64(2))
        #expect(again.values[3].keys.contains("activation-token") == false)
        try service.emit("secret", ["pin": "1234"], on: "/main")
        #expect(try peer.waitForCall("Present").values[2] == .options(["pin": "1234"]))
        #expect(try service.property("Arguments", of: "/main/vault", "Presentable") == .options())
        try service.synchronize(peer)
        #expect(!service.client.log.contains { "\($0)".contains("1234") })
    }

    @Test func `S-29 the owner gets Withdraw for each kind of dismissal, without waiting for an answer`() throws {
        try service.listen()
        func open() throws {
            try service.emit("open", on: "/main")
            try waitForOwner(of: "/main/page")
        }
        func withdrawn(_ reason: String, _ path: String = "/main/page") throws {
            let call = try peer.waitForCall("Withdraw")
            #expect(call.path == Peer.path && call.interface == Peer.presenter && !call.expectsReply)
            #expect(call.values[0].text == Service.tree + path)
            #expect(call.values[1].number != nil)
            #expect(call.values[2].text == reason)
        }
        try open()
        try service.emit("clear", on: "/main")
        try withdrawn("rule")
        try open()
        try service.emit("pop", on: "/main")
        try withdrawn("rule")
        try service.emit("sub", on: "/main")
        try service.emit("open", on: "/main/sub")
        try waitForOwner(of: "/main/sub/page")
        try service.emit("stop", on: "/main/sub")
        try withdrawn("parent", "/main/sub/page")
        try service.emit("sub", on: "/main")
        try service.emit("open", on: "/main/sub")
        try waitForOwner(of: "/main/sub/page")
        try service.dismiss("/main/sub")
        try withdrawn("parent", "/main/sub/page")
        // It gets no signal for its own call.
        try open()
        try service.presentable("Dismiss", "/main/page", by: peer)
        try service.synchronize(peer)
        #expect(peer.calls("Withdraw").count == 4)
        try open()
        try service.write(
            Self.definitions.replacing("page = {", with: "paper = {").replacing("\"page\"", with: "\"paper\""))
        try service.coordinator("Reload")
        try withdrawn("undeclared")
    }

    @Test func `S-23 S-31 S-47 without patience a failed Present dismisses the screen, and onDismissed is triggered`()
        throws
    {
        try service.write(Self.definitions.replacing("page = {", with: "page = { patience = \"0s\","))
        try service.coordinator("Reload")
        try service.listen()
        let lost = { try service.client.waitForSignal("NavigationOccurred") { $0.values[3] == "lost" }.values[4] }
        peer.playPresenter { _ in .error(BusError("com.example.No", "no window")) }
        #expect(try service.emit("open", on: "/main")[1] == "navigated")
        #expect(try lost() == .options(["why": "presentFailed"]))
        #expect(try service.objects().keys == [Service.tree + "/main"])
        try service.process.waitForLine(in: .errors) {
            $0.contains("'com.example.Peer' does not present the screen 'page': 'com.example.No': no window")
        }
        // The cause is at the end of what many languages send.
        let trace = String(repeating: "in some file\n", count: 1_000)
        peer.playPresenter { _ in .error(BusError("com.example.Trace", "Trace\n\(trace)no display\n")) }
        try service.emit("open", on: "/main")
        _ = try lost()
        try service.process.waitForLine(in: .errors) {
            $0.contains("'com.example.Trace': Trace\\nin some file") && $0.contains(" … ")
                && $0.contains("\\nno display")
        }
        peer.playPresenter { _ in .later }
        try service.emit("open", on: "/main")
        try peer.waitForCall("Present") { $0.values[3]["serial"]?.number ?? 0 > 1 }
        peer.disconnect()
        #expect(try lost() == .options(["why": "presentFailed"]))
        // Nobody provides it.
        #expect(try service.emit("open", on: "/main")[1] == "navigated")
        #expect(try lost() == .options(["why": "presentFailed"]))
        #expect(try service.objects().keys == [Service.tree + "/main"])
        #expect(peer.calls("Withdraw").isEmpty)
    }

    @Test func `S-29 S-31 a screen dismissed while it is being presented is withdrawn when its presenter has answered`()
        throws
    {
        try service.listen()
        peer.playPresenter { _ in .later }
        try service.emit("open", on: "/main")
        let call = try peer.waitForCall("Present")
        let refusal = try service.refusal { try service.dismiss("/main/page") }
        #expect(refusal.name == error("NotOwner"))
        #expect(refusal.message.contains("being presented by 'com.example.Peer'"), "\(refusal.message)")
        try service.emit("clear", on: "/main")
        try service.synchronize(peer)
        #expect(peer.calls("Withdraw").isEmpty)
        try peer.reply(to: call)
        let withdrawn = try peer.waitForCall("Withdraw")
        #expect(withdrawn.values == [call.values[0], .uint64(2), "rule"])
    }

    @Test func `S-29 S-31 an owner by Claim is withdrawn when the presenter's answer takes its place`() throws {
        try service.listen()
        try service.emit("open", on: "/main")
        try waitForOwner(of: "/main/page")
        try service.presentable("Release", "/main/page", by: peer)
        let other = try service.peer(nil)
        other.playPresenter()
        try service.presentable("Claim", "/main/page", by: other)
        let instance = try service.property("Instance", of: "/main/page", "Presentable")
        try service.emit("again", ["n": .int64(5)], on: "/main")
        let call = try other.waitForCall("Withdraw")
        #expect(call.path == Peer.path)
        #expect(call.values == [.objectPath(Service.tree + "/main/page"), instance, "replaced"])
        #expect(try service.property("Owner", of: "/main/page", "Presentable").text == peer.uniqueName)
        let refusal = try service.refusal { try service.presentable("Dismiss", "/main/page", by: other) }
        #expect(refusal.name == error("NotOwner"))
    }

    @Test func `S-30 screens of an owner that leaves are dismissed, and no Withdraw is sent`() throws {
        try service.listen()
        try service.emit("open", on: "/main")
        try waitForOwner(of: "/main/page")
        peer.disconnect()
        let lost = try service.client.waitForSignal("NavigationOccurred") { $0.values[3] == "lost" }
        #expect(lost.values[4] == .options(["why": "ownerGone"]))
        #expect(try service.objects().keys == [Service.tree + "/main"])
    }

    @Test func `S-31 a late presenter's screen is gone`() throws {
        try service.write(
            Self.definitions.replacing(
                "page = { presenter = \"com.example.Peer\"",
                with: "page = { presenter = { name = \"com.example.Peer\", timeout = \"50ms\" }"))
        try service.coordinator("Reload")
        peer.playPresenter { _ in .later }
        try service.listen()
        try service.emit("open", on: "/main")
        let lost = try service.client.waitForSignal("NavigationOccurred") { $0.values[3] == "lost" }
        #expect(lost.values[4] == .options(["why": "presentFailed"]))
        let call = try peer.waitForCall("Present")
        try peer.reply(to: call)
        let late = try service.refusal { try service.presentable("Claim", "/main/page", by: peer) }
        #expect(late.name == "org.freedesktop.DBus.Error.UnknownObject")
        try service.synchronize(peer)
        #expect(try service.coordinator("ListOwned", .string(peer.uniqueName)) == [.array(of: "(ot)", [])])
    }

    @Test func `S-30 'keep': hidden and unowned, until its presenter is called when it would be presented again`()
        throws
    {
        let service = try Service(Self.keeping("keep"))
        let first = try service.peer()
        first.playPresenter()
        try service.listen()
        try service.emit("open", on: "/main")
        try service.client.waitForSignal("PropertiesChanged") { $0.values[1]["Owner"]?.text == first.uniqueName }
        try first.call(Service.name, Service.tree + "/main/page", Service.name + ".Presentable", "SetVisible", true)
        first.disconnect()
        let change = try service.client.waitForSignal("PropertiesChanged") { $0.values[1]["Owner"] == "" }
        #expect(change.values[1]["Visible"] == false && change.values[1]["Presented"] == false)
        let second = try service.peer()
        second.playPresenter()
        try service.show("/main", false)
        try service.show("/main")
        let call = try second.waitForCall("Present")
        #expect(call.values[0].brief == "/main/page")
        #expect(call.values[3]["again"] == true && call.values[3]["instance"] == .uint64(2))
        try service.client.waitForSignal("PropertiesChanged") { $0.values[1]["Owner"]?.text == second.uniqueName }
    }

    @Test func `S-30 S-47 'present': its presenter is started again, at once and then after pauses`() throws {
        let services = try TemporaryDirectory()
        try services.write("[D-BUS Service]\nName=\(Peer.name)\nExec=/bin/true\n", to: "peer.service")
        let bus = try PrivateBus(policy: "", serviceDirectories: [services.path])
        let service = try Service(Self.keeping("present"), bus: bus)
        try service.listen()
        try service.emit("open", on: "/main")
        for life in 0..<4 {
            let peer = try service.peer(nil)
            peer.playPresenter()
            try peer.requestName(Peer.name)
            let call = try peer.waitForCall("Present")
            #expect((call.values[3]["again"] == true) == (life > 0))
            try service.client.waitForSignal("PropertiesChanged") {
                $0.values[1]["Owner"]?.text == peer.uniqueName
            }
            peer.disconnect()
            // The bus has noticed it, and gives the name to the next one.
            let change = try service.client.waitForSignal("PropertiesChanged") { $0.values[1]["Owner"] == "" }
            #expect(
                change.values[1]["Waiting"]
                    == "'com.example.Peer', which showed it, has left the bus (org.freedesktop.DBus.Error.Disconnected)"
            )
        }
    }

    @Test func `S-47 GetStack says that a screen waits, and why; Retry is for anyone`() throws {
        try service.listen()
        peer.playPresenter { _ in .error(BusError("com.example.No", "no window")) }
        try service.emit("open", on: "/main")
        let waiting = BusValue.string("no window (com.example.No)")
        try service.client.waitForSignal("PropertiesChanged") { $0.values[1]["Waiting"] == waiting }
        let screen = try service.coordinator("GetStack", "")[0].elements.last
        #expect(screen?.elements[2]["waiting"] == waiting)
        let calls = peer.calls("Present").count
        #expect(try service.coordinator("Retry") == [])
        while peer.calls("Present").count == calls { try peer.waitForCall("Present") }
    }

    @Test func `S-47 the log says who can't show which screen, how long that waits, and why`() throws {
        peer.playPresenter { _ in .error(BusError("com.example.No", "no window")) }
        try service.emit("open", on: "/main")
        for _ in 0..<2 { try peer.waitForCall("Present") }
        let line = try service.process.waitForLine(in: .errors) { $0.contains("is called again") }
        #expect(line.hasPrefix("flowbusd: warning: 'com.example.Peer' can't show a screen, and is called again: "))
        #expect(line.contains("'\(Service.tree)/main/page' waits 0.5 s: no window (com.example.No)"))
    }

    /// The definitions with a `whenOwnerGone` for the screen.
    private static func keeping(_ word: String) -> String {
        definitions.replacing("page = {", with: "page = { whenOwnerGone = \"\(word)\",")
    }
}
