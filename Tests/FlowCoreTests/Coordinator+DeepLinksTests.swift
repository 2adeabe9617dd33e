import Testing

@testable import FlowCore

@Suite("Flow coordinator: deep links along a path")
struct DeepLinksTests {
    private func builder() -> DefinitionsBuilder {
        var builder = DefinitionsBuilder()
        builder.step("play", ["item": "int64?"])
        builder.flow(
            "main", initial: "begin", isUnique: true,
            on: ["begin": [.flow("media")], "open": [.flow("list", .init(step: "fill"))], "stop": [.end()]])
        builder.flow("media", on: ["open": [.flow("list")], "stop": [.end("stopped")], "play": []])
        builder.flow("list", on: ["fill": [.current("more")], "more": [.flow("media")], "play": [.screen("a")]])
        builder.flow("plain", on: ["open": [.flow("list")]])
        return builder
    }

    /// The message of the latest path's failure.
    private func failure(_ world: World) throws -> String {
        let refusal = try world.refusal()
        #expect(refusal.code == .pathFailed)
        return refusal.message
    }

    @Test func `S-28 from flow to flow by name; each step's cascade is done before the next flow is chosen`() throws {
        let world = try World(root: "main", builder())
        try world.hide("/main")
        #expect(
            try world.navigateAlong([("main", "open"), ("media", "open"), ("list", "play")], by: ":1.5") == [
                "+ /main/list (visible)", "did 2 after 0 by :1.5: /main open [flow list /main/list] deep link",
                "~ /main/list ready=true", "did 3 after 2 by :1.5: /main/list fill [current more /main/list]",
                "+ /main/list/media (visible ready)",
                "did 4 after 3 by :1.5: /main/list more [flow media /main/list/media]",
                // The newest of that name, anywhere below: the one that the cascade has just created.
                "+ /main/list/media/list (visible ready)",
                "did 5 after 0 by :1.5: /main/list/media open [flow list /main/list/media/list] deep link",
                "+ /main/list/media/list/a",
                "did 6 after 0 by :1.5: /main/list/media/list play [screen a /main/list/media/list/a] deep link",
                "= [/main navigated 2, /main/list/media navigated 5, /main/list/media/list navigated 6]",
            ])
    }

    @Test func `S-28 an empty step only descends`() throws {
        let world = try World(root: "main", builder())
        #expect(
            try world.navigateAlong([("main", ""), ("media", "play")]) == [
                "did 2 after 0 by :1.1: /main/media play [] deep link", "= [/main -, /main/media navigated 2]",
            ])
        #expect(try world.navigateAlong([("main", "")]) == ["= [/main -]"])
    }

    @Test func `S-28 first a root: the newest of that name, and a unique one is started`() throws {
        let world = World(builder())
        #expect(
            try world.navigateAlong([("main", ""), ("media", "play")], by: ":1.5") == [
                "+ /main (visible presented)", "+ /main/media (visible presented ready)", "~ /main ready=true",
                "did 1 after 0 by :1.5: /main begin [flow media /main/media]",
                "did 2 after 0 by :1.5: /main/media play [] deep link", "= [/main -, /main/media navigated 2]",
            ])
        #expect(try world.forestNode("/main").client == Client(":1.5"))
        for _ in 1...2 { try world.coordinate("plain") }
        #expect(try world.navigateAlong([("plain", "")]) == ["= [/plain_2 -]"])
        // A path has to begin with a root.
        try world.navigateAlong([("media", "")])
        #expect(
            try failure(world)
                == "segment 1 ('media'): no root of that name is live, and none is started, as the flow is not unique")
    }

    @Test
    func
        `S-28 a step that is not navigated ends it, with the segment's number and the reason; earlier steps stay applied`()
        throws
    {
        let world = try World(root: "main", builder())
        let failing: [([(String, String)], String)] = [
            ([("man", "")], "segment 1 ('man'): no flow 'man' is defined; did you mean 'main'?"),
            ([("main", ""), ("plain", "open")], "segment 2 ('plain'): no flow of that name is live below '/main'"),
            ([("main", ""), ("main", "open")], "segment 2 ('main'): no flow of that name is live below '/main'"),
            ([("main", ""), ("media", "more")], "segment 2 ('media'): flow 'media' has no rule for step 'more'"),
        ]
        for (path, message) in failing {
            let standing = world.standing
            #expect(try world.navigateAlong(path) == ["! PathFailed"])
            #expect(try failure(world) == message)
            #expect(world.standing == standing)
        }
        #expect(
            try world.navigateAlong([("main", "open"), ("list", "stop"), ("media", "play")]).last == "! PathFailed")
        #expect(try failure(world) == "segment 2 ('list'): flow 'list' has no rule for step 'stop'")
        #expect(world.navigations == ["/main open", "/main/list fill", "/main/list more"])
        #expect(world.paths.contains("/main/list/media"))
    }

    @Test func `S-28 errors of a step are the path's; wrong arguments are the call's, and nothing happens`() throws {
        var builder = builder()
        builder.flow("main", ["n": "int64"], isUnique: true)
        builder.flow("tight", isUnique: true, on: ["bad": [.screen("a", .init(id: "1"))]])
        let world = World(builder)
        try world.navigateAlong([("main", "")])
        #expect(try failure(world).hasPrefix("segment 1 ('main'): flow 'main' needs the argument 'n'"))
        try world.navigateAlong([("tight", "bad")])
        #expect(try failure(world).hasPrefix("segment 1 ('tight'): '1' can't be an id"))
        #expect(world.paths == ["/tight"])
        let step = try world.id(ofStep: "play")
        world.handle(
            .pathOpened(
                world.nextRequest(),
                [
                    PathSegment(flow: "main", step: try world.id(ofStep: "open")),
                    PathSegment(flow: "tight", step: step, arguments: [Argument("item", .string("x"))]),
                ], by: .daemon))
        #expect(world.navigations == [])
        let refusal = try world.refusal()
        #expect(refusal.code == .invalidArguments)
        #expect(refusal.message.hasPrefix("the argument 'item' of step 'play' is 'x'"))
    }

    @Test func `S-28 a flow that its step ended has nothing below it`() throws {
        let world = try World(root: "main", builder())
        #expect(
            try world.navigateAlong([("main", ""), ("media", "stop"), ("list", "")]).last == "! PathFailed")
        #expect(try failure(world) == "segment 3 ('list'): the flow of the segment before has ended")
        #expect(world.navigations == ["/main/media stop"])
        #expect(try world.navigateAlong([("main", "stop")]).last == "= [/main navigated 3]")
        var builder = builder()
        builder.flow("main", initial: "stop", isUnique: true, on: ["stop": [.end()]])
        let brief = World(builder)
        try brief.navigateAlong([("main", "stop")])
        #expect(try failure(brief) == "segment 1 ('main'): '/main' ended with its initial step")
    }

    @Test func `S-28 emitters apply to each flow that gets a step, not to those on the path`() throws {
        var builder = builder()
        builder.flow("main", emitters: ["org.example.Till"], on: ["begin": [.flow("media")], "open": [.flow("list")]])
        let world = World(builder)
        world.own("org.example.Till", ":1.1")
        try world.coordinate("main")
        try world.emit("begin", on: "/main")
        #expect(try world.navigateAlong([("main", ""), ("media", "play")], by: ":1.5").last != "! PathFailed")
        let standing = world.standing
        #expect(try world.navigateAlong([("main", "open")], by: ":1.5") == ["! PathFailed"])
        #expect(try failure(world).hasPrefix("segment 1 ('main'): flow 'main' takes steps and Back only from"))
        #expect(world.standing == standing)
        #expect(try world.navigateAlong([("main", "open")]).last == "= [/main navigated 3]")
    }

    @Test func `S-28 S-11 each segment is an origin of its own`() throws {
        var builder = DefinitionsBuilder()
        let many = Array(repeating: DefinitionsBuilder.Part.current("one"), count: Limits.triggeredSteps)
        builder.flow("main", on: ["many": .first([DefinitionsBuilder.Branch(parts: many)]), "one": []])
        builder.addRule("open", [.flow("main")], to: "main")
        let world = try World(root: "main", builder)
        try world.emit("open", on: "/main")
        #expect(try world.navigateAlong([("main", "many"), ("main", "many")]).count == 2 * 257 + 1)
        #expect(world.failures.isEmpty)
    }

    @Test func `S-28 with a root, the path begins below that root, and starts nothing`() throws {
        var builder = DefinitionsBuilder()
        builder.flow("display", initial: "start", on: ["start": [.flow("menu")], "go": []])
        builder.flow("menu", isUnique: true, on: ["go": []])
        let world = World(builder)
        for id in ["front", "rear"] { try world.coordinate("display", id: id) }
        #expect(
            try world.navigateAlong([("menu", "go")], below: "/front").last?.hasPrefix("= [/front/menu navigated")
                == true)
        #expect(
            try world.navigateAlong([("menu", "go")], below: "/rear").last?.hasPrefix("= [/rear/menu navigated") == true
        )
        // A unique flow is not started.
        try world.dismiss("/front/menu")
        #expect(try world.navigateAlong([("menu", "go")], below: "/front") == ["! PathFailed"])
        let rear = try world.node("/rear")
        try world.dismiss("/rear")
        #expect(
            world.handle(.pathOpened(world.nextRequest(), [PathSegment(flow: "menu")], by: Client(":1.1"), below: rear))
                == ["! PresentableDismissed"])
    }

    @Test func `S-28 with a root, a first segment that names the root's own definition means that root`() throws {
        var builder = DefinitionsBuilder()
        builder.flow("display", initial: "start", on: ["start": [.flow("menu")], "go": [], "more": [.flow("display")]])
        builder.flow("menu", on: ["go": []])
        let world = World(builder)
        for id in ["front", "rear"] { try world.coordinate("display", id: id) }
        func answer(_ segments: [(flow: String, step: String)], _ root: String) throws -> String {
            try world.navigateAlong(segments, below: root).last ?? ""
        }
        // The older root, too, which no path without the option reaches.
        #expect(try answer([("display", "go")], "/front").hasPrefix("= [/front navigated"))
        #expect(
            try answer([("display", "go"), ("menu", "go")], "/rear").contains(", /rear/menu navigated"))
        #expect(try answer([("display", "")], "/front") == "= [/front -]")
        // Also if the root has a flow of its own definition below it, which is then that of a further segment.
        try world.emit("more", on: "/front")
        #expect(try answer([("display", "go"), ("display", "go")], "/front").contains("/front/display navigated"))
        #expect(try answer([("menu", "go"), ("display", "go")], "/front") == "! PathFailed")
    }
}
