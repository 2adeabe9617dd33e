import Testing

@testable import FlowCore

@Suite("Flow coordinator: presenters")
struct PresentingTests {
    private func builder(_ children: Children = .free, action: String? = nil) -> DefinitionsBuilder {
        var builder = DefinitionsBuilder()
        builder.step("open", ["item": "int64?"])
        builder.step("closed", ["why": "string"])
        builder.screen("a", ["item": "int64?"], presenter: "com.x", action: action)
        builder.screen("b", presenter: "com.y", action: action)
        let reported = [Binding("why", .reason)]
        builder.flow(
            "main", children: children, whenHidden: .allow,
            on: [
                "open": [
                    .screen("a", .init(style: "modal", reuses: true, onDismissed: "closed", onDismissedWith: reported))
                ], "both": [.screen("a"), .screen("b")], "cover": [.screen("plain")], "closed": [],
                "only": [.screen("plain", .init(clears: true))],
            ])
        return builder
    }

    private func makeWorld(_ children: Children = .free) throws -> World {
        let world = try World(root: "main", builder(children))
        try world.emit("open", ["item": .byte(1)], on: "/main", by: ":1.3")
        return world
    }

    /// All calls to presenters that the latest event led to.
    private func calls(_ world: World) -> [String] {
        world.effects.compactMap { if case .present = $0 { $0.line } else { nil } }
    }

    // MARK: When

