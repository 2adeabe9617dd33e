import Testing

@testable import FlowCore

/// Answers of presenters, late answers and failures (S-31).
@Suite("Flow coordinator: answers of presenters")
struct PresentingAnswersTests {
    private func builder(_ children: Children = .free) -> DefinitionsBuilder {
        var builder = DefinitionsBuilder()
        builder.step("open", ["item": "int64?"])
        builder.step("closed", ["why": "string"])
        builder.screen("a", ["item": "int64?"], presenter: "com.x", patience: 0)
        builder.screen("b", presenter: "com.y")
        let reported = DefinitionsBuilder.Child(
            reuses: true, onDismissed: "closed", onDismissedWith: [Binding("why", .reason)])
        builder.flow(
            "main", children: children,
            on: [
                "open": [.screen("a", reported)], "both": [.screen("a"), .screen("b")], "cover": [.screen("plain")],
                "closed": [], "only": [.screen("plain", .init(clears: true))],
            ])
        return builder
    }

    private func makeWorld() throws -> World {
        let world = try World(root: "main", builder())
        try world.emit("open", ["item": .byte(1)], on: "/main", by: ":1.3")
        return world
    }

    // MARK: Late answers

    @Test
    func `S-31 a presenter that answers for a removed screen gets Withdraw with the reason, for any of its calls`()
        throws
    {
        let world = try makeWorld()
        try world.emit("open", ["item": .byte(2)], on: "/main")
        let instance = try world.state("/main/a").instance
        world.own("com.x", ":1.9")
        // Another one at the same path is not affected.
        try world.dismiss("/main/a", by: ":1.9")
        try world.emit("open", on: "/main")
        for question in 1...2 as ClosedRange<UInt64> {
            #expect(world.presented(question, by: ":1.8") == ["withdraw /main/a from :1.8: dismissed"])
            let withdrawal = Withdrawal(
                client: Client(":1.8"), object: "/presenter", path: "/main/a", instance: instance,
                reason: .dismissal(.dismissed))
            #expect(world.effects == [.withdraw(withdrawal)])
        }
        #expect(try world.state("/main/a").owner.isEmpty)
        #expect(world.presented(3, by: ":1.8").count == 1)
        #expect(world.presented(3, by: ":1.7") == [])
        #expect(world.presented(99, by: ":1.7") == [])
        #expect(world.coordinator.origins.isEmpty)
        #expect(world.coordinator.questions.isEmpty)
    }

    @Test
    func `S-31 the same applies to removal by a rule, with the parent, or as undeclared; a failure makes no owner`()
        throws
    {
        let ruled = try makeWorld()
        try ruled.emit("only", on: "/main")
        #expect(ruled.presented(1, by: ":1.9") == ["withdraw /main/a from :1.9: rule"])
        let parted = try makeWorld()
        try parted.dismiss("/main")
        #expect(parted.presented(1, by: ":1.9") == ["withdraw /main/a from :1.9: parent"])
        #expect(parted.coordinator.origins.isEmpty)
        let undeclared = try makeWorld()
        var new = DefinitionsBuilder()
        new.flow("main")
        undeclared.reload(new)
        #expect(undeclared.presented(1, by: ":1.9") == ["withdraw /main/a from :1.9: undeclared"])
        let failed = try makeWorld()
        try failed.dismiss("/main")
        #expect(failed.presentFails(1) == [])
        #expect(failed.coordinator.questions.isEmpty)
        #expect(failed.coordinator.origins.isEmpty)
        #expect(failed.coordinator.accounting == Accounting())
    }

    @Test func `S-31 a presenter that answers after its time limit gets Withdraw with the reason`() throws {
        let world = try makeWorld()
        #expect(
            world.presentTimesOut(1) == ["- /main/a", "did 2 after 1 by :1.3: /main closed {why=presentFailed} []"])
        #expect(world.coordinator.origins.isEmpty)
        #expect(world.presented(1, by: ":1.9") == ["withdraw /main/a from :1.9: presentFailed"])
        #expect(world.presented(1, by: ":1.9") == [])
        // It went for another reason, before its time was over.
        let ruled = try makeWorld()
        try ruled.emit("only", on: "/main")
        #expect(ruled.presentTimesOut(1) == [])
        #expect(ruled.presented(1, by: ":1.9") == ["withdraw /main/a from :1.9: rule"])
        // A presenter that failed, or is no longer waited for, gets no Withdraw.
        let failed = try makeWorld()
        failed.presentTimesOut(1)
        #expect(failed.presentFails(1) == [])
        for world in [world, ruled, failed] { #expect(world.coordinator.questions.isEmpty) }
    }

    @Test func `S-31 a late answer counts while the screen is live through a later call`() throws {
        func reopened() throws -> World {
            let world = try makeWorld()
            try world.emit("open", ["item": .byte(2)], on: "/main")
            #expect(world.presentTimesOut(1) == [])
            return world
        }
        // Before the later call is answered, the answer makes an owner, which gets Withdraw if that call fails.
        let first = try reopened()
        #expect(first.presented(1, by: ":1.9") == ["~ /main/a owner=:1.9"])
        #expect(
            first.presentTimesOut(2).prefix(2)
                == ["- /main/a", "withdraw /main/a from :1.9: presentFailed"])
        // After that the later answer counts.
        let second = try reopened()
        second.presented(2, by: ":1.9")
        #expect(second.presented(1, by: ":1.9") == [])
        #expect(try second.state("/main/a").owner == ":1.9")
        let other = try reopened()
        other.presented(2, by: ":1.9")
        #expect(other.presented(1, by: ":1.8") == ["withdraw /main/a from :1.8: replaced"])
        #expect(try other.state("/main/a").owner == ":1.9")
        for world in [second, other] { #expect(world.coordinator.questions.isEmpty) }
    }

