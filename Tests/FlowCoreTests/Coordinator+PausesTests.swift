import Testing

@testable import FlowCore

/// Presenters that can't show their screen now are called again (S-47).
@Suite("Flow coordinator: pauses and patience")
struct PausesTests {
    /// `main` shows a screen by `open`, and learns how it went by `closed`.
    private func builder(
        _ whenOwnerGone: WhenOwnerGone = .dismiss, patience: Span? = nil, action: String? = nil, again: Bool = false
    ) -> DefinitionsBuilder {
        var builder = DefinitionsBuilder()
        builder.step("open", ["item": "int64?"])
        builder.step("closed", ["why": "string", "error": "string"])
        builder.screen(
            "page", ["item": "int64?"], presenter: "com.page", action: action, whenOwnerGone: whenOwnerGone,
            patience: patience)
        builder.screen("cover")
        var page = DefinitionsBuilder.Child(
            reuses: true, onDismissed: "closed",
            onDismissedWith: [Binding("why", .reason), Binding("error", .error)])
        if again { page = .init(onDismissed: "open") }
        builder.flow(
            "main", children: .stack, whenEmpty: .stay,
            on: [
                "open": [.screen("page", page)], "closed": [], "cover": [.screen("cover")], "pop": [.pop("page")],
                "close": [.dismiss("page")],
            ])
        return builder
    }

    private func opened(_ builder: DefinitionsBuilder) throws -> World {
        let world = try World(root: "main", builder)
        try world.emit("open", on: "/main")
        #expect(world.presents == ["/main/page launch"])
        return world
    }

    /// The screen is shown by `:1.9`.
    private func shown(_ builder: DefinitionsBuilder) throws -> World {
        let world = try opened(builder)
        world.presented(try call(world), by: ":1.9")
        try world.show("/main/page", by: ":1.9")
        return world
    }

    /// The latest call of the presenter, which the latest event made.
    private func call(_ world: World) throws -> UInt64 {
        let calls = world.effects.compactMap { effect in
            if case .present(let presentation) = effect { presentation.id.number } else { nil }
        }
        return try #require(calls.last, "\(world.effects.map(\.line))")
    }

    /// The longest patience, in µs: 30 days.
    private static let longest: Span = 2_592_000_000_000

    private static let broken = Fault("com.x.Error.NoDisplay", "no display")

    /// The pauses after each of these failures, as long as the screen lives, in ms.
    private func pauses(_ world: World, _ count: Int, _ fail: (World, UInt64) throws -> Void) throws -> [UInt64] {
        var pauses: [UInt64] = []
        for _ in 0..<count {
            try fail(world, try call(world))
            var time: UInt64 = 0
            while world.presents.isEmpty {
                guard world.paths.contains("/main/page") else { return pauses }
                world.wait(100_000)
                time += 100
            }
            pauses.append(time)
        }
        return pauses
    }

    private func why(_ world: World) -> String? {
        world.effects.compactMap { effect -> String? in
            guard case .emitNavigationOccurred(let it) = effect, it.step == "closed",
                case .string(let why)? = it.arguments["why"]?.value,
                case .string(let error)? = it.arguments["error"]?.value
            else { return nil }
            return "\(why) \(error)"
        }.last
    }

    // MARK: Pauses

    @Test func `S-47 a Present that fails is repeated after 0.5, 1, 2, 4 s and so on up to 30 s`() throws {
        let world = try opened(builder(patience: Self.longest))
        let pauses = try pauses(world, 9) { $0.presentFails($1, Self.broken) }
        #expect(pauses == [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000])
    }

