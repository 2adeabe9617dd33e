import BusTestSupport
import Testing

/// Each invalid call gets the contract's error, with the value and what would be right, and changes nothing.
@Suite("Errors")
struct ErrorTests {
    let service: Service
    private let before: BusValue

    init() throws {
        service = try Service(
            shopDefinitions.replacing("[screens]", with: "all = { b = \"byte\", s = \"string?\" }\n[screens]"))
        try service.show("/shop/list")
        before = try service.objects()
    }

    /// Expects an error of the contract, a message with all of these texts, and an unchanged tree and serial.
    private func expect(
        _ name: String, _ parts: String..., from call: () throws -> Void,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let error = try service.refusal(call)
        #expect(error.name == name, sourceLocation: sourceLocation)
        for part in parts {
            #expect(error.message.contains(part), "\(error.message)", sourceLocation: sourceLocation)
        }
        #expect(try service.objects() == before, sourceLocation: sourceLocation)
        #expect(try service.coordinator("GetSerial") == [.uint64(1)], sourceLocation: sourceLocation)
    }

    private func error(_ name: String) -> String { "org.flowbus.Navigation1.Error." + name }

    @Test func `the bus's own errors`() throws {
        let standard = "org.freedesktop.DBus.Error."
        try expect(standard + "UnknownObject", "/tree/nowhere") { try service.emit("begin", on: "/nowhere") }
        try expect(standard + "UnknownMethod", "EmitAll") {
            try service.client.call(Service.name, Service.tree + "/shop", Service.name + ".Stepper", "EmitAll")
        }
        // A screen is not a flow.
        try expect(standard + "UnknownMethod", "Flow") {
            try service.client.call(Service.name, Service.tree + "/shop/list", Service.name + ".Flow", "WaitReady")
        }
        try expect(standard + "InvalidArgs", "'s'", "'sa{sv}'") {
            try service.client.call(
                Service.name, Service.tree + "/shop", Service.name + ".Stepper", "EmitStep", "begin")
        }
        try expect(standard + "PropertyReadOnly", "Visible") {
            try service.client.call(
                Service.name, Service.tree + "/shop", "org.freedesktop.DBus.Properties", "Set",
                .string(Service.name + ".Presentable"), "Visible", .variant(true))
        }
    }

    @Test func `S-3 UnknownStep`() throws {
        try expect(error("UnknownStep"), "'pik'", "did you mean 'pick'?") { try service.emit("pik", on: "/shop") }
        try expect(error("UnknownStep"), "'no way'", "letters") { try service.emit("no way", on: "/shop") }
        try expect(error("UnknownStep"), "''") { try service.emit("", on: "/shop") }
        try expect(error("UnknownStep"), "'a\\nb\\u{1B}'") { try service.emit("a\nb\u{1B}", on: "/shop") }
        let long = try service.refusal { try service.emit(String(repeating: "x", count: 100_000), on: "/shop") }
        #expect(long.message.utf8.count < 400)
    }

    @Test func `S-3 InvalidArguments`() throws {
        let name = error("InvalidArguments")
        try expect(name, "'pick'", "needs", "'item'", "int64") { try service.emit("pick", on: "/shop") }
        try expect(name, "'itm'", "did you mean 'item'?") {
            try service.emit("pick", ["itm": .int64(1)], on: "/shop")
        }
        try expect(name, "'item'", "'seven'", "string", "int64") {
            try service.emit("pick", ["item": "seven"], on: "/shop")
        }
        try expect(name, "'256'", "byte") { try service.emit("all", ["b": .int32(256)], on: "/shop") }
        try expect(name, "'-1'", "byte") { try service.emit("all", ["b": .int64(-1)], on: "/shop") }
        try expect(name, "'b'", "more than once") {
            try service.emit("all", ["b": .byte(1), "b": .byte(2)], on: "/shop")
        }
        try expect(name, "'s'", "file descriptor") {
            try service.emit("all", ["b": .byte(1), "s": .fileDescriptor(2)], on: "/shop")
        }
        try expect(name, "'nope'", "'id', 'flowArguments', 'token'") {
            try service.coordinate("shop", options: ["nope": "x"])
        }
        try expect(name, "'id'", "more than once") { try service.coordinate("shop", options: ["id": "x", "id": "y"]) }
        try expect(name, "'id'", "'u'", "'s'") { try service.coordinate("shop", options: ["id": .uint32(1)]) }
        try expect(name, "'x'", "it takes none") {
            try service.coordinate("shop", options: ["flowArguments": .options(["x": "y"])])
        }
        try expect(name, "'timeout'", "known are 'wait', 'activation-token'") {
            try service.coordinator("Navigate", "closed", .options(), .options(["timeout": .uint32(1)]))
        }
    }

