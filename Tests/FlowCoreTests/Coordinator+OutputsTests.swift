import Testing

@testable import FlowCore

@Suite("Flow coordinator: outputs")
struct OutputsTests {
    private let builder: DefinitionsBuilder

    init() {
        var builder = DefinitionsBuilder()
        builder.step("open")
        builder.step("more")
        builder.step("sub")
        builder.screen("a", presenter: "com.x")
        builder.screen("b", presenter: "com.y", action: "show")
        builder.flow(
            "main", children: .stack, whenHidden: .allow,
            on: ["open": [.screen("a")], "more": [.screen("b")], "sub": [.flow("child")]])
        builder.flow("child", on: ["open": [.screen("plain")]])
        builder.flow("alone", isUnique: true)
        builder.flow("fenced", emitters: ["com.shell"])
        self.builder = builder
    }

    private func coordinate(_ world: World, _ flow: String, output: String, by client: String = ":1.1") throws
        -> [String]
    {
        world.handle(
            .flowRequested(
                world.nextRequest(),
                FlowRequest(
                    try #require(world.coordinator.definitions.flow(named: flow)), by: Client(client), output: output)))
    }

    private func move(_ world: World, _ path: String, to output: String, by client: String = ":1.1") throws -> [String]
    {
        world.handle(.rootMoved(world.nextRequest(), try world.node(path), to: output, by: Client(client)))
    }

    private func output(_ world: World, _ path: String) throws -> String? {
        try world.state(path).output
    }

    @Test func `S-41 a root has the output of its request; a live unique root keeps its own`() throws {
        let world = World(builder)
        _ = try coordinate(world, "alone", output: "left")
        #expect(try output(world, "/alone") == "left")
        #expect(try coordinate(world, "alone", output: "right") == ["= /alone"])
        #expect(try output(world, "/alone") == "left")
        _ = try coordinate(world, "main", output: "")
        try world.emit("sub", on: "/main")
        #expect(try output(world, "/main") == "")
        #expect(try output(world, "/main/child") == "")
    }

    @Test(arguments: ["a b", "a\n", "\u{a0}", String(repeating: "x", count: Limits.outputLength + 1)])
    func `S-33 S-41 an output is a word of at most 64 bytes`(name: String) throws {
        #expect(Names.isOutput(String(repeating: "x", count: Limits.outputLength)) && Names.isOutput("HDMI-A-1"))
        #expect(!Names.isOutput(name) && !Names.isOutput(""))
        let world = try World(root: "main", builder)
        let quoted = Names.escaped(name)
        try expectRefusal(world, .invalidArguments, with: "'\(quoted)'") {
            try coordinate(world, "main", output: name)
        }
        try expectRefusal(world, .invalidArguments, with: "'\(quoted)'") { try move(world, "/main", to: name) }
        #expect(throws: FlowError.self) { try world.coordinator.stack(on: name) }
    }

    @Test func `S-41 MoveRoot is reported, and presents again what is in sight`() throws {
        let world = try World(root: "main", builder)
        try world.emit("open", on: "/main")
        world.presented(1, by: ":1.9")
        #expect(
            try move(world, "/main", to: "left").filter { !$0.hasPrefix("present") } == [
                "~ /main output=left", "= done",
            ])
        #expect(
            world.effects.contains {
                if case .present(let it) = $0 { it.path == "/main/a" && it.isAgain } else { false }
            })
        #expect(try move(world, "/main", to: "left") == ["= done"])
        // A program with an action would only do that again; and what is out of sight is not presented.
        try world.emit("more", on: "/main")
        world.presented(3, by: ":1.10")
        #expect(try move(world, "/main", to: "") == ["~ /main output=-", "= done"])
    }

    @Test func `S-41 only a root is moved, and only by clients that its emitters name`() throws {
        let world = try World(root: "main", builder)
        try world.emit("sub", on: "/main")
        try expectRefusal(world, .invalidArguments, with: "'/main/child' is no root") {
            try move(world, "/main/child", to: "left")
        }
        world.own("com.shell", ":1.4")
        _ = try coordinate(world, "fenced", output: "left", by: ":1.4")
        try expectRefusal(world, .accessDenied, with: "com.shell") { try move(world, "/fenced", to: "a b") }
        #expect(try move(world, "/fenced", to: "right", by: ":1.4") == ["~ /fenced output=right", "= done"])
    }

    @Test(arguments: [true, false])
    func `S-41 D-3 a restart keeps the output`(onSameBus: Bool) throws {
        let world = World(builder)
        _ = try coordinate(world, "main", output: "left")
        _ = try move(world, "/main", to: "right")
        _ = world.restart(onSameBus: onSameBus)
        #expect(try output(world, "/main") == "right")
    }

    @Test func `S-38 GetStack has the screens in sight from the lowest to the highest, of one output or of all`() throws
    {
        let world = World(builder)
        for name in ["left", "right"] { _ = try coordinate(world, "main", output: name) }
        for path in ["/main", "/main_2"] { try world.emit("open", on: path, by: ":1.3") }
        try world.emit("more", on: "/main")
        world.presented(3, by: ":1.9")
        func paths(_ output: String) throws -> [String] { try world.coordinator.stack(on: output).map(\.path) }
        #expect(try paths("") == ["/main/b", "/main_2/a"])
        #expect(try paths("right") == ["/main_2/a"])
        #expect(try paths("nowhere") == [])
        let first = try #require(try world.coordinator.stack(on: "left").first)
        #expect(first.instance == (try world.state("/main/b").instance) && first.isVisible)
        #expect(first.owner == Client(":1.9") && first.style.isEmpty && first.layer.isEmpty)
        #expect(first.output == "left" && first.application == "com.y")
        #expect(try world.coordinator.stack(on: "right").map(\.application) == [""])
        // In flows that are hidden nothing is in sight.
        try world.emit("sub", on: "/main_2")
        try world.emit("open", on: "/main_2/child")
        #expect(try paths("right") == ["/main_2/child/plain"])
        _ = world.handle(
            .visibilityChanged(
                world.nextRequest(), of: try world.node("/main_2/child"), isVisible: false, by: Client(":1.1")))
        #expect(try paths("right") == [])
    }

    @Test func `S-37 S-38 GetStack has the screens of higher layers behind those of lower ones, with their layer`()
        throws
    {
        var builder = builder
        builder.flow(
            "device", children: .layers, layers: [Layer("apps"), Layer("banner", covers: false), Layer("call")],
            on: [
                "open": [.flow("note", .init(layer: "banner")), .flow("child")],
                "more": [.flow("child", .init(layer: "call"))],
            ])
        builder.flow("note", initial: "open", on: ["open": [.screen("plain")]])
        let world = try World(root: "device", builder)
        func stack() throws -> [String] { try world.coordinator.stack(on: "").map { "\($0.layer) \($0.path)" } }
        try world.emit("open", on: "/device")
        try world.emit("open", on: "/device/child")
        #expect(try stack() == ["apps /device/child/plain", "banner /device/note/plain"])
        try world.emit("more", on: "/device")
        try world.emit("open", on: "/device/child_2")
        #expect(try stack() == ["call /device/child_2/plain"])
    }
}
