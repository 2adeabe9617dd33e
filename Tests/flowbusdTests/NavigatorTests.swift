import BusTestSupport
import Testing

/// Navigators of definition files: processes that decide where the steps of a flow lead.
@Suite("Navigators")
struct NavigatorTests {
    private static let definitions = """
        [steps]
        open = {}
        go = { n = "int64?" }
        reported = { n = "int64?", why = "string?", who = "string?" }
        done = { n = "int64?" }
        [screens]
        page = { arguments = { n = "int64?" } }
        side_page = {}
        [[autostart]]
        flow = "main"
        [flows.main.on]
        open = { flow = "remote", onDismissed = { step = "reported", arguments = { why = "$reason", who = "$name" } } }
        reported = { none = true }
        done = { none = true }
        [flows.remote]
        children = "stack"
        navigator = { name = "com.example.Peer", steps = ["go", "done"] }
        [flows.child.on]
        go = { none = true }
        """
    private static let none = BusValue.options()
    private static let remote = "/main/remote"

    private let service: Service
    private let peer: TestClient

    init() throws {
        service = try Service(Self.definitions)
        peer = try service.peer()
        try service.emit("open", on: "/main")
    }

    private func error(_ name: String) -> String { Service.name + ".Error." + name }

    @Test func `S-5 S-18 a navigator is asked, and its contributors are applied`() throws {
        let options = BusValue.options([
            "id": "mine", "arguments": .options(["n": .byte(4)]), "style": "modal", "whenHidden": "queue",
        ])
        peer.playNavigator { call in
            .contributors(
                ("screen", "page", options), ("flow", "child", .options(["step": "go"])),
                ("screen", "side_page", Self.none))
        }
        try service.listen()
        #expect(try service.emit("go", ["n": .int64(3)], on: Self.remote) == [.uint64(2), "navigated"])
        let call = try peer.waitForCall("Navigate")
        #expect(call.path == Peer.path && call.interface == Peer.navigator)
        #expect(
            call.values == [
                .objectPath(Service.tree + Self.remote), "go", .options(["n": .int64(3)]),
                .options([
                    "sender": .string(service.client.uniqueName),
                    "presentable": .objectPath(Service.tree + Self.remote), "instance": .uint64(2),
                    "cause": .uint64(0), "interactive": false,
                ]),
            ])
        let reported = try service.client.waitForSignal("NavigationOccurred")
        #expect(
            reported.values[5].brief
                == "[(screen page /main/remote/mine {style: modal, arguments: {n: 4}}), "
                + "(flow child /main/remote/child {}), (screen side_page /main/remote/side_page {})]")
        #expect(try service.property("Style", of: Self.remote + "/mine", "Presentable") == "modal")
        #expect(
            try service.property("Arguments", of: Self.remote + "/mine", "Presentable") == .options(["n": .int64(4)]))
        #expect(
            try service.client.call(
                Service.name, Service.tree + Self.remote, Service.name + ".Stepper", "GetAcceptedSteps")
                == [.strings(["done", "go"])])
    }

    @Test func `S-8 S-19 S-20 S-21 all kinds: forwards, reuse, pop, clear, none, end`() throws {
        func answer(_ list: (String, String, BusValue)...) throws -> String {
            peer.playNavigator { _ in .contributors(list) }
            return try service.emit("go", ["n": .int64(1)], on: Self.remote)[1].text ?? ""
        }
        func children() throws -> [String] {
            try service.objects().keys.filter { $0.hasPrefix(Service.tree + Self.remote + "/") }
                .map { String($0.dropFirst(Service.tree.count + Self.remote.count + 1)) }
        }
        #expect(try answer(("screen", "page", Self.none), ("screen", "side_page", Self.none)) == "navigated")
        #expect(try answer(("screen", "page", Self.none)) == "navigated")
        #expect(try children().sorted() == ["page", "page_2", "side_page"])
        #expect(
            try answer(("screen", "page", .options(["reuse": true, "arguments": .options(["n": .int64(8)])])))
                == "navigated")
        #expect(try service.property("Arguments", of: Self.remote + "/page_2", "Presentable")["n"]?.number == 8)
        #expect(try answer(("pop", "side_page", Self.none)) == "navigated")
        #expect(try children().sorted() == ["page", "side_page"])
        #expect(try answer(("pop", "root", Self.none)) == "navigated")
        #expect(try children() == ["page"])
        #expect(try answer(("screen", "side_page", .options(["clear": true]))) == "navigated")
        #expect(try children() == ["side_page"])
        try service.listen()
        #expect(try answer(("none", "", Self.none), ("parent", "reported", Self.none)) == "navigated")
        try service.client.waitForSignal("NavigationOccurred") {
            $0.values[3] == "reported" && $0.values[4]["n"] == .int64(1)
        }
        var asked = 0
        peer.playNavigator { call in
            asked += 1
            return call.values[1] == "go" ? .contributors(("current", "done", Self.none)) : .contributors()
        }
        #expect(try service.emit("go", on: Self.remote)[1] == "navigated")
        try service.client.waitForSignal("NavigationOccurred") { $0.values[3] == "done" }
        #expect(asked == 2)
        #expect(try answer(("end", "done", .options(["arguments": .options(["n": .int64(9)])]))) == "navigated")
        try service.client.waitForSignal("NavigationOccurred") {
            $0.values[4]["n"] == .int64(9) && $0.path.hasSuffix("/main")
        }
        #expect(try service.objects().keys == [Service.tree + "/main"])
    }

    @Test func `NavigatorFailed: invalid contributors change nothing, and the message has the reason`() throws {
        var answer = TestClient.Answer.later
        peer.playNavigator { _ in answer }
        let before = try service.objects()
        func many(_ count: Int) -> TestClient.Answer {
            .contributors(Array(repeating: ("screen", "page", Self.none), count: count))
        }
        let wrong: [(TestClient.Answer, String, String)] = [
            (.contributors(("screen", "pgae", Self.none)), "NavigatorFailed", "did you mean 'page'?"),
            (.contributors(("flow", "chidl", Self.none)), "NavigatorFailed", "'chidl'"),
            (.contributors(("current", "og", Self.none)), "NavigatorFailed", "'og'"),
            (.contributors(("window", "page", Self.none)), "NavigatorFailed", "'window'"),
            (.contributors(("screen", "page", .options(["stile": "x"]))), "NavigatorFailed", "did you mean 'style'?"),
            (.contributors(("screen", "page", .options(["id": "a b"]))), "NavigatorFailed", "'a b'"),
            (
                .contributors(("screen", "page", .options(["arguments": .options(["n": "x"])]))), "NavigatorFailed",
                "'n'"
            ),
            (.contributors(("end", "", Self.none), ("none", "", Self.none)), "NavigatorFailed", "'end' stands beside"),
            (many(1_025), "NavigatorFailed", "1024"),
            (many(10_000), "NavigatorFailed", "1024"),
            (.values([]), "NavigatorFailed", "the type ''; it has to be 'a(ssa{sv})'"),
            (.values([.strings(["page"])]), "NavigatorFailed", "the type 'as'"),
            (.error(BusError("com.example.Broken", "it rains")), "NavigatorFailed", "'com.example.Broken': it rains"),
            (
                .contributors(
                    ("screen", "page", .options(["id": "same"])), ("screen", "page", .options(["id": "same"]))),
                "IdTaken", "'same'"
            ),
        ]
        for (given, name, text) in wrong {
            answer = given
            let refusal = try service.refusal { try service.emit("go", on: Self.remote) }
            #expect(refusal.name == error(name), "\(refusal)")
            #expect(refusal.message.contains(text), "\(refusal.message)")
            #expect(refusal.message.utf8.count < 500)
        }
        #expect(try service.objects() == before)
        #expect(try service.coordinator("GetSerial") == [.uint64(1)])
        answer = many(1_024)
        #expect(try service.emit("go", on: Self.remote)[1] == "navigated")
        answer = many(1)
        #expect(try service.refusal { try service.emit("go", on: Self.remote) }.name == error("LimitExceeded"))
    }

    @Test func `S-11 a navigator that forwards to its own flow for ever is stopped`() throws {
        peer.playNavigator { _ in .contributors(("current", "go", Self.none)) }
        try service.listen()
        #expect(try service.emit("go", on: Self.remote)[1] == "navigated")
        let loop = try service.client.waitForSignal("NavigationFailed") {
            $0.values[4].text == error("NavigationLoop")
        }
        #expect(loop.path == Service.tree + Self.remote)
        try service.synchronize(peer)
        #expect(peer.calls("Navigate").count == 257)
        #expect(service.client.signals.count { $0.member == "NavigationFailed" } == 1)
    }

    @Test func `S-32 S-23 a navigator that leaves: its steps fail, its flows are dismissed, onDismissed is triggered`()
        throws
    {
        peer.playNavigator { _ in .later }
        let steps = try (0..<3).map { _ in try service.startEmit("go", on: Self.remote) }
        try peer.waitForCall("Navigate")
        try service.listen()
        peer.disconnect()
        for step in steps {
            let refusal = try service.refusal(of: step)
            #expect(refusal.name == error("NavigatorFailed"))
            #expect(refusal.message.contains("'com.example.Peer'"), "\(refusal.message)")
        }
        let reported = try service.client.waitForSignal("NavigationOccurred")
        #expect(reported.path == Service.tree + "/main")
        #expect(reported.values[3] == "reported")
        #expect(reported.values[4] == .options(["who": "remote", "why": "navigatorGone"]))
        #expect(try service.objects().keys == [Service.tree + "/main"])
        // The definition stays, because a file has it.
        try service.emit("open", on: "/main")
        let nobody = try service.refusal { try service.emit("go", on: Self.remote) }
        #expect(nobody.name == error("NavigatorFailed"))
        #expect(nobody.message.contains("ServiceUnknown"), "\(nobody.message)")
    }

    @Test func `S-5 S-9 a navigator answers that its flow does not take the step`() throws {
        // The peer keeps this, and must not keep the suite with it, and so itself.
        let unhandled = BusError(error("Unhandled"), "not now")
        peer.playNavigator { _ in .error(unhandled) }
        try service.listen()
        #expect(try service.emit("go", on: Self.remote) == [.uint64(0), "unhandled"])
        #expect(!service.client.signals.contains { $0.member == "NavigationOccurred" })
        #expect(!service.client.signals.contains { $0.member == "NavigationFailed" })
    }

    @Test func `S-27 S-32 Navigate without waiting reaches a flow that waits for the caller`() throws {
        let step = try service.startEmit("go", on: Self.remote)
        let call = try peer.waitForCall("Navigate")
        func navigate(_ options: BusValue) throws -> BusValue {
            try peer.call(
                Service.name, Service.root, Service.name + ".Coordinator", "Navigate", "done", .options(), options)[0]
        }
        #expect(try navigate(.options()).brief.contains("WouldDeadlock"))
        let outcomes = try navigate(.options(["wait": false])).brief
        #expect(outcomes.contains("pending") && outcomes.contains("navigated"), "\(outcomes)")
        try peer.reply(to: call, [.array(of: "(ssa{sv})", [])])
        #expect(try service.client.answer(to: step)[1] == "navigated")
        try peer.reply(to: peer.waitForCall("Navigate"), [.array(of: "(ssa{sv})", [])])
        let concluded = try peer.waitForSignal("StepConcluded")
        #expect(concluded.path == Service.tree + Self.remote && concluded.values[2] == "navigated")
    }

    @Test func `S-31 NavigatorTimeout; S-32 WouldDeadlock`() throws {
        try service.write(Self.definitions.replacing("steps = [\"go\"", with: "timeout = \"50ms\", steps = [\"go\""))
        try service.coordinator("Reload")
        peer.playNavigator { _ in .later }
        let late = try service.refusal { try service.emit("go", on: Self.remote) }
        #expect(late.name == error("NavigatorTimeout"))
        #expect(late.message == "the navigator 'com.example.Peer' did not answer in time")
        try service.write(Self.definitions)
        try service.coordinator("Reload")
        peer.clearLog()
        let step = try service.startEmit("go", on: Self.remote)
        let call = try peer.waitForCall("Navigate")
        let refusal = try service.refusal { try service.emit("done", on: Self.remote, by: peer) }
        #expect(refusal.name == error("WouldDeadlock"))
        #expect(refusal.message.contains("waits for its navigator 'com.example.Peer'"), "\(refusal.message)")
        // A caller that does not wait is not part of a deadlock.
        #expect(
            try peer.call(
                Service.name, Service.tree + Self.remote, Service.name + ".Stepper", "EmitStepWithOptions", "done",
                .options(), .options(["wait": false])) == [.uint64(0), "pending"])
        try peer.reply(to: call, [.array(of: "(ssa{sv})", [])])
        #expect(try service.client.answer(to: step)[1] == "navigated")
        try peer.reply(to: peer.waitForCall("Navigate"), [.array(of: "(ssa{sv})", [])])
        #expect(try peer.waitForSignal("StepConcluded").values[2] == "navigated")
    }
}
