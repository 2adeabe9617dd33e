import Testing

@testable import FlowCore

@Suite("Flow coordinator: steps in turn")
struct TurnsTests {
    /// A desk that dialogs cover: its prompts become dialogs of the device. Its notes cover nothing.
    private func builder(
        _ whenHidden: WhenHidden = .turn, guarded: (by: String, steps: [String])? = nil,
        device: (by: String, steps: [String])? = nil
    ) -> DefinitionsBuilder {
        var builder = DefinitionsBuilder()
        builder.step("prompt", ["who": "string?"])
        builder.step("ask", ["who": "string?"])
        builder.screen("dialog", ["who": "string?"])
        builder.flow(
            "device", initial: "start", children: .stack, guarded: device,
            on: [
                "start": [.flow("desk", .init(onDismissed: "gone"))],
                "ask": [.screen("dialog", .init(onDismissed: "closed"))],
                "closed": [], "gone": [],
            ])
        builder.flow(
            "desk", initial: "start", whenHidden: whenHidden, whenEmpty: .stay, guarded: guarded,
            on: ["start": [.screen("main")], "prompt": [.parent("ask")], "note": [], "close": [.end()]])
        return builder
    }

    /// A world with a dialog that is open, and prompts that wait.
    private func makeWorld(_ whos: [String] = ["second", "third"], _ builder: DefinitionsBuilder? = nil) throws -> World
    {
        let world = try World(root: "device", builder ?? self.builder())
        #expect(try prompt("first", world).last?.hasPrefix("= navigated") == true)
        for who in whos { #expect(try prompt(who, world) == ["= deferred 0"]) }
        return world
    }

    @discardableResult
    private func prompt(
        _ who: String, _ world: World, by client: String = ":1.1", token: String? = nil
    ) throws -> [String] {
        try world.emit("prompt", ["who": .string(who)], on: "/device/desk", by: client, token: token)
    }

    /// Who has a dialog, from the lowest.
    private func dialogs(_ world: World) -> [String] {
        world.live.filter { $0.name == "dialog" }.map { $0.arguments["who"]?.value.description ?? "" }
    }

    private func deferred(_ world: World, at path: String = "/device/desk") throws -> Int {
        try world.forestNode(path).deferredSteps.count
    }

    // MARK: One after the other

    @Test func `S-16 turn: prompts that came while one was open follow one by one, in their order`() throws {
        let world = try makeWorld()
        #expect(dialogs(world) == ["first"])
        try world.back("/device")
        #expect(dialogs(world) == ["second"])
        // Later ones join behind.
        #expect(try prompt("fourth", world) == ["= deferred 0"])
        for who in ["third", "fourth"] {
            try world.back("/device")
            #expect(dialogs(world) == [who])
        }
        try world.back("/device")
        #expect(dialogs(world) == [])
        #expect(try world.isPresented("/device/desk"))
    }

    @Test func `S-16 queue: all of them are taken when the presentable is presented`() throws {
        let world = try makeWorld(["second", "third"], builder(.queue))
        try world.back("/device")
        #expect(dialogs(world) == ["second", "third"])
    }

    @Test func `S-16 turn: what leaves the presentable presented is followed at once`() throws {
        let world = try makeWorld(["second"])
        for step in ["note", "note"] { try world.emit(step, on: "/device/desk", by: ":1.5") }
        try prompt("third", world)
        try world.back("/device")
        try world.back("/device")
        #expect(
            world.navigations == [
                "/device ", "/device/desk note", "/device/desk note", "/device/desk prompt", "/device ask",
                "/device closed",
            ])
        #expect(dialogs(world) == ["third"])
    }

