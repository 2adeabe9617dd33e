import Testing

@testable import FlowCore

/// Screens whose registered flow is gone, or that a file declares now (S-32).
@Suite("Flow coordinator: screens whose registered flow is gone")
struct RegisteredScreensLossTests {
    /// `/main` of a file's navigator with the screens `cash`, which `:1.5` shows, `card`, for which it is asked, and `a`.
    private func showing() throws -> World {
        var builder = DefinitionsBuilder.host()
        builder.flow("main", navigated: (by: "com.nav", steps: ["open"]))
        builder.screen("a")
        let world = World(builder)
        world.register(
            "pay", steps: ["pay": [:]], by: ":1.5", screens: ["cash": [:], "card": [:]], presenter: "/presenter")
        try world.coordinate("main")
        try world.emit("open", on: "/main")
        #expect(
            asked(world.navigate(1, to: [.screen("cash", .init(onDismissed: "open")), .screen("card"), .screen("a")]))
                == ["present :1.5 #2: /main/cash", "present :1.5 #3: /main/card"])
        world.presented(2, by: ":1.5")
        #expect(world.paths == ["/main", "/main/cash", "/main/card", "/main/a"])
        return world
    }

    /// The Presents in a list of effects.
    private func asked(_ reported: [String]) -> [String] { reported.filter { $0.hasPrefix("present ") } }

    @Test func `S-32 unregistering it dismisses its screens everywhere, as undeclared`() throws {
        let world = try showing()
        #expect(
            world.unregister("pay", by: ":1.5") == [
                "- /main/cash", "withdraw /main/cash from :1.5: undeclared", "- /main/card", "drop #3", "definitions",
                "= done",
            ])
        guard case .withdraw(let withdrawal) = world.effects[1] else { throw World.UnexpectedEffect() }
        #expect(withdrawal.object == "/presenter")
        #expect(world.paths == ["/main", "/main/a"])
        // A late answer gets Withdraw with the reason.
        #expect(world.presented(3, by: ":1.5") == ["withdraw /main/card from :1.5: undeclared"])
        #expect(world.coordinator.definitions.screens.map(\.name) == ["a"])
        #expect(world.coordinator.watches.counts.isEmpty)
        #expect(world.coordinator.questions.isEmpty)
        #expect(world.coordinator.origins.isEmpty)
    }

    @Test func `S-30 S-32 when its client vanishes, screens it owned are dismissed for that, the others as undeclared`()
        throws
    {
        let world = try showing()
        #expect(
            world.vanish(":1.5") == [
                "- /main/cash", "navigator? com.nav #4: /main open", "- /main/card", "drop #3", "definitions",
            ])
        #expect(world.paths == ["/main", "/main/a"])
        #expect(world.coordinator.watches.counts.isEmpty)
    }

    @Test func `S-30 S-32 if the bus can start it again its screens stay declared, and it is called again`() throws {
        let world = World(.host())
        world.own("com.pay", ":1.5")
        world.register(
            "pay", steps: ["pay": [:]], by: ":1.5", name: "com.pay", isActivatable: true, screens: ["cash": [:]])
        world.own("com.pay", nil)
        world.vanish(":1.5")
        #expect(world.coordinator.definitions.screens.map(\.name) == ["a", "cash"])
        try world.coordinate("pay")
        try world.emit("pay", on: "/pay")
        world.own("com.pay", ":1.15")
        #expect(asked(world.navigate(1, to: [.screen("cash")])) == ["present com.pay #2: /pay/cash"])
        #expect(world.presented(2, by: ":1.15").last == "~ /pay/cash owner=:1.15")
    }

    @Test func `S-32 a screen of two flows stays as long as one of them does`() throws {
        let world = try showing()
        world.register("till", steps: ["till": [:]], by: ":1.5", screens: ["cash": [:]], presenter: "/presenter")
        #expect(
            world.unregister("pay", by: ":1.5") == ["- /main/card", "drop #3", "definitions", "= done"])
        #expect(world.paths == ["/main", "/main/cash", "/main/a"])
        #expect(try world.emit("open", on: "/main").first == "navigator? com.nav #4: /main open")
        #expect(
            asked(world.navigate(4, to: [.screen("cash"), .screen("a")])) == ["present :1.5 #5: /main/cash_2"])
        #expect(world.unregister("till", by: ":1.5").contains("- /main/cash"))
        #expect(world.paths == ["/main", "/main/a", "/main/a_2"])
    }

    // MARK: Reload

    @Test func `S-32 they survive a reload, under new ids`() throws {
        let world = try showing()
        var new = DefinitionsBuilder.host()
        new.flow("main", navigated: (by: "com.nav", steps: ["open"]))
        for name in ["a", "aa", "zz"] { new.screen(name) }
        #expect(world.reload(new) == [])
        #expect(world.coordinator.definitions.screens.map(\.name) == ["a", "aa", "zz", "cash", "card"])
        #expect(world.paths == ["/main", "/main/cash", "/main/card", "/main/a"])
        #expect(world.presented(3, by: ":1.5") == ["~ /main/card owner=:1.5"])
        try world.emit("open", on: "/main")
        #expect(
            asked(world.navigate(4, to: [.screen("card"), .screen("zz")])) == ["present :1.5 #5: /main/card_2"])
        #expect(world.paths.suffix(2) == ["/main/card_2", "/main/zz"])
    }

    @Test func `S-32 a file that declares one replaces it; once it no longer does, the first client's is used`()
        throws
    {
        let world = try showing()
        var new = DefinitionsBuilder.host()
        new.flow("main", navigated: (by: "com.nav", steps: ["open"]))
        new.screen("a")
        new.screen("cash", ["n": "int64?"], presenter: "com.shop", whenOwnerGone: .keep)
        new.screen("free")
        #expect(world.reload(new) == [])
        #expect(world.paths == ["/main", "/main/cash", "/main/card", "/main/a"])
        world.register("till", steps: ["till": [:]], by: ":1.6", screens: ["free": [:]])
        world.register("desk", steps: ["desk": [:]], by: ":1.7", screens: ["free": [:]])
        try world.emit("open", on: "/main")
        #expect(
            asked(world.navigate(4, to: [.screen("cash"), .screen("free")])) == ["present com.shop #5: /main/cash_2"])

        var old = DefinitionsBuilder.host()
        old.flow("main", navigated: (by: "com.nav", steps: ["open"]))
        old.screen("a")
        #expect(world.reload(old) == [])
        #expect(world.paths.suffix(2) == ["/main/cash_2", "/main/free"])
        try world.emit("open", on: "/main")
        #expect(
            asked(world.navigate(6, to: [.screen("cash"), .screen("free")]))
                == ["present :1.5 #7: /main/cash_3", "present :1.6 #8: /main/free_2"])
        world.unregister("till", by: ":1.6")
        try world.emit("open", on: "/main")
        #expect(asked(world.navigate(9, to: [.screen("free")])) == ["present :1.7 #10: /main/free_3"])
        // As two clients have declared it, no other can.
        try expectRefusal(world, .alreadyRegistered, with: "screen 'cash' is registered by ':1.5'") {
            world.register("more", steps: ["more": [:]], by: ":1.8", screens: ["cash": [:]])
        }
    }

    @Test func `S-32 a file that takes the place of the flow takes its screens away`() throws {
        let world = try showing()
        var new = DefinitionsBuilder.host()
        new.flow("main", navigated: (by: "com.nav", steps: ["open"]))
        new.screen("a")
        new.flow("pay", on: ["pay": []])
        #expect(
            world.reload(new) == [
                "- /main/cash", "withdraw /main/cash from :1.5: undeclared", "- /main/card", "drop #3",
            ])
        #expect(world.paths == ["/main", "/main/a"])
    }

    // MARK: Restart

    @Test func `D-3 they survive a restart, and an unanswered presenter is called again`() throws {
        let world = try showing()
        let definitions = world.coordinator.definitions
        let reported = world.restart()
        #expect(reported.contains("present :1.5 #1: /main/card"), "\(reported)")
        #expect(world.coordinator.definitions == definitions)
        #expect(world.paths == ["/main", "/main/cash", "/main/card", "/main/a"])
        guard case .present(let asked)? = world.effects.last(where: { $0.line.hasPrefix("present") }) else {
            throw World.UnexpectedEffect()
        }
        #expect(asked.presenter.service == Service(":1.5", path: "/presenter", timeout: Limits.presenterTimeout))
        // Its client is not notified.
        #expect(
            world.register(
                "pay", steps: ["pay": [:]], by: ":1.5", screens: ["cash": [:], "card": [:]], presenter: "/presenter")
                == ["= done"])
        #expect(world.unregister("pay", by: ":1.5").first == "- /main/cash")
    }

    @Test func `D-3 D-5 a flow and its screens are restored together, whatever the files declare now`() throws {
        var builder = DefinitionsBuilder.host()
        builder.screen("free")
        let world = World(builder)
        for (flow, client) in [("till", ":1.6"), ("desk", ":1.7")] {
            world.register(flow, steps: [flow: [:]], by: client, screens: ["free": [:]])
        }
        // No file has it any more, or one with other arguments.
        #expect(world.restart(.host()) == [])
        #expect(world.coordinator.definitions.screens.map(\.name) == ["a", "free"])
        #expect(world.coordinator.definitions.screens[1].presenter?.service.name == ":1.6")
        builder.screen("free", ["n": "int64"])
        #expect(world.restart(builder) == [])
        #expect(world.coordinator.definitions.screens.map(\.presenter) == [nil, nil])
        #expect(world.coordinator.registrations.all.map(\.flow) == ["till", "desk"])
    }

    @Test func `D-3 on another bus those are restored whose program the bus can start`() throws {
        let world = World(.host())
        world.register("pay", steps: ["pay": [:]], by: ":1.5", screens: ["cash": [:]])
        world.own("com.till", ":1.6")
        world.register(
            "till", steps: ["till": [:]], by: ":1.6", name: "com.till", isActivatable: true, screens: ["card": [:]])
        world.restart(onSameBus: false)
        #expect(world.coordinator.definitions.screens.map(\.name) == ["a", "card"])
    }

    // MARK: Records

    @Test func `D-3 D-6 the record of a registration with screens is read as written, and no part of it is one`() throws
    {
        let type = try #require(ValueType(signature: "x"))
        let sum = [Parameter("sum", type, isOptional: true)]
        var registration = Registration(
            "pay", at: Service(":1.5", path: "/n", timeout: 300), steps: [StepDeclaration("buy", parameters: sum)],
            hasGuard: true, children: .stack, initial: "buy", by: Client(":1.5"))
        registration.bring([.init("cash"), .init("card", parameters: sum)], presentedAt: "/p")
        let whole = RegistrationRecord(registration: registration, isLeft: true).encoded()
        #expect(try RegistrationRecord(whole).registration == registration)
        for count in whole.indices {
            #expect(throws: RecordFailure.self) { try RegistrationRecord(Array(whole[..<count])) }
        }
        #expect(throws: RecordFailure.self) { try RegistrationRecord(whole + [0]) }
    }
}
