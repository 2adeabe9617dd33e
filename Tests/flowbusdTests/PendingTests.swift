import BusTestSupport
import Testing

/// The verdict `pending`, and the later outcome.
@Suite("Pending")
struct PendingTests {
    private static let definitions = """
        [steps]
        go = { n = "int64?" }
        open = {}
        free = {}
        [screens]
        page = {}
        [[autostart]]
        flow = "main"
        [flows.main.on]
        open = { flow = "sub" }
        [flows.sub]
        initial = "go"
        whenEmpty = "stay"
        guard = { name = "com.example.Peer", steps = ["go"] }
        [flows.sub.on]
        go = { screen = "page", whenHidden = "allow" }
        free = { none = true }
        """

    private let service: Service
    private let peer: TestClient

    init() throws {
        service = try Service(Self.definitions)
        peer = try service.peer()
        peer.playGuard { .pass($0) }
        try service.emit("open", on: "/main")
        try service.client.call(Service.name, Service.tree + "/main/sub", Service.name + ".Flow", "WaitReady")
        peer.playGuard { _ in .later }
        peer.clearLog()
    }

    private func error(_ name: String) -> String { Service.name + ".Error." + name }

    private func pass(_ call: ReceivedMessage) throws { try peer.reply(to: call, [call.values[1], call.values[2]]) }

    private func conclusion(by client: TestClient? = nil) throws -> ReceivedMessage {
        try (client ?? service.client).waitForSignal("StepConcluded")
    }

