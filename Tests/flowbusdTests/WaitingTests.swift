import BusTestSupport
import Testing

/// Other flows, the same flow, the guard, and callers, while a guard is asked.
@Suite("While a guard is asked")
struct WaitingTests {
    private static let definitions = """
        [steps]
        go = {}
        begin = {}
        open = {}
        ask = {}
        yes = {}
        asked = {}
        [screens]
        page = {}
        question = {}
        [[autostart]]
        flow = "main"
        [flows.main]
        children = "tabs"
        [flows.main.on]
        open = [{ flow = "guarded" }, { flow = "plain" }]
        ask = { flow = "dialog" }
        asked = { none = true }
        [flows.guarded]
        guard = { name = "com.example.Peer", timeout = "60s" }
        whenHidden = "allow"
        [flows.guarded.on]
        go = { screen = "page", whenHidden = "allow" }
        begin = { none = true }
        [flows.plain]
        whenHidden = "allow"
        [flows.plain.on]
        go = { screen = "page" }
        [flows.dialog]
        initial = "ask"
        whenHidden = "allow"
        [flows.dialog.on]
        ask = { screen = "question", whenHidden = "allow" }
        yes = { end = "asked" }
        """

    private let service: Service
    private let peer: TestClient

    /// A guard that does not answer until the test makes it.
    init() throws {
        service = try Service(Self.definitions)
        peer = try service.peer()
        peer.playGuard { _ in .later }
        try service.emit("open", on: "/main")
    }

    private func error(_ name: String) -> String { Service.name + ".Error." + name }

    private func pass(_ call: ReceivedMessage) throws { try peer.reply(to: call, [call.values[1], call.values[2]]) }

    private func call(_ member: String, _ role: String, on path: String, _ arguments: BusValue...) throws
        -> AwaitedReply
    {
        try service.client.start(
            Service.name, path.isEmpty ? Service.root : Service.tree + path, Service.name + "." + role, member,
            arguments)
    }

    @Test func `S-6 a slow guard of one tab delays no other, and no step is overtaken in its own`() throws {
        let slow = try (0..<3).map { _ in try service.startEmit("go", on: "/main/guarded") }
        let first = try peer.waitForCall("Adapt")
        for serial in 2...101 {
            #expect(try service.emit("go", on: "/main/plain") == [.uint64(UInt64(serial)), "navigated"])
        }
        #expect(peer.calls("Adapt").count == 1)
        try pass(first)
        for _ in 1..<3 { try pass(peer.waitForCall("Adapt")) }
        for (place, step) in slow.enumerated() {
            #expect(try service.client.answer(to: step) == [.uint64(102 + UInt64(place)), "navigated"])
        }
        #expect(peer.calls("Adapt").count == 3)
    }

    @Test func `a guard asks the user by another flow of the same tree, and answers then`() throws {
        let step = try service.startEmit("go", on: "/main/guarded")
        let question = try peer.waitForCall("Adapt")
        try service.listen()
        #expect(try service.emit("ask", on: "/main", by: peer)[1] == "navigated")
        let dialog = try service.client.waitForSignal("InterfacesAdded") {
            $0.values[0].text?.hasSuffix("/dialog") == true
        }
        // The user says yes, by another client.
        #expect(try service.emit("yes", on: "/main/dialog/question")[1] == "navigated")
        try service.client.waitForSignal("InterfacesRemoved") { $0.values[0] == dialog.values[0] }
        try pass(question)
        #expect(try service.client.answer(to: step)[1] == "navigated")
    }

