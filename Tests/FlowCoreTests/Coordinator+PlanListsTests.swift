import Testing

@testable import FlowCore

/// The effects of a list of contributors on existing children: `clear`, `pop`, `reuse` (S-19).
@Suite("Flow coordinator: plan, lists")
struct PlanListsTests {
    private typealias Child = DefinitionsBuilder.Child

    /// A flow with these rules in addition to `add`, `sub` and `tab`, which create one child each.
    private func world(
        _ children: Children = .free, add steps: [String] = [],
        on rules: KeyValuePairs<String, DefinitionsBuilder.Branches>
    ) throws -> World {
        var builder = DefinitionsBuilder()
        builder.step("hello", ["n": "int64?"])
        builder.step("again", ["n": "int64?"])
        builder.screen("tab", ["n": "int64?"])
        builder.flow("main", children: children, on: ["add": [.screen("a")], "sub": [.flow("sub")], "hello": []])
        builder.addRule("tab", [.screen("tab")], to: "main")
        builder.flow("sub", ["n": "int64?"], on: ["fill": [.screen("x", .init(step: "hello"))], "hello": []])
        for rule in rules { builder.addRule(rule.key, rule.value, to: "main") }
        let world = try World(root: "main", builder)
        for step in steps { try world.emit(step, on: "/main") }
        return world
    }

    // MARK: clear