    @Test func `S-31 the presenter is called after NavigationOccurred, and the verdict does not wait for it`() throws {
        let world = try World(root: "main", builder())
        #expect(
            try world.emit("open", ["item": .byte(1)], on: "/main", by: ":1.3") == [
                "+ /main/a {item=1} style=modal (presenter=com.x)",
                "did 1 after 0 by :1.3: /main open {item=1} [screen a /main/a {item=1} style=modal]",
                "present com.x #1: /main/a {item=1} style=modal", "= navigated 1",
            ])
        let presentation = Presentation(
            id: QuestionID(1),
            presenter: .service(Service("com.x", path: "/presenter", timeout: Limits.presenterTimeout)),
            path: "/main/a", name: "a", arguments: [Argument("item", .int64(1))],
            instance: try world.state("/main/a").instance, style: "modal", styles: ["modal"],
            flow: "/main", root: "/main", serial: 1, reason: .launch, direction: .push,
            activationToken: nil)
        #expect(world.effects.contains(.present(presentation)))
        #expect(world.coordinator.value(of: .presenter, at: try world.node("/main/a")) == .text("com.x"))
        #expect(try world.state("/main").presenter.isEmpty)
        // The answer makes an owner; it does not make it visible.
        #expect(world.presented(1, by: ":1.9") == ["~ /main/a owner=:1.9"])
        #expect(
            try world.show("/main/a", by: ":1.9") == ["~ /main/a visible=true presented=true", "= done"])
        #expect(world.coordinator.origins.isEmpty)
        #expect(world.coordinator.questions.isEmpty)
    }

    @Test
    func
        `S-31 in a stack, a screen that is covered from creation waits until it is presented; then the presenter is called once`()
        throws
    {
        let world = try World(root: "main", builder(.stack))
        try world.emit("both", on: "/main")
        #expect(calls(world) == ["present com.y #1: /main/b"])
        #expect(
            try world.dismiss("/main/b", by: ":1.3") == ["! NotOwner"])
        world.own("com.y", ":1.9")
        #expect(
            try world.dismiss("/main/b", by: ":1.9")
                == ["- /main/b", "drop #1", "~ /main current=/main/a", "present com.x #2: /main/a", "= done"])
        world.presented(2, by: ":1.8")
        try world.show("/main/a", by: ":1.8")
        // Uncovered, or shown with its flow, it returns (S-38).
        try world.emit("cover", on: "/main")
        #expect(try world.dismiss("/main/plain").contains("~ /main/a presented=true"))
        #expect(calls(world) == ["present com.x #3: /main/a return of :1.8"])
        world.presented(3, by: ":1.8")
        try world.hide("/main")
        #expect(try world.show("/main").contains("~ /main/a presented=true"))
        #expect(calls(world) == ["present com.x #4: /main/a return of :1.8"])
    }

    @Test func `S-31 with tabs, the others wait until they are selected`() throws {
        let world = try World(root: "main", builder(.tabs))
        try world.emit("both", on: "/main")
        #expect(calls(world) == ["present com.x #1: /main/a"])
        try world.show("/main/b")
        #expect(calls(world) == ["present com.y #2: /main/b"])
        world.own("com.x", ":1.9")
        try world.show("/main/a", by: ":1.9")
        #expect(calls(world) == [])
    }

    @Test
    func `S-31 presenters of screens that become presented with their parents are called in order, parents first`()
        throws
    {
        var builder = builder()
        builder.flow(
            "top", whenHidden: .allow,
            on: ["open": [.screen("a"), .flow("main", .init(step: "both")), .flow("stack"), .screen("b")]])
        builder.flow("stack", initial: "both", children: .stack, on: ["both": [.screen("a"), .screen("b")]])
        let world = try World(root: "top", builder)
        try world.hide("/top")
        try world.emit("open", on: "/top")
        #expect(calls(world) == [])
        #expect(world.navigations.count == 3)
        try world.show("/top")
        #expect(
            calls(world) == [
                "present com.x #1: /top/a", "present com.x #2: /top/main/a", "present com.y #3: /top/main/b",
                "present com.y #4: /top/stack/b", "present com.y #5: /top/b",
            ])
        for question in 1...5 as ClosedRange<UInt64> { world.presented(question, by: ":1.9") }
        try world.hide("/top")
        try world.show("/top")
        #expect(calls(world).count == 5 && calls(world).allSatisfy { $0.hasSuffix("return of :1.9") })
        #expect(try world.dismiss("/top").last == "= done")
        #expect(world.coordinator.accounting == Accounting())
        #expect(world.coordinator.origins.isEmpty)
        #expect(world.coordinator.watches.counts.isEmpty)
    }

    @Test func `S-16 S-31 the presenter is called before the initial step, which waits until it has made it visible`()
        throws
    {
        var builder = builder()
        builder.addRule("greet", [.screen("b", .init(step: "hello"))], to: "main")
        builder.addRule("hello", [], to: "main")
        let world = try World(root: "main", builder)
        try world.emit("greet", on: "/main")
        #expect(world.navigations == ["/main greet"])
        world.presented(1, by: ":1.9")
        #expect(world.navigations == [])
        #expect(try world.show("/main/b", by: ":1.9").contains("did 2 after 1 by :1.1: /main hello []"))
    }

    // MARK: Who may

    @Test func `S-29 while Present is under way only the owner of the presenter's name may claim`() throws {
        let world = try makeWorld()
        world.own("com.x", ":1.9")
        let before = world.standing
        for event in [
            { try world.show("/main/a", by: ":1.3") }, { try world.hide("/main/a", by: ":1.3") },
            { try world.dismiss("/main/a", by: ":1.3") },
        ] {
            #expect(try event() == ["! NotOwner"])
            #expect(
                try world.refusal().message
                    == "':1.3' does not own '/main/a': it is being presented by 'com.x'")
        }
        #expect(try world.claim("/main/a", by: ":1.3") == ["! AlreadyClaimed"])
        #expect(try world.refusal().message == "'/main/a' is being presented by 'com.x'")
        #expect(world.standing == before)
        #expect(try world.show("/main/a", by: ":1.9").last == "= done")
        #expect(try world.claim("/main/a", by: ":1.9") == ["~ /main/a owner=:1.9", "= done"])
        #expect(world.presented(1, by: ":1.9") == [])
        // Presented again, both its owner and its presenter may act.
        world.own("com.x", ":1.10")
        try world.emit("open", on: "/main")
        #expect(try world.hide("/main/a", by: ":1.9").last == "= done")
        #expect(try world.hide("/main/a", by: ":1.10").last == "= done")
        #expect(try world.hide("/main/a", by: ":1.3") == ["! NotOwner"])
        // After its answer it can't reclaim a released screen by its name.
        #expect(world.presented(2, by: ":1.9") == [])
        #expect(try world.hide("/main/a", by: ":1.10") == ["! NotOwner"])
        try world.release("/main/a", by: ":1.9")
        #expect(try world.hide("/main/a", by: ":1.3").last == "= done")
    }

    @Test func `S-29 a presenter that dismisses another's screen: its owner gets Withdraw`() throws {
        let world = try makeWorld()
        world.presented(1, by: ":1.9")
        world.own("com.x", ":1.10")
        try world.emit("open", on: "/main")
        #expect(
            try world.dismiss("/main/a", by: ":1.10") == [
                "- /main/a", "withdraw /main/a from :1.9: dismissed", "drop #2",
                "did 3 after 0 by :1.10: /main closed {why=dismissed} []", "= done",
            ])
    }

    // MARK: Again

    @Test func `S-19 S-31 a reused screen is presented again, with its new arguments`() throws {
        let world = try makeWorld()
        world.presented(1, by: ":1.9")
        #expect(
            try world.emit("open", ["item": .byte(2)], on: "/main", by: ":1.4") == [
                "~ /main/a arguments= {item=2}",
                "did 2 after 0 by :1.4: /main open {item=2} [reuse a /main/a {item=2} style=modal]",
                "present com.x #2: /main/a {item=2} style=modal again", "= navigated 2",
            ])
        guard case .present(let again) = world.effects[2] else { return #expect(Bool(false), "no call") }
        #expect(again.serial == 2)
        #expect(world.presented(2, by: ":1.9") == [])
        #expect(world.coordinator.origins.isEmpty)
    }

    @Test func `S-19 S-31 reused while the call is under way: called again at once, and the last answer counts`() throws
    {
        let world = try makeWorld()
        try world.emit("open", ["item": .byte(2)], on: "/main", by: ":1.4")
        #expect(calls(world) == ["present com.x #2: /main/a {item=2} style=modal"])
        // The first call failed, perhaps because it was too late; the second is not answered yet.
        #expect(world.presentFails(1) == [])
        #expect(
            world.presentFails(2)
                == ["- /main/a", "did 3 after 2 by :1.4: /main closed {why=presentFailed} []"])
        #expect(world.coordinator.questions.isEmpty)
        #expect(world.coordinator.origins.isEmpty)
    }

    @Test func `S-31 an older answer makes an owner, too, unless a newer one has`() throws {
        let world = try makeWorld()
        try world.emit("open", ["item": .byte(2)], on: "/main")
        #expect(world.presented(1, by: ":1.8") == ["~ /main/a owner=:1.8"])
        #expect(
            world.presented(2, by: ":1.9") == ["withdraw /main/a from :1.8: replaced", "~ /main/a owner=:1.9"])
        try world.emit("open", ["item": .byte(3)], on: "/main")
        try world.emit("open", ["item": .byte(4)], on: "/main")
        #expect(world.presented(4, by: ":1.9") == [])
        #expect(world.presented(3, by: ":1.8") == ["withdraw /main/a from :1.8: replaced"])
        #expect(try world.state("/main/a").owner == ":1.9")
        #expect(world.coordinator.questions.isEmpty)
    }

    @Test
    func
        `S-19 S-31 reused while not presented: the presenter is called once it is, and until then no other client may claim`()
        throws
    {
        let world = try makeWorld()
        world.own("com.x", ":1.9")
        try world.hide("/main")
        try world.emit("open", ["item": .byte(2)], on: "/main", by: ":1.4")
        try world.emit("open", ["item": .byte(3)], on: "/main", by: ":1.5")
        #expect(calls(world) == [])
        // The first call is still under way.
        #expect(try world.claim("/main/a", by: ":1.3") == ["! AlreadyClaimed"])
        #expect(world.presented(1, by: ":1.9") == ["~ /main/a owner=:1.9"])
        try world.show("/main")
        #expect(calls(world) == ["present com.x #2: /main/a {item=3} style=modal again"])
        #expect(world.presentFails(2).last == "did 4 after 3 by :1.5: /main closed {why=presentFailed} []")
    }

    @Test func `S-31 reused before it was ever presented: it counts as presented for the first time`() throws {
        let world = try World(root: "main", builder())
        try world.hide("/main")
        try world.emit("open", ["item": .byte(1)], on: "/main")
        try world.emit("open", ["item": .byte(2)], on: "/main")
        #expect(calls(world) == [])
        try world.show("/main")
        #expect(calls(world) == ["present com.x #1: /main/a {item=2} style=modal"])
    }
}