    @Test func `S-30 S-31 an owner that vanishes right after its answer counts as gone`() throws {
        let world = try makeWorld()
        #expect(world.presented(1, by: ":1.9").count == 1)
        #expect(
            world.vanish(":1.9").suffix(2) == [
                "- /main/a", "did 2 after 0 by :1.9: /main closed {why=ownerGone} []",
            ])
        #expect(world.coordinator.watches.counts.isEmpty)
    }

    @Test
    func
        `S-30 S-31 a screen that another presents goes with its owner, and that presenter gets Withdraw when it answers`()
        throws
    {
        let world = try makeWorld()
        world.presented(1, by: ":1.8")
        try world.emit("open", ["item": .byte(2)], on: "/main")
        #expect(world.vanish(":1.8").contains("- /main/a"))
        #expect(world.presented(2, by: ":1.9") == ["withdraw /main/a from :1.9: ownerGone"])
    }

    // MARK: Owners that another takes the place of

    @Test func `S-29 S-31 an owner that a presenter's answer replaces gets Withdraw with 'replaced'`() throws {
        let world = try makeWorld()
        world.own("com.x", ":1.9")
        try world.claim("/main/a", by: ":1.9")
        #expect(
            world.presented(1, by: ":1.8") == [
                "withdraw /main/a from :1.9: replaced", "~ /main/a owner=:1.8",
            ])
        let withdrawal = Withdrawal(
            client: Client(":1.9"), object: "/presenter", path: "/main/a",
            instance: try world.state("/main/a").instance, reason: .replaced)
        #expect(world.effects.contains(.withdraw(withdrawal)))
        // The client that claims and answers is the same.
        let same = try makeWorld()
        same.own("com.x", ":1.9")
        try same.claim("/main/a", by: ":1.9")
        #expect(same.presented(1, by: ":1.9") == [])
    }

    @Test func `S-29 S-31 so does the owner when it is presented again, or claimed by the presenter meanwhile`() throws
    {
        let world = try makeWorld()
        world.presented(1, by: ":1.8")
        try world.release("/main/a", by: ":1.8")
        try world.claim("/main/a", by: ":1.7")
        try world.emit("open", ["item": .byte(2)], on: "/main")
        world.own("com.x", ":1.9")
        #expect(
            try world.claim("/main/a", by: ":1.9") == [
                "withdraw /main/a from :1.7: replaced", "~ /main/a owner=:1.9", "= done",
            ])
        #expect(world.presented(2, by: ":1.8").contains("withdraw /main/a from :1.9: replaced"))
        #expect(try world.state("/main/a").owner == ":1.8")
    }

    @Test func `S-31 a presenter that answers an older call after another answered the latest gets Withdraw`() throws {
        let world = try makeWorld()
        try world.emit("open", ["item": .byte(2)], on: "/main")
        world.presented(2, by: ":1.8")
        #expect(world.presented(1, by: ":1.9") == ["withdraw /main/a from :1.9: replaced"])
        #expect(try world.state("/main/a").owner == ":1.8")
        let older = try makeWorld()
        try older.emit("open", ["item": .byte(2)], on: "/main")
        older.presented(1, by: ":1.9")
        #expect(older.presented(2, by: ":1.8").contains("withdraw /main/a from :1.9: replaced"))
        // A client gets no Withdraw for its own action.
        let own = try makeWorld()
        try own.emit("open", ["item": .byte(2)], on: "/main")
        own.presented(2, by: ":1.8")
        #expect(own.presented(1, by: ":1.8") == [])
    }

    // MARK: Failures

    @Test
    func
        `S-11 S-23 S-31 a screen that can't be presented is dismissed, and its parent's step is triggered in the same cascade`()
        throws
    {
        let world = try makeWorld()
        let origin = try #require(world.coordinator.origins.cascades.keys.first)
        try world.emit("cover", on: "/main", by: ":1.4")
        #expect(
            world.presentFails(1)
                == ["- /main/a", "did 3 after 1 by :1.3: /main closed {why=presentFailed} []"])
        #expect(world.coordinator.origins[origin] == nil)
        #expect(world.presentFails(1) == [])
        // Claimed meanwhile, its owner gets Withdraw.
        let claimed = try makeWorld()
        claimed.own("com.x", ":1.9")
        try claimed.claim("/main/a", by: ":1.9")
        #expect(
            claimed.presentFails(1).prefix(2)
                == ["- /main/a", "withdraw /main/a from :1.9: presentFailed"])
    }

    @Test func `S-14 S-31 the screen that a failed one covered becomes presented`() throws {
        let world = try World(root: "main", builder(.stack))
        try world.emit("both", on: "/main")
        #expect(
            world.presentFails(1)
                == ["- /main/b", "~ /main current=/main/a", "present com.x #2: /main/a"])
    }
}