    @Test func `S-19 clear: the children are dismissed first, newest first, wherever it is in the list`() throws {
        let world = try world(
            add: ["add", "sub"],
            on: ["go": [.screen("b"), .current("hello"), .screen("a", Child(clears: true, onDismissed: "again"))]])
        try world.emit("fill", on: "/main/sub", by: ":1.5")
        #expect(
            try world.emit("go", on: "/main") == [
                "- /main/sub/x", "- /main/sub", "- /main/a", "+ /main/b", "+ /main/a",
                "did 4 after 0 by :1.1: /main go [clear, screen b /main/b, current hello /main, screen a /main/a]",
                "failed after 3 by :1.5: /main hello FlowEnded", "did 5 after 4 by :1.1: /main hello []",
                "= navigated 4",
            ])
        // S-23: a clear triggers no onDismissed.
        #expect(try world.emit("go", on: "/main").prefix(2) == ["- /main/a", "- /main/b"])
        #expect(world.navigations == ["/main go", "/main hello"])
    }

    @Test func `S-19 clear without children is a contribution all the same`() throws {
        let world = try world(on: ["go": [.screen("b", Child(clears: true))]])
        #expect(try world.emit("go", on: "/main").dropFirst().first?.contains("[clear, screen b /main/b]") == true)
    }

    @Test func `S-13 S-19 a step that fails clears and pops nothing`() throws {
        let taken = Child(id: "x")
        let world = try world(
            .stack, add: ["add", "sub", "add"],
            on: [
                "clear": [.screen("b", Child(id: "x", clears: true)), .screen("c", taken)],
                "pop": [.popRoot, .screen("b", taken), .screen("c", taken)],
                "reuse": [.screen("a", Child(step: "hello", reuses: true)), .screen("c", Child(id: "1"))],
            ])
        for (step, code) in [("clear", "IdTaken"), ("pop", "IdTaken"), ("reuse", "InvalidName")] {
            let standing = world.standing
            #expect(try world.emit(step, on: "/main") == ["! \(code)"])
            #expect(world.standing == standing)
        }
    }

    // MARK: pop

    @Test func `S-19 pop: the children newer than the newest of that name are dismissed; without one nothing happens`()
        throws
    {
        let world = try world(
            add: ["add", "sub", "add", "sub", "sub", "add"], on: ["go": [.pop("sub")], "none": [.pop("tab")]])
        #expect(try world.emit("none", on: "/main").first == "did 7 after 0 by :1.1: /main none [pop tab /main/a_3]")
        #expect(
            try world.emit("go", on: "/main") == [
                "- /main/a_3", "did 8 after 0 by :1.1: /main go [pop sub /main/sub_3]", "= navigated 8",
            ])
        #expect(try world.emit("go", on: "/main").count == 2)
    }

    @Test func `S-19 pop root: all but the oldest are dismissed`() throws {
        let world = try world(.stack, add: ["sub", "add", "add"], on: ["go": [.popRoot]])
        #expect(
            try world.emit("go", on: "/main") == [
                "- /main/a_2", "- /main/a", "~ /main current=/main/sub", "~ /main/sub presented=true",
                "did 4 after 0 by :1.1: /main go [pop root /main/sub]", "= navigated 4",
            ])
        try world.dismiss("/main/sub")
        #expect(try world.emit("go", on: "/main").first == "did 5 after 0 by :1.1: /main go [pop root]")
    }

    @Test func `S-19 pop acts at its position: children that the list created before count, and may never be created`()
        throws
    {
        let world = try world(
            add: ["add"],
            on: [
                "mine": [.screen("b"), .screen("c"), .pop("b"), .screen("d")],
                "all": [.screen("b", Child(step: "hello")), .popRoot, .flow("sub")],
                "twice": [.screen("b"), .screen("c"), .pop("b"), .popRoot],
            ])
        #expect(
            try world.emit("mine", on: "/main") == [
                "+ /main/b", "+ /main/d",
                "did 2 after 0 by :1.1: /main mine [screen b /main/b, pop b /main/b, screen d /main/d]",
                "= navigated 2",
            ])
        #expect(
            try world.emit("all", on: "/main") == [
                "- /main/d", "- /main/b", "+ /main/sub (visible presented ready)",
                "did 3 after 0 by :1.1: /main all [pop root /main/a, flow sub /main/sub]", "= navigated 3",
            ])
        let count = world.coordinator.forest.count
        #expect(try world.emit("twice", on: "/main").first == "- /main/sub")
        #expect(world.coordinator.forest.count == count - 1)
    }

    @Test func `S-13 S-1 ids that clear and pop free can be used by the step's own children`() throws {
        let world = try world(
            add: ["add", "add", "add"],
            on: [
                "clear": [.screen("a", Child(clears: true)), .screen("b", Child(id: "a_3")), .screen("a")],
                "pop": [
                    .popRoot, .screen("x", Child(id: "a_2")), .screen("a"), .pop("x"), .screen("y", Child(id: "a_3")),
                ],
            ])
        #expect(
            try world.emit("pop", on: "/main").contains(
                "did 4 after 0 by :1.1: /main pop [pop root /main/a, screen x /main/a_2, pop x /main/a_2, "
                    + "screen y /main/a_3]"))
        #expect(world.paths == ["/main", "/main/a", "/main/a_2", "/main/a_3"])
        try world.emit("clear", on: "/main")
        #expect(world.paths == ["/main", "/main/a", "/main/a_3", "/main/a_2"])
    }

    @Test func `S-19 S-15 S-12 S-23 waiting steps of dismissed children are reported, and no onDismissed is triggered`()
        throws
    {
        let child = Child(step: "hello", whenHidden: .queue, onDismissed: "again")
        let world = try world(on: ["open": [.screen("keep"), .screen("b", child)], "go": [.popRoot]])
        try world.emit("open", on: "/main", by: ":1.5")
        try world.emit("hello", ["n": .byte(1)], on: "/main/b", by: ":1.6")
        #expect(
            try world.emit("go", on: "/main") == [
                "- /main/b", "did 2 after 0 by :1.1: /main go [pop root /main/keep]",
                "failed after 1 by :1.5: /main hello PresentableDismissed",
                "failed after 0 by :1.6: /main hello PresentableDismissed", "= navigated 2",
            ])
        #expect(try world.forestNode("/main").flow?.waiting.count == 0)
        #expect(world.coordinator.origins.isEmpty)
    }

    // MARK: reuse

    private let reuse = Child(
        id: "other", with: [Binding("n", .step("n"))], step: "hello", stepWith: [Binding("n", .step("n"))],
        style: "modal", whenHidden: .allow, reuses: true, onDismissed: "again")

    @Test
    func `S-19 reuse: the newest child of that name gets the arguments and its initial step, and keeps its instance`()
        throws
    {
        let world = try world(add: ["tab", "sub"], on: ["again": [.flow("sub", reuse)]])
        let before = try world.forestNode("/main/sub")
        #expect(
            try world.emit("again", ["n": .byte(7)], on: "/main", by: ":1.5") == [
                "~ /main/sub style=modal arguments= {n=7}",
                "did 3 after 0 by :1.5: /main again {n=7} [reuse sub /main/sub {n=7} style=modal]",
                "did 4 after 3 by :1.5: /main/sub hello {n=7} []", "= navigated 3",
            ])
        let after = try world.forestNode("/main/sub")
        #expect((after.instance, after.style, after.whenHidden) == (before.instance, "modal", nil))
        #expect(after.onDismissed == nil)
        #expect(after.client == Client(":1.5"))
        #expect(world.coordinator.accounting.clients[Client(":1.5")]?.nodes == 1)
        // Unchanged arguments are not reported.
        #expect(try world.emit("again", ["n": .byte(7)], on: "/main").first?.hasPrefix("did 5") == true)
        // Without one of that name and kind in the right place, it is a new child, id and all.
        try world.emit("tab", on: "/main")
        #expect(
            try world.emit("again", ["n": .byte(8)], on: "/main").contains(
                "+ /main/other {n=8} style=modal (visible presented)"))
        #expect(try world.emit("again", ["n": .byte(9)], on: "/main").first == "~ /main/other arguments= {n=9}")
    }

    @Test func `S-19 reuse: a screen and a flow of the same name are distinct`() throws {
        var builder = DefinitionsBuilder()
        builder.screen("sub")
        builder.flow("sub")
        builder.flow(
            "main", on: ["add": [.screen("sub")], "go": [.flow("sub", Child(reuses: true))]])
        let world = try World(root: "main", builder)
        try world.emit("add", on: "/main")
        #expect(try world.emit("go", on: "/main").first == "+ /main/sub_2 (visible presented ready)")
    }

    @Test func `S-19 reuse with tabs: any child of that name, the newest; it is selected`() throws {
        let world = try world(
            .tabs, add: ["tab", "tab", "add"],
            on: [
                "again": [.screen("tab", reuse)],
                "two": [.screen("tab", reuse), .screen("a", reuse), .screen("tab", reuse)],
            ])
        #expect(
            try world.emit("again", ["n": .byte(1)], on: "/main").prefix(2)
                == ["~ /main/tab_2 style=modal arguments= {n=1}", "~ /main current=/main/tab_2"])
        try world.dismiss("/main/tab_2")
        #expect(try world.current("/main") == "/main/tab")
    }

    @Test func `S-19 reuse with tabs: of several in a list the last one is selected, new or not`() throws {
        let world = try world(
            .tabs, add: ["tab", "add"],
            on: [
                "again": [
                    .screen("tab", Child(reuses: true)), .screen("a", Child(reuses: true)),
                    .screen("tab", Child(reuses: true)),
                ],
                "both": [.screen("tab", Child(reuses: true)), .screen("a", Child(reuses: true))],
                "made": [.screen("b"), .screen("c"), .screen("b", Child(reuses: true))],
            ])
        try world.emit("both", on: "/main")
        #expect(try world.current("/main") == "/main/a")
        try world.emit("again", on: "/main")
        #expect(try world.current("/main") == "/main/tab")
        #expect(try world.emit("made", on: "/main").contains("~ /main current=/main/b"))
        try world.dismiss("/main/b")
        #expect(try world.current("/main") == "/main/tab")
        try world.dismiss("/main/tab")
        #expect(try world.current("/main") == "/main/a")
    }

    @Test func `S-19 S-16 reuse: a screen's step waits for it, and takes the place of one that waits`() throws {
        let world = try world(on: ["again": [.screen("tab", Child(step: "hello", reuses: true))]])
        try world.emit("again", ["n": .byte(1)], on: "/main", by: ":1.5")
        #expect(
            try world.emit("again", ["n": .byte(2)], on: "/main", by: ":1.6") == [
                "~ /main/tab arguments= {n=2}", "did 2 after 0 by :1.6: /main again {n=2} [reuse tab /main/tab {n=2}]",
                "failed after 1 by :1.5: /main hello hidden", "= navigated 2",
            ])
        #expect(world.coordinator.origins.count == 1)
        #expect(try world.show("/main/tab").contains("did 3 after 2 by :1.6: /main hello {n=2} []"))
        // When presented it is triggered immediately; hidden again it waits again.
        #expect(
            try world.emit("again", ["n": .byte(3)], on: "/main").contains(
                "did 5 after 4 by :1.1: /main hello {n=3} []"))
        try world.hide("/main/tab")
        try world.emit("again", ["n": .byte(4)], on: "/main")
        #expect(world.navigations == ["/main again"])
        #expect(try world.show("/main/tab").contains("did 7 after 6 by :1.1: /main hello {n=4} []"))
        #expect(world.coordinator.origins.isEmpty)
    }

    @Test func `S-19 reuse: with allow a screen's step does not wait, and without a step there is none`() throws {
        let allowing = try world(on: ["again": [.screen("tab", Child(step: "hello", whenHidden: .allow, reuses: true))]]
        )
        for _ in 1...2 {
            try allowing.emit("again", ["n": .byte(1)], on: "/main")
            #expect(allowing.navigations == ["/main again", "/main hello"])
        }
        let plain = try world(on: ["again": [.screen("tab", Child(reuses: true))]])
        for _ in 1...2 { try plain.emit("again", ["n": .byte(1)], on: "/main") }
        #expect(
            plain.effects.map(\.line) == [
                "did 2 after 0 by :1.1: /main again {n=1} [reuse tab /main/tab {n=1}]", "= navigated 2",
            ])
    }

    @Test func `S-19 S-6 a pop uncovers a reused child: its older deferred steps go first, then the new step`()
        throws
    {
        let world = try world(
            .stack,
            on: [
                "go": [.popRoot, .screen("tab", Child(step: "hello", whenHidden: .queue, reuses: true)), .parent("up")]
            ])
        try world.emit("go", on: "/main")
        try world.show("/main/tab")
        try world.emit("add", on: "/main")
        try world.emit("hello", ["n": .byte(5)], on: "/main/tab", by: ":1.5")
        let lines = try world.emit("go", on: "/main")
        #expect(lines.first == "- /main/a")
        #expect(world.failures.map(\.step) == ["up"])
        #expect(
            lines.filter { $0.contains("hello") }
                == ["did 5 after 0 by :1.5: /main hello {n=5} []", "did 6 after 4 by :1.1: /main hello []"])
    }

    @Test func `S-19 reuse: children that the list created count, and popped ones do not`() throws {
        let world = try world(
            add: ["tab"],
            on: [
                "again": [.screen("tab", Child(with: [])), .screen("tab", reuse)],
                "cleared": [.screen("tab", Child(reuses: true, clears: true))],
                "popped": [.screen("tab", Child(reuses: true)), .screen("a"), .pop("none"), .popRoot],
            ])
        #expect(
            try world.emit("again", ["n": .byte(1)], on: "/main").prefix(2) == [
                "+ /main/tab_2 {n=1} style=modal",
                "did 2 after 0 by :1.1: /main again {n=1} [screen tab /main/tab_2, "
                    + "reuse tab /main/tab_2 {n=1} style=modal]",
            ])
        #expect(
            try world.emit("popped", on: "/main").contains(
                "did 3 after 0 by :1.1: /main popped [pop none, pop root /main/tab]"))
        #expect(
            try world.emit("cleared", on: "/main").contains(
                "did 4 after 0 by :1.1: /main cleared [clear, screen tab /main/tab]"))
    }

    @Test func `S-26 a planned flow that is reused waits for the step that it gets, and for no other`() throws {
        let world = try world(on: [
            "without": [.flow("sub", Child(step: "fill")), .flow("sub", Child(reuses: true))],
            "with": [.flow("sub"), .flow("sub", Child(step: "fill", reuses: true))],
        ])
        #expect(try world.emit("without", on: "/main").first == "+ /main/sub (visible presented ready)")
        #expect(world.navigations == ["/main without"])
        #expect(
            try world.emit("with", on: "/main").first == "+ /main/sub_2 (visible presented)")
        #expect(world.effects.contains { $0.line == "~ /main/sub_2 ready=true" })
    }

    @Test func `S-26 a flow's readiness does not wait for steps that a reuse triggers`() throws {
        // `sub` waits for `deep`, which is ready three steps later; what the reuse makes is ready before.
        var builder = DefinitionsBuilder()
        builder.flow(
            "main",
            on: [
                "go": [.flow("sub", Child(step: "begin")), .current("again")],
                "again": [.flow("sub", Child(step: "more", reuses: true))],
            ])
        builder.flow("sub", on: ["begin": [.flow("deep", Child(step: "one"))], "more": [.flow("quick")]])
        builder.flow(
            "deep",
            on: ["one": [.flow("deep", Child(step: "two"))], "two": [.flow("deep", Child(step: "three"))], "three": []])
        builder.flow("quick", initial: "brief", on: ["brief": []])
        let world = try World(root: "main", builder)
        let readied = try world.emit("go", on: "/main").filter { $0.hasSuffix("ready=true") }
        #expect(
            readied == [
                "~ /main/sub/quick ready=true", "~ /main/sub/deep/deep/deep ready=true",
                "~ /main/sub/deep/deep ready=true", "~ /main/sub/deep ready=true", "~ /main/sub ready=true",
            ])
    }

    @Test func `S-26 child flows that the initial step pops are no longer waited for`() throws {
        var builder = DefinitionsBuilder()
        builder.flow(
            "main", initial: "go",
            on: ["go": [.flow("sub"), .current("drop")], "drop": [.screen("a", Child(clears: true))]])
        builder.flow("sub", initial: "wait", on: ["wait": [.parent("drop"), .flow("sub")]])
        let world = World(builder)
        #expect(try world.coordinate("main").filter { $0.contains("~") } == ["~ /main ready=true"])
    }

    @Test func `S-8 the order of triggered steps: to the parent, initial steps including a reuse's, then to the flow`()
        throws
    {
        var builder = DefinitionsBuilder()
        builder.flow("top", on: ["open": [.flow("main")], "up": []])
        builder.flow(
            "main",
            on: [
                "go": [
                    .current("on"), .flow("one", Child(step: "i")), .flow("one", Child(id: "x", step: "i")),
                    .flow("one", Child(step: "j", reuses: true)), .parent("up"),
                ], "on": [],
            ])
        builder.flow("one", on: ["i": [], "j": []])
        let world = try World(root: "top", builder)
        try world.emit("open", on: "/top")
        try world.emit("go", on: "/top/main")
        #expect(
            world.navigations == ["/top/main go", "/top up", "/top/main/one i", "/top/main/x j", "/top/main on"])
    }
}
