import BusTestSupport
import Testing

/// Clients that send or own excessive amounts.
@Suite("Floods")
struct FloodTests {
    private let definitions = """
        [steps]
        go = { text = "string?" }
        [screens]
        page = {}
        shown = { presenter = "org.example.Presenter", patience = "0s" }
        [[autostart]]
        flow = "main"
        [flows.main]
        guard = "org.example.Guard"
        [flows.main.on]
        go = { screen = "page" }
        [flows.free]
        [flows.free.on]
        go = { screen = "shown" }
        """

    private func coordinate(_ flow: String, _ id: String, by client: TestClient) throws {
        try client.call(
            Service.name, Service.root, Service.name + ".Coordinator", "Coordinate", .string(flow), "", .options(),
            .options(["id": .string(id)]))
    }

    @Test func `S-29 more owners than the bus allows match rules do not harm the daemon`() throws {
        let limit = 12
        let service = try Service(definitions, bus: PrivateBus(limits: ["max_match_rules_per_connection": limit]))
        let owners = try (0..<(2 * limit)).map { number in
            let owner = try TestClient(service.bus)
            try coordinate("free", "f\(number)", by: owner)
            try owner.call(Service.name, Service.tree + "/f\(number)", Service.name + ".Presentable", "Claim")
            return owner
        }
        try service.listen()
        for owner in owners { owner.disconnect() }
        for _ in owners { try service.client.waitForSignal("InterfacesRemoved") }
        let live = try service.objects()
        #expect(live.keys == [Service.tree + "/main"])
    }

    @Test func `S-33 undeclared arguments have the limits of declared ones`() throws {
        let service = try Service(definitions)
        let large = BusValue.options(["x": .string(String(repeating: "x", count: 70_000))])
        let stepper = Service.name + ".Stepper"
        let list = BusValue.array(of: "(sa{sv})", [.structure(["go", .options()]), .structure(["gone", large])])
        for (path, member, values) in [
            ("/main", "EmitSteps", [list]), ("/main", "EmitStepWithOptions", ["gone", large, .options()]),
            ("/nowhere", "EmitStepWithOptions", ["go", large, .options()]),
        ] as [(String, String, [BusValue])] {
            let refusal = try service.refusal {
                let call = try service.client.start(Service.name, Service.tree + path, stepper, member, values)
                try service.client.answer(to: call)
            }
            #expect(refusal.name == Service.name + ".Error.LimitExceeded", "\(member) on \(path)")
            #expect(refusal.message.contains("more than 65536 bytes"), "\(refusal.message)")
        }
        // No process was asked about the first of the list.
        #expect(try service.coordinator("GetSerial") == [.uint64(0)])
    }

    @Test func `S-28 invalid flow names are not stored while a path waits`() throws {
        let service = try Service(definitions)
        let name = String(repeating: "x", count: 65)
        let path = BusValue.array(
            of: "(ssa{sv})",
            [.structure(["main", "go", .options()]), .structure([.string(name), "go", .options()])])
        let refusal = try service.refusal { try service.coordinator("NavigateAlong", path, .options()) }
        #expect(refusal.name == Service.name + ".Error.InvalidArguments")
        #expect(refusal.message.hasPrefix("segment 2: '\(name)' can't be the name of a flow: letters"))
    }

    @Test func `S-9 a call that is answered later is answered as any other, whatever its size`() throws {
        let service = try Service(definitions)
        let guardian = try TestClient(service.bus)
        try guardian.requestName("org.example.Guard")
        let text = BusValue.options(["text": .string(String(repeating: "x", count: 60_000))])
        let calls = try (0..<3).map { _ in
            try service.client.start(
                Service.name, Service.tree + "/main", Service.name + ".Stepper", "EmitStep", ["go", text])
        }
        for number in 0..<2 {
            let asked = try guardian.waitForCall("Adapt")
            if number == 0 {
                try guardian.reply(to: asked, ["go", .options()])
            } else {
                try guardian.reply(to: asked, BusError("org.example.No", "no"))
            }
        }
        #expect(try service.client.answer(to: calls[0]) == [.uint64(1), "navigated"])
        let refusal = try service.refusal { try service.client.answer(to: calls[1]) }
        #expect(refusal.name == Service.name + ".Error.GuardFailed")
        try service.dismiss("/main")
        let ended = try service.refusal { try service.client.answer(to: calls[2]) }
        #expect(ended.name == Service.name + ".Error.FlowEnded")
    }

    @Test func `S-31 the loss of a presenter does not affect screens dismissed before`() throws {
        let service = try Service(definitions)
        let presenter = try TestClient(service.bus)
        try presenter.requestName("org.example.Presenter")
        for round in 1...3 {
            try coordinate("free", "f", by: service.client)
            try service.emit("go", on: "/f")
            try presenter.waitForCall("Present")
            if round < 3 { try service.dismiss("/f") }
        }
        try service.listen()
        presenter.disconnect()
        try service.client.waitForSignal("InterfacesRemoved")
        let line = "'org.example.Presenter' does not present the screen 'shown'"
        try service.process.waitForLine(in: .errors) { $0.contains(line) }
        #expect(service.process.errors.split(separator: "\n").count { $0.contains(line) } == 1)
    }
}
