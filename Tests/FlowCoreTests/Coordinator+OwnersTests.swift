import Testing

@testable import FlowCore

@Suite("Flow coordinator: owners")
struct OwnersTests {
    private let reported = DefinitionsBuilder.Child(
        onDismissed: "closed", onDismissedWith: [Binding("name", .childName), Binding("why", .reason)])

    private func builder(_ children: Children = .free) -> DefinitionsBuilder {
        var builder = DefinitionsBuilder()
        builder.step("closed", ["name": "string", "why": "string"])
        builder.flow(
            "main", children: children,
            on: [
                "open": [.screen("a", reported), .flow("sub", reported), .screen("b")],
                "only": [.screen("c", .init(clears: true))], "pop": [.popRoot], "closed": [],
            ])
        builder.flow(
            "sub", on: ["fill": [.screen("x", reported), .screen("y")], "stop": [.end()], "closed": []])
        return builder
    }

    /// `/main` with `a`, `sub` and `b`; `sub` with `x` and `y`.
    private func makeWorld(_ builder: DefinitionsBuilder) throws -> World {
        let world = try World(root: "main", builder)
        try world.emit("open", on: "/main")
        try world.emit("fill", on: "/main/sub")
        return world
    }

    private func owner(_ world: World, _ path: String) throws -> String? {
        world.coordinator.forest[try world.node(path).slot].owner?.name
    }

    // MARK: Claim, release