    @Test func `S-9 'wait' = false: pending at once, and StepConcluded to the emitter alone`() throws {
        let (emitter, other) = (try service.peer(nil), try service.peer(nil))
        try other.addMatch("type='signal',sender='\(Service.name)'")
        #expect(
            try service.emitWithOptions("go", on: "/main/sub/page", ["wait": false, "token": "one"], by: emitter)
                == [.uint64(0), "pending"])
        try pass(peer.waitForCall("Adapt"))
        let reported = try conclusion(by: emitter)
        #expect(reported.path == Service.tree + "/main/sub/page")
        #expect(reported.interface == Service.name + ".Stepper")
        #expect(reported.destination == emitter.uniqueName)
        #expect(reported.values[0] == "one" && reported.values[2...4] == ["navigated", "", ""])
        #expect((reported.values[1].number ?? 0) > 0)
        try service.synchronize(other, emitter)
        #expect(!other.signals.contains { $0.member == "StepConcluded" })
        #expect(other.signals.contains { $0.member == "NavigationOccurred" })
        // By its token it is known.
        #expect(
            try service.emitWithOptions("go", on: "/main/sub/page", ["token": "one"], by: emitter)
                == [reported.values[1], "navigated"])
    }

    @Test func `S-9 StepConcluded reports each kind of outcome`() throws {
        let ways: [(TestClient.Answer, String, String)] = [
            (.error(Peer.rejected), "rejected", ""), (.step("open"), "unhandled", ""),
            (.error(BusError("com.example.No", "why")), "", error("GuardFailed")),
            (.step("no"), "", error("GuardFailed")),
        ]
        for (answer, verdict, name) in ways {
            #expect(
                try service.emitWithOptions("go", on: "/main/sub", ["wait": false]) == [.uint64(0), "pending"])
            let question = try peer.waitForCall("Adapt")
            switch answer {
            case .values(let values): try peer.reply(to: question, values)
            case .error(let error): try peer.reply(to: question, error)
            case .later: break
            }
            let reported = try conclusion()
            #expect(reported.values[0...3] == ["", .uint64(0), .string(verdict), .string(name)], "\(reported)")
            #expect((reported.values[4] == "") == name.isEmpty)
        }
        try service.emitWithOptions("go", on: "/main/sub", ["wait": false, "token": "last"])
        try peer.waitForCall("Adapt")
        try service.dismiss("/main/sub")
        let reported = try conclusion()
        #expect(reported.values[0] == "last" && reported.values[3].text == error("FlowEnded"))
        #expect(reported.path == Service.tree + "/main/sub")
    }

    @Test func `S-9 a step that is decided immediately has its verdict, also without waiting`() throws {
        #expect(
            try service.emitWithOptions("free", on: "/main/sub", ["wait": false])[1] == "navigated")
        #expect(try service.emitWithOptions("go", on: "/main", ["wait": false])[1] == "unhandled")
        try service.synchronize()
        #expect(service.client.signals.isEmpty)
        #expect(
            try service.refusal { try service.emitWithOptions("go", ["n": "x"], on: "/main/sub", ["wait": false]) }
                .name == error("InvalidArguments"))
    }

    @Test func `a call with the token of a waiting one gets its outcome`() throws {
        let calls = try (0..<3).map { _ in
            try service.client.start(
                Service.name, Service.tree + "/main/sub", Service.name + ".Stepper", "EmitStepWithOptions",
                ["go", .options(), .options(["token": "same"])])
        }
        let question = try peer.waitForCall("Adapt")
        try service.synchronize(peer)
        #expect(peer.calls("Adapt").count == 1)
        try pass(question)
        let answers = try calls.map { try service.client.answer(to: $0) }
        #expect(answers[0][1] == "navigated")
        #expect(Set(answers.map { $0[0].number }).count == 1)
    }

    @Test func `S-26 WaitReady waits for the initial step, and fails with FlowEnded if the flow ends first`() throws {
        try service.emit("open", on: "/main")
        #expect(try service.property("Ready", of: "/main/sub_2", "Flow") == false)
        func wait() throws -> AwaitedReply {
            try service.client.start(Service.name, Service.tree + "/main/sub_2", Service.name + ".Flow", "WaitReady")
        }
        let ready = try wait()
        try service.synchronize()
        #expect(!service.client.log.contains { $0.replyTo == ready })
        try service.listen()
        try peer.reply(to: peer.waitForCall("Adapt"), Peer.rejected)
        // However it ended.
        #expect(try service.client.answer(to: ready) == [])
        #expect(try service.client.waitForSignal("NavigationFailed").values[3] == "rejected")
        try service.client.waitForSignal("PropertiesChanged") { $0.values[1]["Ready"] == true }
        #expect(try service.client.answer(to: wait()) == [])
        try service.emit("open", on: "/main")
        let never = try service.client.start(
            Service.name, Service.tree + "/main/sub_3", Service.name + ".Flow", "WaitReady")
        try service.dismiss("/main/sub_3")
        #expect(try service.refusal(of: never).name == error("FlowEnded"))
    }

    @Test func `S-26 S-32 WaitReady by the guard that the flow waits for is refused`() throws {
        try service.emit("open", on: "/main")
        let question = try peer.waitForCall("Adapt")
        let ready = try peer.start(
            Service.name, Service.tree + "/main/sub_2", Service.name + ".Flow", "WaitReady")
        let refusal = try service.refusal(of: ready, to: peer)
        #expect(refusal.name == error("WouldDeadlock") && refusal.message.contains("'com.example.Peer'"))
        try pass(question)
        try peer.call(Service.name, Service.tree + "/main/sub_2", Service.name + ".Flow", "WaitReady")
    }

    @Test func `S-9 after 15 s a caller gets pending, and WaitReady fails with Timeout`() throws {
        try service.write(Self.definitions.replacing("steps = [\"go\"]", with: "timeout = \"30s\", steps = [\"go\"]"))
        try service.coordinator("Reload")
        try service.emit("open", on: "/main")
        let ready = try service.client.start(
            Service.name, Service.tree + "/main/sub_2", Service.name + ".Flow", "WaitReady")
        let step = try service.startEmit("go", on: "/main/sub")
        #expect(try service.refusal(of: ready).name == error("Timeout"))
        #expect(try service.client.answer(to: step) == [.uint64(0), "pending"])
        for call in peer.calls("Adapt") { try pass(call) }
        let reported = try conclusion()
        #expect(reported.path == Service.tree + "/main/sub")
        #expect(reported.values[0] == "" && reported.values[2] == "navigated")
    }
}
