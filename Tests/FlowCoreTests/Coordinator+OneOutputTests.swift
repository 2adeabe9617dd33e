import Testing

@testable import FlowCore

/// The roots of one output have an order (S-41).
@Suite("Flow coordinator: roots of one output")
struct OneOutputTests {
    private let builder: DefinitionsBuilder

    init() {
        var builder = DefinitionsBuilder()
        builder.step("open")
        builder.step("close")
        builder.screen("a", presenter: "com.x")
        for name in ["desktop", "settings"] {
            builder.flow(
                name, initial: "open", children: .stack, isUnique: true, whenEmpty: .stay,
                on: ["open": [.screen("a")], "close": [.pop("root"), .dismiss("a")]])
        }
        builder.flow("lock", initial: "open", emitters: ["com.lock"], on: ["open": [.screen("a")]])
        builder.flow("banner", initial: "open", covers: false, on: ["open": [.screen("a")]])
        builder.flow("empty")
        self.builder = builder
    }

    @discardableResult
    private func start(_ world: World, _ flow: String, on output: String = "left", by client: String = ":1.1") throws
        -> [String]
    {
        let flow = try #require(world.coordinator.definitions.flow(named: flow))
        return world.handle(
            .flowRequested(world.nextRequest(), FlowRequest(flow, by: Client(client), output: output)))
    }

    @discardableResult
    private func move(_ world: World, _ path: String, to output: String, by client: String = ":1.1") throws -> [String]
    {
        world.handle(.rootMoved(world.nextRequest(), try world.node(path), to: output, by: Client(client)))
    }

    private func inSight(_ world: World, on output: String = "left") throws -> [String] {
        try world.coordinator.stack(on: output).map { String($0.path.dropLast(2)) }
    }

    @Test func `S-41 the newest root that shows something covers the others on its output, and no other root`() throws {
        let world = World(builder)
        try start(world, "desktop")
        try start(world, "empty")
        #expect(try inSight(world) == ["/desktop"])
        try start(world, "settings")
        try start(world, "desktop", on: "left")
        #expect(try inSight(world) == ["/desktop"])
        try start(world, "settings")
        #expect(try inSight(world) == ["/settings"])
        #expect(try !world.state("/desktop").isPresented && world.state("/settings").isPresented)
        try start(world, "banner", on: "right")
        try start(world, "banner", on: "")
        try start(world, "lock", on: "", by: ":1.9")
        #expect(try inSight(world) == ["/settings"] && inSight(world, on: "right") == ["/banner"])
        #expect(try inSight(world, on: "").contains("/banner_2"))
    }

    @Test func `S-41 what a root covered comes back when that shows nothing, is hidden, moves or ends`() throws {
        let world = World(builder)
        try start(world, "desktop")
        try start(world, "settings")
        world.presented(1, by: ":1.8")
        world.presented(2, by: ":1.8")
        try world.emit("close", on: "/settings")
        #expect(try inSight(world) == ["/desktop"])
        #expect(
            world.effects.contains {
                if case .present(let it) = $0 {
                    it.path == "/desktop/a" && it.reason == .return && it.direction == .switch
                } else {
                    false
                }
            })
        try world.emit("open", on: "/settings")
        #expect(try inSight(world) == ["/settings"])
        for isVisible in [false, true] {
            _ = world.handle(
                .visibilityChanged(
                    world.nextRequest(), of: try world.node("/settings"), isVisible: isVisible, by: Client(":1.1")))
            #expect(try inSight(world) == [isVisible ? "/settings" : "/desktop"])
        }
        try move(world, "/settings", to: "right")
        #expect(try inSight(world) == ["/desktop"] && inSight(world, on: "right") == ["/settings"])
        try move(world, "/settings", to: "left")
        #expect(try inSight(world) == ["/settings"])
        _ = world.handle(
            .presentableDismissed(world.nextRequest(), try world.node("/settings"), by: Client(":1.1"), fault: nil))
        #expect(try inSight(world) == ["/desktop"])
    }

    @Test func `S-41 MoveRoot to the same output and Coordinate of a live unique root raise it`() throws {
        let world = World(builder)
        for flow in ["desktop", "settings", "banner"] { try start(world, flow) }
        #expect(try inSight(world) == ["/settings", "/banner"])
        #expect(
            try move(world, "/desktop", to: "left").filter { $0.contains("presented") || $0.hasPrefix("=") }.last
                == "= done")
        #expect(try inSight(world) == ["/desktop"])
        try start(world, "settings", on: "right")
        #expect(try inSight(world) == ["/settings"])
        #expect(try world.state("/settings").output == "left")
    }

    @Test func `S-41 a root with emitters is covered only by roots of those`() throws {
        let world = World(builder)
        world.own("com.lock", ":1.9")
        try start(world, "desktop")
        try start(world, "lock", by: ":1.9")
        try start(world, "settings")
        try start(world, "desktop")
        try start(world, "banner", on: "right")
        try move(world, "/banner", to: "left")
        #expect(try inSight(world) == ["/lock"])
        let explanation = world.coordinator.explain(
            try world.id(ofStep: "open"), [], on: try world.node("/settings"), by: Client(":1.1"),
            at: Instant(microseconds: world.now))
        #expect(explanation.lines.contains { $0.contains("'/lock' covers '/settings'") })
        // Its own program may.
        try move(world, "/settings", to: "left", by: ":1.9")
        #expect(try inSight(world) == ["/settings"])
        // A raise by somebody else lowers nothing.
        try move(world, "/settings", to: "left")
        try move(world, "/desktop", to: "left")
        #expect(try inSight(world) == ["/settings"])
        try move(world, "/lock", to: "left", by: ":1.9")
        #expect(try inSight(world) == ["/lock"])
    }

    @Test(arguments: [true, false])
    func `S-41 D-3 a restart keeps the order`(onSameBus: Bool) throws {
        let world = World(builder)
        for flow in ["desktop", "settings", "banner"] { try start(world, flow) }
        try start(world, "desktop")
        _ = world.restart(onSameBus: onSameBus)
        #expect(try inSight(world) == ["/desktop"])
        try start(world, "settings")
        #expect(try inSight(world) == ["/settings"])
        _ = world.restart(onSameBus: onSameBus)
        #expect(try inSight(world) == ["/settings"])
    }

    @Test func `S-41 a root of the files that starts late comes above those before it in the files alone`() throws {
        var builder = builder
        builder.autostart = ["desktop", "lock", "settings"].map { DefinitionsBuilder.Root(flow: $0, output: "left") }
        let world = World(builder)
        _ = world.handle(.started)
        #expect(try inSight(world) == ["/settings"])
        for path in ["/desktop", "/settings"] {
            _ = world.handle(
                .presentableDismissed(world.nextRequest(), try world.node(path), by: Client(":1.1"), fault: nil))
        }
        _ = world.restart(onSameBus: true)
        _ = world.handle(.started)
        let forest = world.coordinator.machine.forest
        #expect(forest.roots(on: "left").map { forest[$0].path } == ["/desktop", "/lock", "/settings"])
    }

    @Test func `S-41 a reload changes whether a root covers others`() throws {
        let world = World(builder)
        for flow in ["desktop", "settings"] { try start(world, flow) }
        var new = builder
        new.flow(
            "settings", initial: "open", children: .stack, covers: false, isUnique: true, on: ["open": [.screen("a")]])
        _ = world.handle(.definitionsRead(new.definitions))
        #expect(try inSight(world) == ["/desktop", "/settings"])
    }
}
