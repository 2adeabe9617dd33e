import Testing

@testable import FlowCore

/// Flows without children (S-36).
@Suite("Flow coordinator: empty flows")
struct EmptyTests {
    /// `main` is a stack of `home` and the flow `pay`, which covers it; `gone` takes what `onDismissed` knows.
    private func builder(_ whenEmpty: WhenEmpty? = nil, root: WhenEmpty? = nil) -> DefinitionsBuilder {
        var builder = DefinitionsBuilder()
        builder.step("gone", ["why": "string", "error": "string", "text": "string"])
        builder.screen("page", presenter: "com.x")
        builder.flow(
            "main", initial: "start", children: .stack, whenEmpty: root,
            on: [
                "start": [.screen("home")], "gone": [],
                "pay": [
                    .flow(
                        "pay",
                        .init(
                            onDismissed: "gone",
                            onDismissedWith: [
                                Binding("why", .reason), Binding("error", .error), Binding("text", .message),
                            ]))
                ],
                "close": [.pop("root")],
            ])
        builder.flow(
            "pay", initial: "open", children: .stack, whenEmpty: whenEmpty,
            on: ["open": [.screen("page")], "wipe": [.flow("leaf", .init(clears: true))], "quiet": []])
        builder.flow("leaf", initial: "quiet", on: ["quiet": [.end()]])
        return builder
    }

    private func paying(_ whenEmpty: WhenEmpty? = nil) throws -> World {
        let world = World(builder(whenEmpty))
        try world.coordinate("main")
        try world.show("/main/home")
        try world.emit("pay", on: "/main")
        world.presented(1, by: ":1.9")
        try world.show("/main/pay/page", by: ":1.9")
        return world
    }

