import Testing

@testable import FlowCore

/// Which child is in front: tabs that are reused or shown, `show`, `hide`, `dismiss`, raised children (S-37).
@Suite("Flow coordinator: children in front")
struct FrontTests {
    private typealias Child = DefinitionsBuilder.Child

    /// A flow with these rules, with a step for each child: `a`, `b` and `c` are screens, `f` and `g` flows.
    private func builder(
        _ children: Children, on rules: KeyValuePairs<String, DefinitionsBuilder.Branches>
    ) -> DefinitionsBuilder {
        var builder = DefinitionsBuilder()
        builder.flow("main", children: children)
        for name in ["a", "b", "c"] {
            builder.screen(name, ["n": "int64?"])
            builder.addRule(name, [.screen(name, Child(onDismissed: "gone"))], to: "main")
        }
        for name in ["f", "g"] {
            builder.addRule(name, [.flow(name, Child(onDismissed: "gone"))], to: "main")
            builder.flow(name, on: ["fill": [.screen("a")]])
        }
        builder.addRule("gone", [], to: "main")
        for rule in rules { builder.addRule(rule.key, rule.value, to: "main") }
        return builder
    }

    private func world(
        _ children: Children, add steps: [String] = [], on rules: KeyValuePairs<String, DefinitionsBuilder.Branches>
    ) throws -> World {
        let world = try World(root: "main", builder(children, on: rules))
        for step in steps { try world.emit(step, on: "/main") }
        return world
    }

    private func children(_ world: World) -> [String] { world.paths.filter { $0.split(separator: "/").count == 2 } }

    // MARK: Tabs

