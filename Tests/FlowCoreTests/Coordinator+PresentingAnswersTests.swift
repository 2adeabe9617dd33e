import Testing

@testable import FlowCore

/// What comes of the answers of presenters, late ones and failures (S-31).
@Suite("Flow coordinator: answers of presenters")
struct PresentingAnswersTests {
    private func sketch(_ children: Children = .free) -> DefinitionsBuilder {
        var sketch = DefinitionsBuilder()
        sketch.step("open", ["item": "int64?"])
        sketch.step("closed", ["why": "string"])
        sketch.screen("a", ["item": "int64?"], presenter: "com.x")
        sketch.screen("b", presenter: "com.y")
        let told = DefinitionsBuilder.Child(
            reuses: true, onDismissed: "closed", onDismissedWith: [Binding("why", .reason)])
        sketch.flow(
            "main", children: children,
            on: [
                "open": [.screen("a", told)], "both": [.screen("a"), .screen("b")], "cover": [.screen("plain")],
                "closed": [], "only": [.screen("plain", .init(clears: true))],
            ])
        return sketch
    }

    private func opened() throws -> World {
        let world = try World(root: "main", sketch())
        try world.emit("open", ["item": .byte(1)], on: "/main", by: ":1.3")
        return world
    }

    // MARK: Late answers

    @Test func `S-31 who shows a screen that is gone is told why, whichever of its calls it answers`() throws {
        let world = try opened()
        try world.emit("open", ["item": .byte(2)], on: "/main")
        let instance = try world.state("/main/a").instance
        world.own("com.x", ":1.9")
        // Another one at the same path is none of its business.
        try world.dismiss("/main/a", by: ":1.9")
        try world.emit("open", on: "/main")
        for question in 1...2 as ClosedRange<UInt64> {
            #expect(world.presented(question, by: ":1.8") == ["withdraw /main/a from :1.8: dismissed"])
            let withdrawal = Withdrawal(
                client: Client(":1.8"), object: "/presenter", path: "/main/a", instance: instance,
                reason: .dismissal(.dismissed))
            #expect(world.effects == [.withdraw(withdrawal)])
        }
        #expect(try world.state("/main/a").owner == nil)
        #expect(world.presented(3, by: ":1.8").count == 1)
        #expect(world.presented(3, by: ":1.7") == [])
        #expect(world.presented(99, by: ":1.7") == [])
        #expect(world.coordinator.origins.isEmpty)
        #expect(world.coordinator.questions.isEmpty)
    }

    @Test func `S-31 the same for what went by a rule, with its parent, or undeclared; a failure is nobody's`() throws {
        let ruled = try opened()
        try ruled.emit("only", on: "/main")
        #expect(ruled.presented(1, by: ":1.9") == ["withdraw /main/a from :1.9: rule"])
        let parted = try opened()
        try parted.dismiss("/main")
        #expect(parted.presented(1, by: ":1.9") == ["withdraw /main/a from :1.9: parent"])
        #expect(parted.coordinator.origins.isEmpty)
        let undeclared = try opened()
        var new = DefinitionsBuilder()
        new.flow("main")
        undeclared.reload(new)
        #expect(undeclared.presented(1, by: ":1.9") == ["withdraw /main/a from :1.9: undeclared"])
        let failed = try opened()
        try failed.dismiss("/main")
        #expect(failed.presentFails(1) == [])
        #expect(failed.coordinator.questions.isEmpty)
        #expect(failed.coordinator.origins.isEmpty)
        #expect(failed.coordinator.accounting == Accounting())
    }

    @Test func `S-31 who answers when its time is over is told that the screen is gone, and why`() throws {
        let world = try opened()
        #expect(
            world.presentTimesOut(1) == ["- /main/a", "did 2 after 1 by :1.3: /main closed {why=presentFailed} []"])
        #expect(world.coordinator.origins.isEmpty)
        #expect(world.presented(1, by: ":1.9") == ["withdraw /main/a from :1.9: presentFailed"])
        #expect(world.presented(1, by: ":1.9") == [])
        // It went for another reason, before its time was over.
        let ruled = try opened()
        try ruled.emit("only", on: "/main")
        #expect(ruled.presentTimesOut(1) == [])
        #expect(ruled.presented(1, by: ":1.9") == ["withdraw /main/a from :1.9: rule"])
        // One that can't, or is waited for no longer, has nothing to be told.
        let failed = try opened()
        failed.presentTimesOut(1)
        #expect(failed.presentFails(1) == [])
        for world in [world, ruled, failed] { #expect(world.coordinator.questions.isEmpty) }
    }

