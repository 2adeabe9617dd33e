import Testing

@testable import FlowCore

@Suite("Flow coordinator: dismissal")
struct DismissalTests {
    private func builder() -> DefinitionsBuilder {
        var builder = DefinitionsBuilder()
        builder.flow(
            "main",
            on: ["open": [.screen("a", .init(step: "hello")), .flow("sub"), .screen("b")], "hello": [], "closed": []])
        builder.flow(
            "sub",
            on: [
                "fill": [.screen("x", .init(step: "hello")), .flow("leaf"), .screen("y")], "stop": [.end("closed")],
                "quit": [.end()], "both": [.current("late"), .parent("halt")],
            ])
        return builder
    }

    @Test func `S-22 newest leaf first, then updates, and lost steps are reported`() throws {
        let world = try World(root: "main", builder())
        try world.emit("open", on: "/main", by: ":1.3")
        try world.emit("fill", on: "/main/sub", by: ":1.4")
        #expect(
            try world.dismiss("/main/sub") == [
                "- /main/sub/y", "- /main/sub/leaf", "- /main/sub/x", "- /main/sub",
                "failed after 2 by :1.4: /main hello FlowEnded", "= done",
            ])
        #expect(world.failures.first?.message.contains("'hello'") == true)
        #expect(
            try world.dismiss("/main/a") == [
                "- /main/a", "failed after 1 by :1.3: /main hello PresentableDismissed", "= done",
            ])
        let lost = try #require(world.failures.first).message
        #expect(lost.contains("'a'") && lost.contains("'hello'"))
        #expect(try world.dismiss("/main") == ["- /main/b", "- /main", "= done"])
        #expect(world.coordinator.accounting == Accounting())
        #expect(world.coordinator.origins.isEmpty)
    }

    @Test func `S-12 S-22 lost steps of a whole root are reported at its former path`() throws {
        let world = try World(root: "main", builder())
        try world.emit("open", on: "/main")
        try world.emit("fill", on: "/main/sub")
        #expect(
            try world.dismiss("/main").suffix(3) == [
                "failed after 2 by :1.1: /main/sub hello FlowEnded", "failed after 1 by :1.1: /main hello FlowEnded",
                "= done",
            ])
    }

    @Test func `S-14 S-16 the uncovered screen is presented, and its initial step is triggered`() throws {
        var builder = builder()
        builder.flow(
            "main", children: .stack,
            on: ["open": [.screen("a", .init(step: "hello")), .flow("sub", .init(step: "fill"))], "hello": []])
        let world = try World(root: "main", builder)
        try world.emit("open", on: "/main")
        try world.show("/main/a")
        #expect(
            try world.dismiss("/main/sub").suffix(4) == [
                "~ /main/a presented=true", "failed after 2 by :1.1: /main hello FlowEnded",
                "did 3 after 1 by :1.1: /main hello []", "= done",
            ])
    }

    @Test func `S-21 end dismisses the flow and all below it, then the step is triggered on the parent`() throws {
        var builder = builder()
        builder.step("closed", ["why": "string?", "item": "int64?"])
        builder.step("stop", ["item": "int64?", "extra": "string?"])
        let world = try World(root: "main", builder)
        try world.emit("open", on: "/main")
        try world.emit("fill", on: "/main/sub")
        #expect(
            try world.emit("stop", ["item": .byte(1), "extra": .string("x")], on: "/main/sub") == [
                "- /main/sub/y", "- /main/sub/leaf", "- /main/sub/x",
                "did 3 after 0 by :1.1: /main/sub stop {item=1, extra=x} [end closed /main {item=1}]", "- /main/sub",
                "failed after 2 by :1.1: /main hello FlowEnded",
                "did 4 after 3 by :1.1: /main closed {item=1} []", "= navigated 3",
            ])
        #expect(world.paths == ["/main", "/main/a", "/main/b"])
    }

    @Test func `S-21 end may name no step`() throws {
        let world = try World(root: "main", builder())
        try world.emit("open", on: "/main")
        #expect(
            try world.emit("quit", on: "/main/sub")
                == ["did 2 after 0 by :1.1: /main/sub quit [end]", "- /main/sub", "= navigated 2"])
    }

    @Test func `S-20 S-21 at a root the flow ends, and its step is reported as undeliverable`() throws {
        let world = try World(root: "sub", builder())
        try world.emit("fill", on: "/sub")
        #expect(
            try world.emit("stop", on: "/sub") == [
                "- /sub/y", "- /sub/leaf", "- /sub/x", "did 2 after 0 by :1.1: /sub stop [end closed]", "- /sub",
                "failed after 1 by :1.1: /sub hello FlowEnded", "failed after 2 by :1.1: /sub closed unhandled",
                "= navigated 2",
            ])
        #expect(world.paths.isEmpty)
        #expect(world.coordinator.accounting == Accounting())
        let quiet = try World(root: "sub", builder())
        #expect(
            try quiet.emit("quit", on: "/sub") == ["did 1 after 0 by :1.1: /sub quit [end]", "- /sub", "= navigated 1"])
    }

    @Test
    func `S-22 S-12 a step whose flow is gone fails with FlowEnded, reported at the nearest ancestor`()
        throws
    {
        var builder = DefinitionsBuilder()
        builder.flow("main", on: ["open": [.flow("mid")], "halt": []])
        builder.flow("mid", on: ["open": [.flow("sub")], "closed": [.end("halt")]])
        builder.flow(
            "sub",
            on: [
                "all": [.flow("leaf", .init(step: "bud")), .current("stop"), .current("late")],
                "stop": [.end("closed")], "late": [],
            ])
        builder.flow("leaf", on: ["bud": [.current("bloom")], "bloom": []])
        let world = try World(root: "main", builder)
        try world.emit("open", on: "/main")
        try world.emit("open", on: "/main/mid")
        #expect(
            try world.emit("all", on: "/main/mid/sub").suffix(9) == [
                "- /main/mid/sub/leaf", "did 5 after 3 by :1.1: /main/mid/sub stop [end closed /main/mid]",
                "- /main/mid/sub", "failed after 3 by :1.1: /main/mid late FlowEnded",
                "failed after 4 by :1.1: /main/mid bloom FlowEnded",
                "did 6 after 5 by :1.1: /main/mid closed [end halt /main]", "- /main/mid",
                "did 7 after 6 by :1.1: /main halt []", "= navigated 3",
            ])
    }

    @Test func `S-12 a lost step moves up as its ancestors go`() throws {
        var builder = DefinitionsBuilder()
        builder.flow("main", on: ["open": [.flow("mid")]])
        builder.flow("mid", on: ["open": [.flow("sub")], "closed": [.end()]])
        builder.flow("sub", on: ["all": [.parent("closed"), .current("late")], "late": []])
        let world = try World(root: "main", builder)
        try world.emit("open", on: "/main")
        try world.emit("open", on: "/main/mid")
        #expect(
            try world.emit("all", on: "/main/mid/sub").suffix(2)
                == ["failed after 3 by :1.1: /main late FlowEnded", "= navigated 3"])
        var rooted = builder
        rooted.flow("mid", on: ["open": [.flow("sub")], "closed": [.end()]])
        let root = try World(root: "mid", rooted)
        try root.emit("open", on: "/mid")
        #expect(
            try root.emit("all", on: "/mid/sub").suffix(2)
                == ["failed after 2 by :1.1: /mid/sub late FlowEnded", "= navigated 2"])
    }

    @Test func `S-22 a step once admitted is taken even if its screen is gone`() throws {
        var builder = DefinitionsBuilder()
        builder.flow("main", on: ["open": [.flow("sub")], "closed": []])
        builder.flow(
            "sub", on: ["show": [.screen("x", .init(step: "hello", whenHidden: .allow))], "hello": [.end("closed")]])
        let world = try World(root: "main", builder)
        try world.emit("open", on: "/main")
        #expect(try world.emit("show", on: "/main/sub").last == "= navigated 2")
        #expect(world.navigations == ["/main/sub show", "/main/sub hello", "/main closed"])
    }

    @Test func `S-12 failures that no caller waits for are reported with the reason`() throws {
        var builder = DefinitionsBuilder()
        builder.step("strange")
        builder.step("picky", ["n": "int64"])
        builder.flow(
            "main",
            on: [
                "go": [.current("strange"), .current("picky", [Binding("n", .literal(.int64(1)))]), .current("taken")],
                "picky": .first([DefinitionsBuilder.Branch(when: [Condition.argument("n", .int64(2))], parts: [])]),
                "taken": [.screen("a", .init(id: "x")), .screen("a", .init(id: "x"))],
            ])
        let world = try World(root: "main", builder)
        try world.emit("go", on: "/main")
        #expect(
            world.failures == [
                NavigationFailure(
                    flow: "/main", cause: 1, client: Client(":1.1"), step: "strange", reason: .verdict(.unhandled),
                    message: "flow 'main' has no rule for step 'strange'"),
                NavigationFailure(
                    flow: "/main", cause: 1, client: Client(":1.1"), step: "picky", reason: .verdict(.unhandled),
                    message: "no alternative of flow 'main' for step 'picky' matches"),
                NavigationFailure(
                    flow: "/main", cause: 1, client: Client(":1.1"), step: "taken", reason: .error(.idTaken),
                    message: "the id 'x' is taken below '/main'"),
            ])
    }

    // MARK: onDismissed

    /// A child with an onDismissed step for its parent, with these arguments.
    private func reporting(_ child: DefinitionsBuilder.Part, _ parameters: KeyValuePairs<String, String> = [:]) throws
        -> World
    {
        var builder = DefinitionsBuilder()
        builder.step("open", ["item": "int64?"])
        builder.step("closed", parameters)
        builder.screen("a", ["item": "int64?", "name": "string?"])
        builder.flow("main", ["item": "int64?"], on: ["open": [child, .screen("b")], "closed": [], "hello": []])
        builder.flow("sub", ["item": "int64?"], on: ["fill": [child], "stop": [.end()], "closed": []])
        let world = World(builder)
        try world.coordinate("main", ["item": .byte(9)])
        try world.emit("open", ["item": .byte(1)], on: "/main")
        return world
    }

    @Test func `S-23 the parent gets the onDismissed step, with the client that dismissed as sender`() throws {
        let parameters: KeyValuePairs = ["item": "int64?", "name": "string", "why": "string", "own": "int64"]
        let world = try reporting(
            .screen(
                "a",
                .init(
                    step: "hello", onDismissed: "closed",
                    onDismissedWith: [
                        Binding("item", .step("item")), Binding("name", .childName), Binding("why", .reason),
                        Binding("own", .flow("item")),
                    ])), parameters)
        #expect(
            try world.dismiss("/main/a", by: ":1.5") == [
                "- /main/a", "failed after 1 by :1.1: /main hello PresentableDismissed",
                "did 2 after 0 by :1.5: /main closed {item=1, name=a, why=dismissed, own=9} []", "= done",
            ])
        #expect(world.coordinator.origins.isEmpty)
    }

    @Test func `S-22 S-23 an owner says what failed: the reason is failed, with the error and its text`() throws {
        let parameters: KeyValuePairs = ["why": "string", "error": "string", "text": "string"]
        let world = try reporting(
            .screen(
                "a",
                .init(
                    onDismissed: "closed",
                    onDismissedWith: [Binding("why", .reason), Binding("error", .error), Binding("text", .message)])),
            parameters)
        let fault = Fault("com.pay.Error.Declined", "the card is blocked")
        func fail(by client: String) throws -> [String] {
            world.handle(
                .presentableDismissed(world.nextRequest(), try world.node("/main/a"), by: Client(client), fault: fault))
        }
        try world.claim("/main/a", by: ":1.5")
        #expect(try fail(by: ":1.6") == ["! NotOwner"])
        let failed =
            "did 2 after 0 by :1.5: /main closed {why=failed, error=com.pay.Error.Declined, text=the card is blocked} []"
        #expect(try fail(by: ":1.5") == ["- /main/a", failed, "= done"])
    }

    @Test func `S-22 S-29 of a screen that nobody owns, nobody but its presenter can say what failed`() throws {
        var builder = builder()
        builder.screen("p", presenter: "com.x")
        builder.flow("main", on: ["open": [.screen("a"), .screen("p")]])
        let world = try World(root: "main", builder)
        world.own("com.x", ":1.9")
        try world.emit("open", on: "/main")
        func fail(_ path: String, by client: String) throws -> [String] {
            let node = try world.node(path)
            return world.handle(
                .presentableDismissed(world.nextRequest(), node, by: Client(client), fault: Fault("x.y", "")))
        }
        #expect(try fail("/main/a", by: ":1.5") == ["! NotOwner"])
        #expect(try fail("/main/p", by: ":1.5") == ["! NotOwner"])
        #expect(try fail("/main/p", by: ":1.9").first == "- /main/p")
        // It may still answer, and shows what is gone.
        #expect(world.presented(1, by: ":1.9") == ["withdraw /main/p from :1.9: failed"])
    }

    @Test func `S-23 without arguments it gets those of the child's own that it declares`() throws {
        let world = try reporting(.screen("a", .init(onDismissed: "closed")), ["item": "int64?", "other": "string?"])
        #expect(try world.dismiss("/main/a")[1] == "did 2 after 0 by :1.1: /main closed {item=1} []")
    }

    @Test func `S-23 S-19 after a reuse they are the new ones`() throws {
        let world = try reporting(.screen("a", .init(reuses: true, onDismissed: "closed")), ["item": "int64?"])
        try world.dismiss("/main/b")
        try world.emit("open", ["item": .byte(2)], on: "/main")
        #expect(try world.dismiss("/main/a")[1] == "did 3 after 0 by :1.1: /main closed {item=2} []")
    }

    @Test func `S-23 S-12 arguments that don't fit, and a step that fails, are reported`() throws {
        let world = try reporting(
            .screen("a", .init(onDismissed: "closed", onDismissedWith: [Binding("item", .childName)])),
            ["item": "int64"])
        #expect(
            try world.dismiss("/main/a", by: ":1.5")
                == ["- /main/a", "failed after 0 by :1.5: /main closed InvalidArguments", "= done"])
        let unhandled = try reporting(.screen("a", .init(onDismissed: "strange")))
        #expect(try unhandled.dismiss("/main/a")[1] == "failed after 0 by :1.1: /main strange unhandled")
    }

    @Test func `S-23 not when it ends by a rule or with its parent, nor for presentables below it`() throws {
        let reported = DefinitionsBuilder.Child(onDismissed: "closed")
        let world = try reporting(.flow("sub", reported), ["item": "int64?"])
        try world.emit("stop", on: "/main/sub")
        #expect(world.navigations == ["/main/sub stop"])
        try world.emit("open", ["item": .byte(1)], on: "/main")
        // The inner one has no argument.
        try world.emit("fill", on: "/main/sub")
        #expect(try world.dismiss("/main/sub").contains("did 5 after 0 by :1.1: /main closed {item=1} []"))
        #expect(world.navigations == ["/main closed"])
        try world.emit("open", on: "/main")
        try world.dismiss("/main")
        #expect(world.navigations == [])
        #expect(world.coordinator.accounting == Accounting())
    }

    @Test func `S-23 S-16 S-6 the parent's step is queued before the older steps of uncovered presentables`() throws {
        var builder = DefinitionsBuilder()
        builder.flow(
            "main", children: .stack,
            on: [
                "open": [.screen("a", .init(step: "hello", whenHidden: .queue))],
                "cover": [.flow("sub", .init(onDismissed: "closed"))], "hello": [], "kept": [], "closed": [],
            ])
        builder.flow("sub")
        let world = try World(root: "main", builder)
        for step in ["open", "cover"] { try world.emit(step, on: "/main") }
        try world.show("/main/a")
        try world.emit("kept", on: "/main/a", by: ":1.5")
        #expect(
            try world.dismiss("/main/sub") == [
                "- /main/sub", "~ /main current=/main/a", "~ /main/a presented=true",
                "did 3 after 1 by :1.1: /main hello []", "did 4 after 0 by :1.5: /main kept []",
                "did 5 after 0 by :1.1: /main closed []", "= done",
            ])
    }
}
