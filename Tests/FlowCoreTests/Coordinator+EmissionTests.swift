import Testing

@testable import FlowCore

@Suite("Flow coordinator: emission")
struct EmissionTests {
    /// A flow with a screen and a child flow for each policy of hidden presentables.
    private func builder() -> DefinitionsBuilder {
        var builder = DefinitionsBuilder()
        builder.step("pick", ["item": "int64?"])
        builder.flow(
            "main",
            on: [
                "open": [
                    .screen("newest", .init(whenHidden: .latest)),
                    .screen("all", .init(step: "hello", whenHidden: .queue)),
                    .flow("sub", .init(whenHidden: .queue)),
                ],
                "pick": [], "hello": [], "twice": [.screen("x"), .screen("x")], "on": [.current("pick", [])],
            ])
        builder.flow("sub", on: ["pick": [], "fill": [.screen("inner"), .screen("own", .init(whenHidden: .queue))]])
        return builder
    }

    private func makeWorld() throws -> World {
        let world = try World(root: "main", builder())
        try world.emit("open", on: "/main")
        return world
    }

    // MARK: Deferred steps

    @Test func `S-15 queue: steps are deferred in order, and taken when the presentable is presented`() throws {
        let world = try makeWorld()
        #expect(try world.emit("pick", ["item": .byte(1)], on: "/main/all", by: ":1.5") == ["= deferred 0"])
        #expect(try world.emit("on", on: "/main/all", by: ":1.6") == ["= deferred 0"])
        #expect(try world.emit("pick", ["item": .byte(3)], on: "/main/all", by: ":1.5") == ["= deferred 0"])
        #expect(try world.forestNode("/main/all").deferredSteps.count == 3)
        // Its initial step comes first (S-16); a cascade is finished before the next (S-7). Cause, client and origin
        // are those of the emission.
        #expect(
            try world.show("/main/all") == [
                "~ /main/all visible=true presented=true", "did 2 after 1 by :1.1: /main hello []",
                "did 3 after 0 by :1.5: /main pick {item=1} []",
                "did 4 after 0 by :1.6: /main on [current pick /main]", "did 5 after 4 by :1.6: /main pick []",
                "did 6 after 0 by :1.5: /main pick {item=3} []", "= done",
            ])
        #expect(try world.forestNode("/main/all").deferredSteps.isEmpty)
        #expect(try world.forestNode("/main").flow?.waiting.count == 0)
        #expect(try world.emit("pick", on: "/main/all").last == "= navigated 7")
    }

    @Test func `S-15 latest: the newest step is deferred, and the one before gets hidden`() throws {
        let world = try makeWorld()
        #expect(try world.emit("pick", ["item": .byte(1)], on: "/main/newest", by: ":1.5") == ["= deferred 0"])
        #expect(
            try world.emit("on", on: "/main/newest", by: ":1.6")
                == ["failed after 0 by :1.5: /main pick hidden", "= deferred 0"])
        #expect(world.failures.first?.message.contains("'pick'") == true)
        #expect(
            try world.show("/main/newest").filter { $0.hasPrefix("did") }
                == ["did 2 after 0 by :1.6: /main on [current pick /main]", "did 3 after 2 by :1.6: /main pick []"])
    }

    @Test func `S-15 latest: steps deferred under other rules are dropped`() throws {
        var builder = DefinitionsBuilder()
        builder.step("pick", ["item": "int64?"])
        builder.flow("other", whenHidden: .queue, on: ["pick": []])
        let root = try World(root: "other", builder)
        try root.hide("/other")
        for item in 1...3 as ClosedRange<UInt8> { try root.emit("pick", ["item": .byte(item)], on: "/other") }
        builder.flow("other", whenHidden: .latest, on: ["pick": []])
        #expect(root.reload(builder) == [])
        #expect(
            try root.emit("pick", ["item": .byte(4)], on: "/other")
                == Array(repeating: "failed after 0 by :1.1: /other pick hidden", count: 3) + ["= deferred 0"])
        #expect(root.coordinator.accounting.clients[Client(":1.1")]?.steps == 1)
        try root.show("/other")
        #expect(root.navigations == ["/other pick"])
    }

    @Test
    func `S-15 a flow defers its own steps, whatever its screens' policy; only the presentable's own setting counts`()
        throws
    {
        let world = try makeWorld()
        try world.emit("fill", on: "/main/sub")
        try world.hide("/main")
        #expect(try world.emit("pick", on: "/main/sub/inner") == ["= hidden 0"])
        #expect(try world.emit("pick", on: "/main/sub") == ["= deferred 0"])
        #expect(try world.emit("pick", on: "/main/sub/own") == ["= deferred 0"])
        #expect(try world.emit("pick", on: "/main") == ["= hidden 0"])
        #expect(try world.forestNode("/main/sub").flow?.waiting.count == 2)
        try world.show("/main/sub/own")
        #expect(world.navigations.isEmpty)
        try world.show("/main")
        #expect(world.navigations == ["/main/sub pick", "/main/sub pick"])
    }

    @Test func `S-15 S-12 a failure after the verdict deferred is broadcast, and is no deep link`() throws {
        let world = try makeWorld()
        for step in ["open", "fill", "pick"] { try world.emit(step, on: "/main/sub", by: ":1.5") }
        try world.hide("/main/sub")
        for step in ["open", "fill", "pick"] {
            #expect(try world.emit(step, on: "/main/sub", by: ":1.5") == ["= deferred 0"])
        }
        #expect(
            try world.show("/main/sub").filter { $0.hasPrefix("did") || $0.hasPrefix("failed") } == [
                "failed after 0 by :1.5: /main/sub open unhandled",
                "did 4 after 0 by :1.5: /main/sub fill [screen inner /main/sub/inner_2, screen own /main/sub/own_2]",
                "did 5 after 0 by :1.5: /main/sub pick []",
            ])
    }

    @Test func `S-16 deferred steps are not gated again: one that covers its screen does not stop the next`() throws {
        var builder = builder()
        builder.flow(
            "main", children: .stack,
            on: ["open": [.screen("all", .init(whenHidden: .queue))], "cover": [.screen("x")], "pick": []])
        let world = try World(root: "main", builder)
        try world.emit("open", on: "/main")
        for step in ["cover", "pick"] { try world.emit(step, on: "/main/all") }
        try world.show("/main/all")
        #expect(world.navigations == ["/main cover", "/main pick"])
        #expect(try world.isPresented("/main/all") == false)
    }

    @Test func `S-16 S-6 of several that become presented, the oldest step goes first`() throws {
        let world = try makeWorld()
        try world.show("/main/all")
        try world.emit("fill", on: "/main/sub")
        try world.show("/main/sub/own")
        try world.show("/main/newest")
        try world.hide("/main")
        try world.emit("pick", ["item": .byte(1)], on: "/main/sub/own")
        try world.emit("pick", ["item": .byte(2)], on: "/main/all")
        try world.emit("pick", ["item": .byte(3)], on: "/main/sub")
        try world.emit("pick", ["item": .byte(4)], on: "/main/newest")
        #expect(
            try world.show("/main").filter { $0.hasPrefix("did") } == [
                "did 4 after 0 by :1.1: /main/sub pick {item=1} []", "did 5 after 0 by :1.1: /main pick {item=2} []",
                "did 6 after 0 by :1.1: /main/sub pick {item=3} []", "did 7 after 0 by :1.1: /main pick {item=4} []",
            ])
    }

    @Test func `S-15 S-3 a deferred step was checked before, and an invalid one is not deferred`() throws {
        let world = try makeWorld()
        let standing = world.standing
        #expect(try world.emit("pick", ["item": .string("x")], on: "/main/all") == ["! InvalidArguments"])
        #expect(world.standing == standing)
        try world.emit("pick", ["item": .byte(1)], on: "/main/all")
        #expect(try world.forestNode("/main/all").deferredSteps.map(\.arguments) == [[Argument("item", .int64(1))]])
    }

    @Test func `S-25 S-12 deferred steps end with their presentable, and do not pass to another at the same path`()
        throws
    {
        let world = try makeWorld()
        try world.emit("pick", on: "/main/newest", by: ":1.5")
        #expect(
            try world.dismiss("/main/newest")
                == ["- /main/newest", "failed after 0 by :1.5: /main pick PresentableDismissed", "= done"])
        let lost = try #require(world.failures.first).message
        #expect(lost.contains("'newest'") && lost.contains("'pick'"))
        #expect(try world.forestNode("/main").flow?.waiting.count == 0)
        try world.emit("open", on: "/main")
        #expect(try world.show("/main/newest") == ["~ /main/newest visible=true presented=true", "= done"])
        try world.emit("fill", on: "/main/sub")
        try world.hide("/main/sub")
        try world.emit("pick", on: "/main/sub", by: ":1.5")
        try world.emit("pick", on: "/main/sub/own", by: ":1.6")
        #expect(
            try world.dismiss("/main/sub").suffix(3) == [
                "failed after 0 by :1.6: /main pick FlowEnded", "failed after 0 by :1.5: /main pick FlowEnded",
                "= done",
            ])
        try world.hide("/main/sub_2")
        try world.emit("pick", on: "/main/sub_2", by: ":1.5")
        #expect(
            try world.dismiss("/main").suffix(4) == [
                "failed after 0 by :1.5: /main/sub_2 pick FlowEnded", "failed after 2 by :1.1: /main hello FlowEnded",
                "failed after 1 by :1.1: /main hello FlowEnded", "= done",
            ])
        #expect(world.coordinator.accounting == Accounting())
    }

    // MARK: Who may emit

    private func guarded() throws -> World {
        var builder = builder()
        builder.step("item", ["n": "int64"])
        builder.flow(
            "main", initial: "open", emitters: ["org.example.Till", "org.example.Desk"],
            on: ["open": [.screen("a"), .flow("sub")], "go": [.parent("go")], "item": []])
        builder.flow("sub", on: ["go": [.parent("go")]])
        let world = World(builder)
        world.own("org.example.Till", ":1.0")
        #expect(try world.coordinate("main", by: ":1.0").contains { $0.hasPrefix("did 1") })
        world.own("org.example.Till", nil)
        return world
    }

    @Test func `emitters: only owners of the names may emit steps on the flow and on its screens`() throws {
        let world = try guarded()
        world.own("org.example.Till", ":1.1")
        try world.show("/main/a")
        world.own("org.example.Till", nil)
        let standing = world.standing
        for path in ["/main", "/main/a"] {
            #expect(try world.emit("go", on: path, by: ":1.7") == ["! AccessDenied"])
        }
        let refusal = try world.refusal().message
        for name in ["main", "org.example.Till", "org.example.Desk", ":1.7"] { #expect(refusal.contains("'\(name)'")) }
        #expect(try world.emitAll(["go", "go"], on: "/main", by: ":1.7") == ["= [AccessDenied, AccessDenied]"])
        #expect(world.standing == standing)
        #expect(world.own("org.example.Till", ":1.7") == [])
        world.own("org.example.Desk", ":1.8")
        #expect(try world.emit("go", on: "/main", by: ":1.7").last == "= navigated 2")
        #expect(try world.emit("go", on: "/main/a", by: ":1.8").last == "= navigated 3")
        #expect(try world.emit("go", on: "/main", by: ":1.0") == ["! AccessDenied"])
        world.own("org.example.Till", nil)
        #expect(try world.emit("go", on: "/main", by: ":1.7") == ["! AccessDenied"])
        world.own("org.example.Desk", ":1.9")
        #expect(try world.emit("go", on: "/main", by: ":1.8") == ["! AccessDenied"])
    }

    @Test func `emitters: a child flow without emitters is not restricted, and forwarded steps are not either`() throws
    {
        let world = try guarded()
        #expect(try world.emit("go", on: "/main/sub", by: ":1.7").last == "= navigated 2")
        #expect(world.navigations == ["/main/sub go", "/main go"])
    }

    @Test func `emitters are checked after the instance and before the arguments and the gate`() throws {
        let world = try guarded()
        #expect(try world.emit("go", on: "/main", by: ":1.7", instance: 9) == ["! StaleInstance"])
        #expect(try world.emit("item", on: "/main", by: ":1.7") == ["! AccessDenied"])
        #expect(try world.emit("go", on: "/main/a", by: ":1.7") == ["! AccessDenied"])
        world.own("org.example.Till", ":1.7")
        #expect(try world.emit("item", on: "/main", by: ":1.7") == ["! InvalidArguments"])
        #expect(try world.emit("go", on: "/main/a", by: ":1.7") == ["= hidden 0"])
    }

    @Test func `S-27 emitters: in a deep link it is that flow's outcome`() throws {
        let world = try guarded()
        #expect(try world.navigate("go", by: ":1.7").last == "= [/main AccessDenied, /main/sub navigated 2]")
    }

    // MARK: Several steps, instances

    @Test func `EmitSteps: each step is emitted when the cascade of the one before is done`() throws {
        let world = try makeWorld()
        #expect(
            try world.emitAll(["on", "pick", "strange", "fill", "hello"], on: "/main") == [
                "did 2 after 0 by :1.1: /main on [current pick /main]", "did 3 after 2 by :1.1: /main pick []",
                "did 4 after 0 by :1.1: /main pick []", "did 5 after 0 by :1.1: /main hello []",
                "= [navigated 2, navigated 4, UnknownStep, unhandled, navigated 5]",
            ])
        #expect(try world.emitAll([], on: "/main") == ["= []"])
        #expect(try world.emitAll(["pick", "pick"], on: "/main/all") == ["= [deferred, deferred]"])
    }

    @Test func `EmitSteps: with the presentable gone, the rest is refused`() throws {
        var builder = DefinitionsBuilder()
        builder.flow("main", on: ["open": [.flow("sub")], "over": []])
        builder.flow("sub", on: ["stop": [.current("quit")], "quit": [.end("over")], "go": []])
        let world = try World(root: "main", builder)
        try world.emit("open", on: "/main")
        #expect(
            try world.emitAll(["go", "stop", "go", "go"], on: "/main/sub").last
                == "= [navigated 2, navigated 3, PresentableDismissed, PresentableDismissed]")
        #expect(world.navigations == ["/main/sub go", "/main/sub stop", "/main/sub quit", "/main over"])
    }

    @Test func `S-25 a step for another instance at the path is refused`() throws {
        let world = try makeWorld()
        let instance = try world.state("/main/newest").instance
        #expect(try world.emit("pick", on: "/main/newest", instance: instance) == ["= deferred 0"])
        try world.dismiss("/main/newest")
        try world.emit("open", on: "/main")
        let standing = world.standing
        #expect(try world.emit("pick", on: "/main/newest", instance: instance) == ["! StaleInstance"])
        #expect(
            try world.refusal().message
                == "instance '\(instance)' is meant, but the presentable at this path is instance "
                + "'\(try world.state("/main/newest").instance)'")
        #expect(world.standing == standing)
        #expect(try world.state("/main/newest").instance > instance)
    }
}