    @Test func `S-29 S-33 a claim makes an owner, and only the owner may show, hide, dismiss and release`() throws {
        let world = try makeWorld(builder())
        #expect(try world.claim("/main/a", by: ":1.5") == ["~ /main/a owner=:1.5", "= done"])
        #expect(try world.claim("/main/a", by: ":1.5") == ["= done"])
        try expectRefusal(
            world, .alreadyClaimed, with: "'/main/a' is claimed by ':1.5', which has to release it first"
        ) {
            try world.claim("/main/a", by: ":1.6")
        }
        let notOwner = "':1.6' does not own '/main/a': it is owned by ':1.5'"
        try expectRefusal(world, .notOwner, with: notOwner) { try world.show("/main/a", by: ":1.6") }
        try expectRefusal(world, .notOwner, with: notOwner) { try world.dismiss("/main/a", by: ":1.6") }
        try expectRefusal(world, .notOwner, with: notOwner) { try world.release("/main/a", by: ":1.6") }
        #expect(
            try world.show("/main/a", by: ":1.5") == ["~ /main/a visible=true presented=true", "= done"])
        try expectRefusal(world, .notOwner, with: notOwner) { try world.hide("/main/a", by: ":1.6") }
        #expect(try world.release("/main/a", by: ":1.5") == ["~ /main/a owner=-", "= done"])
        #expect(try world.state("/main/a").isVisible)
        // From then on any client can claim it.
        try expectRefusal(world, .notOwner, with: "':1.5' does not own '/main/a': nobody does") {
            try world.release("/main/a", by: ":1.5")
        }
        #expect(try world.hide("/main/a", by: ":1.6").last == "= done")
        #expect(try world.dismiss("/main/a", by: ":1.7").first == "- /main/a")
        #expect(world.coordinator.watches.counts.isEmpty)
    }

    @Test func `S-29 of two simultaneous claims exactly the first succeeds`() throws {
        let world = try makeWorld(builder())
        let node = try world.node("/main/b")
        let answers = [":1.5", ":1.6", ":1.7"].map { client in
            world.handle(.presentableClaimed(world.nextRequest(), node, by: Client(client))).last
        }
        #expect(answers == ["= done", "! AlreadyClaimed", "! AlreadyClaimed"])
        #expect(try owner(world, "/main/b") == ":1.5")
        try world.release("/main/b", by: ":1.5")
        #expect(try world.claim("/main/b", by: ":1.7").last == "= done")
        #expect(try owner(world, "/main/b") == ":1.7")
    }

    @Test func `S-29 flows are claimed, too; presentables below one are not, and may have another owner`() throws {
        let world = try makeWorld(builder())
        #expect(try world.claim("/main", by: ":1.5").contains("~ /main owner=:1.5"))
        #expect(try world.claim("/main/sub", by: ":1.6").last == "= done")
        try expectRefusal(world, .notOwner, with: "owned by ':1.5'") { try world.hide("/main", by: ":1.6") }
        try expectRefusal(world, .notOwner, with: "owned by ':1.6'") { try world.dismiss("/main/sub", by: ":1.5") }
        #expect(try world.show("/main/sub/x", by: ":1.7").last == "= done")
        #expect(try world.emit("fill", on: "/main/sub", by: ":1.7").last == "= navigated 3")
        let owned = world.coordinator.presentables(ownedBy: Client(":1.6"))
        #expect(owned.map(\.path) == ["/main/sub"])
        #expect(owned.map(\.instance) == [try world.state("/main/sub").instance])
    }

    @Test func `S-25 a call for a removed presentable does not affect another at its path`() throws {
        let world = try makeWorld(builder())
        let gone = try world.node("/main/b")
        try world.claim("/main/b", by: ":1.5")
        try world.dismiss("/main/b", by: ":1.5")
        try world.dismiss("/main/a")
        try world.dismiss("/main/sub")
        try world.emit("open", on: "/main")
        #expect(try owner(world, "/main/b") == nil)
        try expectRefusal(world, .presentableDismissed, with: "gone") {
            world.handle(.presentableClaimed(world.nextRequest(), gone, by: Client(":1.5")))
        }
        try expectRefusal(world, .presentableDismissed, with: "gone") {
            world.handle(.presentableReleased(world.nextRequest(), gone, by: Client(":1.5")))
        }
    }

    @Test func `S-29 S-33 a client is watched once, whatever it owns, until it vanishes`() throws {
        let world = try makeWorld(builder())
        let before = world.watched
        try world.claim("/main/a", by: ":1.5")
        for path in ["/main/b", "/main/sub", "/main/sub/x"] { try world.claim(path, by: ":1.5") }
        world.register("pay", steps: ["pay": [:]], by: ":1.5")
        #expect(world.coordinator.watches.counts == [Client(":1.5"): 5])
        try world.release("/main/b", by: ":1.5")
        try world.emit("stop", on: "/main/sub")
        world.unregister("pay", by: ":1.5")
        try world.dismiss("/main/a", by: ":1.5")
        #expect(world.coordinator.watches.counts.isEmpty)
        try world.claim("/main/b", by: ":1.5")
        #expect(world.watched == before + [":1.5"])
        world.handle(.clientVanished(Client(":1.5")))
        #expect(world.coordinator.watches.counts.isEmpty)
    }

    // MARK: Withdraw

    @Test
    func
        `S-29 rules dismiss owned presentables, too, and their owners get Withdraw: clear, pop, end, and everything below`()
        throws
    {
        let world = try makeWorld(builder())
        for path in ["/main/a", "/main/sub", "/main/sub/y"] { try world.claim(path, by: ":1.5") }
        #expect(
            try world.emit("only", on: "/main") == [
                "- /main/b", "- /main/sub/y", "withdraw /main/sub/y from :1.5: parent", "- /main/sub/x", "- /main/sub",
                "withdraw /main/sub from :1.5: rule", "- /main/a",
                "withdraw /main/a from :1.5: rule", "+ /main/c",
                "did 3 after 0 by :1.1: /main only [clear, screen c /main/c]", "= navigated 3",
            ])
        let popped = try makeWorld(builder())
        for path in ["/main/a", "/main/b"] { try popped.claim(path, by: ":1.5") }
        #expect(try popped.emit("pop", on: "/main").prefix(2) == ["- /main/b", "withdraw /main/b from :1.5: rule"])
        #expect(try owner(popped, "/main/a") == ":1.5")
        let ended = try makeWorld(builder())
        for path in ["/main/sub", "/main/sub/x"] { try ended.claim(path, by: ":1.5") }
        #expect(
            try ended.emit("stop", on: "/main/sub") == [
                "- /main/sub/y", "- /main/sub/x", "withdraw /main/sub/x from :1.5: parent",
                "did 3 after 0 by :1.1: /main/sub stop [end]", "- /main/sub",
                "withdraw /main/sub from :1.5: rule", "= navigated 3",
            ])
    }

    @Test func `S-24 S-29 Back dismisses owned presentables, too`() throws {
        let world = try makeWorld(builder(.stack))
        try world.claim("/main/b", by: ":1.5")
        #expect(
            try world.back("/main", by: ":1.6").prefix(2) == [
                "- /main/b", "withdraw /main/b from :1.5: back",
            ])
    }

    @Test
    func
        `S-29 an owner that dismisses its own gets no Withdraw; owners of presentables below get one, with the instance`()
        throws
    {
        let world = try makeWorld(builder())
        try world.claim("/main/sub", by: ":1.5")
        try world.claim("/main/sub/x", by: ":1.6")
        let instance = try world.state("/main/sub/x").instance
        #expect(
            try world.dismiss("/main/sub", by: ":1.5") == [
                "- /main/sub/y", "- /main/sub/x",
                "withdraw /main/sub/x from :1.6: parent", "- /main/sub",
                "did 3 after 0 by :1.5: /main closed {name=sub, why=dismissed} []", "= done",
            ])
        #expect(
            world.effects.contains(
                .withdraw(
                    Withdrawal(
                        client: Client(":1.6"), object: "/", path: "/main/sub/x", instance: instance,
                        reason: .parent))))
    }

    @Test func `S-29 owners get Withdraw for presentables whose declaration is gone`() throws {
        let world = try makeWorld(builder())
        for path in ["/main/a", "/main/sub", "/main/sub/y"] { try world.claim(path, by: ":1.5") }
        var new = DefinitionsBuilder()
        new.flow("main", on: ["open": [.screen("b"), .screen("x"), .screen("y")]])
        #expect(
            world.reload(new) == [
                "- /main/a", "withdraw /main/a from :1.5: undeclared", "- /main/sub/y",
                "withdraw /main/sub/y from :1.5: parent", "- /main/sub/x", "- /main/sub",
                "withdraw /main/sub from :1.5: undeclared",
            ])
        #expect(world.coordinator.watches.counts.isEmpty)
    }

    @Test func `S-29 S-32 the owner of a flow gets Withdraw when its navigator vanishes`() throws {
        var builder = builder()
        builder.flow("sub", navigated: (by: "com.nav", steps: ["fill"]))
        let world = try World(root: "main", builder)
        world.own("com.nav", ":1.8")
        try world.emit("open", on: "/main")
        try world.claim("/main/sub", by: ":1.5")
        #expect(
            world.own("com.nav", nil) == [
                "- /main/sub", "withdraw /main/sub from :1.5: navigatorGone",
                "did 2 after 0 by :1.8: /main closed {name=sub, why=navigatorGone} []",
            ])
    }

    // MARK: Owners that are gone

    @Test func `S-23 S-30 presentables of a vanished owner are dismissed, and the parents' steps are triggered`() throws
    {
        let world = try makeWorld(builder())
        for path in ["/main/a", "/main/b", "/main/sub"] { try world.claim(path, by: ":1.5") }
        try world.claim("/main/sub/x", by: ":1.6")
        #expect(
            world.vanish(":1.5") == [
                "- /main/a", "- /main/sub/y", "- /main/sub/x",
                "withdraw /main/sub/x from :1.6: parent", "- /main/sub", "- /main/b",
                "did 3 after 0 by :1.5: /main closed {name=a, why=ownerGone} []",
                "did 4 after 0 by :1.5: /main closed {name=sub, why=ownerGone} []",
            ])
        #expect(world.coordinator.origins.isEmpty)
        #expect(world.coordinator.watches.counts.isEmpty)
        #expect(world.vanish(":1.5") == [])
        try world.dismiss("/main")
        #expect(world.coordinator.accounting == Accounting())
    }

    @Test func `S-30 parent and child of one owner: the child goes with its parent, and no Withdraw is sent`()
        throws
    {
        let world = try makeWorld(builder())
        for path in ["/main/sub/x", "/main/sub", "/main/sub/y"] { try world.claim(path, by: ":1.5") }
        let effects = world.vanish(":1.5")
        #expect(
            effects == [
                "- /main/sub/y", "- /main/sub/x", "- /main/sub",
                "did 3 after 0 by :1.5: /main closed {name=sub, why=ownerGone} []",
            ])
        #expect(world.coordinator.watches.counts.isEmpty)
    }

    @Test func `S-30 the loss of a client that owns nothing changes nothing`() throws {
        let world = try makeWorld(builder())
        try world.claim("/main/a", by: ":1.5")
        try world.claim("/main/b", by: ":1.6")
        try world.release("/main/a", by: ":1.5")
        let before = world.standing
        #expect(world.vanish(":1.5") == [])
        #expect(world.vanish(":1.9") == [])
        #expect(world.standing == before)
        #expect(world.vanish(":1.6") == ["- /main/b"])
    }

    @Test func `S-30 a root that is owned goes with its owner, and the next claims go on`() throws {
        let world = try makeWorld(builder())
        try world.claim("/main", by: ":1.5")
        #expect(world.vanish(":1.5").last == "- /main")
        #expect(world.paths.isEmpty)
        #expect(world.coordinator.accounting == Accounting())
        try world.coordinate("main")
        #expect(try world.claim("/main", by: ":1.6") == ["~ /main owner=:1.6", "= done"])
    }

    // MARK: keep, present

    private func keeping(_ whenOwnerGone: WhenOwnerGone, _ children: Children = .free) throws -> World {
        var builder = builder(children)
        builder.screen("a", presenter: "com.x", whenOwnerGone: whenOwnerGone)
        builder.addRule("cover", [.screen("b")], to: "main")
        builder.addRule("one", [.screen("a", reported)], to: "main")
        let world = try World(root: "main", builder)
        try world.emit("one", on: "/main")
        world.presented(1, by: ":1.5")
        try world.show("/main/a", by: ":1.5")
        return world
    }

    @Test func `S-30 keep: hidden and unowned, and presented again when it becomes presented`() throws {
        let world = try keeping(.keep, .stack)
        #expect(world.vanish(":1.5") == ["~ /main/a visible=false presented=false owner=-"])
        #expect(try world.forestNode("/main/a").isInSight)
        #expect(try world.emit("closed", ["name": .string("-"), "why": .string("-")], on: "/main").count == 2)
        // Covered and uncovered, it would be presented.
        #expect(try !world.emit("cover", on: "/main").contains { $0.hasPrefix("present") })
        #expect(try world.dismiss("/main/b").contains("present com.x #2: /main/a recover"))
        #expect(world.presented(2, by: ":1.6") == ["~ /main/a owner=:1.6"])
        // Covered already when its owner goes: the same.
        try world.emit("cover", on: "/main")
        #expect(world.vanish(":1.6") == ["~ /main/a owner=-"])
        world.wait(Limits.firstPause)
        #expect(try world.dismiss("/main/b").contains("present com.x #3: /main/a recover"))
    }

    @Test func `S-30 present: its presenter is called again at once`() throws {
        let world = try keeping(.present)
        #expect(
            world.vanish(":1.5") == [
                "~ /main/a visible=false presented=false owner=- \(lost)", "present com.x #2: /main/a recover",
            ])
        #expect(world.presented(2, by: ":1.6") == ["~ /main/a owner=:1.6 waiting=-"])
    }

    @Test func `S-30 present: a covered screen is presented again when it is uncovered`() throws {
        let world = try keeping(.present, .stack)
        try world.emit("cover", on: "/main")
        #expect(world.vanish(":1.5") == ["~ /main/a visible=false owner=- \(lost)"])
        #expect(try world.dismiss("/main/b").contains("present com.x #2: /main/a recover"))
    }

    private let lost = "waiting='com.x', which showed it, has left the bus (org.freedesktop.DBus.Error.Disconnected)"
}
