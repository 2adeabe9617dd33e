import BusTestSupport
import FlowCore
import Testing

/// `ask`, Answered, AcknowledgeAnswer and `answers`, through a bus (S-45).
@Suite("Asks")
struct AskTests {
    private let service: Service
    private let asker: TestClient

    init() throws {
        service = try Service(
            """
            [steps]
            pick = {}
            open = {}
            cover = {}
            back = {}
            [screens]
            editor = { presenter = "com.example.Peer", whenOwnerGone = "keep" }
            pad = { result = { pin = "int64" } }
            page = {}
            [[autostart]]
            flow = "main"
            [flows.main]
            children = "stack"
            [flows.main.on]
            open = { screen = "editor" }
            pick = { screen = "pad" }
            cover = { screen = "page" }
            back = { pop = "editor" }
            """)
        asker = try service.peer()
        asker.playPresenter()
        try service.listen()
        try service.emit("open", on: "/main")
        try service.waitForOwner(asker, of: "/main/editor")
        try present("SetVisible", .bool(true), by: asker)
    }

    @discardableResult
    private func present(
        _ member: String, _ argument: BusValue, on path: String = "/main/editor", by client: TestClient
    )
        throws -> [BusValue]
    {
        try service.presentable(member, path, argument, by: client)
    }

    @discardableResult
    private func ask(
        _ step: String = "pick", on path: String = "/main/editor", by client: TestClient,
        _ options: KeyValuePairs<String, BusValue> = ["ask": .bool(true), "token": "t"]
    ) throws -> [BusValue] {
        try client.call(
            Service.name, Service.tree + path, Service.name + ".Stepper", "EmitStepWithOptions", .string(step),
            .options(), .options(options))
    }

    /// Another client finishes the screen that was asked.
    private func finish() throws {
        try service.presentable("Claim", "/main/pad")
        try present("Finish", .options(["pin": .int32(4_711)]), on: "/main/pad", by: service.client)
    }

    private let answer: [BusValue] = ["t", "result", .options(["pin": .int64(4_711)])]

    @Test
    func `S-45 D-1 the answer outlives the asker and the service, until it is acknowledged, and is for nobody else`()
        throws
    {
        #expect(try ask(by: asker)[1] == "navigated")
        #expect(try service.property("Asks", of: "/main/editor", "Presentable") == .uint64(1))
        try service.restart()
        try service.listen()
        try finish()
        let signal = try asker.waitForSignal("Answered")
        #expect(signal.path == Service.tree + "/main/editor" && signal.values == answer)
        // Not acknowledged: once more, by the next process and to the next owner.
        try service.restart()
        #expect(try asker.waitForSignal("Answered").values == answer)
        #expect(try ask(by: asker)[1] == "navigated")
        #expect(try asker.waitForSignal("Answered").values == answer)
        asker.disconnect()
        try service.client.waitForEnd(of: asker.uniqueName)
        let next = try service.peer()
        next.playPresenter()
        for step in ["cover", "back"] { try service.emit(step, on: "/main") }
        let details = try next.waitForCall("Present").values[3]
        #expect(details["answers"] == .array(of: "(ssa{sv})", [.structure(answer)]))
        try service.waitForOwner(next, of: "/main/editor")
        #expect(try present("AcknowledgeAnswer", "t", by: next) == [])
        #expect(try service.property("Asks", of: "/main/editor", "Presentable") == .uint64(0))
        try service.restart()
        for step in ["cover", "back"] { try service.emit(step, on: "/main") }
        #expect(try next.waitForCall("Present").values[3].keys.contains("answers") == false)
        #expect(next.signals.allSatisfy { $0.member != "Answered" })
        let seen = service.client.transcript + service.client.signals.map { "\($0.values)" }
        #expect(seen.allSatisfy { !$0.contains("4711") && !$0.contains("Answered") }, "\(seen)")
        let objects = "\(try service.objects())"
        #expect(!objects.contains("4711"), "\(objects)")
    }

    @Test func `S-45 an ask of a connection comes from the path that was called, after the reply`() throws {
        #expect(try ask("cover", on: "/main", by: service.client)[1] == "navigated")
        let nothing = try service.client.waitForSignal("Answered")
        #expect(nothing.values == ["t", "nothing", .options()] && nothing.path == Service.tree + "/main")
        let instance = try service.property("Instance", of: "/main", "Presentable")
        guard case .uint64(let number) = instance else { return #expect(Bool(false), "\(instance)") }
        let path = Service.root + "/instance/\(number)"
        try service.client.call(
            Service.name, path, Service.name + ".Stepper", "EmitStepWithOptions", "pick", .options(),
            .options(["ask": .bool(true), "token": "u"]))
        try service.dismiss("/main/pad")
        let answered = try service.client.waitForSignal("Answered")
        #expect(answered.values == ["u", "dismissed", .options()] && answered.path == path)
    }

    @Test func `S-45 S-33 what can't be asked or acknowledged is refused`() throws {
        func refuse(_ name: String, _ text: String, _ call: () throws -> Void) throws {
            let refusal = try service.refusal(call)
            #expect(refusal.name.hasSuffix(name) && refusal.message.contains(text), "\(refusal)")
        }
        try refuse("InvalidArguments", "'token'") { try ask(by: asker, ["ask": .bool(true)]) }
        try refuse("InvalidArguments", "'ask'") { try ask(by: asker, ["ask": "yes", "token": "t"]) }
        try refuse("InvalidArguments", "'other'") { try present("AcknowledgeAnswer", "other", by: asker) }
        try refuse("NotOwner", "/main/editor") { try present("AcknowledgeAnswer", "t", by: service.client) }
        for number in 1...Limits.asksPerPresentable {
            try ask(by: asker, ["ask": .bool(true), "token": .string("\(number)")])
            try service.emit("back", on: "/main")
        }
        try refuse("LimitExceeded", "16") { try ask(by: asker, ["ask": .bool(true), "token": "more"]) }
        #expect(try service.property("Asks", of: "/main/editor", "Presentable") == .uint64(16))
        // A second client has its own.
        #expect(try ask("pick", on: "/main", by: service.client)[1] == "navigated")
    }
}