    @Test func `S-36 a flow whose only screen crashed goes, and its parent learns the reason`() throws {
        let world = try paying()
        #expect(
            world.vanish(":1.9") == [
                "- /main/pay/page", "~ /main/pay current=/", "- /main/pay", "~ /main current=/main/home",
                "~ /main/home presented=true",
                "did 4 after 0 by :1.9: /main gone {why=empty, error=, text=} []",
            ])
        #expect(try world.emit("pay", on: "/main/home").last == "= navigated 5")
        #expect(world.coordinator.emptied.isEmpty)
    }

    @Test func `S-36 $error and $message are those of what emptied the flow`() throws {
        let world = World(builder())
        try world.coordinate("main")
        try world.emit("pay", on: "/main")
        let log = world.presentFails(1, Fault(Fault.refusal, "no display"))
        #expect(log.last == "did 4 after 3 by :1.1: /main gone {why=empty, error=\(Fault.refusal), text=no display} []")
    }

    @Test func `S-36 onDismissed has the origin, the cause and the sender of what emptied the flow`() throws {
        let world = try paying()
        let log = try world.emit("wipe", on: "/main/pay", by: ":1.4")
        // `leaf` ends by itself, which empties `pay`.
        #expect(log.contains { $0.hasPrefix("did 5 after 4 by :1.4: /main/pay/leaf quiet [end") })
        #expect(log.last == "= navigated 4")
        #expect(log.dropLast().last == "did 6 after 5 by :1.4: /main gone {why=empty, error=, text=} []")
    }

    @Test func `S-36 empty flows go before the answer to the call that emptied them, the deepest first`() throws {
        var builder = builder()
        builder.flow("outer", initial: "open", on: ["open": [.flow("inner")]])
        builder.flow("inner", initial: "open", on: ["open": [.screen("plain")]])
        let world = World(builder)
        try world.coordinate("main", step: "start")
        try world.coordinate("outer")
        try world.dismiss("/outer/inner/plain")
        #expect(world.effects.map(\.line) == ["- /outer/inner/plain", "- /outer/inner", "= done"])
        // A root stays.
        #expect(world.paths.last == "/outer")
    }

    @Test func `S-36 S-37 of siblings that are empty by new definitions, the one that was raised last goes first`()
        throws
    {
        func builder(_ whenEmpty: WhenEmpty) -> DefinitionsBuilder {
            var builder = DefinitionsBuilder()
            builder.flow(
                "main", initial: "start", children: .stack,
                on: ["start": [.screen("home"), .flow("x"), .flow("y")], "raise": [.flow("x", .init(raises: true))]])
            for name in ["x", "y"] {
                builder.flow(
                    name, initial: "open", whenEmpty: whenEmpty, on: ["open": [.screen("plain")]])
            }
            return builder
        }
        let world = World(builder(.stay))
        try world.coordinate("main")
        try world.emit("raise", on: "/main")
        for path in ["x/plain", "x/plain_2", "y/plain"] { try world.dismiss("/main/\(path)") }
        #expect(world.coordinator.childPaths(of: try world.node("/main")) == ["/main/home", "/main/y", "/main/x"])
        let log = world.reload(builder(.go))
        #expect(log.filter { $0.hasPrefix("- ") } == ["- /main/x", "- /main/y"])
    }

    @Test func `S-36 a root goes with whenEmpty = go, and a unique one can be started again`() throws {
        var builder = DefinitionsBuilder()
        builder.flow(
            "sheet", initial: "open", isUnique: true, whenEmpty: .go, on: ["open": [.screen("a")], "wipe": [.pop("b")]])
        let world = World(builder)
        try world.coordinate("sheet")
        #expect(try world.dismiss("/sheet/a") == ["- /sheet/a", "- /sheet", "= done"])
        #expect(try world.coordinate("sheet").last == "= /sheet")
        #expect(world.paths == ["/sheet", "/sheet/a"])
    }

    @Test func `S-36 a flow with whenEmpty = stay stays, also after a reload and a restart`() throws {
        let world = try paying(.stay)
        world.vanish(":1.9")
        #expect(world.paths.contains("/main/pay"))
        world.restart()
        #expect(world.paths.contains("/main/pay"))
        // By new definitions it is empty.
        #expect(world.reload(builder()).contains("- /main/pay"))
    }

    @Test func `S-36 a flow that never had a child stays, unless a step of its birth was not navigated`() throws {
        var builder = DefinitionsBuilder()
        builder.flow(
            "main",
            on: ["good": [.flow("good")], "bare": [.flow("bare")], "bad": [.flow("bad")], "two": [.flow("two")]])
        builder.flow("good", initial: "quiet", on: ["quiet": [.current("still")], "still": []])
        builder.flow("bare", on: ["quiet": []])
        builder.flow("bad", initial: "unknown", on: ["quiet": []])
        builder.flow("two", initial: "quiet", on: ["quiet": [.current("unknown")]])
        let world = try World(root: "main", builder)
        for step in ["good", "bare", "bad", "two"] { try world.emit(step, on: "/main") }
        #expect(world.paths == ["/main", "/main/good", "/main/bare"])
        // What comes later is not its birth.
        try world.emit("unknown", on: "/main/good")
        #expect(world.paths.contains("/main/good"))
    }

    @Test func `S-36 a step that waits for a flow keeps it: queued, asked, kept`() throws {
        var builder = DefinitionsBuilder()
        builder.flow("main", children: .stack, on: ["open": [.flow("sub")], "cover": [.screen("lid")]])
        builder.flow(
            "sub", initial: "open", whenHidden: .queue, guarded: ("com.auth", ["ask"]),
            on: ["open": [.screen("a")], "ask": [.screen("b")], "quiet": []])
        let world = try World(root: "main", builder)
        try world.emit("open", on: "/main")
        try world.emit("ask", on: "/main/sub")
        #expect(try world.dismiss("/main/sub/a") == ["- /main/sub/a", "= done"])
        #expect(world.coordinator.emptied.count == 1)
        // A restart knows it.
        world.restart()
        #expect(world.answer(1, GuardAnswer.rejected).contains("- /main/sub"))
        #expect(world.coordinator.emptied.isEmpty && world.coordinator.origins.isEmpty)

        // A deferred step keeps it, too; when that has a child, the flow is not empty.
        try world.emit("open", on: "/main")
        try world.emit("cover", on: "/main")
        try world.emit("ask", on: "/main/sub")
        #expect(try world.dismiss("/main/sub/a").contains("- /main/sub") == false)
        try world.dismiss("/main/lid")
        try world.adapt(2, to: "ask")
        #expect(world.paths == ["/main", "/main/sub", "/main/sub/b"])
        #expect(world.coordinator.emptied.isEmpty && world.coordinator.origins.isEmpty)
    }

    @Test func `S-11 S-36 a flow that is empty and shown again for ever ends at the limit, and goes all the same`()
        throws
    {
        var builder = DefinitionsBuilder()
        builder.flow("main", on: ["open": [.flow("sub", .init(onDismissed: "open"))]])
        builder.flow("sub", initial: "unknown", on: ["quiet": []])
        let world = try World(root: "main", builder)
        try world.emit("open", on: "/main")
        #expect(world.failures.last?.reason == .error(.navigationLoop))
        #expect(world.paths == ["/main"])
        #expect(world.coordinator.origins.isEmpty)
    }

    @Test func `S-36 a restored flow that is empty goes silently`() throws {
        var builder = DefinitionsBuilder()
        builder.flow("main", on: ["open": [.flow("sub", .init(onDismissed: "quiet"))], "quiet": []])
        builder.flow("sub", initial: "open", on: ["open": [.screen("a")]])
        let world = try World(root: "main", builder)
        try world.emit("open", on: "/main")
        var without = DefinitionsBuilder()
        without.flow("main", on: ["open": [.flow("sub", .init(onDismissed: "quiet"))], "quiet": []])
        without.flow("sub", initial: "open", on: ["open": [.screen("b")]])
        let log = world.restart(without)
        #expect(log.allSatisfy { $0.hasPrefix("unrestored") }, "\(log)")
        #expect(world.paths == ["/main"])
    }

    @Test func `S-36 the record of an empty flow has what emptied it, also where new definitions did`() throws {
        func builder(_ whenEmpty: WhenEmpty) -> DefinitionsBuilder {
            var builder = DefinitionsBuilder()
            builder.flow("main", on: ["open": [.flow("sub")]])
            builder.flow(
                "sub", initial: "open", whenEmpty: whenEmpty, guarded: ("com.auth", ["ask"]),
                on: ["open": [.screen("a")], "ask": []])
            return builder
        }
        let world = try World(root: "main", builder(.stay))
        try world.emit("open", on: "/main")
        try world.emit("ask", on: "/main/sub")
        try world.dismiss("/main/sub/a")
        // The world compares the records after each event.
        world.reload(builder(.go))
        #expect(world.coordinator.emptied.count == 1)
        world.reload(builder(.stay))
        world.answer(1, GuardAnswer.rejected)
        #expect(world.coordinator.emptied.isEmpty && world.paths == ["/main", "/main/sub"])
    }

    @Test func `S-11 S-36 flows that new definitions let go have an origin each, and so a step of onDismissed each`()
        throws
    {
        func builder(_ whenEmpty: WhenEmpty) -> DefinitionsBuilder {
            var builder = DefinitionsBuilder()
            builder.flow("main", on: ["open": [.flow("sub", .init(onDismissed: "gone"))], "gone": []])
            builder.flow("sub", initial: "open", whenEmpty: whenEmpty, on: ["open": [.screen("a")]])
            return builder
        }
        let world = try World(root: "main", builder(.stay))
        let count = Limits.triggeredSteps + 44
        for _ in 0..<count { try world.emit("open", on: "/main") }
        for path in world.paths where path.hasSuffix("/a") { try world.dismiss(path) }
        world.reload(builder(.go))
        #expect(world.navigations.count == count && world.failures.isEmpty && world.paths == ["/main"])
    }

    @Test func `D-5 S-36 a flow is empty if a step of its birth is lost by a restart`() throws {
        func builder(_ steps: KeyValuePairs<String, DefinitionsBuilder.Branches>) -> DefinitionsBuilder {
            var builder = DefinitionsBuilder()
            builder.flow("main", children: .stack, on: ["go": [.screen("home"), .flow("sub")]])
            builder.flow("sub", guarded: ("com.auth", []), on: steps)
            return builder
        }
        var before = builder(["open": [.screen("a")]])
        before.flow("sub", initial: "open", guarded: ("com.auth", []), on: ["open": [.screen("a")]])
        let world = try World(root: "main", before)
        try world.emit("go", on: "/main")
        let log = world.restart(builder(["quiet": []]))
        #expect(
            log.filter { !$0.hasPrefix("drop") }.count == 1 && world.failures.first?.reason == .error(.unknownStep),
            "\(log)")
        #expect(world.paths == ["/main", "/main/home"])
        #expect(world.coordinator.origins.isEmpty)
    }

    @Test func `S-36 S-38 what a restored flow covered that goes has not returned; what was never shown is presented`()
        throws
    {
        func builder(_ screen: String) -> DefinitionsBuilder {
            var builder = DefinitionsBuilder()
            builder.screen("page", presenter: "com.x")
            builder.screen("late", presenter: "com.x")
            builder.flow(
                "main", children: .stack,
                on: ["page": [.screen("page")], "both": [.screen("late"), .flow("sub")], "open": [.flow("sub")]])
            builder.flow("sub", initial: "fill", on: ["fill": [.screen(screen)]])
            return builder
        }
        for step in ["open", "both"] {
            let world = try World(root: "main", builder("a"))
            try world.emit("page", on: "/main")
            world.presented(1, by: ":1.9")
            try world.show("/main/page", by: ":1.9")
            try world.emit(step, on: "/main")
            let log = world.restart(builder("b"), owners: ["com.x": ":1.9"])
            #expect(world.paths.contains("/main/sub") == false)
            #expect(log.filter { $0.hasPrefix("present") }.count == (step == "open" ? 0 : 1), "\(log)")
        }
    }

    @Test func `S-36 S-42 a restored root that goes leaves no value of a property`() throws {
        func builder(_ screen: String) -> DefinitionsBuilder {
            var builder = DefinitionsBuilder()
            builder.step("lid", ["closed": "bool"])
            builder.flow("main", initial: "fill", whenEmpty: .go, on: ["fill": [.screen(screen)], "lid": []])
            var lid = DefinitionsBuilder.Stepper(property: "LidClosed", step: "lid", with: [.init("closed", .value)])
            lid.flow = "main"
            builder.steppers = [lid]
            return builder
        }
        let world = try World(root: "main", builder("a"))
        world.handle(.stepperChanged(StepperID(0), .value(.bool(true))))
        #expect(world.records.contains { $0.key.kind == .stepper })
        world.restart(builder("b"))
        #expect(world.paths.isEmpty && !world.records.contains { $0.key.kind == .stepper })
    }

    @Test func `S-36 D-3 a flow whose private first step another bus does not have is removed`() throws {
        var builder = DefinitionsBuilder()
        builder.step("unlock", ["pin": "string"], isPrivate: true)
        let pin = [Binding("pin", .literal(.string("1234")))]
        builder.flow(
            "main", children: .stack,
            on: ["go": [.screen("home"), .flow("sub", .init(step: "unlock", stepWith: pin))]])
        builder.flow("sub", guarded: ("com.auth", []), on: ["unlock": [.screen("a")]])
        let world = try World(root: "main", builder)
        try world.emit("go", on: "/main")
        world.restart()
        #expect(world.paths == ["/main", "/main/home", "/main/sub"])
        world.restart(onSameBus: false)
        #expect(world.paths == ["/main", "/main/home"])
    }
}