    @Test func `S-16 S-23 turn: the step for the dialog that went comes behind the one that has its turn`() throws {
        let world = try makeWorld()
        #expect(
            try world.dismiss("/device/dialog").filter { $0.hasPrefix("did") } == [
                "did 5 after 0 by :1.1: /device/desk prompt {who=second} [parent ask /device {who=second}]",
                "did 6 after 5 by :1.1: /device ask {who=second} [screen dialog /device/dialog {who=second}]",
                "did 7 after 0 by :1.1: /device closed []",
            ])
    }

    @Test func `S-16 turn: the initial step has the first turn`() throws {
        var builder = DefinitionsBuilder()
        builder.flow(
            "main", children: .stack,
            on: [
                "open": [.screen("page", .init(step: "hello", whenHidden: .turn))], "hello": [.screen("cover")],
                "go": [],
            ])
        let world = try World(root: "main", builder)
        try world.emit("open", on: "/main")
        try world.emit("go", on: "/main/page")
        try world.show("/main/page")
        #expect(world.navigations == ["/main hello"])
        #expect(try deferred(world, at: "/main/page") == 1)
        try world.back("/main")
        #expect(world.navigations.last == "/main go")
    }

    @Test func `S-16 S-6 two presentables have turns of their own`() throws {
        var builder = DefinitionsBuilder()
        builder.flow(
            "main", guarded: ("com.auth", ["slow"]),
            on: [
                "open": [.screen("a", .init(whenHidden: .turn)), .flow("sub", .init(whenHidden: .turn))], "slow": [],
                "go": [],
            ])
        builder.flow("sub", on: ["go": []])
        let world = try World(root: "main", builder)
        try world.emit("open", on: "/main")
        for step in ["slow", "go"] { try world.emit(step, on: "/main/a") }
        try world.hide("/main/sub")
        for _ in 1...2 { try world.emit("go", on: "/main/sub") }
        #expect(try world.show("/main/a").contains("guard? com.auth #1: /main slow"))
        try world.show("/main/sub")
        #expect(world.navigations == ["/main/sub go", "/main/sub go"])
        #expect(try deferred(world, at: "/main/a") == 1)
        try world.adapt(1, to: "slow")
        #expect(world.navigations == ["/main slow", "/main go"])
    }

    // MARK: Where others are asked

    @Test func `S-16 S-5 turn: a step that a guard is asked about has its turn until the answer`() throws {
        let world = try World(root: "device", builder(guarded: ("com.auth", ["prompt"])))
        // One that did not wait at the gate has a turn, too: the next ones join behind.
        #expect(try prompt("first", world).first == "guard? com.auth #1: /device/desk prompt {who=first}")
        for who in ["second", "third"] { #expect(try prompt(who, world) == ["= deferred 0"]) }
        try world.adapt(1, to: "prompt", ["who": .string("first")])
        #expect(dialogs(world) == ["first"])
        #expect(try world.back("/device").contains("guard? com.auth #2: /device/desk prompt {who=second}"))
        #expect(try deferred(world) == 1)
        // The verdict of the guard ends the turn, too.
        #expect(
            world.answer(2, GuardAnswer.rejected) == [
                "failed after 0 by :1.1: /device/desk prompt rejected",
                "guard? com.auth #3: /device/desk prompt {who=third}",
            ])
        #expect(try deferred(world) == 0)
    }

    @Test func `S-16 S-6 turn: a step that it triggered and that waits elsewhere is part of its turn`() throws {
        let world = try World(root: "device", builder(device: ("com.auth", ["ask"])))
        #expect(try prompt("first", world).last == "= navigated 3")
        #expect(try prompt("second", world) == ["= deferred 0"])
        // The guard is asked about the second one only after the first dialog has gone.
        #expect(world.coordinator.questions.count == 1)
        try world.adapt(1, to: "ask", ["who": .string("first")])
        #expect(dialogs(world) == ["first"])
        #expect(world.coordinator.questions.count == 0)
        try world.dismiss("/device/dialog")
        #expect(world.coordinator.questions.count == 1)
        #expect(try deferred(world) == 0)
    }

    @Test func `S-16 S-7 EmitSteps: each step has its turn when the cascade of the one before has ended`() throws {
        let world = try World(root: "device", builder())
        #expect(
            try world.emitAll(["note", "note", "prompt", "note", "prompt"], on: "/device/desk").last
                == "= [navigated 3, navigated 4, navigated 5, deferred, deferred]")
        try world.back("/device")
        #expect(world.navigations.prefix(3) == ["/device ", "/device/desk note", "/device/desk prompt"])
    }

    @Test func `S-16 S-7 turn: slices change nothing`() throws {
        let world = try makeWorld(["second", "third", "fourth"])
        for _ in 0..<20 { try world.emit("note", on: "/device/desk", by: ":1.5") }
        world.sliceSize = 1
        for who in ["second", "third", "fourth"] {
            try world.back("/device")
            #expect(dialogs(world) == [who])
        }
        try world.back("/device")
        #expect(world.navigations.count == 22)
    }

    // MARK: With other rules

    @Test func `S-16 S-9 turn: a repeated token gets deferred, and the step is taken once`() throws {
        let world = try makeWorld([])
        for _ in 1...2 { #expect(try prompt("second", world, token: "t") == ["= deferred 0"]) }
        #expect(try deferred(world) == 1)
        try world.back("/device")
        #expect(try prompt("second", world, token: "t") == ["= deferred 0"])
        try world.back("/device")
        #expect(dialogs(world) == [])
    }

    @Test func `S-16 S-15 the setting at the time of the release counts, also after a reload`() throws {
        for (before, after, count) in [
            (WhenHidden.turn, WhenHidden.queue, 2), (.queue, .turn, 1), (.turn, .ignore, 2), (.latest, .turn, 1),
        ] {
            let world = try makeWorld(["second", "third"], builder(before == .latest ? .queue : before))
            #expect(world.reload(builder(after)) == [])
            try world.back("/device")
            #expect(dialogs(world).count == count, "\(before) \(after)")
        }
    }

    @Test func `S-16 turn: a reload while a step has its turn does not release the next one`() throws {
        let world = try World(root: "device", builder(guarded: ("com.auth", ["prompt"])))
        try prompt("first", world)
        for _ in 1...2 { try world.emit("note", on: "/device/desk") }
        #expect(world.reload(builder(.queue, guarded: ("com.auth", ["prompt"]))) == [])
        #expect(try deferred(world) == 2)
        world.answer(1, GuardAnswer.rejected)
        #expect(world.navigations == ["/device/desk note", "/device/desk note"])
    }

    @Test(arguments: [true, false])
    func `S-16 D-3 turn: a restart keeps the line, and who has the turn`(onSameBus: Bool) throws {
        let world = try World(root: "device", builder(device: ("com.auth", ["ask"])))
        try prompt("first", world)
        for who in ["second", "third"] { try prompt(who, world) }
        // The step of the client has ended; what it triggered waits.
        #expect(world.restart(onSameBus: onSameBus).contains { $0.hasPrefix("guard? com.auth #1: /device ask") })
        #expect(try deferred(world) == 2)
        #expect(world.coordinator.questions.count == 1)
        try world.adapt(1, to: "ask", ["who": .string("first")])
        #expect(dialogs(world) == ["first"])
        world.restart(onSameBus: onSameBus)
        #expect(try deferred(world) == 2)
        try world.dismiss("/device/dialog")
        #expect(try deferred(world) == 1)
        #expect(world.coordinator.questions.count == 1)
    }

    @Test func `S-16 D-3 turn: after a restart without the guard the line goes on`() throws {
        let world = try World(root: "device", builder(guarded: ("com.auth", ["prompt"])))
        try prompt("first", world)
        for who in ["second", "third"] { try prompt(who, world) }
        world.restart(builder())
        #expect(dialogs(world) == ["first"])
        #expect(try deferred(world) == 2)
    }

    @Test func `S-16 S-34 turn: an idle step joins the line, with turn of its own`() throws {
        for (whenHidden, isBehind) in [(WhenHidden.turn, true), (.allow, false)] {
            var builder = builder()
            builder.flow(
                "desk", initial: "start", whenHidden: .turn, idle: (100, "home"), idleWhenHidden: whenHidden,
                on: ["start": [.screen("main")], "prompt": [.parent("ask")], "home": []])
            let world = try makeWorld(["second"], builder)
            world.wait(200)
            #expect(world.navigations == (isBehind ? [] : ["/device/desk home"]))
            #expect(try deferred(world) == (isBehind ? 2 : 1))
            try world.back("/device")
            #expect(try deferred(world) == (isBehind ? 1 : 0))
            try world.back("/device")
            #expect(world.navigations.contains("/device/desk home") == isBehind)
        }
    }

    @Test func `S-16 S-33 turn: as many steps wait as with queue`() throws {
        let world = try makeWorld([])
        for _ in 0..<Limits.deferredStepsPerClient { try prompt("x", world) }
        #expect(try prompt("x", world) == ["! LimitExceeded"])
        #expect(try world.refusal().message.contains("deferred for '/device/desk'"))
        // The one that has its turn does not count any more.
        try world.back("/device")
        #expect(try prompt("x", world) == ["= deferred 0"])
    }

    @Test func `S-16 S-15 turn: a presentable that goes takes its line with it`() throws {
        let world = try makeWorld()
        #expect(
            try world.dismiss("/device/desk").filter { $0.hasPrefix("failed") }
                == Array(repeating: "failed after 0 by :1.1: /device prompt FlowEnded", count: 2))
    }

    @Test func `S-16 S-22 turn: a step that has its turn is taken though its flow's screen is gone`() throws {
        var builder = DefinitionsBuilder()
        builder.flow(
            "main", guarded: ("com.auth", ["slow"]),
            on: ["open": [.screen("a", .init(whenHidden: .turn))], "slow": [], "go": []])
        let world = try World(root: "main", builder)
        try world.emit("open", on: "/main")
        for step in ["slow", "go"] { try world.emit(step, on: "/main/a") }
        try world.show("/main/a")
        #expect(try world.dismiss("/main/a").contains("failed after 0 by :1.1: /main go PresentableDismissed"))
        try world.adapt(1, to: "slow")
        #expect(world.navigations == ["/main slow"])
    }

    @Test func `S-16 S-44 turn: an evicted screen keeps its line`() throws {
        var builder = DefinitionsBuilder()
        builder.screen("note", presenter: "com.note", evictAfter: 5_000_000)
        builder.flow(
            "main", initial: "open", children: .stack,
            on: [
                "open": [.screen("note", .init(whenHidden: .turn))], "cover": [.screen("page")],
                "uncover": [.pop("note")],
                "go": [],
            ])
        let world = try World(root: "main", builder)
        world.presented(1, by: ":1.7")
        try world.show("/main/note", by: ":1.7")
        try world.emit("cover", on: "/main")
        for _ in 1...2 { #expect(try world.emit("go", on: "/main/note") == ["= deferred 0"]) }
        world.wait(5_000_000)
        try world.release("/main/note", by: ":1.7")
        try world.emit("uncover", on: "/main")
        #expect(try deferred(world, at: "/main/note") == 2)
        world.presented(2, by: ":1.8")
        try world.show("/main/note", by: ":1.8")
        #expect(try deferred(world, at: "/main/note") == 0)
        #expect(world.navigations == ["/main go", "/main go"])
    }

    @Test func `S-16 Explain says how many stand before`() throws {
        let world = try makeWorld()
        func lines() throws -> [String] {
            world.coordinator.explain(
                try world.id(ofStep: "prompt"), [], on: try world.node("/device/desk"), by: Client(":1.1"),
                at: Instant(microseconds: 0)
            ).lines
        }
        #expect(
            try lines().contains("  so the step is deferred until its turn (whenHidden = \"turn\"), behind 2 others"))
        let asked = try World(root: "device", builder(guarded: ("com.auth", ["prompt"])))
        try prompt("first", asked)
        let explanation = asked.coordinator.explain(
            try asked.id(ofStep: "note"), [], on: try asked.node("/device/desk"), by: Client(":1.1"),
            at: Instant(microseconds: 0))
        #expect(explanation.outcome == .ignored(.deferred))
        #expect(explanation.lines.contains("  a step before it has its turn, and waits for an answer"))
    }
}
