import Testing

@testable import FlowCore

/// Calls of presenters at the end of a cascade, and returns to sight (S-38).
@Suite("Flow coordinator: coming back in sight")
struct ReturnTests {
    private func builder(isPresentedOnReturn: Bool = true) -> DefinitionsBuilder {
        var builder = DefinitionsBuilder()
        for name in ["a", "b", "c"] {
            builder.screen(
                name, ["item": "int64?"], presenter: "com.\(name)", isPresentedOnReturn: isPresentedOnReturn)
        }
        builder.flow(
            "main", children: .stack,
            on: [
                "a": [.screen("a")], "b": [.screen("b", .init(style: "sheet"))], "pop": [.pop("a")],
                "again": [.screen("a", .init(reuses: true))], "over": [.screen("b"), .current("pop")],
                "swap": [.screen("c", .init(clears: true))], "sub": [.flow("sub", .init(style: "modal"))],
            ])
        builder.flow("sub", initial: "b", on: ["b": [.screen("b", .init(style: "sheet"))]])
        builder.flow("tabs", initial: "both", children: .tabs, on: ["both": [.screen("a"), .screen("b")]])
        return builder
    }

    /// The calls to presenters by the latest event.
    private func calls(_ world: World) -> [Presentation] {
        world.effects.compactMap { if case .present(let presentation) = $0 { presentation } else { nil } }
    }

    /// `a` is shown by `:1.9`, and `b` covers it.
    private func covered(_ builder: DefinitionsBuilder? = nil) throws -> World {
        let world = try World(root: "main", builder ?? self.builder())
        try world.emit("a", on: "/main")
        world.presented(1, by: ":1.9")
        try world.show("/main/a", by: ":1.9")
        try world.emit("b", on: "/main")
        world.presented(2, by: ":1.8")
        return world
    }

    @Test func `S-38 an owned screen that is in sight again is presented again, to its owner, with the token`() throws {
        let world = try covered()
        try world.emit("pop", on: "/main", options: EmissionOptions(activationToken: "click"))
        let call = try #require(calls(world).first)
        #expect(calls(world).count == 1)
        #expect(call.path == "/main/a" && call.reason == .return && call.isAgain && call.owner == Client(":1.9"))
        #expect(call.activationToken == "click" && call.direction == .pop)
        // It asks for nothing: not for an answer, and nobody is restricted by it.
        #expect(world.presentFails(3) == [])
        #expect(try world.state("/main/a").owner == ":1.9")
        #expect(world.coordinator.questions.isEmpty && world.coordinator.origins.isEmpty)
        // It is not called again after a restart.
        #expect(world.restart() == [])
    }

    @Test func `S-38 an owner that asks for SightChanged when its screen is covered already is told at once`() throws {
        let world = try World(root: "main", builder())
        try world.emit("a", on: "/main")
        try world.emit("b", on: "/main")
        let report = ScreenReport(wantsSight: true)
        world.handle(.presenterReplied(QuestionID(1), .presented(by: Client(":1.9"), report)))
        #expect(world.sight == ["sight /main/a false for :1.9"])
        world.handle(.presenterReplied(QuestionID(2), .presented(by: Client(":1.8"), report)))
        #expect(world.sight.filter { $0.hasPrefix("sight") } == [])
    }

    @Test func `S-38 presentOnReturn = false turns it off`() throws {
        let world = try covered(builder(isPresentedOnReturn: false))
        try world.emit("pop", on: "/main")
        #expect(calls(world).isEmpty)
    }

    @Test func `S-19 S-37 S-38 a screen that is reused with the same arguments returns; with others it is updated`()
        throws
    {
        func raising(isPresentedOnReturn: Bool = true) -> DefinitionsBuilder {
            var builder = builder(isPresentedOnReturn: isPresentedOnReturn)
            builder.step("front", ["item": "int64?"])
            builder.addRule("front", [.screen("a", .init(reuses: true, raises: true))], to: "main")
            return builder
        }
        let world = try covered(raising())
        try world.emit("front", on: "/main", options: EmissionOptions(activationToken: "tap"))
        let call = try #require(calls(world).first)
        #expect(calls(world).count == 1 && call.path == "/main/a" && call.owner == Client(":1.9"))
        #expect(call.reason == .return && call.direction == .switch && call.activationToken == "tap")
        world.presented(call.id.number, by: ":1.9")
        // In sight already, it is presented as before.
        try world.emit("front", on: "/main")
        #expect(calls(world).map(\.reason) == [.update])

        let other = try covered(raising())
        try other.emit("front", ["item": .int64(7)], on: "/main")
        #expect(calls(other).map(\.reason) == [.update] && calls(other).first?.owner == nil)

        let quiet = try covered(raising(isPresentedOnReturn: false))
        try quiet.emit("front", on: "/main")
        #expect(calls(quiet).isEmpty)
        // Nobody shows it: it is presented in any case.
        let left = try covered(raising(isPresentedOnReturn: false))
        try left.release("/main/a", by: ":1.9")
        try left.emit("front", on: "/main")
        #expect(calls(left).map(\.reason) == [.update])
    }

