import Testing

@testable import FlowCore

/// A live child changes its place (S-52).
@Suite("Flow coordinator: places")
struct PlacesTests {
    private typealias Child = DefinitionsBuilder.Child

    private static let layers = [Layer("apps"), Layer("full"), Layer("corner", covers: false)]

    private func builder(_ change: (inout DefinitionsBuilder) -> Void = { _ in }) -> DefinitionsBuilder {
        var builder = DefinitionsBuilder()
        builder.screen("home", presenter: "com.l")
        builder.screen("film", presenter: "com.p")
        builder.screen("note", ["t": "string"], key: ["t"], presenter: "com.n", isPresentedOnReturn: false)
        builder.flow("apps", initial: "fill", on: ["fill": [.screen("home")]])
        builder.flow("player", initial: "play", on: ["play": [.screen("film", Child(reuses: true))], "tap": []])
        builder.flow(
            "tv", initial: "start", children: .layers, layers: Self.layers,
            on: [
                "start": [.flow("apps")],
                "play": [.flow("player", Child(style: "full", reuses: true, layer: "full"))],
                "shrink": [.flow("player", Child(style: "small", reuses: true, layer: "corner"))],
                "again": [.flow("player", Child(reuses: true))],
                "plain": [.flow("player", Child(style: "", reuses: true))],
                "lower": [.flow("player", Child(reuses: true, layer: "apps"))],
                "twice": [
                    .flow("player", Child(reuses: true, layer: "corner")),
                    .flow("player", Child(style: "small", reuses: true, layer: "full")),
                ],
                "there": [
                    .flow("player", Child(reuses: true, layer: "corner")),
                    .flow("player", Child(style: "full", reuses: true, layer: "full")),
                ],
                "both": [
                    .flow("player", Child(style: "full", layer: "full")),
                    .flow("player", Child(style: "small", reuses: true, layer: "corner")),
                ],
            ])
        change(&builder)
        return builder
    }

    /// A film in the layer `full`, whose program shows it.
    private func playing(_ change: (inout DefinitionsBuilder) -> Void = { _ in }) throws -> World {
        let world = try World(root: "tv", builder(change))
        world.presented(1, by: ":1.8")
        try world.show("/tv/apps/home", by: ":1.8")
        try world.emit("play", on: "/tv")
        world.presented(2, by: ":1.9")
        try world.show("/tv/player/film", by: ":1.9")
        return world
    }

    private func place(_ world: World, _ path: String = "/tv/player") throws -> [String] {
        let node = try world.forestNode(path)
        return [node.layer, node.style]
    }

    @Test func `S-52 reuse with another layer and style moves the live child, and nobody gets Withdraw`() throws {
        let world = try playing()
        let instance = try world.state("/tv/player/film").instance
        let lines = try world.emit("shrink", on: "/tv")
        #expect(try place(world) == ["corner", "small"])
        #expect(Set(world.presents) == ["/tv/player/film update", "/tv/apps/home return"])
        #expect(!lines.contains { $0.hasPrefix("withdraw") || $0.hasPrefix("-") || $0.hasPrefix("+") })
        #expect(lines.contains { $0.hasPrefix("~ /tv/player style=small") })
        #expect(try world.state("/tv/player/film").instance == instance)
        #expect(try world.state("/tv/player/film").owner == ":1.9")
        #expect(try world.isPresented("/tv/player/film") && world.isPresented("/tv/apps/home"))
        guard
            case .present(let it)? = world.effects.first(where: {
                if case .present(let it) = $0 { it.path == "/tv/player/film" } else { false }
            })
        else { throw World.UnexpectedEffect() }
        #expect(it.styles == ["small"] && it.owner == nil && it.presenter.service.name == "com.p")
        #expect(world.sight.contains { $0.contains("/tv/player/film") })
        // And back: it covers the home screen again.
        try world.emit("play", on: "/tv")
        #expect(try place(world) == ["full", "full"] && !world.isPresented("/tv/apps/home"))
        #expect(world.presents == ["/tv/player/film update"])
    }

