import Testing

@testable import FlowCore

/// Idle steps in stages, input that is no step, and screens that keep flows awake (S-34).
@Suite("Flow coordinator: idle stages, Touch and keepsAwake")
struct IdleStagesTests {
    /// A flow that asks after 3 s and goes home after 5 s, with a screen and a film, which keeps it awake.
    private func builder(whenHidden: WhenHidden = .allow) -> DefinitionsBuilder {
        var builder = DefinitionsBuilder()
        builder.screen("film", keepsAwake: true)
        builder.flow(
            "main", initial: "open", stages: [(3_000_000, "ask"), (5_000_000, "home")], idleWhenHidden: whenHidden,
            on: ["open": [.screen("page")], "watch": [.screen("film")], "ask": [], "home": [], "go": []])
        return builder
    }

    private func makeWorld(_ builder: DefinitionsBuilder? = nil) throws -> World {
        let world = try World(root: "main", builder ?? self.builder())
        try world.show("/main/page")
        return world
    }

    /// Waits; returns the steps that were taken, or failed.
    private func wait(_ world: World, _ seconds: UInt64) -> [String] {
        world.wait(seconds * 1_000_000)
        return world.navigations.map { String($0.dropFirst("/main ".count)) } + world.failures.map { "!" + $0.step }
    }

    @Test func `S-34 the stages follow each other, each by its time since the flow was reached`() throws {
        let world = try makeWorld()
        #expect(wait(world, 2) == [] && wait(world, 1) == ["ask"] && wait(world, 1) == [])
        #expect(wait(world, 1) == ["home"] && wait(world, 100) == [])
        try world.emit("go", on: "/main")
        #expect(wait(world, 3) == ["ask"])
        // A step between two stages begins anew.
        try world.emit("go", on: "/main")
        #expect(wait(world, 2) == [] && wait(world, 1) == ["ask"] && wait(world, 2) == ["home"])
        // A timer that is late takes both.
        try world.emit("go", on: "/main")
        #expect(wait(world, 60) == ["ask", "home"])
    }

    @Test func `S-34 only the last stage is repeated where it led to nothing`() throws {
        let world = try makeWorld(builder(whenHidden: .ignore))
        try world.hide("/main")
        #expect(wait(world, 3) == ["!ask"] && wait(world, 2) == ["!home"])
        #expect(wait(world, 4) == [] && wait(world, 1) == ["!home"] && wait(world, 5) == ["!home"])
        try world.show("/main")
        #expect(wait(world, 5) == ["home"] && wait(world, 60) == [])
    }

    @Test func `S-34 D-3 a restart goes on with the stage`() throws {
        let world = try makeWorld()
        #expect(wait(world, 3) == ["ask"])
        world.restart()
        #expect(wait(world, 1) == [] && wait(world, 1) == ["home"])
        world.restart()
        #expect(wait(world, 60) == [])
    }

    @Test func `S-34 stages that a reload changes begin anew, others go on`() throws {
        let world = try makeWorld()
        #expect(wait(world, 3) == ["ask"])
        world.reload(builder())
        #expect(wait(world, 2) == ["home"])
        var builder = builder()
        builder.flow(
            "main", stages: [(1_000_000, "ask"), (2_000_000, "home"), (3_000_000, "go")],
            on: ["open": [], "watch": [], "ask": [], "home": [], "go": []])
        world.reload(builder)
        #expect(wait(world, 1) == ["ask"] && wait(world, 1) == ["home"] && wait(world, 1) == ["go"])
    }

    @Test func `S-34 alarms that others replaced are dropped when they outnumber the flows`() throws {
        let world = try makeWorld()
        for _ in 0..<200 {
            #expect(wait(world, 3) == ["ask"])
            try world.emit("go", on: "/main")
        }
        #expect(world.coordinator.alarms.count < 30)
    }

    // MARK: Touch

    @Test func `S-34 Touch reaches the flow of a presented presentable without a step`() throws {
        let world = try makeWorld()
        for _ in 0..<3 {
            #expect(wait(world, 2) == [])
            #expect(try world.touch("/main/page") == ["= done"])
        }
        #expect(wait(world, 3) == ["ask"])
        #expect(try world.touch("/main").last == "= done")
        #expect(wait(world, 2) == [] && wait(world, 1) == ["ask"] && wait(world, 2) == ["home"])
        // The flow no longer rests.
        try world.touch("/main/page")
        #expect(wait(world, 3) == ["ask"])
    }