    @Test func `S-38 a return after a reload has the direction, too`() throws {
        let world = try covered()
        var tabs = builder()
        tabs.flow("main", children: .tabs, on: ["a": [.screen("a")], "b": [.screen("b")]])
        world.reload(tabs)
        #expect(calls(world).map(\.path) == ["/main/a"])
        #expect(calls(world).map(\.reason) == [.return] && calls(world).map(\.direction) == [.switch])

        let other = try covered()
        var without = DefinitionsBuilder()
        without.screen("a", ["item": "int64?"], presenter: "com.a")
        without.flow("main", children: .stack, on: ["a": [.screen("a")]])
        other.reload(without)
        #expect(calls(other).map(\.direction) == [.pop])
    }

    @Test func `S-38 nothing that is only in between is presented`() throws {
        let world = try covered()
        try world.emit("pop", on: "/main")
        world.presented(3, by: ":1.9")
        // `b` covers `a` and is popped by the same cascade.
        try world.emit("over", on: "/main")
        #expect(calls(world).isEmpty)
        #expect(world.navigations == ["/main over", "/main pop"])
    }

    @Test func `S-38 the presenter of what onDismissed shows is called, not that of what was uncovered in between`()
        throws
    {
        var builder = builder()
        builder.flow(
            "main", children: .stack,
            on: [
                "a": [.screen("a")], "b": [.screen("b", .init(onDismissed: "c"))], "c": [.screen("c")],
                "pop": [.pop("a")],
            ])
        let world = try covered(builder)
        world.vanish(":1.8")
        #expect(calls(world).map(\.path) == ["/main/c"])
    }

    @Test func `S-38 NavigateAlong presents what is in sight at its end, with its token`() throws {
        let world = try World(root: "main", builder())
        try world.navigateAlong([("main", "a"), ("main", "")], activationToken: "link")
        #expect(calls(world).map(\.activationToken) == ["link"])
        let other = try World(root: "main", builder())
        try other.navigateAlong([("main", "sub"), ("sub", "b")], activationToken: "link")
        #expect(other.navigations == ["/main sub", "/main/sub b", "/main/sub b"])
        // Both screens of `sub` are in sight; the higher one gets the token.
        #expect(calls(other).map(\.activationToken) == [nil, "link"])
        #expect(other.coordinator.activationTokens.isEmpty)
    }

    @Test func `S-38 a token of Navigate goes to what comes in sight`() throws {
        let world = try World(root: "main", builder())
        try world.navigate("a", activationToken: "link")
        #expect(calls(world).map(\.activationToken) == ["link"])
        try world.navigate("pop", activationToken: "link")
        #expect(world.coordinator.activationTokens.isEmpty)
        let long = String(repeating: "t", count: Limits.activationTokenLength + 1)
        #expect(try world.navigate("a", activationToken: long) == ["! LimitExceeded"])
        #expect(try world.navigateAlong([("main", "a")], activationToken: long) == ["! LimitExceeded"])
    }

    @Test func `S-38 while a Present is under way, a return waits with the newest token`() throws {
        let world = try World(root: "main", builder())
        try world.emit("a", on: "/main")
        // Covered and uncovered before the presenter answered.
        try world.emit("b", on: "/main")
        try world.emit("pop", on: "/main", options: EmissionOptions(activationToken: "first"))
        try world.emit("b", on: "/main")
        try world.emit("pop", on: "/main", options: EmissionOptions(activationToken: "second"))
        #expect(calls(world).isEmpty)
        world.presented(1, by: ":1.9")
        #expect(calls(world).map(\.reason) == [.return])
        #expect(calls(world).first?.activationToken == "second")
        // Another return waits for the answer to this one, and is not made if the screen is out of sight by then.
        let under = try #require(calls(world).first?.id.number)
        try world.emit("b", on: "/main")
        try world.emit("pop", on: "/main")
        #expect(calls(world).isEmpty)
        try world.emit("b", on: "/main")
        world.presented(under, by: ":1.9")
        #expect(calls(world).isEmpty)
    }