    @Test func `S-52 what is not written stays, and the place that it has is no news`() throws {
        let world = try playing()
        for step in ["again", "play"] {
            // The step of the film itself presents it again.
            try world.emit(step, on: "/tv")
            #expect(try place(world) == ["full", "full"])
            #expect(!world.effects.contains { if case .emitStackChanged = $0 { true } else { false } })
        }
        try world.emit("shrink", on: "/tv")
        try world.emit("again", on: "/tv")
        #expect(try place(world) == ["corner", "small"])
        let lines = try world.emit("plain", on: "/tv")
        #expect(try place(world) == ["corner", ""] && lines.contains { $0.hasPrefix("~ /tv/player style=") })
        // The lowest layer is that of a child without a layer.
        try world.emit("lower", on: "/tv")
        #expect(try place(world) == ["apps", ""])
        #expect(try world.forestNode("/tv/apps").layer == "")
        let (apps, tv) = (try world.node("/tv/apps").slot, try world.node("/tv").slot)
        #expect(world.coordinator.forest.isIn("apps", apps, below: tv))
    }

    @Test func `S-52 of several contributors of a list the last layer and the last style count`() throws {
        let world = try playing()
        try world.emit("twice", on: "/tv")
        #expect(try place(world) == ["full", "small"])
        try world.emit("shrink", on: "/tv")
        try world.emit("there", on: "/tv")
        #expect(try place(world) == ["full", "full"])
        try world.emit("there", on: "/tv")
        #expect(try place(world) == ["full", "full"])
        // A child that the list has made gets the last ones at once.
        try world.emit("both", on: "/tv")
        #expect(try place(world, "/tv/player_2") == ["corner", "small"])
        #expect(world.effects.contains { if case .addPresentable(let it) = $0 { it.style == "small" } else { false } })
    }

    @Test func `S-52 out of sight, a screen learns its style when it comes in sight, though it takes no returns`()
        throws
    {
        var builder = DefinitionsBuilder()
        builder.step("open", ["t": "string"])
        builder.step("mark", ["t": "string"])
        builder.screen("note", ["t": "string"], key: ["t"], presenter: "com.n", isPresentedOnReturn: false)
        builder.screen("page", presenter: "com.p")
        builder.flow(
            "desk", children: .stack,
            on: [
                "open": [.screen("note")], "mark": [.screen("note", Child(style: "marked", reuses: true))],
                "cover": [.screen("page")], "uncover": [.dismiss("page")],
            ])
        let world = try World(root: "desk", builder)
        try world.emit("open", ["t": .string("a")], on: "/desk")
        world.presented(1, by: ":1.8")
        try world.emit("open", ["t": .string("b")], on: "/desk")
        world.presented(2, by: ":1.8")
        try world.emit("cover", on: "/desk")
        world.presented(3, by: ":1.9")
        // The key says which of them it is (S-51).
        try world.emit("mark", ["t": .string("b")], on: "/desk")
        #expect(world.presents.isEmpty)
        #expect(try place(world, "/desk/note") == ["", ""] && place(world, "/desk/note_2") == ["", "marked"])
        try world.emit("uncover", on: "/desk")
        #expect(world.presents == ["/desk/note_2 update"])
    }

    @Test func `S-52 S-38 a screen that the same list brings in sight with another style is told by one update`() throws
    {
        var builder = DefinitionsBuilder()
        builder.screen("a", presenter: "com.n")
        builder.screen("b", presenter: "com.n")
        builder.flow(
            "desk", children: .stack,
            on: [
                "open": [.screen("a")], "cover": [.screen("b")],
                "back": [.dismiss("b"), .screen("a", Child(style: "big", reuses: true))],
            ])
        let world = try World(root: "desk", builder)
        try world.emit("open", on: "/desk")
        world.presented(1, by: ":1.8")
        try world.emit("cover", on: "/desk")
        world.presented(2, by: ":1.9")
        try world.emit("back", on: "/desk")
        #expect(world.presents == ["/desk/a update"])
        try world.emit("back", on: "/desk")
        #expect(world.presents == ["/desk/a update"])
    }

    @Test func `S-52 S-5 a guard that the child waits for is asked on, and its answer counts after the move`() throws {
        let world = try playing { $0.ask(about: "player", guarded: ("com.g", ["tap"]), navigated: nil) }
        try world.emit("tap", on: "/tv/player")
        try world.emit("shrink", on: "/tv")
        #expect(try place(world) == ["corner", "small"])
        #expect(try world.adapt(1 + 2, to: "tap").contains { $0.contains("/tv/player tap") })
    }

