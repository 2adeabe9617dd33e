import BusTestSupport
import FlowCore
import Testing

/// Finish, and results of rules and navigators, through a bus (S-45).
@Suite("Results")
struct ResultTests {
    private let service: Service
    private let peer: TestClient

    init() throws {
        service = try Service(
            """
            [steps]
            ask = { movie = "int64?" }
            pick = {}
            choose = { contact = "int64" }
            picked = { contact = "int64?", movie = "int64?" }
            gone = { why = "string" }
            [screens]
            pad = { presenter = "com.example.Peer", result = { contact = "int64" }, whenOwnerGone = "keep" }
            shown = { presenter = "com.example.Peer", arguments = { contact = "int64?", movie = "int64?" } }
            [[autostart]]
            flow = "main"
            [flows.main]
            children = "stack"
            [flows.main.on]
            ask = { screen = "pad", onResult = { step = "picked", arguments = { contact = "$result.contact", movie = "$asked.movie" } }, onDismissed = { step = "gone", arguments = { why = "$reason" } } }
            pick = { flow = "picker", onResult = { step = "picked" }, onDismissed = { step = "gone", arguments = { why = "$reason" } } }
            picked = { screen = "shown" }
            gone = { none = true }
            [flows.picker]
            result = { contact = "int64" }
            navigator = { name = "com.example.Peer", steps = ["choose"] }
            """)
        peer = try service.peer()
        peer.playPresenter()
        try service.listen()
    }

    /// Has the screen `/main/pad` contributed, and waits for its owner.
    private func ask() throws {
        try service.emit("ask", ["movie": .int64(7)], on: "/main")
        try service.waitForOwner(peer, of: "/main/pad")
    }

    @discardableResult
    private func finish(_ result: BusValue, on path: String = "/main/pad", by client: TestClient? = nil) throws
        -> [BusValue]
    {
        try service.presentable("Finish", path, result, by: client ?? peer)
    }

    /// The arguments with which the presenter is called for the screen `shown`.
    private func shown() throws -> BusValue {
        while true {
            let call = try peer.waitForCall("Present")
            if call.values[1] == "shown" { return call.values[2] }
        }
    }

    @Test func `S-45 D-1 the owner answers, over a restart of the service, and no signal has the value`() throws {
        try ask()
        try service.restart()
        try service.listen()
        #expect(try finish(.options(["contact": .int32(4_711)])) == [])
        let navigation = try service.client.waitForSignal("NavigationOccurred")
        #expect(navigation.values[1] == .uint64(0) && navigation.values[2].text == peer.uniqueName)
        #expect(try shown() == .options(["contact": .int64(4_711), "movie": .int64(7)]))
        #expect(!service.client.transcript.contains { $0.contains("4711") }, "\(service.client.transcript)")
        #expect(
            try service.property("Arguments", of: "/main/shown", "Presentable") == .options(["movie": .int64(7)]))
    }

    @Test func `S-45 S-33 who can't finish it is refused, and it stays`() throws {
        try ask()
        func refuse(
            _ result: BusValue, on path: String = "/main/pad", by client: TestClient? = nil, _ name: String,
            _ text: String
        )
            throws
        {
            let refusal = try service.refusal { try finish(result, on: path, by: client) }
            #expect(refusal.name.hasSuffix(name) && refusal.message.contains(text), "\(refusal)")
        }
        let one = BusValue.options(["contact": .int64(1)])
        try refuse(one, by: service.client, "Error.NotOwner", "'/org/flowbus/Navigation1/tree/main/pad'")
        try refuse(one, on: "/main", "DBus.Error.NotSupported", "is a flow")
        try refuse(.options(), "InvalidArguments", "the result of screen 'pad' needs the argument 'contact'")
        try refuse(.options(["contact": .fileDescriptor(2)]), "InvalidArguments", "the value 'contact'")
        let many = BusValue.array(
            of: "{sv}", (0...Limits.argumentCount).map { .dictEntry(.string("v\($0)"), .variant(.byte(1))) })
        try refuse(many, "LimitExceeded", "more than \(Limits.argumentCount) values")
        let large = String(repeating: "x", count: Limits.argumentBytes)
        try refuse(.options(["contact": .string(large)]), "LimitExceeded", "\(Limits.argumentBytes) bytes")
        #expect(try service.property("Owner", of: "/main/pad", "Presentable").text == peer.uniqueName)
        try finish(one)
    }

    @Test func `S-45 S-5 a navigator ends its flow with a result, or without`() throws {
        for (options, wanted) in [
            (BusValue.options(["result": .options(["contact": .byte(5)])]), "picked"), (.options(), "gone"),
        ] {
            try service.emit("pick", on: "/main")
            peer.playNavigator { _ in .contributors(("end", "", options)) }
            try service.emit("choose", ["contact": .int64(1)], on: "/main/picker")
            try service.client.waitForSignal("NavigationOccurred") { $0.values[3].text == wanted }
        }
    }

    @Test func `S-45 S-32 D-3 flows and screens that a client registers answer each other, over a restart`() throws {
        func declared(_ names: String...) -> BusValue {
            .array(of: "{ss}", names.map { .dictEntry(.string($0), "int64?") })
        }
        func steps(_ names: String...) -> BusValue {
            .array(of: "{sa{ss}}", names.map { .dictEntry(.string($0), declared("contact")) })
        }
        func register(_ flow: String, _ known: BusValue, _ options: KeyValuePairs<String, BusValue>) throws {
            try peer.call(
                Service.name, Service.root, Service.name + ".Coordinator", "RegisterFlow", .string(flow),
                .objectPath("/nav"), known, .options(options))
        }
        let pin = BusValue.options(["result": declared("contact")])
        try register("asks", steps("open", "got"), [:])
        try register(
            "answers", steps("first", "typed"),
            [
                "result": declared("contact"), "initial": "first",
                "screens": .array(of: "{sa{sv}}", [.dictEntry("pin", pin)]), "presenter": .objectPath("/show"),
            ])
        peer.playPresenter(at: "/show")
        peer.playNavigator(at: "/nav") { call in
            let result = BusValue.options(["step": call.values[1] == "open" ? "got" : "typed"])
            switch call.values[1] {
            case "open": return .contributors(("flow", "answers", .options(["onResult": result])))
            case "first": return .contributors(("screen", "pin", .options(["onResult": result])))
            case "typed": return .contributors(("end", "", .options(["result": call.values[2]])))
            default: return .contributors()
            }
        }
        try service.coordinate("asks")
        try service.emit("open", on: "/asks")
        try service.client.waitForSignal("PropertiesChanged") {
            $0.path == Service.tree + "/asks/answers/pin" && $0.values[1]["Owner"]?.text == peer.uniqueName
        }
        try service.restart()
        try service.listen()
        try finish(.options(["contact": .byte(5)]), on: "/asks/answers/pin")
        let call = try peer.waitForCall("Navigate") { $0.values[1] == "got" }
        #expect(call.values[2] == .options(["contact": .int64(5)]))
        #expect(try service.objects().keys == [Service.tree + "/main", Service.tree + "/asks"])

        // Without the result it can't answer.
        try service.emit("open", on: "/asks")
        try peer.waitForCall("Present") { $0.values[0].brief == "/asks/answers/pin" }
        try service.synchronize(peer)
        try register(
            "answers", steps("first", "typed"),
            ["screens": .array(of: "{sa{sv}}", [.dictEntry("pin", .options())]), "presenter": .objectPath("/show")])
        let refusal = try service.refusal { try finish(.options(), on: "/asks/answers/pin") }
        #expect(refusal.name.hasSuffix("NotSupported"), "\(refusal)")
    }
}