    @Test func `S-38 the reasons: launch, update, recover, restore; a repeated Present keeps its reason`() throws {
        let world = try World(root: "main", builder())
        try world.emit("a", on: "/main")
        #expect(calls(world).map(\.reason) == [.launch])
        world.restart()
        #expect(calls(world).map(\.reason) == [.launch] && !calls(world)[0].isAgain)
        world.presented(1, by: ":1.9")
        try world.emit("again", on: "/main")
        #expect(calls(world).map(\.reason) == [.update])
        world.restart()
        #expect(calls(world).map(\.reason) == [.update])
        world.presented(1, by: ":1.9")
        world.restart(onSameBus: false)
        #expect(calls(world).map(\.reason) == [.restore])

        var keeping = builder()
        keeping.screen("a", ["item": "int64?"], presenter: "com.a", whenOwnerGone: .keep)
        let other = try covered(keeping)
        other.vanish(":1.9")
        // New arguments do not change that the owner was lost.
        try other.emit("pop", on: "/main")
        #expect(calls(other).map(\.reason) == [.recover])
    }

    @Test func `S-38 of recover and update, recover is the reason, whichever came first`() throws {
        var builder = builder()
        builder.step("again", ["item": "int64?"])
        builder.screen("a", ["item": "int64?"], presenter: "com.a", whenOwnerGone: .keep)
        for isUpdatedFirst in [true, false] {
            let world = try World(root: "main", builder)
            try world.emit("a", on: "/main")
            world.presented(1, by: ":1.9")
            try world.hide("/main")
            if isUpdatedFirst { try world.navigate("again", ["item": .int64(1)]) }
            world.vanish(":1.9")
            if !isUpdatedFirst { try world.navigate("again", ["item": .int64(1)]) }
            try world.show("/main")
            #expect(world.presents == ["/main/a recover"])
        }
    }

    @Test func `S-38 a return that is dropped leaves its token behind`() throws {
        let world = try World(root: "main", builder())
        try world.emit("a", on: "/main")
        try world.emit("b", on: "/main")
        try world.emit("pop", on: "/main", options: EmissionOptions(activationToken: "click"))
        // It waits for the answer to the first call, and is dropped.
        try world.emit("b", on: "/main")
        try world.emit("pop", on: "/main")
        world.presented(1, by: ":1.9")
        #expect(calls(world).map(\.reason) == [.return])
        #expect(calls(world).map(\.activationToken) == [nil])
    }

    @Test func `S-38 the direction: push, replace, pop, switch, or none`() throws {
        let world = try World(root: "main", builder())
        try world.emit("a", on: "/main")
        #expect(calls(world).map(\.direction) == [.push])
        try world.emit("swap", on: "/main")
        #expect(calls(world).map(\.direction) == [.replace])
        let tabs = try World(root: "tabs", builder())
        tabs.presented(1, by: ":1.9")
        try tabs.show("/tabs/a", by: ":1.9")
        try tabs.show("/tabs/b", by: ":1.9")
        tabs.presented(2, by: ":1.9")
        try tabs.show("/tabs/a", by: ":1.9")
        #expect(calls(tabs).map(\.direction) == [.switch])
        try tabs.hide("/tabs")
        try tabs.show("/tabs")
        #expect(calls(tabs).map(\.direction) == [])
    }

    @Test func `S-38 a screen that comes in sight and is reused in one cascade returns`() throws {
        var builder = builder()
        builder.flow(
            "device", initial: "dash", children: .layers, layers: [Layer("low"), Layer("high")],
            on: [
                "dash": [.flow("dash")], "camera": [.flow("camera", .init(reuses: true, layer: "high"))],
                "away": [.hide("camera")],
            ])
        builder.flow("dash", initial: "a", on: ["a": [.screen("a")]])
        builder.flow("camera", initial: "b", on: ["b": [.screen("b", .init(reuses: true))]])
        let world = try World(root: "device", builder)
        try world.emit("camera", on: "/device")
        world.presented(2, by: ":1.8")
        try world.show("/device/camera/b", by: ":1.8")
        try world.emit("away", on: "/device")
        try world.emit("camera", on: "/device")
        #expect(calls(world).map(\.reason) == [.return])
        // In sight all the time, it is updated.
        try world.emit("camera", on: "/device")
        #expect(calls(world).map(\.reason) == [.update])
    }

