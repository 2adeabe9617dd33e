import Testing

@testable import FlowCore

/// Owners that hang (S-44).
@Suite("Flow coordinator: watchdogs")
struct WatchdogTests {
    private static let interval: UInt64 = 10_000_000

    private func builder(
        _ whenOwnerGone: WhenOwnerGone = .dismiss, watchdog: UInt64? = interval, children: Children = .stack,
        kills: Bool = false
    ) -> DefinitionsBuilder {
        var builder = DefinitionsBuilder()
        builder.step("gone", ["why": "string"])
        builder.screen(
            "page", presenter: "com.page", whenOwnerGone: whenOwnerGone, watchdog: watchdog, endsHungProcess: kills)
        builder.screen("plain")
        builder.flow(
            "main", children: children, whenEmpty: .stay,
            on: [
                "page": [.screen("page", .init(onDismissed: "gone", onDismissedWith: [Binding("why", .reason)]))],
                "cover": [.screen("plain")], "pop": [.popRoot], "gone": [],
            ])
        return builder
    }

    /// A page that `:1.9` presents.
    ///
    /// - Parameter answer: what it answers when it is first asked, at once; nil if it has not answered.
    private func world(_ builder: DefinitionsBuilder? = nil, answer: AliveAnswer? = .alive) throws -> World {
        let world = try World(root: "main", builder ?? self.builder())
        try world.emit("page", on: "/main")
        world.presented(1, by: ":1.9")
        try world.show("/main/page", by: ":1.9")
        if let answer { world.answer(2, answer) }
        return world
    }

    /// Answers the first question that the latest event asked.
    @discardableResult
    private func answer(_ world: World, _ answer: AliveAnswer) throws -> [String] {
        world.answer(try #require(asked(world).first), answer)
    }

    /// The owners that the latest event asked.
    private func asked(_ world: World) -> [UInt64] {
        world.effects.compactMap { if case .askAlive(let check) = $0 { check.id.number } else { nil } }
    }

    /// However often the page is shown, and however long, its owner is not asked.
    private func expectNoQuestion(_ world: World) throws {
        for _ in 0..<3 {
            try world.hide("/main/page", by: ":1.9")
            try world.show("/main/page", by: ":1.9")
            world.wait(2 * Self.interval)
            #expect(asked(world) == [])
        }
    }

    @Test func `S-44 the owner is asked at the object of the presenter, at once and an interval after each answer`()
        throws
    {
        let world = try world(answer: nil)
        #expect(world.effects.map(\.line).contains("alive? :1.9 #2: /main/page"))
        guard
            case .askAlive(let check)? = world.effects.first(where: { if case .askAlive = $0 { true } else { false } })
        else { throw World.UnexpectedEffect() }
        #expect(check.object == "/presenter" && check.name == "page" && check.timeout == Self.interval)
        // Nothing else is asked as long as it does not answer.
        world.wait(Self.interval / 2)
        #expect(world.effects.isEmpty)
        world.answer(2, .alive)
        world.wait(Self.interval - 1)
        #expect(asked(world) == [])
        world.wait(1)
        #expect(asked(world) == [3])
        #expect(world.answer(2, AliveAnswer.silent) == [])
    }

    @Test(arguments: [true, false])
    func `S-44 the process of an owner that hangs is ended where the files say so`(kills: Bool) throws {
        let world = try world(builder(kills: kills))
        world.wait(Self.interval)
        #expect(world.answer(3, .silent).contains("end :1.9, which hangs with page") == kills)
    }

    // MARK: Silence

    @Test func `S-44 the silence of a program that never answered is no hang, and it is not asked again`() throws {
        let world = try world(answer: .silent)
        #expect(world.effects.isEmpty)
        try expectNoQuestion(world)
        // Nor is it on its next screen: each unanswered call takes room in the bus.
        try world.dismiss("/main/page", by: ":1.9")
        try world.emit("page", on: "/main")
        world.presented(3, by: ":1.9")
        try world.show("/main/page", by: ":1.9")
        #expect(asked(world) == [])
        // Another program may have the method.
        world.handle(.nameOwnerChanged("com.page", owner: Client(":1.8")))
        try world.hide("/main/page", by: ":1.9")
        try world.show("/main/page", by: ":1.9")
        #expect(asked(world).count == 1)
    }

    @Test func `S-44 the late answer of a program that is slow to start counts`() throws {
        let world = try world(answer: .silent)
        world.wait(3 * Self.interval)
        world.answer(2, .alive)
        world.wait(Self.interval)
        #expect(try answer(world, .silent).first == "withdraw /main/page from :1.9: ownerHangs")
    }

    @Test(arguments: ["dismissed", "restarted"])
    func `S-44 silence is a hang if an earlier process of the presenter has answered`(how: String) throws {
        let world = try world()
        if how == "restarted" {
            world.vanish(":1.9")
            try world.emit("page", on: "/main")
            world.presented(3, by: ":1.8")
            try world.show("/main/page", by: ":1.8")
            #expect(try answer(world, .silent).first == "withdraw /main/page from :1.8: ownerHangs")
        } else {
            world.restart()
            try world.hide("/main/page", by: ":1.9")
            try world.show("/main/page", by: ":1.9")
            #expect(try answer(world, .silent).first == "withdraw /main/page from :1.9: ownerHangs")
        }
    }

    @Test func `S-44 what is known of a presenter goes with the last watchdog that names it`() throws {
        let world = try world()
        #expect(world.coordinator.copy().questions.programs.answering == ["com.page"])
        world.reload(builder(watchdog: nil))
        #expect(world.coordinator.copy().questions.programs == WatchedPrograms())
    }

    // MARK: What is asked

    @Test func `S-44 it is not asked while the screen is hidden or covered, nor without an owner`() throws {
        let world = try world()
        try world.hide("/main/page", by: ":1.9")
        world.wait(Self.interval)
        #expect(asked(world) == [])
        try world.show("/main/page", by: ":1.9")
        try answer(world, .alive)
        world.wait(Self.interval - 1)
        try world.emit("cover", on: "/main")
        world.wait(1)
        #expect(asked(world) == [])
        try world.emit("pop", on: "/main")
        #expect(asked(world).count == 1)
        try answer(world, .alive)
        try world.release("/main/page", by: ":1.9")
        world.wait(2 * Self.interval)
        #expect(asked(world) == [])
        // Whoever claims it is asked, too.
        try world.claim("/main/page", by: ":1.4")
        #expect(world.effects.contains { $0.line.hasPrefix("alive? :1.4 ") })
    }

    @Test func `S-23 S-44 without an answer the screen loses its owner, and goes by ownerHangs`() throws {
        let world = try world()
        world.wait(Self.interval)
        let lines = world.answer(3, AliveAnswer.silent)
        #expect(
            lines == [
                "withdraw /main/page from :1.9: ownerHangs", "- /main/page", "~ /main current=/",
                "did 2 after 0 by :1.9: /main gone {why=ownerHangs} []",
            ])
        #expect(world.coordinator.questions.isEmpty)
        #expect(world.coordinator.watches.counts.isEmpty)
    }