    @Test func `S-47 so is one that is not answered, and each after the first has a time limit of 10 s`() throws {
        let world = try opened(builder(patience: Self.longest))
        func timeout() -> UInt64? {
            world.effects.compactMap { effect -> UInt64? in
                if case .present(let it) = effect { it.presenter.service.timeout } else { nil }
            }.last
        }
        #expect(timeout() == Limits.presenterTimeout)
        #expect(try pauses(world, 3) { $0.presentTimesOut($1) } == [500, 1_000, 2_000])
        #expect(timeout() == 10_000_000)
        #expect(
            try world.state("/main/page").waiting
                == "'com.page' did not answer within 10.0 seconds (org.freedesktop.DBus.Error.NoReply)")
    }

    @Test func `S-47 the first owner that is lost is called for at once, the next ones after pauses`() throws {
        let world = try shown(builder(.present))
        var number = 9
        world.vanish(":1.9")
        let pauses = try pauses(world, 4) { world, question in
            number += 1
            world.presented(question, by: ":1.\(number)")
            world.vanish(":1.\(number)")
        }
        #expect(pauses == [500, 1_000, 2_000, 4_000])
        #expect(world.presents == ["/main/page recover"])
    }

    @Test func `S-47 the pauses end when an owner has kept such a screen for 1 min`() throws {
        for time in [Limits.survival - 1, Limits.survival] {
            let world = try opened(builder(.present))
            world.presentFails(try call(world), Self.broken)
            world.wait(Limits.firstPause)
            world.presented(try call(world), by: ":1.9")
            world.wait(time)
            world.vanish(":1.9")
            #expect(world.presents == (time == Limits.survival ? ["/main/page recover"] : []))
        }
    }

    @Test func `S-47 a pause belongs to the name of the screen in its flow, and outlives instance and restart`() throws
    {
        let world = try opened(builder(patience: 0))
        world.presentFails(try call(world), Self.broken)
        #expect(world.paths == ["/main"])
        try world.emit("open", on: "/main")
        #expect(world.presents == [])
        #expect(try world.state("/main/page").waiting == "no display (com.x.Error.NoDisplay)")
        world.restart()
        #expect(world.presents == [])
        #expect(try world.state("/main/page").waiting == "no display (com.x.Error.NoDisplay)")
        world.wait(Limits.firstPause)
        #expect(world.presents == ["/main/page launch"])
    }

    @Test func `D-3 S-47 a call that a restart cuts off is repeated after the pause of others with its name`()
        throws
    {
        var builder = builder(patience: Self.longest)
        builder.flow("main", children: .stack, whenEmpty: .stay, on: ["open": [.screen("page")]])
        let world = try opened(builder)
        let first = try call(world)
        try world.emit("open", on: "/main")
        #expect(world.presents == ["/main/page_2 launch"])
        world.presentFails(first, Self.broken)
        // It was called before.
        #expect(try world.state("/main/page_2").waiting == "")
        world.restart()
        #expect(world.presents == [])
        #expect(try world.state("/main/page_2").waiting == "no display (com.x.Error.NoDisplay)")
        world.wait(Limits.firstPause)
        #expect(world.presents == ["/main/page_2 launch"])
    }

    @Test func `S-47 a program that is lost with many screens of one name has failed once`() throws {
        var builder = DefinitionsBuilder()
        builder.screen("page", presenter: "com.x", whenOwnerGone: .present)
        builder.flow("main", on: ["page": [.screen("page")]])
        let world = try World(root: "main", builder)
        for number in 1...5 as ClosedRange<UInt64> {
            try world.emit("page", on: "/main")
            world.presented(number, by: ":1.9")
        }
        world.vanish(":1.9")
        #expect(world.presents.count == 5)
    }

    @Test func `S-47 when the program's bus name appears the pause is over, but not within 0.5 s of its beginning`()
        throws
    {
        let world = try opened(builder(patience: Self.longest))
        #expect(try pauses(world, 5) { $0.presentFails($1, Self.broken) }.last == 8_000)
        world.presentFails(try call(world), Self.broken)
        world.now += 100_000
        world.own("com.page", ":1.9")
        #expect(world.presents == [])
        world.wait(400_000)
        #expect(world.presents == ["/main/page launch"])
        let latest = try call(world)
        world.own("com.page", nil)
        world.presentFails(latest, Self.broken)
        world.wait(3_000_000)
        #expect(world.presents == [])
        world.own("com.page", ":1.10")
        #expect(world.presents == ["/main/page launch"])
    }

    @Test func `S-47 S-48 Retry ends all pauses, those of flows, too, but not within 0.5 s of their beginning`() throws
    {
        let world = try opened(builder(patience: Self.longest))
        #expect(try pauses(world, 4) { $0.presentFails($1, Self.broken) }.last == 4_000)
        world.presentFails(try call(world), Self.broken)
        world.wait(400_000)
        #expect(world.handle(.pausesEnded(world.nextRequest())).last == "= done")
        world.wait(99_999)
        #expect(world.presents == [])
        world.wait(1)
        #expect(world.presents == ["/main/page launch"])

        var builder = DefinitionsBuilder()
        builder.flow("home", initial: "begin", on: ["begin": [.screen("home")], "leave": [.dismiss("home")]])
        builder.autostart = [.init(flow: "home")]
        let root = World(builder)
        root.handle(.started)
        for _ in 1...3 {
            try root.emit("leave", on: "/home")
            root.wait(2 * Limits.firstPause)
        }
        try root.emit("leave", on: "/home")
        root.wait(Limits.firstPause)
        #expect(root.paths == ["/home"])
        root.handle(.pausesEnded(root.nextRequest()))
        root.wait(0)
        #expect(root.paths == ["/home", "/home/home"])
    }

    @Test func `S-47 a wait is reported once, however often its screen comes in sight, and each longer one again`()
        throws
    {
        func delays(_ world: World) -> [String] {
            world.effects.compactMap { effect -> String? in if case .reportDelay = effect { effect.line } else { nil } }
        }
        let world = try opened(builder(patience: Self.longest))
        world.presentFails(try call(world), Self.broken)
        #expect(delays(world) == ["delay /main/page com.page 500000"])
        for _ in 0..<100 {
            try world.emit("cover", on: "/main")
            #expect(delays(world) == [])
            try world.emit("pop", on: "/main")
            #expect(delays(world) == [])
        }
        #expect(world.coordinator.alarms.count == 1)
        world.wait(500_000)
        world.presentFails(try call(world), Self.broken)
        #expect(delays(world) == ["delay /main/page com.page 1000000"])
    }

    @Test func `S-47 explain says that a presenter is not called, for how long, and why`() throws {
        let world = try opened(builder(patience: 0))
        world.presentFails(try call(world), Self.broken)
        world.wait(100_000)
        let explanation = world.coordinator.explain(
            try world.id(ofStep: "open"), [], on: try world.node("/main"), by: Client(":1.1"),
            at: Instant(microseconds: world.now))
        let line =
            "the presenter 'com.page' is not called to show '/main/page' for 400 ms: no display (com.x.Error.NoDisplay)"
        #expect(explanation.lines.contains { $0.contains(line) }, "\(explanation.lines)")
    }

    // MARK: Patience

    @Test func `S-47 a new screen is dismissed with the last error after 10 s, between two calls`() throws {
        let world = try opened(builder(.present))
        #expect(try pauses(world, 9) { $0.presentFails($1, Self.broken) } == [500, 1_000, 2_000, 4_000])
        #expect(world.now == Limits.patience)
        #expect(why(world) == "presentFailed com.x.Error.NoDisplay")
        // A call that is under way when it is over decides.
        let other = try opened(builder())
        other.wait(Limits.patience)
        #expect(other.paths.contains("/main/page"))
        other.presentTimesOut(try #require(other.coordinator.questions.numbers.first))
        #expect(why(other) == "presentFailed org.freedesktop.DBus.Error.NoReply")
    }

    @Test(arguments: [WhenOwnerGone.keep, .present, .dismiss])
    func `S-47 one that lost its owner is dismissed after 30 s, and without a policy for that at once`(
        policy: WhenOwnerGone
    ) throws {
        let world = try shown(builder(policy))
        world.vanish(":1.9")
        if policy == .dismiss { return #expect(why(world) == "ownerGone ") }
        if policy == .keep {
            try world.emit("cover", on: "/main")
            try world.emit("pop", on: "/main")
        }
        let begin = world.now
        while why(world) == nil, let call = try? call(world) {
            world.presentFails(call, Self.broken)
            while world.presents.isEmpty, why(world) == nil { world.wait(100_000) }
        }
        #expect(world.now - begin == Limits.patienceForLosses)
        #expect(why(world) == "presentFailed com.x.Error.NoDisplay")
    }

    @Test func `S-47 patience = "0s": a call that fails is not repeated`() throws {
        let world = try opened(builder(.present, patience: 0))
        world.presentFails(try call(world), Self.broken)
        #expect(why(world) == "presentFailed com.x.Error.NoDisplay")
    }

    @Test func `S-47 patience stands still while the screen is not in sight`() throws {
        let world = try opened(builder())
        world.presentFails(try call(world), Self.broken)
        world.wait(400_000)
        try world.emit("cover", on: "/main")
        world.wait(10 * Limits.patience)
        #expect(world.presents == [] && world.paths.contains("/main/page"))
        try world.emit("pop", on: "/main")
        #expect(world.presents == ["/main/page launch"])
        world.now += Limits.patience - 500_000
        world.presentFails(try call(world), Self.broken)
        #expect(world.paths.contains("/main/page"))
        world.wait(99_999)
        #expect(why(world) == nil)
        world.wait(1)
        #expect(why(world) == "presentFailed com.x.Error.NoDisplay")
    }

    @Test func `S-47 the error Refused ends it`() throws {
        let world = try shown(builder(.present))
        world.vanish(":1.9")
        world.presentFails(try call(world), Fault(Fault.refusal, "never"))
        #expect(why(world) == "presentFailed \(Fault.refusal)")
    }

    @Test(arguments: ["ServiceUnknown", "NameHasNoOwner", "Spawn.ChildExited", "NoReply", "Failed", "timeout"])
    func `S-47 an application is called again only if the bus says that nothing arrived`(error: String) throws {
        let world = try opened(builder(action: "show"))
        if error == "timeout" {
            world.presentTimesOut(try call(world))
        } else {
            world.presentFails(try call(world), Fault("org.freedesktop.DBus.Error." + error, ""))
        }
        #expect((why(world) == nil) == ["ServiceUnknown", "NameHasNoOwner", "Spawn.ChildExited"].contains(error))
    }

    // MARK: Programs that refuse, or dismiss at once

    @Test func `S-47 what a refused screen brings again by itself has to wait, and a step of somebody does not`() throws
    {
        let world = try opened(builder(again: true))
        for pause in [Limits.firstPause, 2 * Limits.firstPause] {
            world.presentFails(try call(world), Fault(Fault.refusal, "no card"))
            #expect(world.presents == [])
            #expect(try world.state("/main/page").waiting == "no card (\(Fault.refusal))")
            world.wait(pause - 1)
            #expect(world.presents == [])
            world.wait(1)
            #expect(world.presents == ["/main/page launch"])
        }
        let other = try opened(builder())
        for _ in 1...9 {
            other.presentFails(try call(other), Fault(Fault.refusal, "no card"))
            #expect(why(other) == "presentFailed \(Fault.refusal)")
            try other.emit("open", on: "/main")
        }
    }

    @Test(arguments: [false, true])
    func `S-22 S-47 what the dismissal by a program within 10 s brings again by itself has to wait`(fails: Bool) throws
    {
        for time in [Limits.hastyTime - 1, Limits.hastyTime] {
            let world = try opened(builder(again: true))
            world.presented(try call(world), by: ":1.9")
            try world.show("/main/page", by: ":1.9")
            world.now += time
            world.handle(
                .presentableDismissed(
                    world.nextRequest(), try world.node("/main/page"), by: Client(":1.9"),
                    fault: fails ? Self.broken : nil))
            #expect(world.presents == (time < Limits.hastyTime ? [] : ["/main/page launch"]))
            world.restart()
            world.wait(Limits.firstPause)
            #expect(world.presents == (time < Limits.hastyTime ? ["/main/page launch"] : []))
        }
    }

    @Test func `S-47 who opens again what a program has just closed does not wait`() throws {
        let world = try shown(builder())
        for _ in 1...5 {
            try world.dismiss("/main/page", by: ":1.9")
            #expect(why(world) == "dismissed ")
            try world.emit("open", on: "/main")
            world.presented(try call(world), by: ":1.9")
        }
        // Nor is it counted as a failure.
        world.vanish(":1.9")
        try world.emit("open", on: "/main")
        #expect(world.presents == ["/main/page launch"])
    }

    @Test func `S-11 S-47 a rule that contributes a failing screen again goes on for ever, and is not busy`() throws {
        let world = try opened(builder(patience: 0, again: true))
        for round in 0..<2 * Limits.triggeredSteps {
            world.presentFails(try call(world), Self.broken)
            #expect(world.presents == [] && world.failures.isEmpty, "\(round)")
            world.wait(Limits.longestPause)
        }
        #expect(world.coordinator.origins.count <= 2)
    }

    // MARK: What a waiting screen is

    @Test func `S-47 a screen that waits says so with its last error, until it is answered or claimed`() throws {
        let world = try opened(builder())
        #expect(try world.state("/main/page").waiting == "")
        #expect(
            world.presentFails(try call(world), Self.broken).contains(
                "~ /main/page waiting=no display (com.x.Error.NoDisplay)"))
        #expect(try world.current("/main") == "/main/page")
        world.wait(Limits.firstPause)
        #expect(try world.state("/main/page").waiting == "no display (com.x.Error.NoDisplay)")
        world.presented(try call(world), by: ":1.9")
        #expect(try world.state("/main/page").waiting == "")

        let claimed = try opened(builder())
        claimed.presentFails(try call(claimed), Self.broken)
        try claimed.claim("/main/page", by: ":1.30")
        #expect(try claimed.state("/main/page").waiting == "")
        claimed.wait(Limits.firstPause)
        #expect(claimed.presents == [])
        #expect(try claimed.state("/main/page").owner == ":1.30")
    }

    @Test func `S-47 a screen that was claimed and released meanwhile is presented when the pause is over`() throws {
        let world = try opened(builder())
        world.presentFails(try call(world), Self.broken)
        try world.claim("/main/page", by: ":1.30")
        try world.release("/main/page", by: ":1.30")
        world.wait(Limits.firstPause)
        #expect(world.presents == ["/main/page launch"])
    }

    @Test func `S-30 S-38 a kept screen returns to the client that claimed it`() throws {
        let world = try shown(builder(.keep))
        world.vanish(":1.9")
        try world.claim("/main/page", by: ":1.30")
        try world.emit("cover", on: "/main")
        try world.emit("pop", on: "/main")
        #expect(world.presents == ["/main/page return"])
    }

    @Test func `S-31 S-47 a late answer counts, before and while the call is repeated`() throws {
        for isRepeated in [false, true] {
            let world = try opened(builder(patience: Self.longest))
            let first = try call(world)
            world.presentTimesOut(first)
            if isRepeated { world.wait(Limits.firstPause) }
            world.presented(first, by: ":1.9")
            #expect(try world.state("/main/page").owner == ":1.9")
            #expect(try world.state("/main/page").waiting == "")
            world.wait(Limits.firstPause)
            // It is not called again for what it has answered.
            #expect(world.presents == [])
        }
    }

    @Test func `S-31 S-47 an owner learns of new arguments at once, and of those that it failed to take after a pause`()
        throws
    {
        let world = try shown(builder())
        try world.emit("open", ["item": .int64(1)], on: "/main")
        world.presentFails(try call(world), Self.broken)
        #expect(world.presents == [] && world.paths.contains("/main/page"))
        try world.emit("open", ["item": .int64(2)], on: "/main")
        #expect(world.presents == ["/main/page update"])
        world.presentFails(try call(world), Self.broken)
        world.wait(Limits.firstPause)
        #expect(world.presents == ["/main/page update"])
    }

    @Test func `S-31 S-47 the activation token is kept for a screen that waits, 10 s at most`() throws {
        func token(_ world: World) -> String? {
            world.effects.compactMap { effect -> String? in
                if case .present(let it) = effect { it.activationToken } else { nil }
            }.last
        }
        let world = try World(root: "main", builder(patience: Self.longest))
        try world.emit("open", on: "/main", options: EmissionOptions(activationToken: "tok"))
        #expect(token(world) == "tok")
        world.presentFails(try call(world), Self.broken)
        world.wait(Limits.firstPause)
        #expect(token(world) == "tok")
        world.now += Limits.tokenWait
        world.presentFails(try call(world), Self.broken)
        world.wait(2 * Limits.firstPause)
        #expect(world.presents == ["/main/page launch"] && token(world) == nil)
    }

    // MARK: Flows that go with their screens

    @Test(arguments: [true, false])
    func `S-36 S-47 a flow that goes with its screen hands its pauses on to the next one of its name`(isDeep: Bool)
        throws
    {
        var builder = DefinitionsBuilder()
        builder.screen("lock", presenter: "com.lock")
        builder.flow(
            "main", initial: "open", children: .stack,
            on: ["open": [.flow(isDeep ? "deep" : "sub", .init(onDismissed: "open"))]])
        builder.flow("deep", initial: "begin", on: ["begin": [.flow("sub")]])
        builder.flow("sub", initial: "start", on: ["start": [.screen("lock")]])
        let world = try World(root: "main", builder)
        for number in 10...11 {
            world.presented(try call(world), by: ":1.\(number)")
            world.vanish(":1.\(number)")
            // The first loss is no failure.
            #expect(world.presents.count == (number == 10 ? 1 : 0))
        }
        world.restart()
        world.wait(Limits.firstPause - 1)
        #expect(world.presents == [])
        world.wait(1)
        #expect(world.presents.count == 1)
    }

    @Test func `S-33 S-47 pauses that no longer count are forgotten, and those of undeclared screens`() throws {
        var builder = DefinitionsBuilder()
        for name in ["a", "b"] { builder.screen(name, presenter: "com.x", patience: 0) }
        builder.flow("main", whenEmpty: .stay, on: ["a": [.screen("a")], "b": [.screen("b")]])
        let world = try World(root: "main", builder)
        for name in ["a", "b"] {
            try world.emit(name, on: "/main")
            world.presentFails(try call(world), Self.broken)
            #expect(try world.forestNode("/main").flow?.kept.pauses.keys.sorted() == [name])
            world.wait(Limits.firstPause + Limits.survival)
        }
        var other = DefinitionsBuilder()
        other.flow("main", whenEmpty: .stay)
        world.reload(other)
        #expect(try world.forestNode("/main").flow?.kept.pauses.isEmpty == true)
    }

    @Test func `S-47 a flow that has the name of a screen, and its owner, does not hide the screen's failures`() throws
    {
        var builder = DefinitionsBuilder()
        builder.screen("lock", presenter: "com.lock")
        builder.flow("lock", whenEmpty: .stay)
        builder.flow("main", whenEmpty: .stay, on: ["flow": [.flow("lock")], "screen": [.screen("lock")]])
        let world = try World(root: "main", builder)
        for number in 10...11 {
            try world.emit("flow", on: "/main")
            try world.claim("/main/lock", by: ":1.\(number)")
            try world.emit("screen", on: "/main")
            world.presented(try call(world), by: ":1.\(number)")
            world.vanish(":1.\(number)")
            #expect(world.paths == ["/main"])
        }
        try world.emit("screen", on: "/main")
        #expect(world.presents == [])
    }
}