    @Test func `UnknownFlow, InvalidName, IdTaken`() throws {
        try expect(error("UnknownFlow"), "'shpo'", "did you mean 'shop'?") { try service.coordinate("shpo") }
        try expect(error("InvalidName"), "'a-b'", "letters") { try service.coordinate("shop", options: ["id": "a-b"]) }
        try expect(error("IdTaken"), "'shop'") { try service.coordinate("shop", options: ["id": "shop"]) }
    }

    @Test func `S-33 LimitExceeded: count, bytes and nesting of a step's arguments`() throws {
        let name = error("LimitExceeded")
        try expect(name, "64") {
            try service.client.call(
                Service.name, Service.tree + "/shop", Service.name + ".Stepper", "EmitStep", "all",
                .array(of: "{sv}", (0..<65).map { .dictEntry(.string("a\($0)"), .variant(.byte(1))) }))
        }
        try expect(name, "65536") {
            try service.emit("all", ["b": .byte(1), "s": .string(String(repeating: "x", count: 65_536))], on: "/shop")
        }
        var nested = BusValue.variant(.byte(1))
        for _ in 0..<9 { nested = .variant(nested) }
        try expect(name, "'b'", "8") { try service.emit("all", ["b": nested], on: "/shop") }
    }

    @Test func `S-27 FlowEnded for a flow that an earlier one ended`() throws {
        let service = try Service(
            """
            [steps]
            stop = {}
            open = {}
            [[autostart]]
            flow = "main"
            [flows.main.on]
            open = { flow = "sub" }
            stop = { end = true }
            [flows.sub.on]
            stop = { end = true }
            """)
        try service.emit("open", on: "/main")
        let answer = try service.coordinator("Navigate", "stop", .options(), .options())
        #expect(answer[0].outcomes == ["/main 2 navigated", "/main/sub \(error("FlowEnded"))"])
        #expect(try service.objects().elements.isEmpty)
    }

    @Test func `S-12 PresentableDismissed for an initial step that is lost with its screen`() throws {
        let service = try Service(
            """
            [steps]
            open = {}
            hello = {}
            [screens]
            s = {}
            [[autostart]]
            flow = "main"
            [flows.main.on]
            open  = { screen = "s", step = "hello" }
            hello = { none = true }
            """)
        try service.emit("open", on: "/main")
        try service.listen()
        try service.dismiss("/main/s")
        let failure = try service.client.waitForSignal("NavigationFailed")
        #expect(failure.path == Service.tree + "/main")
        #expect(failure.values[3] == "" && failure.values[4].text == error("PresentableDismissed"))
    }

    @Test func `a thousand calls at once, right and wrong, are each answered once and in order`() throws {
        let calls = try (0..<1_000).map { number in
            try service.client.start(
                Service.name, Service.tree + (number % 5 == 4 ? "/none" : "/shop"), Service.name + ".Stepper",
                "EmitStep",
                [.string(number % 3 == 0 ? "pik" : "closed"), .options()])
        }
        for call in calls { _ = try? service.client.answer(to: call) }
        let answered = service.client.log.compactMap(\.replyTo).suffix(1_000)
        #expect(Array(answered) == calls)
    }

    @Test func `a call without a reply gets none, and a caller that leaves does not cancel its step`() throws {
        try service.listen()
        try service.client.post(
            Service.name, Service.tree + "/shop", Service.name + ".Stepper", "EmitStep", "closed", .options())
        try service.client.post(
            Service.name, Service.tree + "/shop", Service.name + ".Stepper", "EmitStep", "pik", .options())
        try service.client.waitForSignal("NavigationOccurred")
        try service.client.ping(Service.name)
        #expect(service.client.log.filter { $0.kind != .signal }.count == 1)
        let brief = try TestClient(service.bus)
        _ = try brief.start(
            Service.name, Service.tree + "/shop", Service.name + ".Stepper", "EmitStep", ["closed", .options()])
        let name = brief.uniqueName
        brief.disconnect()
        let reported = try service.client.waitForSignal("NavigationOccurred")
        #expect(reported.values[2].text == name)
    }
}
