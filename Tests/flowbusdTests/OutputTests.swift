import BusTestSupport
import Testing

/// Outputs, the stack of screens, and timings, through a bus.
@Suite("Outputs and timings")
struct OutputTests {
    private let service: Service
    private let peer: TestClient

    init() throws {
        service = try Service(
            """
            [steps]
            open = {}
            more = {}
            [screens]
            page = { presenter = "com.example.Peer", budget = "10ms" }
            fonts = { application = "com.example.Fonts" }
            [[autostart]]
            flow = "main"
            output = "left"
            [flows.main.on]
            open = { screen = "page", style = "modal" }
            more = { screen = "fonts" }
            """)
        peer = try service.peer()
        peer.playPresenter()
    }

    private func ask(_ member: String, _ arguments: BusValue...) throws -> [BusValue] {
        let call = try service.client.start(
            Service.name, Service.root, Service.name + ".Coordinator", member, arguments)
        return try service.client.answer(to: call)
    }

    @Test func `S-41 a root has its output by its definition, by Coordinate and by MoveRoot, and keeps it`() throws {
        #expect(try service.property("Output", of: "/main", "Flow") == "left")
        let answer = try ask("Coordinate", "main", "", .options(), .options(["output": "right"]))
        #expect(answer == [.objectPath(Service.tree + "/main_2")])
        try service.listen()
        #expect(try ask("MoveRoot", .objectPath(Service.tree + "/main_2"), "wall") == [])
        #expect(service.client.transcript.first == "PropertiesChanged /main_2 Output=wall")
        try service.restart()
        #expect(try service.property("Output", of: "/main_2", "Flow") == "wall")
        #expect(throws: (any Error).self) { try ask("MoveRoot", .objectPath(Service.tree + "/none"), "wall") }
        #expect(throws: (any Error).self) { try ask("MoveRoot", .objectPath(Service.tree + "/main"), "a b") }
    }

    @Test func `S-38 S-41 GetStack has the screens in sight, and Present and MoveRoot tell the output`() throws {
        try service.emit("open", on: "/main")
        let first = try peer.waitForCall("Present")
        #expect(first.values[3]["output"] == "left")
        let screen = try #require(try ask("GetStack", "left")[0].elements.first)
        #expect(screen.elements[0] == .objectPath(Service.tree + "/main/page"))
        #expect(screen.elements[2]["style"] == "modal" && screen.elements[2]["visible"] == false)
        #expect(screen.elements[2]["output"] == "left" && screen.elements[2]["application"] == nil)
        #expect(try ask("GetStack", "right")[0].elements.isEmpty)
        _ = try ask("MoveRoot", .objectPath(Service.tree + "/main"), "right")
        try peer.waitForCall("Present") { $0.values[3]["output"] == "right" && $0.values[3]["reason"] == "update" }
        #expect(try ask("GetStack", "")[0].elements.count == 1)
    }

    @Test func `S-38 S-40 GetStack names the program of a screen that knows nothing of flowbus`() throws {
        let fonts = try service.peer("com.example.Fonts")
        try service.emit("more", on: "/main")
        try fonts.waitForCall("Activate")
        let screen = try #require(try ask("GetStack", "left")[0].elements.first)
        #expect(screen.elements[2]["application"] == "com.example.Fonts")
    }

    @Test func `S-46 GetTimings counts a screen that became visible`() throws {
        #expect(try ask("GetTimings")[0].elements.isEmpty)
        try service.emit("open", on: "/main")
        try peer.waitForCall("Present")
        _ = try peer.call(
            Service.name, Service.tree + "/main/page", Service.name + ".Presentable", "SetVisible", .bool(true))
        let timing = try #require(try ask("GetTimings")[0].elements.first?.elements)
        #expect(timing[0] == "page" && timing[1] == "warm" && timing[2] == .uint32(1))
        #expect(timing[3...].allSatisfy { ($0.number ?? 0) > 0 })
    }
}

/// Roots that come and go with outputs, and children that change their place, through a bus.
@Suite("The list of outputs, and places")
struct PlaceTests {
    private let service: Service
    private let peer: TestClient

    init() throws {
        service = try Service(
            """
            [steps]
            open = {}
            shrink = {}
            to = { output = "string" }
            [screens]
            page = { presenter = "com.example.Peer" }
            [outputs]
            setter = "com.example.Peer"
            [[autostart]]
            flow = "main"
            per = "output"
            whenOutputGone = "move"
            [flows.main]
            children = "layers"
            layers = ["full", { name = "corner", covers = false }]
            [flows.main.on]
            open = { flow = "film" }
            shrink = { flow = "film", layer = "corner", style = "small", reuse = true }
            to = { move = "$output" }
            [flows.film]
            initial = "open"
            whenEmpty = "go"
            [flows.film.on]
            open = { screen = "page", reuse = true }
            """)
        peer = try service.peer()
        peer.playPresenter()
    }

