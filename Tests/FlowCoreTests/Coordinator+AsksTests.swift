import Testing

@testable import FlowCore

/// Clients that ask, and what they are answered (S-45).
@Suite("Flow coordinator: asks")
struct AsksTests {
    static func builder(isReused: Bool = false) -> DefinitionsBuilder {
        var builder = DefinitionsBuilder()
        builder.screen("pad", result: ["pin": "int64"])
        builder.screen("list", result: ["item": "int64"])
        builder.screen("plain")
        builder.step("enter", ["pin": "int64"])
        builder.flow(
            "main", initial: "home", children: .stack,
            on: [
                "home": [.screen("editor")],
                "ask": [.screen("pad", .init(reuses: isReused))], "pick": [.flow("picker")],
                "both": [.screen("plain"), .screen("list"), .screen("pad")],
                "late": [.screen("plain"), .current("ask")], "later": [.flow("outer")],
                "open": [.screen("plain")], "clear": [.popRoot], "leave": [.end()],
                "hidden": [.screen("plain", .init(step: "ask"))],
                "swap": [.screen("pad", .init(clears: true))],
            ])
        builder.flow(
            "picker", result: ["pin": "int64"], initial: "begin", children: .stack,
            on: [
                "begin": [.screen("plain")], "enter": [.answer([Binding("pin", .step("pin"))])], "cancel": [.end()],
            ])
        builder.flow("outer", initial: "begin", on: ["begin": [.flow("picker")]])
        builder.flow(
            "safe", initial: "begin", guarded: (by: "com.guard", steps: ["ask"]),
            on: ["begin": [.screen("plain")], "ask": [.screen("pad")]])
        builder.flow(
            "shy", initial: "begin", whenHidden: .latest, on: ["begin": [.screen("plain")], "ask": [.screen("pad")]])
        return builder
    }

    private func makeWorld(_ builder: DefinitionsBuilder = Self.builder(), root: String = "main") throws -> World {
        let world = World(builder)
        try world.coordinate(root)
        return world
    }

    /// A world with `/main/editor`, shown and owned by `:1.7`.
    private func owned(_ builder: DefinitionsBuilder = Self.builder()) throws -> World {
        let world = try makeWorld(builder)
        try world.claim("/main/editor", by: ":1.7")
        try world.show("/main/editor", by: ":1.7")
        return world
    }

    private func asks(_ world: World, _ path: String) throws -> Int { try world.forestNode(path).askCount }

    // MARK: What it is about