    @Test func `S-38 the reason is launch until a presenter has answered`() throws {
        var builder = builder()
        builder.step("open", ["item": "int64?"])
        builder.flow("one", on: ["open": [.screen("a", .init(reuses: true))]])
        let world = try World(root: "one", builder)
        for item in 1...5 as ClosedRange<Int64> {
            try world.emit("open", ["item": .int64(item)], on: "/one")
            if item < 5 { #expect(calls(world).map(\.reason) == [.launch]) }
        }
        // The answer to an older call ends that.
        world.presented(1, by: ":1.9")
        #expect(calls(world).map(\.reason) == [.update])
    }

    // MARK: Late (S-50)

    @Test func `S-50 a tab that is shown late is not selected; the next time it is`() throws {
        let world = try World(root: "tabs", builder())
        world.presented(1, by: ":1.9")
        try world.show("/tabs/b", by: ":1.2")
        world.presented(2, by: ":1.8")
        // Its program is ready after the user has chosen the other tab.
        #expect(try world.show("/tabs/a", by: ":1.9") == ["~ /tabs/a visible=true", "= done"])
        #expect(try world.current("/tabs") == "/tabs/b")
        #expect(world.restart() == [])
        try world.show("/tabs/a", by: ":1.9")
        #expect(try world.current("/tabs") == "/tabs/a")
    }

    @Test func `S-50 before the answer, and after a restart`() throws {
        let world = try World(root: "tabs", builder())
        try world.show("/tabs/b", by: ":1.2")
        world.own("com.a", ":1.9")
        world.restart()
        try world.show("/tabs/a", by: ":1.9")
        #expect(try world.current("/tabs") == "/tabs/b")
        world.presented(1, by: ":1.9")
        try world.show("/tabs/a", by: ":1.9")
        #expect(try world.current("/tabs") == "/tabs/a")
    }

    /// Tabs, of which `:1.9` owns the first one.
    private func tabs(_ whenOwnerGone: WhenOwnerGone) throws -> World {
        var builder = builder()
        builder.screen("a", ["item": "int64?"], presenter: "com.a", whenOwnerGone: whenOwnerGone)
        let world = try World(root: "tabs", builder)
        world.presented(1, by: ":1.9")
        return world
    }

    @Test func `S-50 what recovers selects no tab; what another client shows does`() throws {
        let world = try tabs(.present)
        try world.show("/tabs/a", by: ":1.9")
        world.vanish(":1.9")
        try world.show("/tabs/b", by: ":1.2")
        world.presented(2, by: ":1.10")
        try world.show("/tabs/a", by: ":1.10")
        #expect(try world.current("/tabs") == "/tabs/b")
        // Its owner is gone before it has shown it: who shows it now has chosen it.
        let other = try tabs(.keep)
        try other.show("/tabs/b", by: ":1.2")
        other.vanish(":1.9")
        try other.show("/tabs/a", by: ":1.2")
        #expect(try other.current("/tabs") == "/tabs/a")
    }

    @Test func `S-38 Present has the styles, innermost first, and the root`() throws {
        let world = try World(root: "main", builder())
        try world.emit("sub", on: "/main")
        let call = try #require(calls(world).first)
        #expect(call.styles == ["sheet", "modal"] && call.root == "/main" && call.flow == "/main/sub")
    }

    @Test func `S-38 a cascade that covers a screen and brings it back with equal arguments is an update`() throws {
        var builder = DefinitionsBuilder()
        builder.screen("a", presenter: "com.a")
        builder.screen("b", presenter: "com.b")
        builder.flow(
            "main", children: .stack,
            on: [
                "a": [.screen("a", .init(reuses: true, raises: true))],
                "both": [.screen("b"), .flow("helper", .init(step: "up"))],
            ])
        builder.flow("helper", on: ["up": [.parent("a")]])
        let world = try World(root: "main", builder)
        try world.emit("a", on: "/main")
        world.presented(1, by: ":1.10")
        try world.show("/main/a", by: ":1.10")
        let lines = try world.emit("both", on: "/main", options: EmissionOptions(activationToken: "tap"))
        #expect(lines.contains { $0.hasPrefix("present com.a") && $0.hasSuffix("again token=tap") })
    }

    @Test func `S-38 a call with new arguments takes the place of a return that waits`() throws {
        var builder = DefinitionsBuilder()
        builder.step("a", ["n": "int64?"])
        builder.screen("a", ["n": "int64?"], presenter: "com.a")
        builder.flow("main", whenEmpty: .stay, on: ["a": [.screen("a", .init(reuses: true))]])
        let world = try World(root: "main", builder)
        try world.emit("a", on: "/main")
        world.presented(1, by: ":1.10")
        try world.emit("a", ["n": .int64(1)], on: "/main")
        try world.hide("/main")
        try world.show("/main")
        #expect(world.presents == [])
        try world.emit("a", ["n": .int64(2)], on: "/main")
        #expect(world.presents == ["/main/a update"])
        for question in [2, 3] as [UInt64] {
            world.presented(question, by: ":1.10")
            #expect(world.presents == [])
        }
    }
}