    @Test func `S-32 WouldDeadlock: the process that the flow waits for can't emit on it`() throws {
        let first = try service.startEmit("go", on: "/main/guarded")
        try pass(peer.waitForCall("Adapt"))
        try service.client.answer(to: first)
        let step = try service.startEmit("go", on: "/main/guarded")
        let question = try peer.waitForCall("Adapt")
        for path in ["/main/guarded", "/main/guarded/page"] {
            let refusal = try service.refusal { try service.emit("go", on: path, by: peer) }
            #expect(refusal.name == error("WouldDeadlock"))
            #expect(
                refusal.message.contains("'\(Service.tree)/main/guarded' waits for its guard 'com.example.Peer'"),
                "\(refusal.message)")
        }
        let list = BusValue.array(of: "(sa{sv})", [.structure(["go", .options()])])
        #expect(
            try peer.call(Service.name, Service.tree + "/main/guarded", Service.name + ".Stepper", "EmitSteps", list)[0]
                .outcomes == [error("WouldDeadlock")])
        let link = try peer.call(
            Service.name, Service.root, Service.name + ".Coordinator", "Navigate", "go", .options(), .options())
        #expect(
            link[0].outcomes
                == ["/main unhandled", "/main/guarded \(error("WouldDeadlock"))", "/main/plain 3 navigated"])
        let path = BusValue.array(
            of: "(ssa{sv})",
            [.structure(["main", "", .options()]), .structure(["guarded", "go", .options()])])
        let along = try service.refusal {
            try peer.call(Service.name, Service.root, Service.name + ".Coordinator", "NavigateAlong", path, .options())
        }
        #expect(along.name == error("PathFailed"))
        #expect(along.message.contains("waits for its guard"), "\(along.message)")
        // Other flows are open to it, and this one if it does not wait; other clients may.
        #expect(try service.emit("go", on: "/main/plain", by: peer)[1] == "navigated")
        let unawaited = try peer.call(
            Service.name, Service.tree + "/main/guarded", Service.name + ".Stepper", "EmitStepWithOptions", "begin",
            .options(), .options(["wait": false, "token": "own"]))
        #expect(unawaited == [.uint64(0), "pending"])
        let other = try service.startEmit("begin", on: "/main/guarded")
        try pass(question)
        for _ in 0..<2 { try pass(peer.waitForCall("Adapt")) }
        #expect(try service.client.answer(to: step)[1] == "navigated")
        #expect(try service.client.answer(to: other)[1] == "navigated")
        let concluded = try peer.waitForSignal("StepConcluded")
        #expect(concluded.values[0] == "own" && concluded.values[2] == "navigated")
    }

    @Test func `S-32 blocks: a path of the process that the flow waits for waits too, if it answers meanwhile`() throws
    {
        let step = try service.startEmit("go", on: "/main/guarded")
        let question = try peer.waitForCall("Adapt")
        let path = BusValue.array(
            of: "(ssa{sv})",
            [.structure(["main", "", .options()]), .structure(["guarded", "begin", .options()])])
        func along(_ options: BusValue) throws -> AwaitedReply {
            try peer.start(
                Service.name, Service.root, Service.name + ".Coordinator", "NavigateAlong", [path, options])
        }
        let refusal = try service.refusal { try peer.answer(to: along(.options(["blocks": true]))) }
        #expect(refusal.name == error("PathFailed"))
        let ofWrongType = try service.refusal { try peer.answer(to: along(.options(["blocks": "no"]))) }
        #expect(ofWrongType.name == error("InvalidArguments") && ofWrongType.message.contains("'blocks'"))
        let waiting = try along(.options(["blocks": false]))
        try pass(question)
        try pass(peer.waitForCall("Adapt"))
        #expect(try peer.answer(to: waiting)[0].outcomes == ["/main", "/main/guarded 3 navigated"])
        #expect(try service.client.answer(to: step)[1] == "navigated")
    }

    @Test func `S-22 FlowEnded for steps that wait in an ended flow; a late answer changes nothing`() throws {
        let steps = try (0..<3).map { _ in try service.startEmit("go", on: "/main/guarded") }
        let question = try peer.waitForCall("Adapt")
        try service.dismiss("/main/guarded")
        for step in steps { #expect(try service.refusal(of: step).name == error("FlowEnded")) }
        // The same path, another flow.
        try service.emit("open", on: "/main")
        let serial = try service.coordinator("GetSerial")
        try pass(question)
        try service.synchronize(peer)
        #expect(try service.coordinator("GetSerial") == serial)
        #expect(!(try service.objects().keys.contains(Service.tree + "/main/guarded/page")))
    }

    @Test func `S-9 EmitSteps goes on behind a guard, each step with its verdict`() throws {
        let list = BusValue.array(
            of: "(sa{sv})", ["begin", "gone", "go", "yes"].map { .structure([.string($0), .options()]) })
        let steps = try call("EmitSteps", "Stepper", on: "/main/guarded", list)
        try pass(peer.waitForCall("Adapt"))
        let second = try peer.waitForCall("Adapt")
        #expect(second.values[1] == "go")
        #expect(try service.emit("go", on: "/main/plain")[1] == "navigated")
        try peer.reply(to: second, Peer.rejected)
        try pass(peer.waitForCall("Adapt"))
        #expect(
            try service.client.answer(to: steps)[0].outcomes
                == ["2 navigated", error("UnknownStep"), "rejected", "unhandled"])
    }

    @Test func `S-27 S-28 deep links are answered when the guards on their path have answered`() throws {
        let link = try call("Navigate", "Coordinator", on: "", "go", .options(), .options())
        let question = try peer.waitForCall("Adapt")
        try service.synchronize(peer)
        #expect(!service.client.log.contains { $0.replyTo == link })
        try pass(question)
        #expect(
            try service.client.answer(to: link)[0].outcomes
                == ["/main unhandled", "/main/guarded 3 navigated", "/main/plain 2 navigated"])
        let path = BusValue.array(
            of: "(ssa{sv})",
            ["go", "begin"].map { .structure([$0 == "go" ? "main" : "guarded", .string($0), .options()]) })
        let unhandled = try call("NavigateAlong", "Coordinator", on: "", path, .options())
        #expect(try service.refusal(of: unhandled).name == error("PathFailed"))
        let right = BusValue.array(
            of: "(ssa{sv})",
            [.structure(["main", "ask", .options()]), .structure(["dialog", "", .options()])])
        #expect(
            try service.client.answer(to: call("NavigateAlong", "Coordinator", on: "", right, .options()))[0].outcomes
                == ["/main 4 navigated", "/main/dialog"])
        let guarded = BusValue.array(
            of: "(ssa{sv})", [.structure(["main", "", .options()]), .structure(["guarded", "begin", .options()])])
        let along = try call("NavigateAlong", "Coordinator", on: "", guarded, .options())
        try pass(peer.waitForCall("Adapt"))
        #expect(try service.client.answer(to: along)[0].outcomes == ["/main", "/main/guarded 6 navigated"])
        let late = try call("NavigateAlong", "Coordinator", on: "", guarded, .options(["timeout": .uint64(50_000)]))
        let refusal = try service.refusal(of: late)
        #expect(refusal.name == error("PathFailed"))
        #expect(refusal.message.contains("segment 2 ('guarded')"), "\(refusal.message)")
    }

    @Test func `a call without a reply gets none, and a caller that leaves does not cancel its step`() throws {
        try service.listen()
        try service.client.post(
            Service.name, Service.tree + "/main/guarded", Service.name + ".Stepper", "EmitStep", "go", .options())
        try pass(peer.waitForCall("Adapt"))
        try service.client.waitForSignal("NavigationOccurred")
        let brief = try TestClient(service.bus)
        _ = try service.startEmit("go", on: "/main/guarded", by: brief)
        let question = try peer.waitForCall("Adapt")
        brief.disconnect()
        try service.synchronize()
        try pass(question)
        #expect(try service.client.waitForSignal("NavigationOccurred").values[2].text == brief.uniqueName)
        #expect(service.client.log.allSatisfy { $0.kind == .signal || $0.values.isEmpty })
    }
}
