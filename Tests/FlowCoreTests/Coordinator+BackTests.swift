import Testing

@testable import FlowCore

@Suite("Flow coordinator: Back")
struct BackTests {
    /// A free root with a stack, tabs, and a flow that handles Back with a step.
    private func builder() -> DefinitionsBuilder {
        var builder = DefinitionsBuilder()
        builder.step("gone", ["name": "string?", "why": "string?"])
        builder.flow(
            "main",
            on: [
                "stack": [.flow("stack")], "tabs": [.flow("tabs")], "asked": [.flow("asked")], "cover": [.screen("x")],
            ]
        )
        let reported = DefinitionsBuilder.Child(
            onDismissed: "gone", onDismissedWith: [Binding("name", .childName), Binding("why", .reason)])
        builder.flow(
            "stack", children: .stack,
            on: [
                "push": [.screen("a", reported)], "deep": [.flow("stack")], "asked": [.flow("asked")],
                "tabs": [.flow("tabs")], "gone": [],
            ])
        builder.flow("tabs", children: .tabs, on: ["fill": [.screen("a"), .flow("stack", .init(step: "push"))]])
        builder.flow("asked", onBack: "leave", on: ["leave": [.end()], "stay": []])
        return builder
    }

    private func makeWorld(_ steps: [(String, on: String)]) throws -> World {
        let world = try World(root: "main", builder())
        for (step, path) in steps { try world.emit(step, on: path) }
        return world
    }

    /// A device with apps, controls and a banner above them, which cover nothing, and a lock.
    private func layers(emitters: [String] = []) throws -> World {
        var builder = builder()
        builder.flow(
            "device", initial: "apps", children: .layers,
            layers: [Layer("apps"), Layer("controls", covers: false), Layer("banner", covers: false), Layer("lock")],
            on: [
                "apps": [.flow("stack", .init(layer: "apps"))],
                "controls": [.flow("controls", .init(layer: "controls"))],
                "banner": [.flow("banner", .init(layer: "banner"))], "lock": [.flow("lock", .init(layer: "lock"))],
            ])
        builder.flow("controls", onBack: "leave", emitters: emitters, on: ["leave": [.end()]])
        builder.flow("banner", initial: "fill", on: ["fill": [.screen("x")], "leave": [.dismiss("x")]])
        builder.flow("lock", on: [:])
        let world = try World(root: "device", builder)
        for _ in 1...2 { try world.emit("push", on: "/device/stack") }
        return world
    }

    @Test func `S-24 S-37 Back on a flow first asks what lies above and covers nothing, the highest first`() throws {
        let world = try layers()
        try world.emit("controls", on: "/device")
        try world.emit("banner", on: "/device")
        try world.show("/device/banner/x", by: ":1.8")
        try world.claim("/device/banner/x", by: ":1.8")
        try world.setBackStep("/device/banner/x", "leave", by: ":1.8")
        #expect(try world.peekBack("/device") == .step("leave"))
        #expect(try world.back("/device").contains("- /device/banner/x"))
        // The banner has nothing for Back any more.
        #expect(try world.back("/device").contains("- /device/controls"))
        #expect(try world.back("/device").contains("- /device/stack/a_2"))
    }

    @Test func `S-24 S-37 covered layers, those that a client may not use, and calls below them are left alone`() throws
    {
        let world = try layers(emitters: ["com.player"])
        world.own("com.player", ":1.7")
        try world.emit("controls", on: "/device")
        #expect(try world.back("/device", by: ":1.2").contains("- /device/stack/a_2"))
        try world.emit("push", on: "/device/stack")
        #expect(try world.peekBack("/device", by: ":1.7") == .step("leave"))
        #expect(try world.peekBack("/device/stack", by: ":1.7") != .step("leave"))
        try world.emit("lock", on: "/device")
        #expect(try world.peekBack("/device", by: ":1.7") == .unhandled)
    }

    @Test func `S-24 S-35 an onBack that the rules do not take now leads nowhere, so Back goes on`() throws {
        var builder = builder()
        builder.flow(
            "stack", children: .stack, onBack: "leave",
            on: [
                "push": [.screen("a")], "edit": [.flow("editor")],
                "leave": .first([DefinitionsBuilder.Branch(when: [.alive("editor")], parts: [.dismiss("editor")])]),
            ])
        builder.flow("editor", on: [:])
        let world = try World(root: "main", builder)
        try world.emit("stack", on: "/main")
        for step in ["push", "push", "edit"] { try world.emit(step, on: "/main/stack") }
        #expect(try world.peekBack("/main/stack") == .step("leave"))
        #expect(try world.back("/main/stack").contains("- /main/stack/editor"))
        #expect(try world.back("/main/stack").contains("- /main/stack/a_2"))
    }

