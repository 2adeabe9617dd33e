import Testing

@testable import FlowCore

/// Children in layers: what pre-empts and gives back (S-37).
@Suite("Flow coordinator: layers")
struct LayersTests {
    private typealias Child = DefinitionsBuilder.Child

    private static let layers = [Layer("apps"), Layer("banner", covers: false), Layer("lock"), Layer("camera")]

    /// A device whose flows stand in layers; each has a screen, and takes steps only while it is presented.
    private func builder(
        _ layers: [Layer] = layers, on rules: KeyValuePairs<String, DefinitionsBuilder.Branches> = [:]
    ) -> DefinitionsBuilder {
        var builder = DefinitionsBuilder()
        builder.flow("device", children: .layers, layers: layers)
        for (step, child): (String, DefinitionsBuilder.Part) in [
            ("open", .flow("home", Child())), ("map", .flow("map", Child(reuses: true))),
            ("note", .flow("note", Child(layer: "banner"))),
            ("lock", .flow("lock", Child(reuses: true, layer: "lock"))),
            ("reverse", .flow("camera", Child(reuses: true, layer: "camera"))), ("forward", .hide("camera")),
            ("unlock", .dismiss("lock")), ("find", .show("home")),
        ] { builder.addRule(step, [child], to: "device") }
        for name in ["home", "map", "note", "lock", "camera"] {
            builder.flow(name, initial: "fill", on: ["fill": [.screen(name)], "tap": []])
        }
        for rule in rules { builder.addRule(rule.key, rule.value, to: "device") }
        return builder
    }

    private func world(_ steps: String..., layers: [Layer] = layers) throws -> World {
        let world = try World(root: "device", builder(layers))
        for step in steps { try world.emit(step, on: "/device") }
        return world
    }

    /// The names of the presented children.
    private func presented(_ world: World) -> [String] {
        world.live.filter { $0.depth == 2 && $0.isPresented }.map(\.id)
    }

    @Test func `S-37 the newest visible flow of the highest layer covers those below it`() throws {
        let world = try world("open", "map", "lock")
        #expect(try world.current("/device") == "/device/lock")
        #expect(presented(world) == ["lock"])
        try world.emit("open", on: "/device")
        #expect(presented(world) == ["lock"])
        #expect(try world.emit("tap", on: "/device/home_2") == ["= hidden 0"])
        try world.emit("unlock", on: "/device")
        #expect(presented(world) == ["home_2"])
        #expect(try world.current("/device") == "/device/home_2")
    }

    @Test func `S-37 what is covered keeps everything, and is presented again as it was`() throws {
        let world = try world("open")
        try world.show("/device/home/home")
        let instance = try world.state("/device/home/home").instance
        try world.emit("reverse", on: "/device")
        #expect(try !world.isPresented("/device/home/home") && world.state("/device/home/home").isVisible)
        try world.emit("forward", on: "/device")
        #expect(try world.isPresented("/device/home/home"))
        #expect(try world.state("/device/home/home").instance == instance)
    }

    @Test func `S-37 a layer that covers nothing is never current, and is covered from above`() throws {
        let world = try world("note", "open", "note")
        #expect(try world.current("/device") == "/device/home")
        #expect(presented(world) == ["note", "home", "note_2"])
        try world.emit("lock", on: "/device")
        #expect(presented(world) == ["lock"])
        let banner = try self.world("note")
        #expect(try banner.current("/device") == nil)
    }