    @Test func `S-34 Touch of what is not presented, or again within 1 s, has no effect`() throws {
        let world = try makeWorld()
        try world.hide("/main/page")
        #expect(wait(world, 2) == [])
        #expect(try world.touch("/main/page") == ["= done"])
        #expect(wait(world, 1) == ["ask"])
        try world.show("/main/page")
        try world.emit("go", on: "/main")
        world.now += 900_000
        try world.touch("/main/page")
        #expect(wait(world, 2) == [])
        world.wait(100_000)
        #expect(world.navigations == ["/main ask"])
    }

    @Test func `S-34 S-5 Touch is for those who may emit`() throws {
        var builder = builder()
        builder.flow(
            "main", initial: "open", emitters: ["com.till", "owner"],
            on: ["open": [.screen("page")], "watch": [], "ask": [], "home": [], "go": []])
        let world = World(builder)
        world.own("com.till", ":1.5")
        try world.coordinate("main", by: ":1.5")
        try world.claim("/main/page", by: ":1.5")
        #expect(try world.touch("/main/page", by: ":1.5") == ["= done"])
        #expect(try world.touch("/main/page", by: ":1.6") == ["! AccessDenied"])
    }

    @Test func `S-34 D-2 Touch makes no record, but an orderly end records it`() throws {
        for isOrderly in [true, false] {
            let world = try makeWorld()
            #expect(wait(world, 2) == [])
            try world.touch("/main/page")
            #expect(!world.coordinator.pendingWork.hasRecords)
            if isOrderly { world.endOrderly() }
            world.restart()
            #expect(wait(world, 1) == (isOrderly ? [] : ["ask"]))
        }
    }

    // MARK: Screens that keep flows awake

    @Test func `S-34 a presented screen with keepsAwake keeps all flows above it from being idle`() throws {
        var builder = builder()
        builder.flow("main", children: .stack, stages: [(3_000_000, "ask")], on: ["watch": [.flow("sub")], "ask": []])
        builder.flow(
            "sub", initial: "open", children: .stack, on: ["open": [.screen("film")], "go": [.screen("page")]])
        let world = try World(root: "main", builder)
        try world.emit("watch", on: "/main")
        // Not before it is presented.
        #expect(wait(world, 3) == ["ask"])
        try world.show("/main/sub/film")
        try world.emit("go", on: "/main/sub/film")
        #expect(wait(world, 2) == [])
        try world.back("/main/sub")
        #expect(wait(world, 600) == [])
        // Covered, it does not; then the time begins anew.
        world.now += 1_000_000
        try world.hide("/main/sub/film")
        #expect(wait(world, 2) == [] && wait(world, 1) == ["ask"])
        try world.show("/main/sub/film")
        #expect(wait(world, 60) == [])
        try world.dismiss("/main/sub")
        #expect(wait(world, 2) == [] && wait(world, 1) == ["ask"])
    }

    @Test func `S-34 S-30 it ends with the owner, and a restart keeps it`() throws {
        let world = try makeWorld()
        try world.emit("watch", on: "/main")
        try world.claim("/main/film", by: ":1.7")
        try world.show("/main/film", by: ":1.7")
        #expect(wait(world, 60) == [])
        world.restart()
        #expect(wait(world, 60) == [])
        world.handle(.clientVanished(Client(":1.7")))
        #expect(wait(world, 2) == [] && wait(world, 1) == ["ask"])
    }

    @Test func `S-34 definitions that no longer keep awake let the times begin anew`() throws {
        for isRestarted in [true, false] {
            let world = try makeWorld()
            try world.emit("watch", on: "/main")
            try world.show("/main/film")
            #expect(wait(world, 60) == [])
            var builder = builder()
            builder.screen("film")
            if isRestarted { world.restart(builder) } else { world.reload(builder) }
            #expect(wait(world, 2) == [] && wait(world, 1) == ["ask"])
        }
    }
}
