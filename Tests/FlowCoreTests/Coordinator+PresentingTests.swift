import Testing

@testable import FlowCore

@Suite("Flow coordinator: presenters")
struct PresentingTests {
    private func sketch(_ children: Children = .free, action: String? = nil) -> DefinitionsBuilder {
        var sketch = DefinitionsBuilder()
        sketch.step("open", ["item": "int64?"])
        sketch.step("closed", ["why": "string"])
        sketch.screen("a", ["item": "int64?"], presenter: "com.x", action: action)
        sketch.screen("b", presenter: "com.y", action: action)
        let told = [Binding("why", .reason)]
        sketch.flow(
            "main", children: children, whenHidden: .allow,
            on: [
                "open": [
                    .screen("a", .init(style: "modal", reuses: true, onDismissed: "closed", onDismissedWith: told))
                ], "both": [.screen("a"), .screen("b")], "cover": [.screen("plain")], "closed": [],
                "only": [.screen("plain", .init(clears: true))],
            ])
        return sketch
    }

    private func opened(_ children: Children = .free) throws -> World {
        let world = try World(root: "main", sketch(children))
        try world.emit("open", ["item": .byte(1)], on: "/main", by: ":1.3")
        return world
    }

    /// All calls to presenters that the latest event led to.
    private func calls(_ world: World) -> [String] {
        world.effects.compactMap { if case .present = $0 { $0.line } else { nil } }
    }

    // MARK: When