    @Test func `S-37 hide gives back what is below, and reuse shows the hidden flow again`() throws {
        let world = try world("open", "reverse")
        let instance = try world.state("/device/camera").instance
        #expect(
            try world.emit("forward", on: "/device").first(where: { $0.hasPrefix("did") })
                == "did 5 after 0 by :1.1: /device forward [hide camera /device/camera]")
        #expect(presented(world) == ["home"])
        #expect(
            try world.emit("reverse", on: "/device").contains {
                $0.hasSuffix("/device reverse [reuse camera /device/camera]")
            })
        #expect(presented(world) == ["camera"])
        #expect(try world.state("/device/camera").instance == instance)
    }

    @Test func `S-37 reuse and show find the newest of that name, and make it the newest of its layer`() throws {
        let world = try world("map", "open", "open", "map")
        #expect(presented(world) == ["map"])
        #expect(world.live.filter { $0.depth == 2 }.map(\.id) == ["home", "home_2", "map"])
        try world.emit("find", on: "/device")
        #expect(presented(world) == ["home_2"])
        #expect(world.live.filter { $0.depth == 2 }.map(\.id) == ["home", "map", "home_2"])
    }

    @Test func `S-37 a reused flow stays in its layer`() throws {
        let world = try World(
            root: "device", builder(on: ["again": [.flow("lock", Child(reuses: true))]]))
        for step in ["open", "lock", "again", "open"] { try world.emit(step, on: "/device") }
        #expect(presented(world) == ["lock"])
    }

    @Test func `S-37 SetVisible does not raise, and hides like hide`() throws {
        let world = try world("open", "map")
        try world.hide("/device/map")
        #expect(presented(world) == ["home"])
        try world.hide("/device/home")
        #expect(try world.current("/device") == nil)
        try world.show("/device/home")
        try world.show("/device/map")
        #expect(presented(world) == ["map"])
        try world.show("/device/home")
        #expect(presented(world) == ["map"])
    }

    @Test func `S-37 S-31 a presenter beneath a lock is called when the lock goes`() throws {
        var definitions = builder()
        definitions.screen("home", presenter: "com.ui")
        let world = try World(root: "device", definitions)
        try world.emit("lock", on: "/device")
        #expect(try world.emit("open", on: "/device").allSatisfy { !$0.hasPrefix("present") })
        #expect(try world.emit("unlock", on: "/device").contains { $0.hasPrefix("present com.ui") })
    }

    @Test func `S-37 S-27 S-28 deep links pass beneath a lock`() throws {
        let world = try world("open", "lock")
        #expect(
            try world.navigateAlong([("device", ""), ("home", "tap")]).contains { $0.contains("/device/home tap") })
        #expect(try world.navigate("tap").contains { $0.contains("/device/home tap") })
        #expect(presented(world) == ["lock"])
    }

    // MARK: A restart, a reload

    @Test(arguments: [true, false])
    func `S-37 D-3 layers and hidden flows come back as they were`(isSameBus: Bool) throws {
        let world = try world("open", "reverse", "lock", "forward", "map", "open", "find", "note")
        let (before, order) = (presented(world), world.paths)
        #expect(before == ["lock"])
        world.restart(onSameBus: isSameBus)
        #expect(presented(world) == before)
        #expect(world.paths == order)
        try world.emit("unlock", on: "/device")
        #expect(presented(world) == ["home_2", "note"])
    }

    @Test func `S-37 after a reload, a flow whose layer is gone stands in the lowest`() throws {
        let world = try world("lock", "open")
        #expect(presented(world) == ["lock"])
        world.reload(builder([Layer("apps"), Layer("camera")]))
        #expect(presented(world) == ["home"])
        world.reload(builder())
        #expect(presented(world) == ["lock"])
    }

    @Test func `S-37 after a reload, layers can become a stack, and a stack layers, with its screens in the lowest`()
        throws
    {
        let world = try world("lock", "open", "note")
        var stack = builder()
        stack.flow("device", children: .stack, on: ["page": [.screen("page")], "open": [.flow("home")]])
        world.reload(stack)
        #expect(try world.current("/device") == "/device/note")
        try world.emit("page", on: "/device")
        #expect(try world.current("/device") == "/device/page")
        var again = builder()
        again.screen("page")
        world.reload(again)
        #expect(presented(world) == ["lock"])
    }

    // MARK: Elsewhere

    private func explain(_ world: World, _ step: String, on path: String) throws -> [String] {
        world.coordinator.explain(
            try world.id(ofStep: step), [], on: try world.node(path), by: Client(":1.1"),
            at: Instant(microseconds: world.now)
        ).lines
    }

    @Test func `S-37 Explain tells what comes to the front, and which sibling or rule hides a flow`() throws {
        let world = try world("open", "map", "reverse")
        #expect(try explain(world, "find", on: "/device").contains("  '/device/home' comes to the front (show)"))
        #expect(try explain(world, "forward", on: "/device").contains("  '/device/camera' is hidden (hide)"))
        #expect(try explain(world, "unlock", on: "/device").contains("  there is no 'lock' to dismiss (dismiss)"))
        #expect(
            try explain(world, "tap", on: "/device/home").contains(
                "  it is not presented: '/device/camera' covers '/device/home'"))
        try world.emit("forward", on: "/device")
        #expect(
            try explain(world, "tap", on: "/device/camera").contains(
                "  it is not presented: a rule has hidden '/device/camera' (hide)"))
    }

    @Test func `S-37 a screen, or an unknown layer, in the answer of a navigator fails the step`() throws {
        for part in [
            DefinitionsBuilder.Part.screen("home"), .flow("home", Child(layer: "lok")),
            .flow("home", Child(raises: true)),
        ] {
            var definitions = builder()
            definitions.ask(about: "device", guarded: nil, navigated: ("com.nav", ["go"]))
            let world = try World(root: "device", definitions)
            try world.emit("go", on: "/device")
            #expect(world.navigate(1, to: [part]) == ["! NavigatorFailed"])
        }
        var definitions = builder()
        definitions.ask(about: "device", guarded: nil, navigated: ("com.nav", ["go"]))
        let world = try World(root: "device", definitions)
        try world.emit("go", on: "/device")
        world.navigate(1, to: [.flow("lock", Child(layer: "lock")), .flow("home")])
        #expect(presented(world) == ["lock"])
    }

    @Test func `S-39 Back on a device reaches nothing beneath the layers that it stands in`() throws {
        var definitions = builder()
        definitions.flow("shell", children: .stack, on: ["begin": [.screen("page"), .flow("device")]])
        let world = try World(root: "shell", definitions)
        try world.emit("begin", on: "/shell")
        try world.emit("lock", on: "/shell/device")
        try world.show("/shell/device/lock/lock")
        #expect(try world.back("/shell") == ["= unhandled 0"])
        #expect(try world.back("/shell/device/lock/lock") == ["= unhandled 0"])
    }

    @Test func `S-37 S-24 Back stays in the current flow of layers`() throws {
        var definitions = builder()
        definitions.flow("lock", children: .stack, on: ["fill": [.screen("lock")], "tap": []])
        let world = try World(root: "device", definitions)
        for step in ["open", "lock"] { try world.emit(step, on: "/device") }
        for _ in 0..<2 { try world.emit("fill", on: "/device/lock") }
        #expect(try world.back("/device").last?.hasPrefix("= navigated") == true)
        #expect(try world.back("/device") == ["= unhandled 0"])
    }
}