    @Test func `S-37 tabs: a child that is made with reuse is selected, as one that is found is`() throws {
        let world = try world(.tabs, add: ["a"], on: ["tap": [.screen("b", Child(reuses: true))]])
        #expect(
            try world.emit("tap", on: "/main").prefix(2) == ["+ /main/b", "~ /main current=/main/b"])
        try world.emit("a", on: "/main")
        #expect(try world.current("/main") == "/main/b")
        try world.dismiss("/main/b")
        #expect(try world.current("/main") == "/main/a")
    }

    @Test func `S-37 tabs: of several that are made with reuse the last is selected`() throws {
        let world = try world(
            .tabs,
            on: ["start": [.screen("a", Child(reuses: true)), .screen("b", Child(reuses: true)), .screen("c")]])
        try world.emit("start", on: "/main")
        #expect(try world.current("/main") == "/main/b")
    }

    @Test func `S-37 tabs: show selects the newest child of that name`() throws {
        let world = try world(.tabs, add: ["a", "b", "b", "f"], on: ["go": [.show("b")], "side": [.show("f")]])
        #expect(
            try world.emit("go", on: "/main").prefix(2) == [
                "~ /main current=/main/b_2", "did 5 after 0 by :1.1: /main go [show b /main/b_2]",
            ])
        try world.emit("side", on: "/main")
        #expect(try world.current("/main") == "/main/f")
    }

    // MARK: show, hide, dismiss

    @Test func `S-37 free: hide hides the newest flow of that name, and show shows it again`() throws {
        let world = try world(.free, add: ["f", "f"], on: ["off": [.hide("f")], "on": [.show("f")]])
        #expect(
            try world.emit("off", on: "/main").prefix(2) == [
                "~ /main/f_2 visible=false presented=false",
                "did 3 after 0 by :1.1: /main off [hide f /main/f_2]",
            ])
        #expect(
            try world.emit("on", on: "/main").prefix(2) == [
                "~ /main/f_2 visible=true presented=true", "did 4 after 0 by :1.1: /main on [show f /main/f_2]",
            ])
    }

    @Test func `S-37 free: a hidden flow takes its steps when it is shown again`() throws {
        var definitions = builder(.free, on: ["off": [.hide("f")], "on": [.show("f")]])
        definitions.flow("f", whenHidden: .queue, on: ["fill": [.screen("a")]])
        let world = try World(root: "main", definitions)
        for step in ["f", "off"] { try world.emit(step, on: "/main") }
        #expect(try world.emit("fill", on: "/main/f").last == "= deferred 0")
        try world.emit("on", on: "/main")
        #expect(world.navigations == ["/main on", "/main/f fill"])
    }

    @Test func `S-37 dismiss removes the newest child of that name with all below it, and triggers no onDismissed`()
        throws
    {
        let world = try world(.stack, add: ["f", "a", "f"], on: ["close": [.dismiss("f")]])
        try world.emit("fill", on: "/main/f_2")
        try world.emit("b", on: "/main")
        #expect(
            try world.emit("close", on: "/main") == [
                "- /main/f_2/a", "- /main/f_2", "did 6 after 0 by :1.1: /main close [dismiss f /main/f_2]",
                "= navigated 6",
            ])
        #expect(world.failures.map(\.step) == [])
        #expect(children(world) == ["/main/f", "/main/a", "/main/b"])
    }

    @Test func `S-37 show, hide and dismiss of a name that no child has change nothing`() throws {
        let world = try world(.free, add: ["a"], on: ["go": [.show("f"), .hide("g"), .dismiss("b")]])
        #expect(
            try world.emit("go", on: "/main") == [
                "did 2 after 0 by :1.1: /main go [show f, hide g, dismiss b]", "= navigated 2",
            ])
    }

    @Test func `S-37 S-19 contributors act at their place of the list`() throws {
        let world = try world(
            .free, add: ["f"],
            on: [
                "flash": [.flow("g"), .hide("g"), .show("f")], "drop": [.flow("g"), .dismiss("g"), .screen("c")],
                "again": [.hide("f"), .dismiss("f"), .flow("f")],
            ])
        #expect(
            try world.emit("flash", on: "/main").first(where: { $0.hasPrefix("+") })
                == "+ /main/g (ready)")
        #expect(
            try world.emit("drop", on: "/main").prefix(2) == [
                "+ /main/c", "did 3 after 0 by :1.1: /main drop [dismiss g, screen c /main/c]",
            ])
        #expect(
            try world.emit("again", on: "/main").contains {
                $0.hasSuffix("again [hide f, dismiss f /main/f, flow f /main/f]")
            })
        #expect(try world.isPresented("/main/f"))
    }

    // MARK: Raised children

    @Test func `S-37 stack: reuse with raise brings the newest child of that name to the front, wherever it stands`()
        throws
    {
        let raise = Child(style: "ignored", raises: true)
        let world = try world(.stack, add: ["a", "b", "b", "f"], on: ["run": [.screen("b", raise)]])
        let instance = try world.state("/main/b_2").instance
        #expect(
            try world.emit("run", on: "/main").suffix(2) == [
                "did 5 after 0 by :1.1: /main run [reuse b /main/b_2 style=ignored]", "= navigated 5",
            ])
        #expect(try world.current("/main") == "/main/b_2")
        #expect(children(world) == ["/main/a", "/main/b", "/main/f", "/main/b_2"])
        #expect(try world.state("/main/b_2").instance == instance)
        #expect(world.coordinator.childPaths(of: try world.node("/main")) == children(world))
        // A new child stands behind it.
        try world.emit("c", on: "/main")
        #expect(children(world) == ["/main/a", "/main/b", "/main/f", "/main/b_2", "/main/c"])
        try world.dismiss("/main/f")
        #expect(children(world) == ["/main/a", "/main/b", "/main/b_2", "/main/c"])
    }

    @Test func `S-37 stack: raise makes a child where there is none, and Back goes to what it covered`() throws {
        let world = try world(.stack, add: ["a", "f"], on: ["run": [.screen("a", Child(raises: true))]])
        try world.emit("run", on: "/main")
        try world.back("/main")
        #expect(children(world) == ["/main/f"])
        #expect(try world.emit("run", on: "/main").contains("+ /main/a"))
    }

    @Test func `S-37 S-19 raised children and new ones of a list stand in its order`() throws {
        let world = try world(
            .stack, add: ["a", "b"],
            on: [
                "first": [.screen("a", Child(raises: true)), .screen("c")],
                "last": [.flow("f"), .screen("b", Child(raises: true)), .pop("f")],
            ])
        try world.emit("first", on: "/main")
        #expect(children(world) == ["/main/b", "/main/a", "/main/c"])
        #expect(try world.emit("last", on: "/main").contains("- /main/b"))
        #expect(children(world) == ["/main/a", "/main/c", "/main/f"])
    }

    @Test func `S-28 S-37 a path leads to the flow that was made or raised last`() throws {
        let world = try world(.stack, add: ["f", "g", "f"], on: ["run": [.flow("g", Child(raises: true))]])
        try world.emit("g", on: "/main")
        try world.emit("run", on: "/main")
        #expect(try world.navigateAlong([("main", ""), ("g", "fill")]).last?.contains("/main/g_2") == true)
    }

    // MARK: A restart

    @Test(arguments: [true, false])
    func `S-37 D-3 raised children keep their places over a restart, and hidden flows stay hidden`(isSameBus: Bool)
        throws
    {
        let world = try world(.stack, add: ["a", "b", "f"], on: ["run": [.screen("a", Child(raises: true))]])
        try world.emit("run", on: "/main")
        let before = children(world)
        world.restart(onSameBus: isSameBus)
        #expect(children(world) == before)
        try world.emit("c", on: "/main")
        #expect(children(world) == before + ["/main/c"])
        try world.dismiss("/main/b")
        #expect(children(world) == ["/main/f", "/main/a", "/main/c"])

        let free = try self.world(.free, add: ["f", "g"], on: ["off": [.hide("f")]])
        try free.emit("off", on: "/main")
        try free.hide("/main/g")
        free.restart(onSameBus: isSameBus)
        #expect(try !free.state("/main/f").isVisible)
        // A client hid the other one; on another bus there is no such client any more.
        #expect(try free.state("/main/g").isVisible == !isSameBus)
    }

    // MARK: Navigators

    private static let refused: [(Children, [DefinitionsBuilder.Part])] = [
        (.stack, [.show("f")]), (.stack, [.hide("f")]), (.tabs, [.hide("f")]), (.free, [.show("a")]),
        (.free, [.hide("a")]), (.free, [.screen("a"), .screen("a", Child(raises: true))]),
        (.tabs, [.screen("a", Child(raises: true))]),
    ]

    @Test(arguments: refused.indices)
    func `S-37 S-5 contributors that can't be those of the flow fail the step of a navigator`(index: Int) throws {
        var definitions = builder(Self.refused[index].0, on: [:])
        definitions.ask(about: "main", guarded: nil, navigated: ("com.nav", ["go"]))
        let world = try World(root: "main", definitions)
        try world.emit("go", on: "/main")
        #expect(world.navigate(1, to: Self.refused[index].1) == ["! NavigatorFailed"])
        #expect(world.paths == ["/main"])
    }
}
