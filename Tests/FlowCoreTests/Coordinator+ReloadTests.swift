import Testing

@testable import FlowCore

@Suite("Flow coordinator: reload")
struct ReloadTests {
    private func builder() -> DefinitionsBuilder {
        var builder = DefinitionsBuilder()
        builder.step("hello", ["item": "int32?"])
        builder.flow(
            "main",
            on: ["open": [.screen("a", .init(step: "hello")), .flow("sub"), .screen("b")], "hello": [], "go": []])
        builder.flow("sub", on: ["fill": [.screen("a")], "go": []])
        return builder
    }

    @Test func `live flows follow the new rules from their next step, whatever numbers changed`() throws {
        let world = try World(root: "main", builder())
        try world.emit("open", on: "/main")
        var new = builder()
        new.flow("aaa", on: ["aa": []])
        new.flow("sub", on: ["go": [.screen("b")]])
        #expect(world.reload(new) == [])
        #expect(try world.emit("go", on: "/main/sub").first == "+ /main/sub/b")
        #expect(try world.emit("go", on: "/main").first == "did 3 after 0 by :1.1: /main go []")
        #expect(world.coordinator.value(of: .definition, at: try world.node("/main/sub")) == .text("sub"))
    }

    @Test
    func `presentables without a definition are dismissed, newest leaf first, and their waiting steps are reported`()
        throws
    {
        let world = try World(root: "main", builder())
        try world.emit("open", on: "/main")
        try world.emit("fill", on: "/main/sub")
        var new = DefinitionsBuilder()
        new.step("hello")
        new.flow("main", on: ["go": [.screen("b")]])
        #expect(
            world.reload(new) == [
                "- /main/a", "failed after 1 by :1.1: /main hello PresentableDismissed", "- /main/sub/a", "- /main/sub",
            ])
        #expect(world.paths == ["/main", "/main/b"])
        #expect(world.reload(DefinitionsBuilder()) == ["- /main/b", "- /main"])
        #expect(world.coordinator.accounting == Accounting())
    }

    @Test func `a screen's name that became a flow's is no longer that screen's`() throws {
        let world = try World(root: "main", builder())
        try world.emit("open", on: "/main")
        var new = builder()
        new.flow("main", on: ["go": [.flow("b"), .screen("a")]])
        #expect(world.reload(new) == ["- /main/b"])
    }

    @Test func `S-12 waiting initial steps that are no longer declared, or no longer fit, are dropped and reported`()
        throws
    {
        for (parameters, code) in [(["item": "string"], FlowError.Code.invalidArguments), (nil, .unknownStep)] {
            let world = try World(root: "main", builder())
            try world.emit("open", on: "/main")
            var new = DefinitionsBuilder()
            if parameters != nil { new.step("hello", ["item": "string"]) }
            new.flow("main", on: ["go": [.screen("a"), .screen("b"), .flow("sub")]])
            #expect(world.reload(new) == ["failed after 1 by :1.1: /main hello \(code.rawValue)"])
            #expect(world.coordinator.origins.isEmpty)
            #expect(try world.show("/main/a") == ["~ /main/a visible=true presented=true", "= done"])
        }
    }

    @Test func `waiting initial steps get the newly declared type, and are counted again`() throws {
        var builder = builder()
        builder.step("open", ["item": "int32?"])
        let world = try World(root: "main", builder)
        try world.emit("open", ["item": .byte(1)], on: "/main")
        builder.step("hello", ["item": "int64"])
        #expect(world.reload(builder) == [])
        #expect(try world.show("/main/a").contains("did 2 after 1 by :1.1: /main hello {item=1} []"))
        try world.dismiss("/main")
        #expect(world.coordinator.accounting == Accounting())
    }

    @Test func `S-14 covering follows the new definitions`() throws {
        let world = try World(root: "main", builder())
        try world.emit("open", on: "/main")
        for path in ["/main/a", "/main/b"] { try world.show(path) }
        var new = builder()
        new.flow("main", children: .tabs, on: ["open": [.screen("a"), .screen("b")], "hello": []])
        #expect(
            world.reload(new) == [
                "~ /main current=/main/a", "~ /main/sub presented=false", "~ /main/b presented=false",
            ])
        new.flow("main", children: .stack, on: ["open": [.screen("a"), .screen("b")], "hello": []])
        #expect(
            world.reload(new)
                == ["~ /main current=/main/b", "~ /main/a presented=false", "~ /main/b presented=true"])
        new.flow("main", on: ["open": [.screen("a"), .screen("b")], "hello": []])
        #expect(
            world.reload(new)
                == ["~ /main current=/", "~ /main/a presented=true", "~ /main/sub presented=true"])
    }

    @Test func `S-16 a screen that ends up covered is not treated as presented in between`() throws {
        // The root covers no longer, and the flow that it covered begins to: its older screen is never presented.
        var builder = DefinitionsBuilder()
        func rules(_ root: Children, _ sub: Children) {
            builder.flow("main", children: root, on: ["open": [.flow("sub", .init(step: "fill")), .screen("top")]])
            builder.flow(
                "sub", children: sub, on: ["fill": [.screen("a", .init(step: "hello")), .screen("b")], "hello": []])
        }
        rules(.stack, .free)
        let world = try World(root: "main", builder)
        try world.emit("open", on: "/main")
        try world.show("/main/sub/a")
        rules(.free, .stack)
        #expect(
            world.reload(builder)
                == ["~ /main current=/", "~ /main/sub presented=true current=/main/sub/b"])
        #expect(try world.dismiss("/main/sub/b").contains("did 3 after 2 by :1.1: /main/sub hello []"))
    }

    @Test func `S-16 a screen that is presented only until the new definitions cover it still waits`() throws {
        var builder = DefinitionsBuilder()
        let a = DefinitionsBuilder.Part.screen("a", .init(step: "hello"))
        builder.flow("main", children: .stack, on: ["open": [.screen("x"), a, .screen("b")], "hello": []])
        let world = try World(root: "main", builder)
        try world.emit("open", on: "/main")
        try world.show("/main/a")
        var new = DefinitionsBuilder()
        new.flow("main", children: .tabs, on: ["open": [.screen("x"), a], "hello": []])
        world.reload(new)
        #expect(world.navigations == [])
        #expect(try world.current("/main") == "/main/x")
        try world.show("/main/a")
        #expect(world.navigations == ["/main hello"])
    }

    // MARK: Deferred steps, onDismissed

    @Test func `S-12 S-15 deferred steps that are no longer declared, or no longer fit, are dropped and reported`()
        throws
    {
        var builder = DefinitionsBuilder()
        builder.step("pick", ["item": "int32"])
        let open: DefinitionsBuilder.Branches = [.screen("a", .init(whenHidden: .queue))]
        builder.flow("main", whenHidden: .queue, on: ["open": open, "pick": [], "old": [], "stay": []])
        let world = try World(root: "main", builder)
        try world.emit("open", on: "/main")
        try world.hide("/main")
        for path in ["/main/a", "/main"] {
            try world.emit("pick", ["item": .byte(1)], on: path, by: ":1.5")
            try world.emit("old", on: path, by: ":1.6")
            try world.emit("stay", on: path, by: ":1.6")
        }
        // What it is kept for may have any rule by now.
        var new = DefinitionsBuilder()
        new.step("pick", ["item": "string"])
        new.flow("main", on: ["open": open, "pick": [], "stay": []])
        let dropped = [
            "failed after 0 by :1.5: /main pick InvalidArguments", "failed after 0 by :1.6: /main old UnknownStep",
        ]
        #expect(world.reload(new) == dropped + dropped)
        #expect(world.coordinator.accounting.clients[Client(":1.5")] == nil)
        #expect(world.coordinator.accounting.clients[Client(":1.6")] == Accounting.Usage(steps: 2))
        #expect(try world.forestNode("/main").flow?.waiting.count == 2)
        try world.show("/main/a")
        #expect(world.navigations == [])
        try world.show("/main")
        #expect(world.navigations == ["/main stay", "/main stay"])
        #expect(try world.emit("stay", on: "/main/a").last == "= navigated 4")
        #expect(try world.hide("/main").count > 1)
        #expect(try world.emit("stay", on: "/main") == ["= hidden 0"])
    }

    @Test func `S-15 deferred steps get the newly declared type, and still count`() throws {
        var builder = DefinitionsBuilder()
        builder.step("pick", ["item": "byte"])
        builder.flow("main", whenHidden: .latest, on: ["pick": []])
        let world = try World(root: "main", builder)
        try world.hide("/main")
        try world.emit("pick", ["item": .byte(1)], on: "/main")
        let before = try #require(world.coordinator.accounting.clients[Client(":1.1")])
        builder.step("pick", ["item": "int64"])
        builder.step("aaa")
        #expect(world.reload(builder) == [])
        let after = try #require(world.coordinator.accounting.clients[Client(":1.1")])
        #expect(after == before)
        #expect(after.steps == 1)
        try world.show("/main")
        #expect(world.effects.map(\.line).contains("did 1 after 0 by :1.1: /main pick {item=1} []"))
    }

    @Test func `S-23 onDismissed follows the new ids; a reload alone does not trigger it`() throws {
        var builder = DefinitionsBuilder()
        builder.step("closed", ["why": "string?"])
        let why = [Binding("why", .literal(.string("text")))]
        builder.flow(
            "main",
            on: [
                "open": [
                    .screen("a", .init(onDismissed: "closed", onDismissedWith: why)),
                    .screen("b", .init(onDismissed: "closed")),
                ],
                "closed": [],
            ])
        let world = try World(root: "main", builder)
        try world.emit("open", on: "/main")
        try world.emit("open", on: "/main")
        var new = DefinitionsBuilder()
        new.step("aaa")
        new.step("closed", ["why": "string?"])
        new.flow("main", on: ["open": [.screen("a")], "closed": []])
        #expect(world.reload(new) == ["- /main/b", "- /main/b_2"])
        #expect(try world.dismiss("/main/a").contains("did 3 after 0 by :1.1: /main closed {why=text} []"))
        var without = DefinitionsBuilder()
        without.flow("main", on: ["open": [.screen("a")]])
        let held = world.coordinator.accounting.total.bytes
        let kept = try world.forestNode("/main/a_2").byteCount
        #expect(world.reload(without) == [])
        #expect(kept > 0 && world.coordinator.accounting.total.bytes == held - kept)
        #expect(try world.dismiss("/main/a_2") == ["- /main/a_2", "= done"])
    }

    @Test func `a reload makes the step of onDismissed private, and the record says so`() throws {
        func builder(isPrivate: Bool) -> DefinitionsBuilder {
            var builder = DefinitionsBuilder()
            builder.step("closed", ["why": "string?"], isPrivate: isPrivate)
            let why = [Binding("why", .literal(.string("text")))]
            let screen = DefinitionsBuilder.Part.screen("a", .init(onDismissed: "closed", onDismissedWith: why))
            builder.flow("main", on: ["open": [screen], "closed": []])
            return builder
        }
        let world = try World(root: "main", builder(isPrivate: false))
        try world.emit("open", on: "/main")
        let key = RecordKey(.node, try world.forestNode("/main/a").instance)
        func stored() throws -> (Record, Node.KeptStep?) {
            let record = try #require(world.records.first { $0.key == key })
            return (record, try NodeRecord(try #require(record.body)).onDismissed?.value)
        }
        for isPrivate in [false, true, false] {
            world.reload(builder(isPrivate: isPrivate))
            let (record, template) = try stored()
            #expect(template?.isPrivate == isPrivate)
            // Another bus gets no private literal.
            let elsewhere = try NodeRecord(try #require(record.withoutPrivateArguments.body))
            #expect((elsewhere.onDismissed?.arguments == .given([])) == isPrivate)
        }
    }

    @Test func `emitters, onBack and unique follow the new definitions`() throws {
        let world = try World(root: "main", builder())
        var new = builder()
        new.flow("main", onBack: "go", emitters: ["org.example.Till"], on: ["go": []])
        world.reload(new)
        #expect(try world.emit("go", on: "/main") == ["! AccessDenied"])
        world.own("org.example.Till", ":1.1")
        #expect(try world.back("/main").last == "= navigated 1")
    }
}
