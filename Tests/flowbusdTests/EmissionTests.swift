import BusTestSupport
import Testing

/// Emitted steps: in lists, with options, deferred at the gate, and the emitters.
@Suite("Emission")
struct EmissionTests {
    private let definitions = """
        [steps]
        go = { n = "int64?" }
        stop = {}
        reported = { why = "string" }
        [screens]
        page = { arguments = { n = "int64?" } }
        later = {}
        newest = {}
        [[autostart]]
        flow = "main"
        [flows.main.on]
        go = { screen = "page" }
        reported = { none = true }
        stop = [{ screen = "later", whenHidden = "queue" }, { screen = "newest", whenHidden = "latest" }]
        """

    private func stepper(
        _ member: String, of service: Service, on path: String = "/main", _ arguments: BusValue...,
        by other: TestClient? = nil
    ) throws -> [BusValue] {
        let client = other ?? service.client
        let call = try client.start(Service.name, Service.tree + path, Service.name + ".Stepper", member, arguments)
        return try client.answer(to: call)
    }

    private func steps(_ steps: [(String, BusValue)]) -> BusValue {
        .array(of: "(sa{sv})", steps.map { .structure([.string($0.0), $0.1]) })
    }

    @Test func `EmitSteps takes each in order and answers each`() throws {
        let service = try Service(definitions)
        let error = Service.name + ".Error."
        let answer = try stepper(
            "EmitSteps", of: service,
            steps([
                ("go", .options(["n": .byte(5)])), ("og", .options(["n": .variant(.options(["x": "y"]))])),
                ("go", .options(["n": "five"])), ("go", .options()),
            ]))
        #expect(answer[0].type == "a(tsss)")
        #expect(
            answer[0].outcomes
                == ["1 navigated", error + "UnknownStep", error + "InvalidArguments", "2 navigated"])
        #expect(answer[0].elements[1].elements[3].text?.contains("did you mean 'go'?") == true)
        #expect(try service.property("Arguments", of: "/main/page", "Presentable") == .options(["n": .int64(5)]))
        // A removed screen is gone for the later steps.
        try service.show("/main/page")
        #expect(
            try stepper("EmitSteps", of: service, on: "/main/page_2", steps([("go", .options()), ("go", .options())]))[
                0
            ]
            .outcomes == ["hidden", "hidden"])
        #expect(try stepper("EmitSteps", of: service, steps([])) == [.array(of: "(tsss)", [])])
    }

    @Test func `S-33 LimitExceeded: 1,024 steps in a call`() throws {
        let service = try Service(definitions)
        let many = Array(repeating: ("reported", BusValue.options(["why": "x"])), count: 1_024)
        #expect(try stepper("EmitSteps", of: service, steps(many))[0].elements.count == 1_024)
        let refusal = try service.refusal { _ = try stepper("EmitSteps", of: service, steps(many + many)) }
        #expect(refusal.name == Service.name + ".Error.LimitExceeded")
        #expect(refusal.message.contains("1024"))
        #expect(try service.coordinator("GetSerial") == [.uint64(1_024)])
    }

    @Test func `a token gets the first outcome again, for its own client alone`() throws {
        let service = try Service(definitions)
        let token = BusValue.options(["token": "one"])
        for _ in 0..<3 {
            let answer = try stepper("EmitStepWithOptions", of: service, "go", .options(), token)
            #expect(answer == [.uint64(1), "navigated"])
        }
        let other = try TestClient(service.bus)
        #expect(
            try stepper("EmitStepWithOptions", of: service, "go", .options(), token, by: other)
                == [.uint64(2), "navigated"])
        for _ in 0..<2 {
            let refusal = try service.refusal {
                _ = try stepper("EmitStepWithOptions", of: service, "reported", .options(), .options(["token": "two"]))
            }
            #expect(refusal.name == Service.name + ".Error.InvalidArguments")
        }
        let again = try stepper(
            "EmitStepWithOptions", of: service, "go", .options(), .options(["token": "three", "instance": .uint64(1)]))
        #expect(again == [.uint64(3), "navigated"])
        for _ in 0..<2 {
            let root = try service.coordinate("main", options: ["token": "one"])
            #expect(root == [.objectPath(Service.tree + "/main_2")])
        }
        #expect(try service.coordinator("GetSerial") == [.uint64(3)])
    }

    @Test func `a token has its outcome also if the presentable or the step is gone`() throws {
        let service = try Service(definitions + "\n[flows.sub.on]\nstop = { end = true }")
        try service.coordinate("sub")
        let end = { (token: BusValue) in
            try stepper("EmitStepWithOptions", of: service, on: "/sub", "stop", .options(), token)
        }
        for _ in 0..<2 { #expect(try end(.options(["token": "end"])) == [.uint64(1), "navigated"]) }
        for options in [BusValue.options(["token": "other"]), .options()] {
            let refusal = try service.refusal { _ = try end(options) }
            #expect(refusal.name == "org.freedesktop.DBus.Error.UnknownObject")
            #expect(refusal.message.contains("'\(Service.tree)/sub'"))
        }
        let gone = { try stepper("EmitStepWithOptions", of: service, "go", .options(), .options(["token": "go"])) }
        #expect(try gone() == [.uint64(2), "navigated"])
        try service.write(definitions.replacing("go =", with: "went ="))
        try service.coordinator("Reload")
        #expect(try gone() == [.uint64(2), "navigated"])
        #expect(
            try service.refusal { try service.emit("go", on: "/main") }.name == Service.name + ".Error.UnknownStep")
    }

    @Test func `S-3 Emit takes the name of a step without arguments`() throws {
        let service = try Service(definitions)
        #expect(try stepper("Emit", of: service, "go") == [.uint64(1), "navigated"])
        let refusal = try service.refusal { _ = try stepper("Emit", of: service, "reported") }
        #expect(refusal.name == Service.name + ".Error.InvalidArguments")
        #expect(refusal.message == "step 'reported' needs the argument 'why' of type string")
        let unknown = try service.refusal { _ = try stepper("Emit", of: service, "og") }
        #expect(unknown.name == Service.name + ".Error.UnknownStep")
    }

    @Test func `a token waits for the first outcome also if the presentable is gone`() throws {
        let service = try Service(
            definitions.replacing(
                "[flows.main.on]", with: "[flows.main]\nguard = \"org.example.Auth\"\n[flows.main.on]"))
        let auth = try TestClient(service.bus)
        try auth.requestName("org.example.Auth")
        let start = { (member: String, path: String, arguments: [BusValue]) in
            try service.client.start(
                Service.name, Service.tree + path, Service.name + ".Stepper", member, arguments)
        }
        let shown = try start("EmitStep", "/main", ["go", .options()])
        let first = try auth.waitForCall("Adapt")
        try auth.reply(to: first, ["go", .options()])
        #expect(try service.client.answer(to: shown) == [.uint64(1), "navigated"])
        try service.show("/main/page")

        let again: [BusValue] = ["reported", .options(["why": "x"]), .options(["token": "one"])]
        let one = try start("EmitStepWithOptions", "/main/page", again)
        let asked = try auth.waitForCall("Adapt")
        try service.dismiss("/main/page")
        let two = try start("EmitStepWithOptions", "/main/page", again)
        // The last one is not declared, so its arguments do not count.
        let some = BusValue.options(["x": .string(String(repeating: "x", count: 10_000))])
        let list = try start("EmitSteps", "/main", [steps([("reported", .options(["why": "x"])), ("og", some)])])
        try service.client.ping(Service.name)
        try auth.reply(to: asked, ["reported", .options(["why": "x"])])
        for call in [one, two] { #expect(try service.client.answer(to: call) == [.uint64(2), "navigated"]) }
        let last = try auth.waitForCall("Adapt")
        try auth.reply(to: last, ["reported", .options(["why": "x"])])
        #expect(
            try service.client.answer(to: list)[0].outcomes
                == ["3 navigated", Service.name + ".Error.UnknownStep"])
    }

    @Test func `StaleInstance, and invalid options`() throws {
        let service = try Service(definitions)
        let emit = { (options: BusValue) in
            _ = try stepper("EmitStepWithOptions", of: service, "go", .options(), options)
        }
        let stale = try service.refusal { try emit(.options(["instance": .uint64(7)])) }
        #expect(stale.name == Service.name + ".Error.StaleInstance")
        #expect(stale.message.contains("'7'") && stale.message.contains("'1'"))
        for (options, part) in [
            (BusValue.options(["token": ""]), "at least 1 and at most 128"),
            (.options(["token": .string(String(repeating: "x", count: 129))]), "129 bytes"),
            (.options(["token": .uint32(1)]), "'token' is of D-Bus type 'u'; it has to be of type 's'"),
            (.options(["tokn": "x"]), "did you mean 'token'?"),
            (.options(["input": "no"]), "'input' is of D-Bus type"),
            (.options(["wait": "no"]), "'wait' is of D-Bus type 's'; it has to be of type 'b'"),
            (
                .options(["waits": false]),
                "known are 'token', 'instance', 'wait', 'inputTime', 'ask', 'input', 'activation-token'"
            ),
        ] {
            let refusal = try service.refusal { try emit(options) }
            #expect(refusal.name == Service.name + ".Error.InvalidArguments")
            #expect(refusal.message.contains(part), "\(refusal.message)")
        }
        #expect(try service.coordinator("GetSerial") == [.uint64(0)])
    }

    @Test func `S-16 in turn: one step after the other, and CancelStep takes one back, also after a restart`() throws {
        let service = try Service(
            """
            [steps]
            begin = {}
            prompt = { who = "string" }
            ask = { who = "string" }
            [screens]
            page = {}
            dialog = { arguments = { who = "string" } }
            [[autostart]]
            flow = "device"
            step = "begin"
            [flows.device]
            children = "stack"
            on.begin = { flow = "desk" }
            on.ask = { screen = "dialog" }
            [flows.desk]
            whenHidden = "turn"
            whenEmpty = "stay"
            on.prompt = { parent = "ask" }
            """)
        try service.listen()
        let desk = "/device/desk"
        func prompt(_ who: BusValue, _ options: KeyValuePairs<String, BusValue>) throws -> [BusValue] {
            try service.client.call(
                Service.name, Service.tree + desk, Service.name + ".Stepper", "EmitStepWithOptions", "prompt",
                .options(["who": who]), .options(options))
        }
        func cancel(_ token: BusValue) throws -> [BusValue] {
            try service.client.call(
                Service.name, Service.tree + desk, Service.name + ".Stepper", "CancelStep", token)
        }
        #expect(try prompt("first", [:])[1] == "navigated")
        for who in ["second", "third", "fourth"] as [BusValue] {
            #expect(try prompt(who, ["token": who]) == [.uint64(0), "deferred"])
        }
        #expect(try cancel("third") == [])
        let failed = try service.client.waitForSignal("NavigationFailed")
        #expect(failed.path == Service.tree + desk)
        #expect(failed.values[2] == "prompt" && failed.values[3] == "hidden")
        for restarts in [false, true] {
            if restarts { try service.restart() }
            #expect(try cancel("third") == [])
            #expect(try prompt("third", ["token": "third"]) == [.uint64(0), "hidden"])
        }
        try service.listen()
        for who in ["second", "fourth"] as [BusValue] {
            try service.client.call(Service.name, Service.tree + "/device", Service.name + ".Flow", "Back")
            #expect(try service.property("Arguments", of: "/device/dialog", "Presentable")["who"] == who)
        }
        let refusal = try service.refusal { _ = try cancel("second") }
        #expect(refusal.name == Service.name + ".Error.InvalidArguments")
        #expect(refusal.message.contains("'second'"))
    }

    @Test func `S-15 S-16 deferred steps are reported when the presentable is presented`() throws {
        let service = try Service(definitions)
        try service.emit("stop", on: "/main")
        try service.listen()
        for path in ["/main/later", "/main/newest"] {
            for number in 1...2 {
                #expect(
                    try service.emit("go", ["n": .int64(Int64(number))], on: path) == [.uint64(0), "deferred"])
            }
        }
        let replaced = try service.client.waitForSignal("NavigationFailed")
        #expect(replaced.path == Service.tree + "/main")
        #expect(
            Array(replaced.values[0...4]) == [.uint64(0), .string(service.client.uniqueName), "go", "hidden", ""])
        #expect(replaced.values[5].text?.contains("'go'") == true)
        #expect(try service.coordinator("GetSerial") == [.uint64(1)])
        try service.show("/main/newest")
        try service.show("/main/later")
        let numbers = try (0..<3).map { _ in
            try service.client.waitForSignal("NavigationOccurred").values[4]["n"]?.number
        }
        #expect(numbers == [2, 1, 2])
        try service.client.ping(Service.name)
        #expect(service.client.signals.filter { $0.member == "NavigationFailed" }.count == 1)
    }

    @Test func `emitters: only owners of the names may emit, according to the bus`() throws {
        let service = try Service(
            definitions.replacing(
                "[flows.main.on]", with: "[flows.main]\nemitters = [\"org.example.App\"]\n[flows.main.on]"))
        let app = try TestClient(service.bus)
        let refusal = try service.refusal { try service.emit("go", on: "/main", by: app) }
        #expect(refusal.name == "org.freedesktop.DBus.Error.AccessDenied")
        #expect(refusal.message.contains("'org.example.App'") && refusal.message.contains("'\(app.uniqueName)'"))
        try app.requestName("org.example.App")
        #expect(try service.emit("go", on: "/main", by: app) == [.uint64(1), "navigated"])
        #expect(try service.refusal { try service.emit("go", on: "/main") }.name.hasSuffix(".AccessDenied"))
        let link = try service.coordinator("Navigate", "go", .options(), .options())
        #expect(link[0].outcomes == ["/main org.freedesktop.DBus.Error.AccessDenied"])
        // New definitions have other names; a name that has an owner already counts at once.
        let other = try TestClient(service.bus)
        try other.requestName("org.example.Other")
        try service.write(
            definitions.replacing(
                "[flows.main.on]", with: "[flows.main]\nemitters = [\"org.example.Other\"]\n[flows.main.on]"))
        try service.coordinator("Reload")
        #expect(try service.emit("go", on: "/main", by: other) == [.uint64(2), "navigated"])
        #expect(try service.refusal { try service.emit("go", on: "/main", by: app) }.name.hasSuffix(".AccessDenied"))
        other.disconnect()
        try service.client.waitUntilFree("org.example.Other")
        let successor = try TestClient(service.bus)
        try successor.requestName("org.example.Other")
        #expect(try service.emit("go", on: "/main", by: successor) == [.uint64(3), "navigated"])
    }

    @Test func `S-5 emitters apply to Coordinate, and to Claim, SetVisible and Dismiss of unowned presentables`() throws
    {
        let service = try Service(
            """
            [steps]
            go = {}
            [screens]
            page = {}
            [[autostart]]
            flow = "main"
            [flows.main]
            initial  = "go"
            emitters = ["org.example.App"]
            [flows.main.on]
            go = { screen = "page" }
            """)
        let app = try service.peer("org.example.App")
        func denied(_ path: String, _ interface: String, _ member: String, _ arguments: BusValue...) throws {
            let call = try service.client.start(
                Service.name, path, Service.name + "." + interface, member, arguments)
            let refusal = try service.refusal(of: call)
            #expect(refusal.name == "org.freedesktop.DBus.Error.AccessDenied")
            #expect(refusal.message.contains("'org.example.App'"), "\(refusal)")
        }
        try denied(Service.root, "Coordinator", "Coordinate", "main", "", .options(), .options())
        for path in ["/main", "/main/page"] {
            try denied(Service.tree + path, "Presentable", "Claim")
            try denied(Service.tree + path, "Presentable", "SetVisible", true)
            try denied(Service.tree + path, "Presentable", "Dismiss")
        }
        #expect(try service.objects().keys == [Service.tree + "/main", Service.tree + "/main/page"])
        try service.presentable("Claim", "/main/page", by: app)
        let owned = try service.refusal { try service.dismiss("/main/page") }
        #expect(owned.name == Service.name + ".Error.NotOwner")
        try service.presentable("Release", "/main/page", by: app)
        try service.presentable("Dismiss", "/main", by: app)
        try app.call(
            Service.name, Service.root, Service.name + ".Coordinator", "Coordinate", "main", "", .options(), .options())
        #expect(try service.objects().keys.count == 2)
    }
}

extension TestClient {
    /// Waits until a name has no owner.
    func waitUntilFree(_ name: String) throws {
        let bus = "org.freedesktop.DBus"
        try addMatch("type='signal',sender='\(bus)',member='NameOwnerChanged',arg0='\(name)'")
        let isOwned = try call(bus, "/", bus, "NameHasOwner", .string(name)) == [true]
        if isOwned { try waitForSignal("NameOwnerChanged") { $0.values[2] == "" } }
    }
}
