import Testing

@testable import FlowCore

@Suite("Flow coordinator: steps that wait for others")
struct WaitingTests {
    /// A flow whose guard is asked about everything, with a guarded child flow and a free one.
    private func builder() -> DefinitionsBuilder {
        var builder = DefinitionsBuilder()
        builder.flow(
            "main", guarded: ("com.auth", []),
            on: [
                "open": [.screen("a"), .flow("slow"), .flow("free")], "one": [], "two": [], "three": [],
                "fork": [.current("left"), .current("right")], "left": [.current("late")], "right": [], "late": [],
                "over": [.pop("a")],
            ])
        builder.flow(
            "slow", guarded: ("com.slow", []),
            on: [
                "one": [.parent("three")], "two": [.current("three")], "three": [], "stop": [.end("one")],
                "loop": [.current("loop")],
            ])
        builder.flow("free", on: ["one": [.current("two")], "two": []])
        return builder
    }

    /// Questions are counted from here on: 2 is the next one.
    private func makeWorld(_ builder: DefinitionsBuilder? = nil) throws -> World {
        let world = try World(root: "main", builder ?? self.builder())
        try world.emit("open", on: "/main")
        world.pass()
        #expect(world.waiting == [])
        return world
    }

    // MARK: Order

    @Test func `S-6 no step is overtaken in its flow while that waits`() throws {
        let world = try makeWorld()
        for (step, client) in [("one", ":1.1"), ("two", ":1.2"), ("three", ":1.1")] {
            try world.emit(step, on: "/main", by: client)
        }
        #expect(world.coordinator.questions.count == 1)
        #expect(
            try world.adapt(2, to: "one")
                == ["did 2 after 0 by :1.1: /main one []", "= navigated 2", "guard? com.auth #3: /main two"])
        #expect(
            try world.adapt(3, to: "two")
                == ["did 3 after 0 by :1.2: /main two []", "= navigated 3", "guard? com.auth #4: /main three"])
        #expect(
            try world.adapt(4, to: "three") == ["did 4 after 0 by :1.1: /main three []", "= navigated 4"])
        #expect(world.waiting == [])
    }

    @Test func `S-6 a step that the guard is not asked about waits for its turn, too`() throws {
        var builder = builder()
        builder.flow("free", guarded: ("com.auth", ["one"]), on: ["one": [.current("two")], "two": []])
        let world = try makeWorld(builder)
        try world.emit("one", on: "/main/free", by: ":1.1")
        #expect(try world.emit("two", on: "/main/free", by: ":1.2") == [])
        #expect(
            try world.adapt(2, to: "one") == [
                "did 2 after 0 by :1.1: /main/free one [current two /main/free]",
                "did 3 after 2 by :1.1: /main/free two []", "= navigated 2", "did 4 after 0 by :1.2: /main/free two []",
                "= navigated 4",
            ])
    }

    @Test func `S-6 a slow guard delays no other flow`() throws {
        let world = try makeWorld()
        try world.emit("two", on: "/main/slow")
        #expect(try world.emit("one", on: "/main/free").last == "= navigated 2")
        try world.emit("one", on: "/main")
        #expect(try world.adapt(3, to: "one").last == "= navigated 4")
        #expect(world.wait(Limits.guardTimeout) == ["timer 15000000"])
        #expect(try world.emit("one", on: "/main/free").last == "= navigated 5")
        world.answer(2, GuardAnswer.rejected)
        #expect(world.waiting == [])
    }

    @Test func `S-6 waiting steps of the oldest origin go first, whenever they were triggered`() throws {
        let world = try makeWorld()
        try world.emit("one", on: "/main/slow", by: ":1.2")
        try world.emit("one", on: "/main", by: ":1.3")
        try world.emit("two", on: "/main", by: ":1.4")
        try world.emit("one", on: "/main/free", by: ":1.5")
        // Triggers `three` on the waiting flow: later than the other's `two`, by an older origin.
        world.answer(2, GuardAnswer.step(try world.id(ofStep: "one"), []))
        #expect(world.lines == ["did 4 after 0 by :1.2: /main/slow one [parent three /main]", "= navigated 4"])
        #expect(
            try world.adapt(3, to: "one")
                == ["did 5 after 0 by :1.3: /main one []", "= navigated 5", "guard? com.auth #4: /main three"])
        #expect(
            try world.adapt(4, to: "three")
                == ["did 6 after 4 by :1.2: /main three []", "guard? com.auth #5: /main two"])
        world.pass()
        #expect(world.waiting == [])
    }

    @Test func `S-6 within one origin, steps are taken in the order in which they were triggered`() throws {
        let world = try makeWorld()
        try world.emit("fork", on: "/main")
        #expect(try world.adapt(2, to: "fork").contains("guard? com.auth #3: /main left"))
        // Left triggers its step late, when right has waited for a while.
        try world.adapt(3, to: "left")
        #expect(world.asked == ["/main right"])
        try world.adapt(4, to: "right")
        #expect(world.asked == ["/main late"])
        try world.adapt(5, to: "late")
        #expect(world.waiting == [])
    }

    @Test func `S-6 S-22 the same order applies to steps that fail with their flow`() throws {
        var builder = DefinitionsBuilder()
        builder.flow(
            "main", guarded: ("com.auth", ["last", "wipe"]),
            on: [
                "go": [
                    .flow("sub", .init(step: "one")), .flow("sub", .init(step: "two")), .current("wipe"),
                    .current("last"),
                ],
                "wipe": [.screen("a", .init(clears: true)), .current("after")], "after": [], "last": [],
            ])
        builder.flow("sub", guarded: ("com.slow", []), on: ["one": [], "two": []])
        let world = try World(root: "main", builder)
        try world.emit("go", on: "/main")
        #expect(world.asked == ["/main/sub one", "/main/sub_2 two", "/main wipe"])
        #expect(
            try world.adapt(3, to: "wipe") == [
                "- /main/sub_2", "- /main/sub", "+ /main/a",
                "did 2 after 1 by :1.1: /main wipe [clear, screen a /main/a, current after /main]",
                "drop #2", "drop #1", "failed after 1 by :1.1: /main one FlowEnded",
                "failed after 1 by :1.1: /main two FlowEnded",
                "guard? com.auth #4: /main last",
            ])
        #expect(try world.adapt(4, to: "last").suffix(1) == ["did 4 after 2 by :1.1: /main after []"])
        #expect(world.waiting == [])
    }

    /// The effects of a tour, in order. No step in it triggers steps of two flows: of those, the one whose flow has no
    /// guard goes ahead, however soon the other's answers.
    private func tour(guarded: Bool) throws -> [Effect] {
        var builder = DefinitionsBuilder()
        let `guard`: (by: String, steps: [String])? = guarded ? ("com.auth", []) : nil
        builder.flow(
            "main", initial: "begin", isUnique: true, onBack: "home", guarded: `guard`,
            on: [
                "begin": [.flow("list"), .screen("start", .init(step: "hello", whenHidden: .queue))],
                "hello": [.current("note")], "note": [], "home": [.popRoot],
                "bad": [.screen("start", .init(id: "x")), .screen("start", .init(id: "x"))],
                "picked": [.screen("detail", .init(onDismissed: "home")), .current("hello")],
            ])
        builder.flow(
            "list", initial: "fill",
            on: ["fill": [.screen("row"), .parent("hello")], "pick": [.screen("row"), .parent("picked")]])
        builder.step("strange")
        let world = World(builder)
        var all: [Effect] = []
        let events: [(World) throws -> Void] = [
            { try $0.coordinate("main") }, { try $0.emit("pick", on: "/main/list") },
            { try $0.emit("picked", on: "/main") }, { try $0.dismiss("/main/detail") }, { try $0.back("/main") },
            { try $0.emit("strange", on: "/main") }, { try $0.emit("bad", on: "/main") },
            { try $0.emitAll(["hello", "strange", "picked"], on: "/main") },
            { try $0.navigateAlong([("main", "picked")]) }, { try $0.emit("home", on: "/main") },
            { try $0.dismiss("/main") },
        ]
        for event in events {
            try event(world)
            all += world.passAll().filter { effect in
                switch effect {
                case .askGuard, .startTimer: false
                default: true
                }
            }
        }
        #expect(world.waiting == [])
        return all
    }

    @Test func `S-6 S-7 a guard that answers immediately changes only when calls are answered`() throws {
        func isAnswer(_ line: String) -> Bool { line.hasPrefix("=") || line.hasPrefix("!") }
        let (plain, guarded) = (try tour(guarded: false).map(\.line), try tour(guarded: true).map(\.line))
        #expect(plain.count > 40)
        #expect(guarded.filter { !isAnswer($0) } == plain.filter { !isAnswer($0) })
        #expect(guarded.filter(isAnswer) == plain.filter(isAnswer))
    }

    // MARK: Loops

    @Test func `S-11 one origin triggers 256 steps, also if each waits`() throws {
        let world = try makeWorld()
        try world.emit("loop", on: "/main/slow")
        let all = world.passAll()
        #expect(all.count { if case .emitNavigationOccurred = $0 { true } else { false } } == 1 + Limits.triggeredSteps)
        #expect(world.failures.map(\.reason) == [.error(.navigationLoop)])
        #expect(world.waiting == [])
        // Another origin has its own.
        try world.emit("loop", on: "/main/slow")
        #expect(world.pass().contains { $0.hasPrefix("guard?") })
    }

    // MARK: Removals in between

    @Test func `S-22 S-12 the flow ends while it waits: its steps fail, and late answers are ignored`() throws {
        let world = try makeWorld()
        try world.emit("two", on: "/main/slow", by: ":1.2")
        try world.adapt(2, to: "two")
        #expect(world.asked == ["/main/slow three"])
        try world.emit("one", on: "/main/slow", by: ":1.3")
        try world.emit("stop", on: "/main/slow", by: ":1.4")
        #expect(
            try world.dismiss("/main/slow") == [
                "- /main/slow", "drop #3", "failed after 2 by :1.2: /main three FlowEnded", "! FlowEnded",
                "! FlowEnded", "= done",
            ])
        #expect(world.answers == ["4 ! FlowEnded", "5 ! FlowEnded", "6 = done"])
        #expect(world.failures.map(\.message) == ["the flow that was to take step 'three' has ended"])
        #expect(world.waiting == [])
        #expect(try world.adapt(3, to: "three") == [])
        #expect(world.waiting == [])
    }

    @Test func `S-22 S-12 with the root gone, the failure is reported at its former path`() throws {
        let world = try makeWorld()
        try world.emit("two", on: "/main/slow", by: ":1.2")
        try world.adapt(2, to: "two")
        try world.emit("fork", on: "/main", by: ":1.3")
        try world.adapt(4, to: "fork")
        #expect(
            try world.dismiss("/main").suffix(4) == [
                "failed after 2 by :1.2: /main/slow three FlowEnded", "failed after 3 by :1.3: /main left FlowEnded",
                "failed after 3 by :1.3: /main right FlowEnded", "= done",
            ])
        #expect(world.waiting == [])
        #expect(world.coordinator.accounting == Accounting())
    }

    @Test func `S-21 S-22 a step that ends the flow fails those that wait behind it`() throws {
        let world = try makeWorld()
        for step in ["stop", "two"] { try world.emit(step, on: "/main/slow") }
        #expect(
            try world.adapt(2, to: "stop") == [
                "did 2 after 0 by :1.1: /main/slow stop [end one /main]", "- /main/slow",
                "guard? com.auth #3: /main one", "= navigated 2", "! FlowEnded",
            ])
        world.pass()
        #expect(world.waiting == [])
    }

    @Test func `S-22 S-6 the screen is dismissed: the step is taken anyway, and the guard is asked about the flow`()
        throws
    {
        let world = try makeWorld()
        try world.show("/main/a")
        try world.emit("one", on: "/main/a", by: ":1.2")
        try world.emit("two", on: "/main/a", by: ":1.3")
        try world.dismiss("/main/a")
        #expect(
            try world.adapt(2, to: "one")
                == ["did 2 after 0 by :1.2: /main one []", "= navigated 2", "guard? com.auth #3: /main two"])
        #expect(world.questions.map(\.presentable) == ["/main"])
        #expect(world.questions.map(\.instance) == [try world.state("/main").instance])
        #expect(try world.adapt(3, to: "two").last == "= navigated 3")
    }

    @Test func `S-22 a screen at the same path is not the one that the step was emitted on`() throws {
        let world = try makeWorld()
        try world.show("/main/a")
        try world.emit("one", on: "/main")
        try world.emit("two", on: "/main/a")
        try world.dismiss("/main/a")
        try world.adapt(2, to: "open")
        let question = try #require(world.questions.first { $0.flow == "/main" })
        #expect(world.coordinator.node(at: "/main/a") != nil)
        #expect(question.presentable == "/main")
    }

    // MARK: Idle

    private func idle() -> DefinitionsBuilder {
        var builder = DefinitionsBuilder()
        builder.flow(
            "main", idle: (100, "home"), guarded: ("com.auth", ["home"]), on: ["home": [.current("next")], "next": []])
        return builder
    }

    @Test func `S-34 the timer rests while an idle step waits for its guard, and after it is navigated`() throws {
        let world = try World(root: "main", idle())
        #expect(world.wait(100) == ["guard? com.auth #1: /main home"])
        #expect(world.questions.map(\.client) == [.daemon])
        #expect(world.wait(1_000) == [])
        #expect(
            try world.adapt(1, to: "home") == [
                "did 1 after 0 by : /main home [current next /main]", "did 2 after 1 by : /main next []",
            ])
        #expect(world.waiting == [])
        #expect(world.wait(1_000) == [])
    }

    @Test(arguments: [GuardAnswer.rejected, .timedOut])
    func `S-34 S-12 a rejected idle step is reported, and tried again after the same time`(answer: GuardAnswer) throws {
        let world = try World(root: "main", idle())
        world.wait(100)
        world.now += 30
        #expect(
            world.answer(1, answer) == [
                "failed after 0 by : /main home \(answer == .rejected ? "rejected" : "GuardTimeout")", "timer 230",
            ])
        #expect(world.failures.map(\.isTimed) == [true])
        #expect(world.wait(100) == ["guard? com.auth #2: /main home"])
        world.pass()
        #expect(world.waiting == [])
    }

    @Test func `S-34 a flow that is reached while its idle step waits is idle again after its time`() throws {
        let world = try World(root: "main", idle())
        world.wait(100)
        world.now += 20
        #expect(try world.emit("next", on: "/main").contains("timer 220"))
        #expect(world.answer(1, GuardAnswer.rejected).contains("failed after 0 by : /main home rejected"))
        #expect(world.navigations == ["/main next"])
        #expect(world.wait(100) == ["guard? com.auth #2: /main home", "timer 15000120"])
        world.pass()
        #expect(world.waiting == [])
    }
}
