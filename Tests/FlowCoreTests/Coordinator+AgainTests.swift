import Testing

@testable import FlowCore

/// Empty flows that take their initial step again (S-48).
@Suite("Flow coordinator: flows that begin again")
struct AgainTests {
    /// A root of `autostart` that shows `home`, whose program is `com.home`.
    private func builder(
        whenEmpty: WhenEmpty? = nil, step: String? = nil, action: String? = nil, _ guarded: String? = nil
    ) -> DefinitionsBuilder {
        var builder = DefinitionsBuilder()
        builder.step("open", ["item": "int64"])
        builder.screen("home", presenter: "com.home", action: action, patience: 0)
        builder.screen("page", ["item": "int64"])
        builder.flow(
            "main", initial: "begin", children: .stack, whenEmpty: whenEmpty,
            guarded: guarded.map { (by: $0, steps: ["begin"]) },
            on: [
                "begin": [.screen("home")], "open": [.screen("page")], "leave": [.dismiss("home")],
                "sub": [.flow("sub")],
                "nothing": [],
            ])
        builder.flow(
            "sub", initial: "deep", whenEmpty: .again,
            on: ["deep": [.screen("page", .init(with: [Binding("item", .literal(.int64(1)))]))]])
        builder.autostart = [
            .init(flow: "main", step: step, stepArguments: step == nil ? [] : [Argument("item", .int64(7))])
        ]
        return builder
    }

    private func started(_ builder: DefinitionsBuilder) -> World {
        let world = World(builder)
        world.handle(.started)
        return world
    }

    private func call(_ world: World) throws -> UInt64 {
        let calls = world.effects.compactMap { effect -> UInt64? in
            if case .present(let presentation) = effect { presentation.id.number } else { nil }
        }
        return try #require(calls.last, "\(world.effects.map(\.line))")
    }

    /// How long it takes until the root has a child again, in ms.
    private func pause(_ world: World) -> UInt64 {
        var time: UInt64 = 0
        while world.paths.count == 1, time < 60_000 {
            world.wait(100_000)
            time += 100
        }
        return time
    }

    @Test func `S-48 S-11 flows that empty each other end at the limit of their origin, and then wait for a pause`()
        throws
    {
        var builder = DefinitionsBuilder()
        builder.flow(
            "main", children: .stack, whenEmpty: .stay,
            on: ["again": [.flow("sub", .init(step: "unknown", onDismissed: "again"))]])
        builder.flow("sub", initial: "leave", whenEmpty: .again, on: ["leave": [.end("again")]])
        let world = try World(root: "main", builder)
        let lines = try world.emit("again", on: "/main")
        #expect(lines.filter { $0.contains("NavigationLoop") }.count == 1)
        #expect(lines.filter { $0.hasPrefix("+ /main/sub") }.count < Limits.triggeredSteps)
        #expect(!(try world.state("/main/sub").waiting.isEmpty))
    }

    @Test func `S-48 an empty root of autostart takes its initial step again: at once, then after pauses`() throws {
        let world = started(builder())
        #expect(world.presents == ["/main/home launch"])
        #expect(try world.emit("leave", on: "/main").contains("present com.home #2: /main/home"))
        for expected in [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000] as [UInt64] {
            try world.emit("leave", on: "/main")
            #expect(world.paths == ["/main"])
            #expect(pause(world) == expected)
        }
    }

    @Test func `S-48 the pauses end when it has not been empty for 1 min`() throws {
        let world = started(builder())
        try world.emit("leave", on: "/main")
        world.wait(Limits.survival)
        try world.emit("leave", on: "/main")
        #expect(world.paths == ["/main", "/main/home"])
    }

    @Test func `S-47 S-48 it says why there is nothing to show, until it has a child`() throws {
        let world = started(builder())
        world.presentFails(try call(world), Fault("com.x.Error.NoDisplay", "no display"))
        // It began again at once, and its screen has to wait for the presenter.
        #expect(world.paths == ["/main", "/main/home"])
        try world.emit("leave", on: "/main")
        #expect(world.effects.contains { $0.line.hasPrefix("~ /main waiting=nothing to show") })
        #expect(world.effects.contains { $0.line == "delay /main  500000" })
        #expect(try world.state("/main").waiting == "nothing to show")
        world.wait(500_000)
        #expect(try world.state("/main").waiting == "")
    }

