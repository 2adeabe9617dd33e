import Testing

@testable import FlowCore

@Suite("Flow coordinator: navigation")
struct NavigationTests {
    @Test func `S-17 none is a navigation, a step without a rule is unhandled`() throws {
        var builder = DefinitionsBuilder()
        builder.step("strange")
        builder.flow("main", on: ["nothing": []])
        let world = try World(root: "main", builder)
        #expect(try world.emit("nothing", on: "/main") == ["did 1 after 0 by :1.1: /main nothing []", "= navigated 1"])
        #expect(try world.emit("strange", on: "/main") == ["= unhandled 0"])
    }

    @Test func `S-9 S-17 the first matching alternative is applied, and without one the step is unhandled`() throws {
        var builder = DefinitionsBuilder()
        builder.step("go", ["a": "int64", "b": "int64?"])
        let (one, two) = (Condition.argument("a", .int64(1)), Condition.argument("b", .int64(2)))
        builder.flow(
            "main", announces: true,
            on: [
                "go": .first([
                    DefinitionsBuilder.Branch(when: [one, two], parts: [.screen("both")]),
                    DefinitionsBuilder.Branch(when: [one], parts: [.screen("one")]),
                    DefinitionsBuilder.Branch(when: [two], unless: [one, two], parts: [.screen("other")]),
                    DefinitionsBuilder.Branch(
                        when: [Condition.argument("a", .int64(3))], unless: [two, Condition.argument("a", .int64(9))],
                        parts: []),
                ])
            ])
        let world = try World(root: "main", builder)
        func newest(_ arguments: KeyValuePairs<String, Value>) throws -> String? {
            try world.emit("go", arguments, on: "/main")
            return world.paths.last
        }
        #expect(try newest(["a": .byte(1), "b": .byte(2)]) == "/main/both")
        #expect(try newest(["a": .byte(1)]) == "/main/one")
        #expect(try newest(["a": .byte(7), "b": .byte(2)]) == "/main/other")
        #expect(try newest(["a": .byte(3), "b": .byte(2)]) == "/main/other_2")
        #expect(try world.emit("go", ["a": .byte(3)], on: "/main").last == "= navigated 5")
        #expect(try world.emit("go", ["a": .byte(7)], on: "/main") == ["= unhandled 0"])
        #expect(try world.emit("go", ["a": .byte(7), "b": .byte(1)], on: "/main") == ["= unhandled 0"])
        #expect(world.coordinator.serial == 5)
    }

