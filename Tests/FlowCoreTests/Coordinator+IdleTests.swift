import Testing

@testable import FlowCore

@Suite("Flow coordinator: idle")
struct IdleTests {
    /// A flow that goes home when it was idle for 100 µs, with a child flow and a screen.
    private func builder(_ whenHidden: WhenHidden = .ignore) -> DefinitionsBuilder {
        var builder = DefinitionsBuilder()
        builder.step("need", ["n": "int64"])
        builder.flow(
            "main", isUnique: true, whenHidden: whenHidden, idle: (100, "home"), idleWhenHidden: whenHidden,
            on: [
                "open": [.flow("sub"), .screen("a", .init(whenHidden: .queue))], "home": [.current("next")], "next": [],
            ])
        builder.flow("sub", on: ["go": [], "home": [], "need": []])
        return builder
    }

    /// The timer effects.
    private func timers(_ world: World) -> [String] { world.effects.map(\.line).filter { $0.hasPrefix("timer") } }

    @Test func `S-34 an idle flow gets its step, with the daemon as sender and as if from outside`() throws {
        let world = World(builder())
        world.now = 1_000
        #expect(
            try world.coordinate("main")
                == ["+ /main (visible presented ready)", "timer 1100", "= /main"])
        #expect(
            world.wait(100) == [
                "did 1 after 0 by : /main home [current next /main]", "did 2 after 1 by : /main next []",
            ])
        // It rests until there is activity.
        #expect(world.wait(10_000) == [])
        #expect(
            try world.emit("next", on: "/main") == [
                "did 3 after 0 by :1.1: /main next []", "timer 11200", "= navigated 3",
            ])
        #expect(world.wait(100).count == 2)
    }

    @Test func `S-34 an early timer only starts another`() throws {
        let world = try World(root: "main", builder())
        #expect(world.wait(60) == ["timer 100"])
        #expect(try world.emit("open", on: "/main").contains("timer 160") == false)
        #expect(world.wait(40) == ["timer 160"])
        #expect(world.wait(59) == ["timer 160"])
        #expect(world.wait(1).first == "did 2 after 0 by : /main home [current next /main]")
    }

    /// Calls at 50 that count as activity of `/main`, and calls that do not.
    private static let reaching: [(String, Bool, @Sendable (World) throws -> Void)] = [
        ("a step", true, { try $0.emit("next", on: "/main") }),
        ("a step that it has no rule for", true, { try $0.emit("go", on: "/main") }),
        ("a step on a child flow", true, { try $0.emit("go", on: "/main/sub") }),
        ("a step that is kept for a screen", true, { try $0.emit("next", on: "/main/a") }),
        ("steps in a list", true, { try $0.emitAll(["strange", "go"], on: "/main/sub") }),
        ("a deep link", true, { try $0.navigate("go") }),
        ("a path", true, { try $0.navigateAlong([("main", ""), ("sub", "go")]) }),
        ("Back", true, { try $0.back("/main") }),
        ("Back on a child flow", true, { try $0.back("/main/sub") }),
        ("Coordinate that gives the live root", true, { try $0.coordinate("main") }),
        ("a hidden step", false, { try $0.emit("go", on: "/main/sub/off") }),
        ("a step with wrong arguments", false, { try $0.emit("need", on: "/main/sub") }),
        ("a step for another instance", false, { try $0.emit("go", on: "/main/sub", instance: 99) }),
        ("a path that only goes by", false, { try $0.navigateAlong([("main", ""), ("sub", "")]) }),
        ("showing", false, { try $0.show("/main/a") }),
        ("another root", false, { try $0.coordinate("sub") }),
        ("a dismissal", false, { try $0.dismiss("/main/a") }),
    ]

    @Test(arguments: reaching.indices)
    func `S-34 steps from outside on a flow or anything below it count as activity`(index: Int) throws {
        let (what, isReached, event) = Self.reaching[index]
        var builder = builder()
        builder.addRule("off", [], to: "sub")
        builder.flow("sub", initial: "born", on: ["born": [.screen("off")], "go": [], "home": [], "need": []])
        let world = try World(root: "main", builder)
        try world.emit("open", on: "/main")
        world.now = 50
        try event(world)
        world.wait(50)
        #expect(world.navigations.isEmpty == isReached, "\(what)")
        world.wait(50)
        #expect(world.navigations.isEmpty != isReached, "\(what)")
    }

    @Test func `S-34 a step that the gate drops does not reach the flow`() throws {
        var builder = builder(.queue)
        builder.flow(
            "main", whenHidden: .queue, idle: (100, "home"), idleWhenHidden: .queue, emitters: ["org.example.Till"],
            on: ["home": [], "go": []])
        let world = World(builder)
        world.own("org.example.Till", ":1.1")
        try world.coordinate("main")
        try world.hide("/main")
        for _ in 0..<Limits.deferredStepsPerClient { try world.emit("go", on: "/main") }
        world.own("org.example.Till", ":1.3")
        for _ in 0..<Limits.deferredStepsPerClient { try world.emit("go", on: "/main", by: ":1.3") }
        world.own("org.example.Till", ":1.1")
        world.now = 50
        let standing = world.standing
        #expect(try world.emit("go", on: "/main") == ["! LimitExceeded"])
        #expect(try world.emit("go", on: "/main", by: ":1.2") == ["! AccessDenied"])
        #expect(try world.back("/main", by: ":1.2") == ["! AccessDenied"])
        #expect(try world.navigate("go", by: ":1.2") == ["= [/main AccessDenied]"])
        #expect(world.standing == standing)
        #expect(world.wait(50).first == "failed after 0 by : /main home LimitExceeded")
    }

    @Test
    func `S-34 S-15 by its whenHidden it can be gated like a client's step, and is tried again until it is navigated`()
        throws
    {
        let world = try World(root: "main", builder())
        try world.hide("/main")
        for round in 1...3 as ClosedRange<UInt64> {
            #expect(
                world.wait(100) == ["failed after 0 by : /main home hidden", "timer \(round * 100 + 100)"])
        }
        #expect(world.failures.first?.message == "'/main' is not presented, and ignores step 'home' then")
        try world.show("/main")
        #expect(world.wait(100).count == 2)
        #expect(world.wait(100) == [])
    }

    @Test func `S-34 S-15 the idle step of a covered flow is taken, whatever the flow's own whenHidden is`() throws {
        var builder = builder()
        builder.flow("main", whenHidden: .ignore, idle: (100, "home"), on: ["home": [.current("next")], "next": []])
        let world = try World(root: "main", builder)
        try world.hide("/main")
        #expect(world.wait(100).first == "did 1 after 0 by : /main home [current next /main]")
        #expect(try world.emit("next", on: "/main") == ["= hidden 0"])
    }

    @Test func `S-34 S-19 the times of a flow that is reused begin anew`() throws {
        var builder = DefinitionsBuilder()
        builder.flow("main", on: ["open": [.flow("sub", .init(reuses: true))], "go": []])
        builder.flow("sub", idle: (100, "shut"), on: ["shut": [.end()]])
        let world = try World(root: "main", builder)
        try world.emit("open", on: "/main")
        world.now = 60
        // Steps on the flow above reach only that.
        try world.emit("go", on: "/main")
        try world.emit("open", on: "/main")
        #expect(world.wait(99).allSatisfy { !$0.hasPrefix("-") })
        #expect(world.wait(1).contains("- /main/sub"))
    }

    @Test(arguments: [WhenHidden.latest, .queue])
    func `S-34 S-15 a deferred idle step waits like any other, and the timer rests`(whenHidden: WhenHidden) throws {
        let world = try World(root: "main", builder(whenHidden))
        try world.hide("/main")
        #expect(world.wait(100) == [])
        #expect(world.wait(100) == [])
        #expect(world.coordinator.accounting.total.steps == 1)
        #expect(world.coordinator.accounting.clients[.daemon] == nil)
        #expect(
            try world.show("/main") == [
                "~ /main visible=true presented=true", "did 1 after 0 by : /main home [current next /main]",
                "did 2 after 1 by : /main next []", "= done",
            ])
        #expect(world.wait(100) == [])
    }

    @Test func `S-34 an idle step that is unhandled or fails is reported, and the timer continues`() throws {
        var builder = builder()
        builder.flow("main", idle: (100, "home"), on: ["next": []])
        let unhandled = try World(root: "main", builder)
        for _ in 1...2 { #expect(unhandled.wait(100).first == "failed after 0 by : /main home unhandled") }
        builder.flow("main", idle: (100, "home"), on: ["home": [.screen("a", .init(id: "x"))], "next": []])
        let failing = try World(root: "main", builder)
        #expect(failing.wait(100).last?.hasPrefix("did 1") == true)
        try failing.emit("next", on: "/main")
        #expect(failing.wait(100) == ["failed after 0 by : /main home IdTaken", "timer 300"])
        #expect(failing.wait(100).first == "failed after 0 by : /main home IdTaken")
    }

    @Test func `S-34 several idle flows: by time, then by age, each cascade before the next`() throws {
        var builder = DefinitionsBuilder()
        builder.flow("slow", idle: (100, "rest"), on: ["rest": [.current("more")], "more": [], "poke": []])
        builder.flow("quick", idle: (50, "rest"), on: ["rest": [.current("more")], "more": []])
        let world = World(builder)
        for flow in ["slow", "quick", "slow"] { try world.coordinate(flow) }
        world.now = 30
        try world.emit("poke", on: "/slow")
        #expect(world.wait(200).last?.hasPrefix("did") == true)
        #expect(
            world.navigations == [
                "/quick rest", "/quick more", "/slow_2 rest", "/slow_2 more", "/slow rest", "/slow more",
            ])
        let even = World(builder)
        for _ in 1...3 { try even.coordinate("slow") }
        even.wait(100)
        #expect(even.navigations.filter { $0.hasSuffix("rest") } == ["/slow rest", "/slow_2 rest", "/slow_3 rest"])
    }

    @Test func `S-34 a flow that ends by its idle step, or with another's, is idle no more`() throws {
        var builder = DefinitionsBuilder()
        builder.flow(
            "main", idle: (100, "close"), on: ["open": [.flow("sub")], "close": [.screen("a", .init(clears: true))]])
        builder.flow("sub", idle: (100, "stop"), on: ["stop": [.end()]])
        let world = try World(root: "main", builder)
        try world.emit("open", on: "/main")
        #expect(
            world.wait(100) == [
                "- /main/sub", "+ /main/a", "did 2 after 0 by : /main close [clear, screen a /main/a]",
            ])
        let other = try World(root: "sub", builder)
        #expect(other.wait(100) == ["did 1 after 0 by : /sub stop [end]", "- /sub"])
        #expect(other.wait(100) == [])
    }

    @Test func `S-34 the timer is set once for each time, and cleared if there is none`() throws {
        let world = try World(root: "main", builder())
        #expect(timers(world) == ["timer 100"])
        world.now = 10
        try world.emit("open", on: "/main")
        #expect(timers(world) == [])
        var quick = builder()
        quick.flow("early", idle: (20, "home"))
        world.reload(quick)
        #expect(timers(world) == ["timer 110"])
        try world.coordinate("early")
        #expect(timers(world) == ["timer 30"])
        var never = builder()
        never.flow("main")
        #expect(world.reload(never).last == "timer off")
        #expect(world.wait(1_000) == [])
    }

    @Test func `S-34 flows that gained, lost or changed idle start again after a reload`() throws {
        let world = try World(root: "main", builder())
        world.now = 60
        world.reload(builder())
        #expect(timers(world) == [])
        var new = builder()
        new.flow("main", idle: (80, "home"), on: ["home": []])
        #expect(world.reload(new) == ["timer 140"])
        new.flow("main", idle: (80, "next"), on: ["next": []])
        world.now = 70
        #expect(world.reload(new) == ["timer 150"])
        #expect(world.wait(80) == ["did 1 after 0 by : /main next []"])
        // It rests, also after a reload of the same definitions.
        #expect(world.reload(new) == [])
        #expect(world.wait(1_000) == [])
        new.flow("main", idle: (90, "next"), on: ["next": []])
        #expect(world.reload(new) == ["timer \(world.now + 90)"])
        new.flow("main", on: ["next": []])
        #expect(world.reload(new) == ["timer off"])
        new.flow("main", idle: (90, "next"), on: ["next": []])
        #expect(world.reload(new) == ["timer \(world.now + 90)"])
    }

    @Test func `S-33 S-34 timers of removed flows are dropped`() throws {
        var builder = DefinitionsBuilder()
        builder.flow("main", idle: (1_000_000, "home"))
        let world = World(builder)
        for _ in 0..<1_000 {
            try world.coordinate("main")
            try world.dismiss("/main")
        }
        #expect(world.coordinator.alarms.count <= 20)
        for _ in 0..<100 { try world.coordinate("main") }
        #expect(world.coordinator.alarms.count >= 100)
    }
}