    @Test func `S-48 a root whose first step failed begins again`() throws {
        let world = started(builder(whenEmpty: .again, "com.guard"))
        for pause in [0, 500_000, 1_000_000] as [UInt64] {
            world.wait(pause)
            let question = try #require(world.coordinator.questions.numbers.first, "\(pause)")
            world.answer(question, GuardAnswer.rejected)
        }
        #expect(try world.state("/main").waiting.hasPrefix("nothing to show: "))
        world.own("com.guard", ":1.9")
        world.wait(500_000)
        world.answer(try #require(world.coordinator.questions.numbers.first), .step(try world.id(ofStep: "begin"), []))
        #expect(world.paths == ["/main", "/main/home"])
        #expect(try world.state("/main").waiting == "")
    }

    @Test func `S-48 it takes the step of autostart, with its arguments`() throws {
        let world = started(builder(step: "open"))
        #expect(world.paths == ["/main", "/main/page"])
        try world.dismiss("/main/page")
        #expect(try world.state("/main/page").arguments == [Argument("item", .int64(7))])
    }

    @Test func `S-48 so does a child that says so; a root of a client, and one with another word, do not`() throws {
        let world = started(builder())
        try world.emit("sub", on: "/main")
        try world.dismiss("/main/sub/page")
        #expect(world.paths.contains("/main/sub/page"))
        try world.coordinate("main", by: ":1.3")
        try world.emit("leave", on: "/main_2")
        #expect(world.paths.last == "/main_2")
        let staying = started(builder(whenEmpty: .stay))
        try staying.emit("leave", on: "/main")
        staying.wait(Limits.longestPause)
        #expect(staying.paths == ["/main"])
    }

    @Test func `S-48 one whose last window of an application the user closed stays as it is, also after a restart`()
        throws
    {
        let world = started(builder(action: "show"))
        world.presented(try call(world), by: ":1.9")
        world.vanish(":1.9")
        #expect(world.paths == ["/main"])
        world.restart()
        world.wait(Limits.longestPause)
        #expect(world.paths == ["/main"])
    }

    @Test func `S-32 S-48 a root whose navigator is gone loses its children, and begins again with the name`() throws {
        var builder = DefinitionsBuilder()
        builder.screen("home")
        builder.flow("main", initial: "begin", navigated: (by: "com.nav", steps: ["begin"]))
        builder.autostart = [.init(flow: "main")]
        let world = World(builder)
        world.own("com.nav", ":1.9")
        world.handle(.started)
        world.navigate(try #require(world.coordinator.questions.numbers.first), to: [.screen("home")])
        #expect(world.paths == ["/main", "/main/home"])
        world.own("com.nav", nil)
        #expect(world.paths == ["/main"])
        world.answer(try #require(world.coordinator.questions.numbers.first), NavigatorAnswer.failed("nobody"))
        #expect(try world.state("/main").waiting.contains("nobody"))
        world.wait(500_000)
        world.answer(try #require(world.coordinator.questions.numbers.first), NavigatorAnswer.failed("nobody"))
        world.now += 600_000
        world.own("com.nav", ":1.10")
        world.wait(0)
        world.navigate(try #require(world.coordinator.questions.numbers.first), to: [.screen("home")])
        #expect(world.paths == ["/main", "/main/home"])
    }

    @Test func `D-3 S-48 an empty root begins again after a restart, when its pause is over`() throws {
        let world = started(builder())
        for _ in 1...2 { try world.emit("leave", on: "/main") }
        #expect(world.paths == ["/main"])
        world.restart()
        #expect(world.paths == ["/main"])
        #expect(try world.state("/main").waiting == "nothing to show")
        world.wait(Limits.firstPause - 1)
        #expect(world.paths == ["/main"])
        world.wait(1)
        #expect(world.paths == ["/main", "/main/home"])
    }

    @Test func `D-3 S-48 a root whose initial step waits in a restart says afterwards what failed then`() throws {
        let world = started(builder(whenEmpty: .again, "com.guard"))
        for pause in [0, 500_000] as [UInt64] {
            world.wait(pause)
            world.answer(try #require(world.coordinator.questions.numbers.first), GuardAnswer.failed("early"))
        }
        world.wait(1_000_000)
        let before = world.records.filter { $0.key.kind == .node }
        world.restart()
        #expect(world.records.filter { $0.key.kind == .node } == before)
        world.answer(try #require(world.coordinator.questions.numbers.first), GuardAnswer.failed("late"))
        #expect(try world.state("/main").waiting.contains("late"))
    }

    @Test func `S-16 S-48 it does not begin while a step waits for it`() throws {
        let world = started(builder(whenEmpty: .again, "com.guard"))
        world.answer(try #require(world.coordinator.questions.numbers.first), .step(try world.id(ofStep: "begin"), []))
        world.presented(try call(world), by: ":1.9")
        try world.emit("begin", on: "/main")
        let questions = Set(world.coordinator.questions.numbers)
        try world.dismiss("/main/home", by: ":1.9")
        #expect(world.paths == ["/main"])
        #expect(Set(world.coordinator.questions.numbers) == questions)
        world.answer(try #require(questions.max()), GuardAnswer.rejected)
        #expect(try #require(world.coordinator.questions.numbers.max()) > questions.max() ?? 0)
    }
}