    @Test
    func `S-45 an ask gets the verdict as ever, and Answered once, after the reply, from the path that was called`()
        throws
    {
        let world = try makeWorld()
        #expect(try world.ask("ask", on: "/main").last == "= navigated 2")
        #expect(world.told.isEmpty)
        try world.claim("/main/pad", by: ":1.3")
        let lines = try world.finish("/main/pad", ["pin": .byte(5)], by: ":1.3")
        #expect(lines.suffix(2) == ["= done", "answered /main for :1.1 t: result {pin=5}"])
        #expect(world.effects.contains { $0 == world.effects.last })
        try world.ask("ask", on: "/main", token: "u")
        #expect(world.told.isEmpty)
        try world.emit(
            "pick", on: "/main",
            options: EmissionOptions(token: "v", calledAt: "/instance/1", asks: true))
        #expect(
            try world.emit("enter", ["pin": .int64(7)], on: "/main/picker").last
                == "answered /instance/1 for :1.1 v: result {pin=7}")
    }

    @Test func `S-45 all values of an answer are private`() throws {
        let world = try makeWorld()
        try world.ask("pick", on: "/main")
        try world.emit("enter", ["pin": .int64(4_711)], on: "/main/picker")
        guard case .emitAnswered(let answered)? = world.effects.last else {
            Issue.record("no answer")
            return
        }
        #expect(answered.answer.result.allSatisfy { $0.isPrivate })
    }

    @Test func `S-45 without a token an ask is an error, and nothing changes`() throws {
        let world = try makeWorld()
        let before = world.standing
        try world.emit("ask", on: "/main", options: EmissionOptions(asks: true))
        let error = try world.refusal()
        #expect(error.code == .invalidArguments && error.message.contains("'token'"))
        #expect(world.standing == before)
    }

    @Test(arguments: [("both", "/main/list"), ("late", "/main/pad"), ("later", "/main/outer/picker")])
    func `S-45 it is about the first presentable with a result that the chain makes, in the order of the list`(
        _ step: String, _ path: String
    ) throws {
        let world = try makeWorld()
        try world.ask(step, on: "/main")
        #expect(world.told.isEmpty)
        try world.dismiss(path)
        #expect(world.told == ["answered /main for :1.1 t: dismissed"])
    }

    @Test func `S-45 a chain that makes nothing with a result is answered with nothing, after the verdict`() throws {
        let world = try makeWorld()
        #expect(
            try world.ask("open", on: "/main").suffix(2) == ["= navigated 2", "answered /main for :1.1 t: nothing"])
        // An initial step that waits for its screen is not waited for.
        #expect(try world.ask("hidden", on: "/main", token: "u").last == "answered /main for :1.1 u: nothing")
    }

    @Test(arguments: ["enter", "nowhere"])
    func `S-45 other verdicts have no Answered, and nothing stays remembered`(_ step: String) throws {
        var builder = Self.builder()
        builder.step("nowhere")
        let world = try makeWorld(builder)
        try world.emit(
            step, step == "enter" ? ["pin": .int64(1)] : [:], on: "/main",
            options: EmissionOptions(token: "t", asks: true))
        #expect(world.effects.last?.line == "= unhandled 0")
        #expect(world.coordinator.machine.asks.isEmpty)
        // The editor is not presented, and ignores it.
        try world.ask("ask", on: "/main/editor", token: "u")
        #expect(world.effects.last?.line == "= hidden 0")
        #expect(world.coordinator.machine.asks.isEmpty)
    }

    @Test func `S-45 a deferred step is followed when it is taken, and nothing is the answer if it is lost`() throws {
        let world = try makeWorld(root: "shy")
        try world.hide("/shy")
        #expect(try world.ask("ask", on: "/shy") == ["= deferred 0"])
        // A newer one takes its place.
        #expect(try world.ask("ask", on: "/shy", token: "u").last == "answered /shy for :1.1 t: nothing")
        try world.show("/shy")
        #expect(world.told.isEmpty)
        try world.dismiss("/shy/pad")
        #expect(world.told == ["answered /shy for :1.1 u: dismissed"])
        try world.hide("/shy")
        try world.ask("ask", on: "/shy", token: "v")
        try world.dismiss("/shy")
        #expect(world.told == ["answered /shy for :1.1 v: nothing"])
    }

    @Test
    func `S-45 a pending step that fails is answered with nothing, one that is rejected in time with its verdict`()
        throws
    {
        let world = try makeWorld(root: "safe")
        #expect(try world.ask("ask", on: "/safe", waits: false).last == "= pending 0")
        world.answer(1, GuardAnswer.rejected)
        #expect(world.told == ["answered /safe for :1.1 t: nothing"])
        try world.ask("ask", on: "/safe", token: "u")
        world.answer(2, GuardAnswer.rejected)
        #expect(world.told.isEmpty)
        try world.ask("ask", on: "/safe", token: "v", waits: false)
        try world.adapt(3, to: "ask")
        #expect(world.told.isEmpty)
        // The verdict of a repeated call is the one that is known by now.
        #expect(try world.ask("ask", on: "/safe", token: "v").last?.hasPrefix("= navigated") == true)
        try world.dismiss("/safe/pad")
        #expect(world.told == ["answered /safe for :1.1 v: dismissed"])
    }

    // MARK: Outcomes

    @Test(arguments: [
        ("rule", "clear"), ("parent", "leave"), ("back", ""), ("dismissed", ""), ("failed", ""), ("ownerGone", ""),
        ("replaced", "ask"), ("presentFailed", ""), ("ownerHangs", ""), ("undeclared", ""),
    ])
    func `S-45 the outcome says what became of what was asked`(_ outcome: String, _ step: String) throws {
        var builder = Self.builder(isReused: true)
        let hasPresenter = ["presentFailed", "ownerHangs"].contains(outcome)
        builder.screen(
            "pad", presenter: hasPresenter ? "com.pad" : nil, watchdog: outcome == "ownerHangs" ? 1_000_000 : nil,
            result: ["pin": "int64"])
        let world = try makeWorld(builder)
        try world.ask("ask", on: "/main")
        switch outcome {
        case "back": try world.back("/main")
        case "dismissed": try world.dismiss("/main/pad")
        case "failed":
            try world.claim("/main/pad", by: ":1.5")
            world.handle(
                .presentableDismissed(
                    world.nextRequest(), try world.node("/main/pad"), by: Client(":1.5"), fault: Fault("x.y", "z")))
        case "ownerGone":
            try world.claim("/main/pad", by: ":1.5")
            world.vanish(":1.5")
        case "presentFailed": world.presentFails(1)
        case "ownerHangs":
            world.presented(1, by: ":1.5")
            try world.show("/main/pad", by: ":1.5")
            world.answer(2, .alive)
            world.wait(1_000_000)
            world.answer(3, AliveAnswer.silent)
        case "undeclared":
            var without = Self.builder(isReused: true)
            without.screen("pad")
            world.reload(without)
            #expect(world.paths.contains("/main/pad"))
        default: try world.emit(step, on: "/main", by: ":1.4")
        }
        #expect(world.told == ["answered /main for :1.1 t: \(outcome)"])
        // Once.
        if world.paths.contains("/main/pad") { try world.dismiss("/main/pad") }
        #expect(outcome == "ownerHangs" || world.told.isEmpty || !world.paths.contains("/main/pad"))
    }

    @Test func `S-45 a flow that ends by itself without a result has ended, and one without a child is empty`() throws {
        let world = try makeWorld()
        try world.ask("pick", on: "/main")
        try world.emit("cancel", on: "/main/picker")
        #expect(world.told == ["answered /main for :1.1 t: ended"])
        try world.ask("pick", on: "/main", token: "u")
        try world.dismiss("/main/picker/plain")
        #expect(world.told == ["answered /main for :1.1 u: empty"])
    }

    @Test func `S-45 a reload without the screen is undeclared`() throws {
        let world = try makeWorld()
        try world.ask("ask", on: "/main")
        var builder = DefinitionsBuilder()
        builder.flow("main", initial: "home", on: ["home": [.screen("editor")]])
        world.reload(builder)
        #expect(world.told == ["answered /main for :1.1 t: undeclared"])
    }

    @Test func `S-45 another ask that reuses it gets the answer from then on`() throws {
        let world = try makeWorld(Self.builder(isReused: true))
        try world.ask("ask", on: "/main")
        try world.ask("ask", on: "/main", by: ":1.2")
        #expect(world.told == ["answered /main for :1.1 t: replaced"])
        try world.dismiss("/main/pad")
        #expect(world.told == ["answered /main for :1.2 t: dismissed"])
    }

    // MARK: Repeated calls

    @Test func `S-45 S-9 the token is remembered until it is answered, and 60 s more, and signals again`() throws {
        let world = try makeWorld()
        try world.ask("ask", on: "/main")
        world.wait(3_600_000_000)
        #expect(try world.ask("ask", on: "/main") == ["= navigated 2"])
        try world.dismiss("/main/pad")
        #expect(world.told.count == 1)
        world.wait(59_000_000)
        #expect(
            try world.ask("ask", on: "/main").suffix(2) == ["= navigated 2", "answered /main for :1.1 t: dismissed"])
        // The presentable may be gone.
        try world.dismiss("/main")
        let client = Client(":1.1")
        let now = Instant(microseconds: world.now)
        let isKnown = world.coordinator.remembersEmission("t", by: client, at: now)
        #expect(isKnown)
        world.handle(.emissionRepeated(world.nextRequest(), token: "t", by: client))
        #expect(world.effects.map(\.line) == ["= navigated 2", "answered /main for :1.1 t: dismissed"])
        world.wait(1_000_000)
        #expect(world.coordinator.machine.asks.isEmpty)
        let isStillKnown = world.coordinator.remembersEmission("t", by: client, at: Instant(microseconds: world.now))
        #expect(!isStillKnown)
        try world.coordinate("main")
        #expect(try world.ask("ask", on: "/main").last?.hasPrefix("= navigated") == true)
        #expect(world.told.isEmpty)
    }

    @Test func `S-45 an ask of a connection goes with it`() throws {
        let world = try makeWorld()
        try world.ask("ask", on: "/main", by: ":1.2")
        #expect(world.watched.contains(":1.2"))
        world.vanish(":1.2")
        #expect(world.coordinator.machine.asks.isEmpty)
        try world.dismiss("/main/pad")
        #expect(world.told.isEmpty)
        #expect(world.coordinator.accounting.clients[Client(":1.2")]?.bytes ?? 0 == 0)
    }

    // MARK: Asks of a presentable

    @Test func `S-45 an ask of its owner belongs to the presentable: its next owner gets the answer`() throws {
        let world = try owned()
        try world.ask("ask", on: "/main/editor", by: ":1.7")
        #expect(try asks(world, "/main/editor") == 1)
        try world.release("/main/editor", by: ":1.7")
        try world.claim("/main/editor", by: ":1.8")
        #expect(world.told.isEmpty)
        // The same token from another owner asks nothing anew.
        #expect(try world.ask("ask", on: "/main/editor", by: ":1.8") == ["= navigated 2"])
        try world.dismiss("/main/pad")
        #expect(world.told == ["answered /main/editor for :1.8 t: dismissed"])
        #expect(try asks(world, "/main/editor") == 1)
        // The answer stays, for this owner and the next one.
        #expect(
            try world.ask("ask", on: "/main/editor", by: ":1.8").suffix(2) == [
                "= navigated 2", "answered /main/editor for :1.8 t: dismissed",
            ])
        world.wait(3_600_000_000)
        try world.release("/main/editor", by: ":1.8")
        #expect(
            try world.claim("/main/editor", by: ":1.9").last == "answered /main/editor for :1.9 t: dismissed")
        #expect(try world.acknowledge("/main/editor", by: ":1.9") == ["= done"])
        #expect(try asks(world, "/main/editor") == 0)
        // The verdict is remembered for a time.
        #expect(try world.ask("ask", on: "/main/editor", by: ":1.9") == ["= navigated 2"])
        world.wait(60_000_000)
        #expect(world.coordinator.machine.asks.isEmpty)
    }

    @Test func `S-45 an answer that comes while nobody owns the asker waits for the next owner`() throws {
        let world = try owned()
        try world.ask("ask", on: "/main/editor", by: ":1.7")
        try world.release("/main/editor", by: ":1.7")
        try world.dismiss("/main/pad")
        #expect(world.told.isEmpty)
        try world.claim("/main/editor", by: ":1.8")
        #expect(world.told == ["answered /main/editor for :1.8 t: dismissed"])
    }

    @Test func `S-45 each Present has the answers that are not acknowledged`() throws {
        var builder = Self.builder()
        builder.screen("editor", presenter: "com.editor", whenOwnerGone: .present)
        let world = try makeWorld(builder)
        // While Present is under way, the presenter acts as the owner.
        world.own("com.editor", ":1.7")
        try world.ask("ask", on: "/main/editor", by: ":1.7")
        #expect(world.effects.last?.line == "= hidden 0")
        world.presented(1, by: ":1.7")
        try world.show("/main/editor", by: ":1.7")
        try world.ask("ask", on: "/main/editor", by: ":1.7", token: "a")
        try world.show("/main/pad", by: ":1.3")
        world.vanish(":1.7")
        #expect(world.told.isEmpty && world.presents.isEmpty)
        try world.claim("/main/pad", by: ":1.3")
        // In sight again, the screen is presented, with the answer.
        try world.finish("/main/pad", ["pin": .int64(5)], by: ":1.3")
        #expect(
            world.effects.contains { $0.line == "present com.editor #2: /main/editor recover answer=a:result {pin=5}" },
            "\(world.effects.map(\.line))")
        world.presented(2, by: ":1.8")
        #expect(world.told.isEmpty, "the call had it")
        try world.show("/main/editor", by: ":1.8")
        // Covered and in sight again: still there, until it is acknowledged.
        try world.emit("open", on: "/main")
        try world.dismiss("/main/plain")
        #expect(world.effects.contains { $0.line.contains("answer=a:result {pin=5}") })
        #expect(try world.acknowledge("/main/editor", by: ":1.8", token: "a") == ["= done"])
        try world.emit("open", on: "/main")
        try world.dismiss("/main/plain")
        #expect(!world.effects.contains { $0.line.contains("answer=") })
    }

    @Test func `S-45 an answer that comes while Present is under way is told to the new owner`() throws {
        var builder = Self.builder()
        builder.screen("editor", presenter: "com.editor", whenOwnerGone: .present)
        builder.flow("main", initial: "home", on: ["home": [.screen("editor")], "ask": [.screen("pad")]])
        let world = try makeWorld(builder)
        world.presented(1, by: ":1.7")
        try world.show("/main/editor", by: ":1.7")
        try world.ask("ask", on: "/main/editor", by: ":1.7")
        world.vanish(":1.7")
        #expect(world.effects.contains { $0.line.hasPrefix("present com.editor #2") })
        try world.dismiss("/main/pad")
        #expect(world.told.isEmpty)
        world.presented(2, by: ":1.8")
        #expect(world.told == ["answered /main/editor for :1.8 t: dismissed"])
    }

    @Test func `S-45 AcknowledgeAnswer is for the owner, with a known token`() throws {
        let world = try owned()
        try world.ask("ask", on: "/main/editor", by: ":1.7")
        try world.acknowledge("/main/editor", by: ":1.1")
        #expect(try world.refusal().code == .notOwner)
        let before = world.standing
        try world.acknowledge("/main/editor", by: ":1.7", token: "other")
        let error = try world.refusal()
        #expect(error.code == .invalidArguments && error.message.contains("'other'"))
        #expect(world.standing == before)
    }

    @Test func `S-45 AcknowledgeAnswer without an answer withdraws the ask`() throws {
        let world = try owned()
        try world.ask("ask", on: "/main/editor", by: ":1.7")
        #expect(try world.acknowledge("/main/editor", by: ":1.7") == ["= done"])
        #expect(try asks(world, "/main/editor") == 0)
        #expect(try world.ask("ask", on: "/main/editor", by: ":1.7") == ["= navigated 2"])
        try world.dismiss("/main/pad")
        #expect(world.told.isEmpty)
        // Again, for who did not get the reply.
        #expect(try world.acknowledge("/main/editor", by: ":1.7") == ["= done"])
    }

    @Test func `S-45 a flow that a client owns asks and acknowledges in the same way`() throws {
        let world = try makeWorld()
        try world.claim("/main", by: ":1.7")
        try world.ask("ask", on: "/main", by: ":1.7")
        #expect(try asks(world, "/main") == 1)
        try world.dismiss("/main/pad")
        #expect(world.told == ["answered /main for :1.7 t: dismissed"])
        #expect(try world.acknowledge("/main", by: ":1.7") == ["= done"])
    }

    @Test func `S-45 if the asker goes first, its last owner gets the answer, if it is connected`() throws {
        let world = try owned()
        try world.ask("swap", on: "/main/editor", by: ":1.7")
        #expect(!world.paths.contains("/main/editor"))
        try world.dismiss("/main/pad")
        #expect(world.told == ["answered /main/editor for :1.7 t: dismissed"])

        let other = try owned()
        try other.ask("ask", on: "/main/editor", by: ":1.7")
        try other.dismiss("/main/editor", by: ":1.7")
        other.vanish(":1.7")
        #expect(other.coordinator.machine.asks.isEmpty)

        // An answer that was there goes with it; the verdict stays for a time.
        let third = try owned()
        try third.ask("ask", on: "/main/editor", by: ":1.7")
        try third.dismiss("/main/pad")
        try third.dismiss("/main/editor", by: ":1.7")
        third.handle(.emissionRepeated(third.nextRequest(), token: "t", by: Client(":1.7")))
        #expect(third.effects.map(\.line) == ["= navigated 2"])
    }

    // MARK: Limits

    @Test func `S-45 S-33 a presentable has 16 asks that are not acknowledged at most`() throws {
        let world = try owned()
        for number in 1...16 {
            try world.ask("late", on: "/main/editor", by: ":1.7", token: "\(number)")
            try world.dismiss("/main/pad")
            try world.dismiss("/main/plain")
        }
        #expect(try asks(world, "/main/editor") == 16)
        let before = world.standing
        try world.ask("ask", on: "/main/editor", by: ":1.7", token: "17")
        #expect(try world.refusal().code == .limitExceeded)
        #expect(world.standing == before)
        // Others have their own.
        #expect(
            try world.ask("ask", on: "/main/editor", by: ":1.8", token: "17").last?.hasPrefix("= navigated") == true)
        try world.dismiss("/main/pad")
        #expect(world.told == ["answered /main/editor for :1.8 17: dismissed"])
        // The same call can be made when there is room.
        try world.acknowledge("/main/editor", by: ":1.7", token: "3")
        #expect(
            try world.ask("ask", on: "/main/editor", by: ":1.7", token: "17").last?.hasPrefix("= navigated") == true)
    }

    @Test func `S-45 S-33 an ask counts as arguments of its client, and is refused alone when it is made`() throws {
        var quotas = Quotas.service
        quotas.bytes = Quotas.Quota(perClient: Limits.argumentBytes + 40, total: .max)
        let world = World(Self.builder(), quotas: quotas)
        try world.coordinate("main", by: ":1.0")
        // There is room for the largest answer, as an answer is never refused.
        try world.ask("pick", on: "/main", by: ":1.2", token: "0123456789")
        #expect(world.coordinator.accounting.clients[Client(":1.2")]?.bytes == Limits.argumentBytes + 10)
        let before = world.standing
        try world.ask("pick", on: "/main", by: ":1.2", token: "u")
        #expect(try world.refusal().code == .limitExceeded)
        #expect(world.standing == before)
        #expect(try world.ask("ask", on: "/main", by: ":1.3", token: "u").last?.hasPrefix("= navigated") == true)
        try world.dismiss("/main/pad", by: ":1.0")
        try world.emit("enter", ["pin": .int64(1)], on: "/main/picker", by: ":1.0")
        #expect(world.told == ["answered /main for :1.2 0123456789: result {pin=1}"])
        let kept = try #require(world.coordinator.accounting.clients[Client(":1.2")]?.bytes)
        #expect(kept > 10 && kept < 1_000)
        world.wait(60_000_000)
        #expect(world.coordinator.accounting.clients[Client(":1.2")] == nil)
    }

    @Test func `S-45 S-33 the token of an ask counts as long as it is remembered`() throws {
        var quotas = Quotas.service
        quotas.tokens = Quotas.Quota(perClient: 1, total: 10)
        let world = World(Self.builder(), quotas: quotas)
        try world.coordinate("main")
        try world.ask("ask", on: "/main")
        world.wait(60_000_000)
        try world.ask("ask", on: "/main", token: "u")
        #expect(try world.refusal().code == .limitExceeded)
        #expect(try world.ask("ask", on: "/main", by: ":1.2", token: "u").last?.hasPrefix("= navigated") == true)
        try world.dismiss("/main/pad")
        world.wait(60_000_000)
        #expect(try world.ask("ask", on: "/main", token: "u").last?.hasPrefix("= navigated") == true)
    }

    @Test func `S-45 Explain says that an ask ends, and no value`() throws {
        let world = try makeWorld()
        try world.ask("pick", on: "/main")
        let coordinator = world.coordinator.copy()
        let text = coordinator.explain(
            try world.id(ofStep: "enter"), [Argument("pin", .int64(4_711))], on: try world.node("/main/picker"),
            by: Client(":1.1"), at: Instant(microseconds: 0)
        ).lines.joined(separator: "\n")
        #expect(text.contains("gets the answer 'result'"), "\(text)")
        #expect(text.split(separator: "4711").count == 2, "\(text)")
    }
}