    @Test func `S-31 the presenter is called after NavigationOccurred, and the verdict does not wait for it`() throws {
        let world = try World(root: "main", sketch())
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
            instance: try world.state("/main/a").instance, style: "modal", flow: "/main", serial: 1, isAgain: false,
            activationToken: nil)
        #expect(world.effects.contains(.present(presentation)))
        #expect(world.coordinator.presenterName(of: try world.node("/main/a")) == "com.x")
        #expect(try world.state("/main").presenter == "")
        // The answer makes an owner; it does not make it visible.
        #expect(world.presented(1, by: ":1.9") == ["~ /main/a owner=:1.9"])
        #expect(
            try world.show("/main/a", by: ":1.9") == ["~ /main/a visible=true presented=true", "= done"])
        #expect(world.coordinator.origins.isEmpty)
        #expect(world.coordinator.questions.isEmpty)
    }

    @Test func `S-31 in a stack, what is covered from birth waits until it is in sight; then it is called once`() throws
    {
        let world = try World(root: "main", sketch(.stack))
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
        // Covered and uncovered, hidden and shown with its flow, it is not called again.
        try world.emit("cover", on: "/main")
        #expect(try world.dismiss("/main/plain").contains("~ /main/a presented=true"))
        #expect(calls(world) == [])
        try world.hide("/main")
        #expect(try world.show("/main").contains("~ /main/a presented=true"))
        #expect(calls(world) == [])
    }

    @Test func `S-31 with tabs, the others wait until they are selected`() throws {
        let world = try World(root: "main", sketch(.tabs))
        try world.emit("both", on: "/main")
        #expect(calls(world) == ["present com.x #1: /main/a"])
        try world.show("/main/b")
        #expect(calls(world) == ["present com.y #2: /main/b"])
        world.own("com.x", ":1.9")
        try world.show("/main/a", by: ":1.9")
        #expect(calls(world) == [])
    }

    @Test func `S-31 what comes in sight with its parents is called in order, parents first`() throws {
        var sketch = sketch()
        sketch.flow(
            "top", whenHidden: .allow,
            on: ["open": [.screen("a"), .flow("main", .init(step: "both")), .flow("stack"), .screen("b")]])
        sketch.flow("stack", initial: "both", children: .stack, on: ["both": [.screen("a"), .screen("b")]])
        let world = try World(root: "top", sketch)
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
        #expect(calls(world) == [])
        #expect(try world.dismiss("/top").last == "= done")
        #expect(world.coordinator.accounting == Accounting())
        #expect(world.coordinator.origins.isEmpty)
        #expect(world.coordinator.watches.counts.isEmpty)
    }

    @Test func `S-16 S-31 the presenter is called before the initial step, which waits until it has made it visible`()
        throws
    {
        var sketch = sketch()
        sketch.addRule("greet", [.screen("b", .init(step: "hello"))], to: "main")
        sketch.addRule("hello", [], to: "main")
        let world = try World(root: "main", sketch)
        try world.emit("greet", on: "/main")
        #expect(world.navigations == ["/main greet"])
        world.presented(1, by: ":1.9")
        #expect(world.navigations == [])
        #expect(try world.show("/main/b", by: ":1.9").contains("did 2 after 1 by :1.1: /main hello []"))
    }

    // MARK: Who may

    @Test func `S-29 while Present is under way only who owns the presenter's name may`() throws {
        let world = try opened()
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
        // Presented again, both its owner and its presenter may.
        world.own("com.x", ":1.10")
        try world.emit("open", on: "/main")
        #expect(try world.hide("/main/a", by: ":1.9").last == "= done")
        #expect(try world.hide("/main/a", by: ":1.10").last == "= done")
        #expect(try world.hide("/main/a", by: ":1.3") == ["! NotOwner"])
        // What it lets go of it can't get back by its name alone once the answer is there.
        #expect(world.presented(2, by: ":1.9") == [])
        #expect(try world.hide("/main/a", by: ":1.10") == ["! NotOwner"])
        try world.release("/main/a", by: ":1.9")
        #expect(try world.hide("/main/a", by: ":1.3").last == "= done")
    }

    @Test func `S-29 a presenter that dismisses what another owns: the owner is told`() throws {
        let world = try opened()
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

    @Test func `S-19 S-31 one that is reused is presented again, with its new arguments`() throws {
        let world = try opened()
        world.presented(1, by: ":1.9")
        #expect(
            try world.emit("open", ["item": .byte(2)], on: "/main", by: ":1.4") == [
                "~ /main/a arguments= {item=2}",
                "did 2 after 0 by :1.4: /main open {item=2} [reuse a /main/a {item=2}]",
                "present com.x #2: /main/a {item=2} style=modal again", "= navigated 2",
            ])
        guard case .present(let again) = world.effects[2] else { return #expect(Bool(false), "no call") }
        #expect(again.serial == 2)
        #expect(world.presented(2, by: ":1.9") == [])
        #expect(world.coordinator.origins.isEmpty)
    }

    @Test func `S-19 S-31 reused while the call is under way: called again at once, and the last answer counts`() throws
    {
        let world = try opened()
        try world.emit("open", ["item": .byte(2)], on: "/main", by: ":1.4")
        #expect(calls(world) == ["present com.x #2: /main/a {item=2} style=modal again"])
        // The first one failed, as it may have been too late for it: the second one has not said its word.
        #expect(world.presentFails(1) == [])
        #expect(
            world.presentFails(2)
                == ["- /main/a", "did 3 after 2 by :1.4: /main closed {why=presentFailed} []"])
        #expect(world.coordinator.questions.isEmpty)
        #expect(world.coordinator.origins.isEmpty)
    }

    @Test func `S-31 an older answer makes an owner, too, unless a newer one has`() throws {
        let world = try opened()
        try world.emit("open", ["item": .byte(2)], on: "/main")
        #expect(world.presented(1, by: ":1.8") == ["~ /main/a owner=:1.8"])
        #expect(
            world.presented(2, by: ":1.9") == ["withdraw /main/a from :1.8: replaced", "~ /main/a owner=:1.9"])
        try world.emit("open", ["item": .byte(3)], on: "/main")
        try world.emit("open", ["item": .byte(4)], on: "/main")
        #expect(world.presented(4, by: ":1.9") == [])
        #expect(world.presented(3, by: ":1.8") == ["withdraw /main/a from :1.8: replaced"])
        #expect(try world.state("/main/a").owner == Client(":1.9"))
        #expect(world.coordinator.questions.isEmpty)
    }

    @Test func `S-19 S-31 reused while it is not in sight: called when it is, and until then nobody else may`() throws {
        let world = try opened()
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

    @Test func `S-31 reused before it was ever in sight it is not presented again, but for the first time`() throws {
        let world = try World(root: "main", sketch(.tabs))
        try world.emit("cover", on: "/main")
        try world.emit("open", ["item": .byte(1)], on: "/main")
        #expect(calls(world) == [])
        try world.emit("open", ["item": .byte(2)], on: "/main")
        #expect(calls(world) == ["present com.x #1: /main/a {item=2} style=modal"])
    }
}