    @Test func `S-52 S-34 a move begins the times of the child anew, and is no input for the flows around it`() throws {
        let world = try playing { builder in
            builder.flow(
                "tv", initial: "start", children: .layers, layers: Self.layers,
                stages: [(60_000_000, "shrink"), (90_000_000, "shrink")],
                on: [
                    "start": [.flow("apps")], "play": [.flow("player", Child(reuses: true, layer: "full"))],
                    "shrink": [.flow("player", Child(style: "small", reuses: true, layer: "corner"))],
                ])
            builder.flow(
                "player", initial: "play", idle: (after: 90_000_000, step: "tap"),
                on: ["play": [.screen("film", Child(reuses: true))], "tap": []])
        }
        world.wait(60_000_000)
        #expect(try place(world) == ["corner", "small"])
        #expect(try world.forestNode("/tv").flow?.activity.idle.begun == Instant(microseconds: 0))
        #expect(try world.forestNode("/tv/player").flow?.activity.idle.begun == Instant(microseconds: 60_000_000))
    }

    @Test func `S-52 S-44 an evicted screen is presented in its new place when it is in sight`() throws {
        var builder = DefinitionsBuilder()
        builder.screen("a", presenter: "com.n", whenOwnerGone: .keep, evictAfter: 1_000_000)
        builder.screen("b", presenter: "com.n")
        builder.flow(
            "desk", children: .stack,
            on: [
                "open": [.screen("a")], "cover": [.screen("b")], "uncover": [.dismiss("b")],
                "raise": [.screen("a", Child(style: "big", raises: true))],
            ])
        let world = try World(root: "desk", builder)
        try world.emit("open", on: "/desk")
        world.presented(1, by: ":1.8")
        try world.emit("cover", on: "/desk")
        world.presented(2, by: ":1.9")
        world.wait(1_000_000)
        try world.release("/desk/a", by: ":1.8")
        try world.emit("raise", on: "/desk")
        #expect(world.presents.count == 1 && world.presents[0].hasPrefix("/desk/a "))
        #expect(try place(world, "/desk/a") == ["", "big"])
    }

    @Test(arguments: [true, false])
    func `S-52 D-1 D-3 a restart keeps the place`(onSameBus: Bool) throws {
        let world = try playing()
        try world.emit("shrink", on: "/tv")
        world.restart(onSameBus: onSameBus)
        #expect(try place(world) == ["corner", "small"])
        try world.emit("play", on: "/tv")
        #expect(try place(world) == ["full", "full"])
    }

    @Test func `S-52 after a reload a child whose layer is gone stands in the lowest one until a rule moves it`() throws
    {
        let world = try playing()
        try world.emit("shrink", on: "/tv")
        let fewer = builder { builder in
            builder.flow(
                "tv", children: .layers, layers: [Layer("apps"), Layer("full")],
                on: ["play": [.flow("player", Child(style: "full", reuses: true, layer: "full"))]])
        }
        world.reload(fewer)
        #expect(try world.current("/tv") == "/tv/player")
        try world.emit("play", on: "/tv")
        #expect(try place(world) == ["full", "full"])
    }

    @Test func `S-52 S-33 a flow that has all the children it may have moves them`() throws {
        var builder = DefinitionsBuilder()
        builder.flow(
            "main", children: .layers, layers: [Layer("low"), Layer("high")],
            on: ["add": [.flow("sub")], "up": [.flow("sub", Child(reuses: true, layer: "high"))]])
        builder.flow("sub", whenEmpty: .stay)
        let world = try World(root: "main", builder)
        for _ in 0..<Limits.children { try world.emit("add", on: "/main") }
        #expect(try world.emit("add", on: "/main") == ["! LimitExceeded"])
        try world.emit("up", on: "/main")
        #expect(try place(world, "/main/sub_\(Limits.children)") == ["high", ""])
    }

    @Test func `S-52 S-7 Explain says where a child that is reused stands`() throws {
        let world = try playing()
        let explanation = world.coordinator.explain(
            try world.id(ofStep: "shrink"), [], on: try world.node("/tv"), by: Client(":1.1"),
            at: Instant(microseconds: world.now))
        #expect(
            explanation.lines.contains {
                $0.contains("'/tv/player' is used again (reuse), in the layer 'corner', style 'small'")
            }, "\(explanation.lines)")
    }
}