    @Test func `S-24 a stack with more than one child dismisses the current one: a navigation without a step`() throws {
        let world = try makeWorld([("stack", "/main"), ("push", "/main/stack"), ("push", "/main/stack")])
        try world.show("/main/stack/a")
        #expect(
            try world.back("/main/stack", by: ":1.5") == [
                "- /main/stack/a_2", "~ /main/stack current=/main/stack/a", "~ /main/stack/a presented=true",
                "did 4 after 0 by :1.5: /main/stack  [back a /main/stack/a_2]",
                "did 5 after 4 by :1.5: /main/stack gone {name=a, why=back} []", "= navigated 4",
            ])
        #expect(try world.forestNode("/main/stack").flow?.activity.last?.serial == 5)
        #expect(try world.back("/main/stack") == ["= unhandled 0"])
        #expect(world.paths.last == "/main/stack/a")
    }

    @Test func `S-24 it counts as the flow's latest navigation`() throws {
        var builder = builder()
        builder.step("push", ["n": "int64?"])
        builder.flow("stack", children: .stack, on: ["push": [.screen("a")]])
        let world = try World(root: "stack", builder)
        for _ in 1...2 { try world.emit("push", ["n": .byte(1)], on: "/stack", by: ":1.5") }
        try world.back("/stack", by: ":1.6")
        let last = try #require(try world.forestNode("/stack").flow?.activity.last)
        #expect((last.serial, last.step, last.arguments) == (3, "", []))
        // The usage of the previous one is released.
        #expect(world.coordinator.accounting.clients[Client(":1.5")] == Accounting.Usage(nodes: 1))
        #expect(world.coordinator.serial == 3)
    }

    @Test func `S-24 S-16 the uncovered screen's steps follow the parent's, the older origin first`() throws {
        var builder = builder()
        builder.flow(
            "stack", children: .stack,
            on: [
                "push": [.screen("b", .init(step: "hello", whenHidden: .queue))], "hello": [], "kept": [], "gone": [],
                "cover": [.screen("a", .init(onDismissed: "gone"))],
            ])
        let world = try World(root: "stack", builder)
        try world.emit("push", on: "/stack")
        try world.emit("cover", on: "/stack")
        try world.show("/stack/b")
        try world.emit("kept", on: "/stack/b")
        try world.back("/stack")
        #expect(world.navigations == ["/stack ", "/stack hello", "/stack kept", "/stack gone"])
    }

    @Test func `S-24 a flow with onBack triggers that step, ungated, and its verdict is Back's`() throws {
        let world = try makeWorld([("asked", "/main")])
        try world.hide("/main/asked")
        #expect(
            try world.back("/main/asked", by: ":1.5") == [
                "did 2 after 0 by :1.5: /main/asked leave [end]", "- /main/asked", "= navigated 2",
            ])
        var builder = builder()
        builder.flow("asked", onBack: "leave", on: ["stay": []])
        let unhandled = try World(root: "asked", builder)
        #expect(try unhandled.back("/asked") == ["= unhandled 0"])
        builder.flow("asked", onBack: "leave", on: ["leave": [.screen("a", .init(id: "1"))]])
        let failing = try World(root: "asked", builder)
        let standing = failing.standing
        #expect(try failing.back("/asked") == ["! InvalidName"])
        #expect(failing.standing == standing)
    }

    @Test func `S-24 onBack takes precedence over the stack`() throws {
        var builder = builder()
        builder.flow("stack", children: .stack, onBack: "leave", on: ["push": [.screen("a")], "leave": []])
        let world = try World(root: "stack", builder)
        for _ in 1...2 { try world.emit("push", on: "/stack") }
        #expect(try world.back("/stack") == ["did 3 after 0 by :1.1: /stack leave []", "= navigated 3"])
    }

    @Test func `S-24 it descends: with free into the newest presented child, if that is a flow`() throws {
        let world = try makeWorld([("stack", "/main"), ("stack", "/main"), ("cover", "/main")])
        for path in ["/main/stack", "/main/stack_2"] { for _ in 1...3 { try world.emit("push", on: path) } }
        func goBack() throws -> String? { try world.back("/main").first { $0.hasPrefix("-") } }
        // The screen is hidden as yet.
        #expect(try goBack() == "- /main/stack_2/a_3")
        try world.hide("/main/stack_2")
        #expect(try goBack() == "- /main/stack/a_3")
        try world.show("/main/x")
        #expect(try world.back("/main") == ["= unhandled 0"])
        try world.hide("/main/x")
        try world.hide("/main")
        // Nothing is presented then, but Back itself is not gated.
        #expect(try world.back("/main") == ["= unhandled 0"])
        #expect(try world.back("/main/stack").first == "- /main/stack/a_2")
    }

    @Test
    func
        `S-24 with stack and tabs it descends into the current child, and returns to the parent if that can't go back`()
        throws
    {
        let world = try makeWorld([
            ("stack", "/main"), ("push", "/main/stack"), ("tabs", "/main/stack"), ("fill", "/main/stack/tabs"),
        ])
        // The tab in front is a screen: so it is the stack's.
        #expect(try world.back("/main").first == "- /main/stack/tabs/stack/a")
        #expect(world.paths == ["/main", "/main/stack", "/main/stack/a"])
    }

    @Test func `S-24 tabs go back nowhere themselves`() throws {
        let world = try makeWorld([("tabs", "/main"), ("fill", "/main/tabs")])
        #expect(try world.back("/main") == ["= unhandled 0"])
        try world.show("/main/tabs/stack")
        #expect(try world.back("/main") == ["= unhandled 0"])
        try world.emit("push", on: "/main/tabs/stack")
        #expect(try world.back("/main").first == "- /main/tabs/stack/a_2")
        // The tab that covers counts, visible or not.
        try world.emit("push", on: "/main/tabs/stack")
        try world.hide("/main/tabs/stack")
        #expect(try world.back("/main/tabs").first == "- /main/tabs/stack/a_2")
    }

    @Test func `S-24 emitters of each flow on its way: after one refusal nothing changes`() throws {
        var builder = builder()
        builder.flow("asked", onBack: "leave", emitters: ["org.example.Till"], on: ["leave": [.end()]])
        let world = try World(root: "stack", builder)
        for step in ["push", "push", "asked"] { try world.emit(step, on: "/stack") }
        let standing = world.standing
        #expect(try world.back("/stack", by: ":1.5") == ["! AccessDenied"])
        #expect(try world.refusal().message.hasPrefix("flow 'asked' takes steps and Back only from"))
        #expect(world.standing == standing)
        world.own("org.example.Till", ":1.5")
        #expect(try world.back("/stack", by: ":1.5").last == "= navigated 4")
        builder.flow("stack", children: .stack, emitters: ["org.example.Till"], on: ["push": [.screen("a")]])
        world.reload(builder)
        #expect(try world.back("/stack", by: ":1.6") == ["! AccessDenied"])
        #expect(try world.back("/stack", by: ":1.5").last == "= navigated 5")
    }

    @Test func `S-24 S-26 a child flow that is dismissed by Back is no longer waited for; S-12 its steps are reported`()
        throws
    {
        var builder = builder()
        builder.flow("sub", on: ["wait": [.screen("w", .init(step: "hello", whenHidden: .queue))], "hello": []])
        builder.flow("stack", children: .stack, on: ["open": [.screen("a"), .flow("sub")]])
        let world = try World(root: "stack", builder)
        try world.emit("open", on: "/stack")
        try world.emit("wait", on: "/stack/sub", by: ":1.5")
        try world.emit("hello", on: "/stack/sub/w", by: ":1.6")
        #expect(
            try world.back("/stack") == [
                "- /stack/sub/w", "- /stack/sub", "~ /stack current=/stack/a",
                "did 3 after 0 by :1.1: /stack  [back sub /stack/sub]",
                "failed after 2 by :1.5: /stack hello FlowEnded", "failed after 0 by :1.6: /stack hello FlowEnded",
                "= navigated 3",
            ])
    }

    @Test func `Back on a removed flow is refused`() throws {
        let world = try makeWorld([("stack", "/main"), ("cover", "/main")])
        let node = try world.node("/main/stack")
        try world.dismiss("/main/stack")
        #expect(
            world.handle(.backPressed(world.nextRequest(), on: node, by: Client(":1.1"))) == ["! PresentableDismissed"])
    }
}