    private func set(_ names: [String], by client: TestClient) throws {
        try client.call(
            Service.name, Service.root, Service.name + ".Coordinator", "SetOutputs",
            .array(of: "s", names.map { .string($0) }))
    }

    private var outputs: BusValue {
        get throws { try service.client.property(Service.name, Service.root, Service.name + ".Coordinator", "Outputs") }
    }

    @Test func `S-53 the setter sets the outputs, others are refused, and a restart keeps the list`() throws {
        let refusal = try service.refusal { try set(["DP-1"], by: service.client) }
        #expect(refusal.name.hasSuffix("AccessDenied"))
        let wrong = try service.refusal { try set(["a b"], by: peer) }
        #expect(wrong.name.hasSuffix("InvalidArguments"))
        let many = try service.refusal { try set((0...16).map { "o\($0)" }, by: peer) }
        #expect(many.name.hasSuffix("LimitExceeded"))
        #expect(try outputs.elements.isEmpty)
        try set(["DP-1", "DP-2"], by: peer)
        #expect(try service.property("Output", of: "/main_DP_2", "Flow") == "DP-2")
        try service.restart()
        #expect(try outputs.elements == ["DP-1", "DP-2"])
        #expect(try service.property("Output", of: "/main_DP_2", "Flow") == "DP-2")
    }

    @Test func `S-53 Present has the size that the setter has told, and a restart forgets it`() throws {
        func set(_ sizes: BusValue) throws {
            try peer.call(
                Service.name, Service.root, Service.name + ".Coordinator", "SetOutputsWithOptions",
                .array(of: "s", ["DP-1"]), .options(["sizes": sizes]))
        }
        func size(_ name: String, _ width: UInt32, _ height: UInt32) -> BusValue {
            .array(of: "{s(uu)}", [.dictEntry(.string(name), .structure([.uint32(width), .uint32(height)]))])
        }
        for (sizes, text) in [(size("DP-2", 1, 1), "'DP-2'"), (size("DP-1", 0, 720), "'0x720'"), ("large", "'sizes'")] {
            let refusal = try service.refusal { try set(sizes) }
            #expect(refusal.name.hasSuffix("InvalidArguments") && refusal.message.contains(text), "\(refusal)")
        }
        #expect(try outputs.elements.isEmpty)
        try set(size("DP-1", 1_280, 720))
        #expect(try outputs.elements == ["DP-1"])
        try service.emit("open", on: "/main_DP_1")
        let present = try peer.waitForCall("Present")
        #expect(present.values[3]["size"] == .structure([.uint32(1_280), .uint32(720)]))
        try service.waitForOwner(peer, of: "/main_DP_1/film/page")
        try service.restart()
        try service.client.call(
            Service.name, Service.root, Service.name + ".Coordinator", "MoveRoot",
            .objectPath(Service.tree + "/main_DP_1"), "")
        let again = try peer.waitForCall("Present") { $0.values[3]["reason"] == "update" }
        #expect(again.values[3]["size"] == nil)
    }

    @Test func `S-52 S-53 a film moves to the corner and to the other display, and goes on`() throws {
        try set(["DP-1", "DP-2"], by: peer)
        try service.emit("open", on: "/main_DP_1")
        try service.waitForOwner(peer, of: "/main_DP_1/film/page")
        let instance = try service.property("Instance", of: "/main_DP_1/film/page", "Presentable")
        try service.emit("shrink", on: "/main_DP_1")
        try peer.waitForCall("Present") {
            $0.values[3]["reason"] == "update" && $0.values[3]["styles"]?.elements == ["small"]
        }
        #expect(try service.property("Style", of: "/main_DP_1/film", "Presentable") == "small")
        try service.client.call(
            Service.name, Service.tree + "/main_DP_1", Service.name + ".Stepper", "EmitStep", "to",
            .options(["output": "DP-2"]))
        try peer.waitForCall("Present") { $0.values[3]["output"] == "DP-2" && $0.values[3]["reason"] == "update" }
        #expect(try service.property("Output", of: "/main_DP_1", "Flow") == "DP-2")
        #expect(try service.property("Instance", of: "/main_DP_1/film/page", "Presentable") == instance)
    }
}