    @Test func `S-8 multiple, two, one: the steps that a step triggers are queued, not taken immediately`() throws {
        var builder = DefinitionsBuilder()
        builder.flow("main", on: ["open": [.flow("child", .init(step: "multiple"))], "two": [.flow("nested")]])
        builder.flow(
            "child", on: ["multiple": [.current("one"), .parent("two")], "one": [.current("late")], "late": []])
        builder.flow("nested", initial: "begin", on: ["begin": []])
        let world = try World(root: "main", builder)
        try world.emit("open", on: "/main")
        #expect(
            world.navigations == [
                "/main open", "/main/child multiple", "/main two", "/main/child one", "/main/nested begin",
                "/main/child late",
            ])
    }

    @Test func `S-8 forwards to the parent, then initial steps in list order, then forwards to the current flow`()
        throws
    {
        var builder = DefinitionsBuilder()
        builder.flow("main", on: ["open": [.flow("sub")], "up": [], "down": []])
        builder.flow(
            "sub",
            on: [
                "all": [
                    .current("here"), .flow("leaf", .init(step: "first")),
                    .screen("eager", .init(step: "second", whenHidden: .allow)), .parent("up"), .current("there"),
                    .flow("leaf", .init(step: "third")), .parent("down"),
                ], "here": [], "there": [], "second": [],
            ])
        builder.flow("leaf", on: ["first": [], "third": []])
        let world = try World(root: "main", builder)
        try world.emit("open", on: "/main")
        let order = try world.emit("all", on: "/main/sub").filter { $0.hasPrefix("did") }
        #expect(
            order.dropFirst() == [
                "did 3 after 2 by :1.1: /main up []", "did 4 after 2 by :1.1: /main down []",
                "did 5 after 2 by :1.1: /main/sub/leaf first []", "did 6 after 2 by :1.1: /main/sub second []",
                "did 7 after 2 by :1.1: /main/sub/leaf_2 third []", "did 8 after 2 by :1.1: /main/sub here []",
                "did 9 after 2 by :1.1: /main/sub there []",
            ])
    }

    @Test func `S-10 NavigationOccurred has the serial, the cause and the client that started the cascade`() throws {
        var builder = DefinitionsBuilder()
        builder.flow("main", on: ["a": [.current("b")], "b": [.current("c")], "c": []])
        let world = try World(root: "main", builder)
        #expect(
            try world.emit("a", on: "/main", by: ":1.5") == [
                "did 1 after 0 by :1.5: /main a [current b /main]", "did 2 after 1 by :1.5: /main b [current c /main]",
                "did 3 after 2 by :1.5: /main c []", "= navigated 1",
            ])
        #expect(try world.emit("c", on: "/main", by: ":1.6").first == "did 4 after 0 by :1.6: /main c []")
    }

    @Test func `S-5 NavigationWillOccur comes before the check, has no serial, and only flows that announce send it`()
        throws
    {
        var builder = DefinitionsBuilder()
        builder.step("go", ["item": "int64"])
        builder.flow("main", announces: true, on: ["go": [.screen("list", .init(id: "list"))], "sub": [.flow("sub")]])
        builder.flow("sub", on: ["go": []])
        let world = try World(root: "main", builder)
        let arguments: KeyValuePairs<String, Value> = ["item": .byte(1)]
        #expect(
            try world.emit("go", arguments, on: "/main") == [
                "will /main go {item=1}", "+ /main/list",
                "did 1 after 0 by :1.1: /main go {item=1} [screen list /main/list]", "= navigated 1",
            ])
        #expect(try world.emit("go", arguments, on: "/main") == ["will /main go {item=1}", "! IdTaken"])
        try world.emit("sub", on: "/main")
        #expect(try world.emit("go", arguments, on: "/main/sub").count == 2)
    }

    @Test
    func
        `order on the wire: announcement, removals below, additions, changes, NavigationOccurred, the rest of the flow, the answer`()
        throws
    {
        var builder = DefinitionsBuilder()
        builder.flow("main", children: .stack, on: ["open": [.screen("home"), .flow("sub")], "closed": []])
        builder.flow("sub", announces: true, on: ["fill": [.screen("a"), .screen("b")], "stop": [.end("closed")]])
        let world = try World(root: "main", builder)
        #expect(
            try world.emit("open", on: "/main") == [
                "+ /main/home", "+ /main/sub (visible presented ready)", "~ /main current=/main/sub",
                "did 1 after 0 by :1.1: /main open [screen home /main/home, flow sub /main/sub]", "= navigated 1",
            ])
        try world.emit("fill", on: "/main/sub")
        try world.show("/main/home")
        #expect(
            try world.emit("stop", on: "/main/sub") == [
                "will /main/sub stop", "- /main/sub/b", "- /main/sub/a", "~ /main current=/main/home",
                "~ /main/home presented=true", "did 3 after 0 by :1.1: /main/sub stop [end closed /main]",
                "- /main/sub", "did 4 after 3 by :1.1: /main closed []", "= navigated 3",
            ])
    }

    @Test func `S-16 a flow's initial step is triggered immediately, a screen's when the screen is first presented`()
        throws
    {
        var builder = DefinitionsBuilder()
        builder.step("hello", ["item": "int64"])
        builder.step("open", ["item": "int64"])
        builder.flow(
            "main",
            on: ["open": [.screen("list", .init(step: "hello")), .flow("sub", .init(step: "begin"))], "hello": []])
        builder.flow("sub", on: ["begin": []])
        let world = try World(root: "main", builder)
        #expect(
            try world.emit("open", ["item": .byte(1)], on: "/main") == [
                "+ /main/list", "+ /main/sub (visible presented)",
                "did 1 after 0 by :1.1: /main open {item=1} [screen list /main/list, flow sub /main/sub]",
                "~ /main/sub ready=true", "did 2 after 1 by :1.1: /main/sub begin []", "= navigated 1",
            ])
        try world.emit("hello", ["item": .byte(9)], on: "/main")
        #expect(
            try world.show("/main/list") == [
                "~ /main/list visible=true presented=true", "did 4 after 1 by :1.1: /main hello {item=1} []", "= done",
            ])
        try world.hide("/main/list")
        #expect(try world.show("/main/list") == ["~ /main/list visible=true presented=true", "= done"])
    }

    @Test func `S-16 a screen that is shown but covered or in a hidden flow still waits`() throws {
        var builder = DefinitionsBuilder()
        builder.flow(
            "main", children: .stack, on: ["open": [.screen("a", .init(step: "hello")), .screen("b")], "hello": []])
        let world = try World(root: "main", builder)
        try world.emit("open", on: "/main")
        #expect(try world.show("/main/a") == ["~ /main/a visible=true", "= done"])
        try world.hide("/main")
        #expect(try world.dismiss("/main/b") == ["- /main/b", "~ /main current=/main/a", "= done"])
        #expect(
            try world.show("/main") == [
                "~ /main visible=true presented=true", "~ /main/a presented=true",
                "did 2 after 1 by :1.1: /main hello []", "= done",
            ])
    }

    @Test func `S-16 with allow a screen's initial step does not wait`() throws {
        var builder = DefinitionsBuilder()
        builder.flow("main", on: ["open": [.screen("a", .init(step: "hello", whenHidden: .allow))], "hello": []])
        let world = try World(root: "main", builder)
        #expect(
            try world.emit("open", on: "/main").suffix(2) == ["did 2 after 1 by :1.1: /main hello []", "= navigated 1"])
        #expect(try world.show("/main/a") == ["~ /main/a visible=true presented=true", "= done"])
        builder.flow("main", on: ["open": [.screen("a", .init(step: "hello", whenHidden: .ignore))], "hello": []])
        let waiting = try World(root: "main", builder)
        try waiting.emit("open", on: "/main")
        #expect(waiting.navigations == ["/main open"])
    }

    @Test
    func `S-16 S-6 when several become presented, older origins first, and within one parents first and in order`()
        throws
    {
        var builder = DefinitionsBuilder()
        builder.step("hello", ["n": "int64"])
        func screen(_ name: String, _ number: Int64) -> DefinitionsBuilder.Part {
            .screen(name, .init(step: "hello", stepWith: [Binding("n", .literal(.int64(number)))]))
        }
        builder.flow(
            "main",
            on: [
                "open": [screen("a", 1), .flow("sub", .init(step: "fill")), screen("c", 3)], "hello": [],
                "late": [screen("z", 9)],
            ])
        builder.flow("sub", on: ["fill": [screen("b", 2)], "late": [screen("y", 8)], "hello": []])
        let world = try World(root: "main", builder)
        try world.emit("open", on: "/main")
        try world.emit("late", on: "/main")
        try world.emit("late", on: "/main/sub")
        try world.hide("/main")
        for path in ["/main/z", "/main/c", "/main/sub/y", "/main/sub/b", "/main/a"] { try world.show(path) }
        let hellos = try world.show("/main").filter { $0.hasPrefix("did") }
        #expect(
            hellos == [
                "did 5 after 1 by :1.1: /main hello {n=1} []", "did 6 after 2 by :1.1: /main/sub hello {n=2} []",
                "did 7 after 1 by :1.1: /main hello {n=3} []", "did 8 after 3 by :1.1: /main hello {n=9} []",
                "did 9 after 4 by :1.1: /main/sub hello {n=8} []",
            ])
    }

    @Test func `S-7 a cascade is finished before the next step from outside, and the answer is last`() throws {
        var builder = DefinitionsBuilder()
        builder.flow("main", initial: "a", on: ["a": [.current("b")], "b": [.current("c")], "c": []])
        builder.autostart = [.init(flow: "main"), .init(flow: "main")]
        let world = World(builder)
        world.handle(.started)
        #expect(world.navigations == ["/main a", "/main b", "/main c", "/main_2 a", "/main_2 b", "/main_2 c"])
    }

    @Test func `S-20 the parent takes a forwarded step; at a root it is reported as a failure`() throws {
        var builder = DefinitionsBuilder()
        builder.flow("main", on: ["open": [.flow("sub")], "up": [.parent("further"), .current("here")], "here": []])
        builder.flow("sub", on: ["go": [.parent("up")]])
        let world = try World(root: "main", builder)
        try world.emit("open", on: "/main")
        #expect(
            try world.emit("go", on: "/main/sub") == [
                "did 2 after 0 by :1.1: /main/sub go [parent up /main]",
                "did 3 after 2 by :1.1: /main up [parent further, current here /main]",
                "failed after 3 by :1.1: /main further unhandled", "did 4 after 3 by :1.1: /main here []",
                "= navigated 2",
            ])
        #expect(world.failures.first?.message == "'/main' is a root: it has no parent that could take step 'further'")
    }

    // MARK: - Latest navigation

    @Test func `the latest navigation of a flow is stored`() throws {
        var builder = DefinitionsBuilder()
        builder.step("go", ["item": "int64"])
        builder.step("strange")
        builder.flow("main", on: ["go": []])
        let world = try World(root: "main", builder)
        #expect(world.coordinator.forest[try world.node("/main").slot].flow?.activity.last == nil)
        try world.emit("go", ["item": .byte(1)], on: "/main")
        try world.emit("strange", on: "/main")
        let last = try #require(world.coordinator.forest[try world.node("/main").slot].flow?.activity.last)
        #expect((last.serial, last.step) == (1, "go"))
        #expect(last.arguments == [Argument("item", .int64(1))])
    }

    // MARK: alive

    @Test func `S-35 an alternative depends on whether a presentable of that name is live near the flow`()
        throws
    {
        var builder = DefinitionsBuilder()
        builder.step("close", ["force": "bool?"])
        let paying = Condition.alive("payment")
        builder.flow(
            "main",
            on: [
                "pay": [.flow("payment")], "open": [.flow("sub")],
                "close": .first([
                    DefinitionsBuilder.Branch(
                        when: [paying, .argument("force", .bool(true))], parts: [.screen("forced")]),
                    DefinitionsBuilder.Branch(unless: [paying], parts: [.screen("closed")]),
                ]),
            ])
        builder.flow("sub", on: ["close": .first([DefinitionsBuilder.Branch(when: [paying], parts: [])])])
        builder.flow(
            "payment", on: ["done": [.end()], "close": .first([DefinitionsBuilder.Branch(when: [paying], parts: [])])])
        let world = try World(root: "main", builder)
        try world.emit("open", on: "/main")
        #expect(try world.emit("close", on: "/main/sub") == ["= unhandled 0"])
        #expect(try world.emit("close", on: "/main").first == "+ /main/closed")
        try world.emit("pay", on: "/main")
        #expect(try world.emit("close", on: "/main") == ["= unhandled 0"])
        #expect(try world.emit("close", ["force": .bool(false)], on: "/main") == ["= unhandled 0"])
        #expect(try world.emit("close", ["force": .bool(true)], on: "/main").first == "+ /main/forced")
        // Anywhere in the tree; the flow itself counts.
        #expect(try world.emit("close", on: "/main/sub").last == "= navigated 5")
        #expect(try world.emit("close", on: "/main/payment").last == "= navigated 6")
        // Not in another tree, but as a root anywhere.
        try world.coordinate("main")
        #expect(try world.emit("close", on: "/main_2").first == "+ /main_2/closed")
        try world.coordinate("payment")
        #expect(try world.emit("close", on: "/main_2") == ["= unhandled 0"])
        try world.emit("done", on: "/payment")
        #expect(try world.emit("close", on: "/main_2").first == "+ /main_2/closed_2")
        try world.emit("done", on: "/main/payment")
        #expect(try world.emit("close", on: "/main").first == "+ /main/closed_2")
    }

    @Test func `S-35 a screen counts as well, and the list sees the tree as it was`() throws {
        var builder = DefinitionsBuilder()
        builder.flow(
            "main",
            on: [
                "toggle": .first([
                    DefinitionsBuilder.Branch(when: [.alive("bar")], parts: [.popRoot]),
                    DefinitionsBuilder.Branch(parts: [.screen("x"), .screen("bar"), .current("toggle")]),
                ])
            ])
        let world = try World(root: "main", builder)
        try world.emit("toggle", on: "/main")
        #expect(world.navigations == ["/main toggle", "/main toggle"])
        #expect(world.paths == ["/main", "/main/x"])
    }
}