    @Test func `S-30 S-44 keep: the screen stays, hidden, until it comes in sight again`() throws {
        let world = try world(builder(.keep))
        world.wait(Self.interval)
        #expect(
            world.answer(3, AliveAnswer.silent) == [
                "withdraw /main/page from :1.9: ownerHangs", "~ /main/page visible=false presented=false owner=-",
            ])
        world.wait(3 * Self.interval)
        #expect(world.effects.isEmpty)
        try world.emit("cover", on: "/main")
        try world.emit("pop", on: "/main")
        #expect(world.presents == ["/main/page recover"])
    }

    @Test func `S-30 S-44 present: its presenter is called again, and a program that goes on shows the screen again`()
        throws
    {
        let world = try world(builder(.present))
        world.wait(Self.interval)
        let lines = world.answer(3, AliveAnswer.silent)
        #expect(lines.first == "withdraw /main/page from :1.9: ownerHangs")
        #expect(world.presents == ["/main/page recover"])
        world.presented(4, by: ":1.9")
        try world.show("/main/page", by: ":1.9")
        #expect(asked(world) == [5])
        #expect(try world.state("/main/page").isPresented)
    }

    @Test func `S-44 an owner that can't be asked is not asked again, but the next one is`() throws {
        let world = try world(answer: .unsupported)
        try expectNoQuestion(world)
        try world.release("/main/page", by: ":1.9")
        try world.claim("/main/page", by: ":1.8")
        #expect(asked(world) == [3])
    }

    @Test(arguments: ["hide", "cover", "return", "release", "claim", "dismiss", "vanish"])
    func `S-44 a check decides nothing if the screen is covered, gone or another's meanwhile`(what: String) throws {
        let world = try world(builder(.keep))
        world.wait(Self.interval)
        switch what {
        case "hide": try world.hide("/main/page", by: ":1.9")
        case "cover": try world.emit("cover", on: "/main")
        case "return":
            try world.emit("cover", on: "/main")
            try world.emit("pop", on: "/main")
        case "release": try world.release("/main/page", by: ":1.9")
        case "claim":
            try world.release("/main/page", by: ":1.9")
            try world.claim("/main/page", by: ":1.5")
        case "dismiss": try world.dismiss("/main/page", by: ":1.9")
        default: world.vanish(":1.9")
        }
        let before = world.standing
        #expect(world.answer(3, AliveAnswer.silent).isEmpty)
        #expect(world.standing == before || ["hide", "cover"].contains(what))
        let isShown = ["return", "claim"].contains(what)
        #expect(
            world.coordinator.questions.open.values.contains { if case .owner = $0 { true } else { false } } == isShown)
    }

    @Test func `S-33 S-44 however often it is shown and hidden, there is one question, and few alarms`() throws {
        let world = try world()
        for _ in 0..<1_000 {
            try world.hide("/main/page", by: ":1.9")
            try world.show("/main/page", by: ":1.9")
        }
        #expect(world.coordinator.questions.count == 1)
        try answer(world, .alive)
        #expect(world.coordinator.alarms.count < 30)
        world.wait(Self.interval)
        #expect(asked(world).count == 1)
        #expect(world.coordinator.alarms.count == 0)
    }

    // MARK: Losses

    @Test func `S-44 S-47 an owner that hangs with many screens of one name has hung once`() throws {
        let world = try World(root: "main", builder(watchdog: 1_000_000, children: .free))
        var next: UInt64 = 1
        for number in 1...5 as ClosedRange<UInt64> {
            try world.emit("page", on: "/main")
            world.presented(next, by: ":1.9")
            try world.show("/main/page" + (number == 1 ? "" : "_\(number)"), by: ":1.9")
            next = try #require(asked(world).first) + 1
            try answer(world, .alive)
        }
        world.wait(1_000_000)
        let checks = asked(world)
        #expect(checks.count == 5)
        for check in checks {
            #expect(world.answer(check, AliveAnswer.silent).contains { $0.contains("why=ownerHangs") })
        }
        #expect(world.paths == ["/main"])
    }

    @Test
    func `S-44 S-47 an owner that hangs, and is found to hang later on other screens, and is killed, has hung once`()
        throws
    {
        let world = try World(root: "main", builder(watchdog: 1_000_000))
        var next: UInt64 = 1
        for number in 1...4 as ClosedRange<UInt64> {
            try world.emit("page", on: "/main")
            world.presented(next, by: ":1.9")
            try world.show("/main/page" + (number == 1 ? "" : "_\(number)"), by: ":1.9")
            next = try #require(asked(world).first) + 1
            try answer(world, .alive)
        }
        world.wait(1_000_000)
        for _ in 1...2 {
            // The next page is asked at once, as it is in sight again.
            #expect(try answer(world, .silent).contains { $0.contains("why=ownerHangs") })
        }
        #expect(world.vanish(":1.9").count { $0.contains("why=ownerGone") } == 2)
        #expect(world.paths == ["/main"])
        #expect(world.coordinator.watches.counts.isEmpty)
    }

    @Test(arguments: [WhenOwnerGone.present, .keep], [false, true])
    func `S-44 S-47 a process that hung and is killed does not take its screen along`(
        whenOwnerGone: WhenOwnerGone, isRestarted: Bool
    ) throws {
        let world = try world(builder(whenOwnerGone))
        try world.saveState("/main/page", [Argument("text", .string("x"))], by: ":1.9")
        world.wait(Self.interval)
        world.answer(3, AliveAnswer.silent)
        if whenOwnerGone == .keep {
            try world.emit("cover", on: "/main")
            try world.emit("pop", on: "/main")
        }
        #expect(world.presents == ["/main/page recover"])
        if isRestarted { world.restart() }
        func latest() throws -> UInt64 {
            try #require(world.coordinator.copy().questions.numbers.max())
        }
        // Whichever of both the bus reports first.
        world.vanish(":1.9")
        world.handle(
            .presenterReplied(
                QuestionID(try latest()), .failed(Fault("org.freedesktop.DBus.Error.NoReply", "disconnected"))))
        #expect(world.presents == [])
        world.wait(Limits.firstPause)
        #expect(world.presents == ["/main/page recover"])
        guard case .present(let call)? = world.effects.last(where: { if case .present = $0 { true } else { false } })
        else {
            throw World.UnexpectedEffect()
        }
        #expect(call.state == [Argument("text", .string("x"))])
    }

    // MARK: Restarts and reloads

    @Test func `D-3 S-44 after a restart the watch begins anew`() throws {
        let world = try world()
        world.wait(Self.interval)
        #expect(world.restart().contains("alive? :1.9 #1: /main/page"))
        #expect(world.answer(1, AliveAnswer.silent).contains("withdraw /main/page from :1.9: ownerHangs"))
    }

    @Test func `S-44 a reload begins and ends the watch, and another interval begins it anew`() throws {
        let world = try world(builder(watchdog: nil), answer: nil)
        world.wait(Self.interval)
        #expect(asked(world) == [])
        world.reload(builder())
        let check = try #require(asked(world).first)
        // The same interval changes nothing.
        world.reload(builder(.keep))
        world.answer(check, .alive)
        world.wait(Self.interval / 2)
        world.reload(builder(.keep))
        world.wait(Self.interval / 2)
        let second = try #require(asked(world).first)
        world.reload(builder(watchdog: Self.interval * 2))
        #expect(world.answer(second, AliveAnswer.silent) == [])
        world.reload(builder())
        let third = try #require(asked(world).first)
        world.reload(builder(watchdog: nil))
        #expect(world.answer(third, AliveAnswer.silent) == [])
        world.wait(Self.interval * 2)
        #expect(asked(world) == [])
        #expect(try world.state("/main/page").isPresented)
    }
}