    @Test func `S-31 who answers late while the screen lives on by a later call is one of several`() throws {
        func reopened() throws -> World {
            let world = try opened()
            try world.emit("open", ["item": .byte(2)], on: "/main")
            #expect(world.presentTimesOut(1) == [])
            return world
        }
        // Before the later one is answered it makes an owner, who is told if that fails.
        let first = try reopened()
        #expect(first.presented(1, by: ":1.9") == ["~ /main/a owner=:1.9"])
        #expect(
            first.presentTimesOut(2).prefix(2)
                == ["- /main/a", "withdraw /main/a from :1.9: presentFailed"])
        // After that it is as the later one has it.
        let second = try reopened()
        second.presented(2, by: ":1.9")
        #expect(second.presented(1, by: ":1.9") == [])
        #expect(try second.state("/main/a").owner == Client(":1.9"))
        let other = try reopened()
        other.presented(2, by: ":1.9")
        #expect(other.presented(1, by: ":1.8") == ["withdraw /main/a from :1.8: replaced"])
        #expect(try other.state("/main/a").owner == Client(":1.9"))
        for world in [second, other] { #expect(world.coordinator.questions.isEmpty) }
    }

    @Test func `S-30 S-31 an owner that is gone right after its answer is gone like any other`() throws {
        let world = try opened()
        #expect(world.presented(1, by: ":1.9").count == 1)
        #expect(
            world.vanish(":1.9").suffix(2) == [
                "- /main/a", "did 2 after 0 by :1.9: /main closed {why=ownerGone} []",
            ])
        #expect(world.coordinator.watches.counts.isEmpty)
    }

    @Test func `S-30 S-31 with its owner goes what is presented by another, who is told when it answers`() throws {
        let world = try opened()
        world.presented(1, by: ":1.8")
        try world.emit("open", ["item": .byte(2)], on: "/main")
        #expect(world.vanish(":1.8").contains("- /main/a"))
        #expect(world.presented(2, by: ":1.9") == ["withdraw /main/a from :1.9: ownerGone"])
    }

    // MARK: Owners that another takes the place of

    @Test func `S-29 S-31 in whose place a presenter's answer comes is told that it is replaced`() throws {
        let world = try opened()
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
        // Who claims and answers is the same.
        let same = try opened()
        same.own("com.x", ":1.9")
        try same.claim("/main/a", by: ":1.9")
        #expect(same.presented(1, by: ":1.9") == [])
    }

    @Test func `S-29 S-31 so is who owned it when it is presented again, or claimed by the presenter meanwhile`() throws
    {
        let world = try opened()
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
        #expect(try world.state("/main/a").owner == Client(":1.8"))
    }

    @Test func `S-31 who answers an older call, after another the latest, is told that it is not the owner`() throws {
        let world = try opened()
        try world.emit("open", ["item": .byte(2)], on: "/main")
        world.presented(2, by: ":1.8")
        #expect(world.presented(1, by: ":1.9") == ["withdraw /main/a from :1.9: replaced"])
        #expect(try world.state("/main/a").owner == Client(":1.8"))
        let older = try opened()
        try older.emit("open", ["item": .byte(2)], on: "/main")
        older.presented(1, by: ":1.9")
        #expect(older.presented(2, by: ":1.8").contains("withdraw /main/a from :1.9: replaced"))
        // Nobody is told of itself.
        let own = try opened()
        try own.emit("open", ["item": .byte(2)], on: "/main")
        own.presented(2, by: ":1.8")
        #expect(own.presented(1, by: ":1.8") == [])
    }

    // MARK: Failures

    @Test
    func `S-11 S-23 S-31 a screen that can't be presented goes, and its parent is told in the chain that made it`()
        throws
    {
        let world = try opened()
        let origin = try #require(world.coordinator.origins.cascades.keys.first)
        try world.emit("cover", on: "/main", by: ":1.4")
        #expect(
            world.presentFails(1)
                == ["- /main/a", "did 3 after 1 by :1.3: /main closed {why=presentFailed} []"])
        #expect(world.coordinator.origins[origin] == nil)
        #expect(world.presentFails(1) == [])
        // Claimed meanwhile, its owner is told.
        let claimed = try opened()
        claimed.own("com.x", ":1.9")
        try claimed.claim("/main/a", by: ":1.9")
        #expect(
            claimed.presentFails(1).prefix(2)
                == ["- /main/a", "withdraw /main/a from :1.9: presentFailed"])
    }

    @Test func `S-11 S-31 what sets itself off by failing Presents ends after 256`() throws {
        var sketch = sketch()
        sketch.flow("main", on: ["open": [.screen("b", .init(onDismissed: "open"))]])
        let world = try World(root: "main", sketch)
        try world.emit("open", on: "/main")
        var calls = 0
        while case .present(let it)? = world.effects.first(where: { if case .present = $0 { true } else { false } }) {
            calls += 1
            #expect(world.coordinator.origins.count == 1)
            guard calls <= Limits.triggeredSteps + 1 else { break }
            world.presentFails(it.id.number)
        }
        #expect(calls == Limits.triggeredSteps + 1)
        #expect(world.effects.map(\.line) == ["- /main/b", "failed after 257 by :1.1: /main open NavigationLoop"])
        #expect(world.coordinator.origins.isEmpty)
        #expect(try world.emit("open", on: "/main").last == "= navigated 258")
    }

    @Test func `S-14 S-31 what a failed one covered comes in sight, and is presented`() throws {
        let world = try World(root: "main", sketch(.stack))
        try world.emit("both", on: "/main")
        #expect(
            world.presentFails(1)
                == ["- /main/b", "~ /main current=/main/a", "present com.x #2: /main/a"])
    }
}
