import Testing

@testable import FlowCore

/// Instances of one name that are told apart by arguments (S-51).
@Suite("Flow coordinator: keys")
struct KeysTests {
    private typealias Child = DefinitionsBuilder.Child

    /// The document with the URI of the step.
    private static let document = KeyedName("document", isFlow: false, key: [Binding("uri", .step("uri"))])

    /// An editor with documents. `open` brings one to the front, `add` opens one in any case.
    private func builder(_ children: Children = .stack, presenter: String? = nil) -> DefinitionsBuilder {
        var builder = DefinitionsBuilder()
        for step in ["open", "add", "update", "close", "back", "front", "test"] {
            builder.step(step, ["uri": "string?", "line": "int64?"])
        }
        builder.screen(
            "document", ["uri": "string?", "line": "int64?"], key: ["uri"], presenter: presenter,
            whenOwnerGone: .keep, result: ["saved": "bool"])
        builder.flow("editor", children: children, whenEmpty: .stay)
        let raise = Child(reuses: true, raises: children == .stack)
        builder.addRule("open", [.screen("document", raise)], to: "editor")
        builder.addRule("update", [.screen("document", Child(reuses: true))], to: "editor")
        builder.addRule("add", [.screen("document")], to: "editor")
        builder.addRule("close", [.dismiss(Self.document)], to: "editor")
        builder.addRule("back", [.pop(Self.document)], to: "editor")
        if children == .tabs { builder.addRule("front", [.show(Self.document)], to: "editor") }
        builder.addRule("newest", [.dismiss("document")], to: "editor")
        builder.addRule(
            "test",
            .first([
                DefinitionsBuilder.Branch(when: [.alive(Self.document)], parts: [.screen("yes")]),
                DefinitionsBuilder.Branch(parts: [.screen("no")]),
            ]), to: "editor")
        return builder
    }

    private func world(_ builder: DefinitionsBuilder, _ uris: String...) throws -> World {
        let world = try World(root: "editor", builder)
        for uri in uris { try open(uri, world) }
        return world
    }

    @discardableResult
    private func open(_ uri: String, _ world: World, line: Int64? = nil, by step: String = "open") throws -> [String] {
        guard let line else { return try world.emit(step, ["uri": .string(uri)], on: "/editor") }
        return try world.emit(step, ["line": .int64(line), "uri": .string(uri)], on: "/editor")
    }

    /// The documents in order, with the last characters of their paths: `a b_2`.
    private func documents(_ world: World) -> [String] {
        let forest = world.coordinator.forest
        return forest.preorder().filter { forest[$0].name == "document" }.map {
            if case .string(let uri)? = forest[$0].arguments["uri"]?.value { uri } else { "-" }
        }
    }

    // MARK: reuse

    @Test func `S-51 with reuse, the sibling with equal values of the key gets the arguments, else one is made`() throws
    {
        let world = try world(builder(), "a", "b")
        #expect(documents(world) == ["a", "b"])
        #expect(
            try open("a", world, line: 7).prefix(2) == [
                "~ /editor/document arguments= {line=7, uri=a}", "~ /editor current=/editor/document",
            ])
        #expect(documents(world) == ["b", "a"])
        #expect(try open("c", world).first == "+ /editor/document_3 {uri=c}")
    }

    @Test(arguments: [Children.stack, .free])
    func `S-51 reuse means a covered one, too, and leaves it in its place`(children: Children) throws {
        let world = try world(builder(children), "a", "b")
        #expect(try open("a", world, line: 1, by: "update").first == "~ /editor/document arguments= {line=1, uri=a}")
        #expect(documents(world) == ["a", "b"])
    }

    @Test func `S-51 among tabs, the one with equal values is selected`() throws {
        let world = try world(builder(.tabs), "a", "b")
        try open("a", world)
        #expect(try world.current("/editor") == "/editor/document")
        try open("b", world, by: "front")
        #expect(try world.current("/editor") == "/editor/document_2")
        #expect(documents(world) == ["a", "b"])
    }

    @Test func `S-51 without reuse, one is made also where another has equal values; the newest is meant then`() throws
    {
        let world = try world(builder(), "a")
        try open("a", world, by: "add")
        #expect(documents(world) == ["a", "a"])
        #expect(try open("a", world, line: 1, by: "update").first == "~ /editor/document_2 arguments= {line=1, uri=a}")
    }

    @Test func `S-51 a value that is left out is equal to one that is left out`() throws {
        let world = try world(builder(), "a")
        try world.emit("open", on: "/editor")
        #expect(documents(world) == ["a", "-"])
        #expect(
            try world.emit("open", ["line": .int64(1)], on: "/editor").first
                == "~ /editor/document_2 arguments= {line=1}")
        // The reference is absent, so the one without this argument is meant.
        #expect(try world.emit("close", on: "/editor").first == "- /editor/document_2")
        #expect(try world.emit("close", on: "/editor").last == "= navigated 5")
        #expect(documents(world) == ["a"])
    }

    @Test func `S-51 a list sees the children that it has made or reused before`() throws {
        var builder = builder()
        let first = Child(with: [Binding("uri", .literal(.string("x")))], reuses: true)
        builder.addRule(
            "many",
            [
                .screen("document", first), .screen("document", Child(with: [Binding("uri", .literal(.string("y")))])),
                .screen("document", first),
                .dismiss(KeyedName("document", key: [Binding("uri", .literal(.string("y")))])),
            ], to: "editor")
        let world = try world(builder, "a")
        let lines = try world.emit("many", on: "/editor")
        #expect(documents(world) == ["a", "x"], "\(lines)")
    }

    // MARK: pop, show, hide, dismiss, alive

    @Test func `S-51 pop and dismiss mean the newest with these values, and without values the newest`() throws {
        let world = try world(builder(), "a", "b", "c")
        #expect(
            try open("a", world, by: "close").prefix(2) == [
                "- /editor/document",
                "did 4 after 0 by :1.1: /editor close {uri=a} [dismiss document /editor/document {uri=a}]",
            ])
        #expect(
            try open("z", world, by: "close").first
                == "did 5 after 0 by :1.1: /editor close {uri=z} [dismiss document {uri=z}]")
        #expect(try open("b", world, by: "back").first == "- /editor/document_3")
        #expect(documents(world) == ["b"])
        try open("d", world)
        try world.emit("newest", on: "/editor")
        #expect(documents(world) == ["b"])
    }

    @Test func `S-51 show and hide mean the flow with these values, also some of a key's`() throws {
        var builder = DefinitionsBuilder()
        builder.step("open", ["room": "string", "user": "string"])
        builder.step("off", ["room": "string?", "user": "string?"])
        builder.flow("chat", ["room": "string", "user": "string"], key: ["room", "user"], whenEmpty: .stay)
        let room = KeyedName("chat", isFlow: true, key: [Binding("room", .step("room"))])
        builder.step("on", ["room": "string?", "user": "string?"])
        builder.flow(
            "main", on: ["open": [.flow("chat", .init(reuses: true))], "off": [.hide(room)], "on": [.show(room)]])
        let world = try World(root: "main", builder)
        for (room, user) in [("a", "x"), ("a", "y"), ("b", "x"), ("a", "y")] {
            try world.emit("open", ["room": .string(room), "user": .string(user)], on: "/main")
        }
        #expect(world.paths == ["/main", "/main/chat", "/main/chat_2", "/main/chat_3"])
        #expect(
            try world.emit("off", ["room": .string("a")], on: "/main").first
                == "~ /main/chat_2 visible=false presented=false")
        #expect(
            try world.emit("on", ["room": .string("a")], on: "/main").first
                == "~ /main/chat_2 visible=true presented=true")
        #expect(try world.emit("off", ["room": .string("c")], on: "/main").first?.hasPrefix("did") == true)
    }

    @Test func `S-51 alive asks for one with these values, in the tree or as a root`() throws {
        let world = try world(builder(), "a")
        try open("a", world, by: "test")
        try open("b", world, by: "test")
        #expect(world.paths.suffix(2) == ["/editor/yes", "/editor/no"])
    }

    @Test func `S-51 a table tells a screen from a flow of one name`() throws {
        var builder = DefinitionsBuilder()
        builder.screen("x")
        builder.flow("x", whenEmpty: .stay)
        builder.flow(
            "main",
            on: [
                "open": [.flow("x"), .screen("x"), .flow("x")], "screen": [.dismiss(KeyedName("x", isFlow: false))],
                "test": .first([
                    .init(when: [.alive(KeyedName("x", isFlow: false))], parts: [.screen("yes")]),
                    .init(parts: [.screen("no")]),
                ]),
            ])
        let world = try World(root: "main", builder)
        try world.emit("open", on: "/main")
        try world.emit("test", on: "/main")
        #expect(try world.emit("screen", on: "/main").first == "- /main/x_2")
        try world.emit("test", on: "/main")
        #expect(world.paths == ["/main", "/main/x", "/main/x_3", "/main/yes", "/main/no"])
    }

    // MARK: Paths

    @Test func `S-51 NavigateAlong takes values of keys, and refuses what is in none`() throws {
        var builder = DefinitionsBuilder()
        builder.step("open", ["user": "int32"])
        builder.flow(
            "account", ["user": "int64", "lang": "string?"], key: ["user"], whenEmpty: .stay,
            on: ["go": [.screen("page")]])
        builder.flow("main", on: ["open": [.flow("account")]])
        let world = try World(root: "main", builder)
        for user in [1, 2] { try world.emit("open", ["user": .int32(Int32(user))], on: "/main") }
        func along(_ key: Arguments, _ flow: String = "account") throws -> [String] {
            let segments = [
                PathSegment(flow: "main"), PathSegment(flow: flow, key: key, step: try world.id(ofStep: "go")),
            ]
            return world.handle(.pathOpened(world.nextRequest(), segments, by: Client(":1.1")))
        }
        #expect(try along([Argument("user", .int32(1))]).first == "+ /main/account/page")
        #expect(try along([]).first == "+ /main/account_2/page")
        #expect(try along([Argument("user", .int64(3))]) == ["! PathFailed"])
        #expect(
            try world.refusal().message == "segment 2 ('account'): no flow of that name and key is live below '/main'")
        #expect(try along([Argument("lang", .string("de"))]) == ["! InvalidArguments"])
        #expect(try world.refusal().message == "the key of flow 'account' has no argument 'lang': it takes 'user'")
        #expect(try along([Argument("user", .string("x"))]) == ["! InvalidArguments"])
        #expect(try along([Argument("user", .int64(1))], "none") == ["! UnknownFlow"])
    }

    @Test func `S-51 a path starts a unique root with the values of its key, unless one with others is live`() throws {
        var builder = DefinitionsBuilder()
        builder.flow("session", ["user": "string"], key: ["user"], isUnique: true, whenEmpty: .stay)
        let world = World(builder)
        func along(_ user: String) -> [String] {
            let segment = PathSegment(flow: "session", key: [Argument("user", .string(user))])
            return world.handle(.pathOpened(world.nextRequest(), [segment], by: Client(":1.1")))
        }
        #expect(along("anna").first?.hasPrefix("+ /session {user=anna}") == true)
        #expect(along("anna").last?.hasPrefix("=") == true)
        #expect(along("bert") == ["! PathFailed"])
        #expect(world.paths == ["/session"])
    }

    // MARK: Where rules meet

    @Test func `S-51 a restart keeps which instance has which values`() throws {
        for onSameBus in [true, false] {
            let world = try world(builder(), "a", "b")
            world.restart(onSameBus: onSameBus)
            #expect(documents(world) == ["a", "b"])
            #expect(try open("a", world).contains { $0.hasPrefix("+") } == false)
            #expect(documents(world) == ["b", "a"])
        }
    }

    @Test func `S-51 live instances have the key of new definitions`() throws {
        let world = try world(builder(), "a", "b")
        var other = builder()
        other.screen("document", ["uri": "string?", "line": "int64?"], key: ["line"])
        world.reload(other)
        // Neither has a line, so both are equal, and the newest is meant.
        #expect(try open("c", world).first == "~ /editor/document_2 arguments= {uri=c}")
        #expect(documents(world) == ["a", "c"])
        other.screen("document", ["uri": "string?", "line": "int64?"])
        world.reload(other)
        #expect(try open("a", world).first == "~ /editor/document_2 arguments= {uri=a}")
    }

    @Test func `S-51 values that were stored with another type are equal after the conversions`() throws {
        var old = DefinitionsBuilder()
        old.step("open", ["n": "int32"])
        old.screen("page", ["n": "int32"], key: ["n"])
        old.flow("main", on: ["open": [.screen("page", .init(reuses: true))]])
        let world = try World(root: "main", old)
        try world.emit("open", ["n": .int32(1)], on: "/main")
        try world.emit("open", ["n": .int32(2)], on: "/main")
        var new = old
        new.step("open", ["n": "int64"])
        new.screen("page", ["n": "int64"], key: ["n"])
        world.reload(new)
        #expect(try world.emit("open", ["n": .int64(1)], on: "/main").first == "~ /main/page arguments= {n=1}")
        #expect(world.paths == ["/main", "/main/page", "/main/page_2"])
    }

    @Test func `S-51 a guard's step has the values that count`() throws {
        var builder = builder()
        builder.ask(about: "editor", guarded: (by: "com.guard", steps: ["update"]), navigated: nil)
        let world = try world(builder, "a", "b")
        try open("b", world, by: "update")
        let lines = try world.adapt(1, to: "update", ["line": .int64(3), "uri": .string("a")])
        #expect(lines.first == "~ /editor/document arguments= {line=3, uri=a}", "\(lines)")
    }

    @Test func `S-51 Back dismisses the one in front, whatever its key is`() throws {
        let world = try world(builder(), "a", "b")
        try open("a", world)
        try world.back("/editor")
        #expect(documents(world) == ["b"])
    }

    @Test func `S-51 the instance answers that the asking step has reused, and no other`() throws {
        let world = try world(builder(), "a", "b")
        try world.claim("/editor/document", by: ":1.7")
        try world.claim("/editor/document_2", by: ":1.8")
        try world.emit(
            "open", ["uri": .string("a")], on: "/editor", options: EmissionOptions(token: "t", asks: true))
        try world.finish("/editor/document_2", ["saved": .bool(false)], by: ":1.8")
        #expect(world.told == [])
        try world.finish("/editor/document", ["saved": .bool(true)], by: ":1.7")
        #expect(world.told.count == 1, "\(world.told)")
    }

    @Test func `S-51 each instance counts towards the limit of children`() throws {
        let world = try world(builder())
        for number in 0..<Limits.children { try open("\(number)", world) }
        #expect(try open("new", world).last == "! LimitExceeded")
        #expect(try open("5", world).last?.hasPrefix("= navigated") == true)
    }

    @Test func `S-51 a flow that is reused in layers stays in its layer`() throws {
        var builder = DefinitionsBuilder()
        builder.step("call", ["number": "string"])
        builder.flow("call", ["number": "string"], key: ["number"], whenEmpty: .stay)
        builder.flow(
            "device", children: .layers, layers: [Layer("apps"), Layer("calls")],
            on: ["call": [.flow("call", .init(reuses: true, layer: "calls"))]])
        let world = try World(root: "device", builder)
        for number in ["1", "2", "1"] { try world.emit("call", ["number": .string(number)], on: "/device") }
        #expect(world.paths.count == 3)
        #expect(try world.current("/device") == "/device/call")
        #expect(try world.forestNode("/device/call").layer == "calls")
    }

    @Test func `S-51 a pause belongs to the values of the key, and a restart keeps it`() throws {
        let world = try world(builder(presenter: "com.editor"), "a")
        world.presentFails(try call(world), Fault("com.x.NoDisplay", "no"))
        #expect(world.presents == [])
        // Another document is presented at once; the same one waits, also as another instance.
        try open("b", world)
        #expect(world.presents == ["/editor/document_2 launch"])
        world.restart()
        try open("a", world, by: "close")
        try open("a", world)
        #expect(world.presents == [])
        #expect(world.effects.contains { if case .reportDelay = $0 { true } else { false } })
        let names = try world.forestNode("/editor").flow?.kept.pauses.keys.sorted() ?? []
        #expect(names.count == 1 && names[0].hasPrefix("document#") && !names[0].contains("a/"))
    }

    @Test func `S-51 a flow remembers a limited number of pauses`() throws {
        let world = try world(builder(presenter: "com.editor"))
        for number in 0..<Limits.pausesPerFlow + 5 {
            try open("\(number)", world)
            world.presentFails(try call(world), Fault("com.x.NoDisplay", "no"))
            world.now += 1
        }
        #expect(try world.forestNode("/editor").flow?.kept.pauses.count == Limits.pausesPerFlow)
    }

    private func call(_ world: World) throws -> UInt64 {
        let calls = world.effects.compactMap { effect in
            if case .present(let presentation) = effect { presentation.id.number } else { nil }
        }
        return try #require(calls.last, "\(world.effects.map(\.line))")
    }

    @Test func `S-51 saved state stays with the instance, and is void with other values beside the key`() throws {
        let world = try world(builder(presenter: "com.editor"), "a")
        world.presented(try call(world), by: ":1.9")
        try world.saveState("/editor/document", [Argument("scroll", .int64(1))], by: ":1.9")
        try open("b", world)
        try open("a", world)
        #expect(try world.forestNode("/editor/document").savedState.count == 1)
        try open("a", world, line: 2)
        #expect(try world.forestNode("/editor/document").savedState == [])
    }

    @Test func `S-51 private values are equal to others, and reported nowhere`() throws {
        var builder = builder()
        builder.step("open", ["uri": "string?", "line": "int64?"], isPrivate: true)
        builder.step("close", ["uri": "string?", "line": "int64?"], isPrivate: true)
        let world = try world(builder, "a", "b")
        #expect(try open("a", world, line: 1, by: "update").first == "~ /editor/document arguments= {line=1, uri=a}")
        let closed = try open("b", world, by: "close")
        #expect(closed.contains { $0.contains("[dismiss document /editor/document_2]") }, "\(closed)")
    }

    // MARK: Explain

    @Test func `S-51 Explain names the key`() throws {
        let world = try world(builder(), "a", "b")
        func lines(_ step: String, _ uri: String) throws -> [String] {
            let explanation = world.coordinator.explain(
                try world.id(ofStep: step), [Argument("uri", .string(uri))], on: try world.node("/editor"),
                by: Client(":1.1"), at: Instant(microseconds: 0))
            return explanation.lines.map { $0.drop { $0 == " " } }.map(String.init)
        }
        #expect(
            try lines("open", "a").contains("'/editor/document' is used again (reuse), as its key is equal (uri = 'a')")
        )
        #expect(try lines("close", "c").contains("there is no 'document' (uri = 'c') to dismiss (dismiss)"))
        #expect(
            try lines("test", "a").contains("alternative 1 of 2 is taken: a 'document' (uri = 'a') is live in the tree")
        )
        #expect(
            try lines("test", "c").contains(
                "alternative 1 of 2 is not taken: no 'document' (uri = 'c') is live in the tree"))
    }

    // MARK: Clients that register

    @Test func `S-51 a client can register screens with a key, which has to be made of their arguments`() throws {
        let world = World(DefinitionsBuilder.host())
        func register(_ key: [String]) -> [String] {
            var registration = Registration(
                "shop", at: Service("com.shop", path: "/shop", timeout: Limits.guardTimeout),
                steps: [StepDeclaration("go")], by: Client(":1.5"))
            let type = DefinitionsBuilder.parameters(["id": "int64", "flow": "string", "x": "int64"])
            registration.bring([ScreenDeclaration("item", parameters: type, key: key)])
            return world.handle(.flowRegistered(world.nextRequest(), registration))
        }
        #expect(register(["ids"]) == ["! InvalidArguments"])
        #expect(
            try world.refusal().message
                == "screen 'item' has no argument 'ids': it takes 'flow', 'id' and 'x'; did you mean 'id'?")
        #expect(register(["id", "id"]) == ["! InvalidArguments"])
        #expect(register(["flow"]) == ["! InvalidArguments"])
        #expect(register(["id", "x", "id", "x", "id"]) == ["! InvalidArguments"])
        #expect(register(["x", "id"]).last == "= done")
        let item = try #require(world.coordinator.definitions.screen(named: "item"))
        #expect(world.coordinator.definitions[item].key == ["id", "x"])
        world.restart()
        let again = try #require(world.coordinator.definitions.screen(named: "item"))
        #expect(world.coordinator.definitions[again].key == ["id", "x"])
    }

    @Test func `S-51 answers of navigators have values of keys by name`() throws {
        let definitions = builder().definitions
        let rules = ContributorRules(definitions)
        let given = [Argument("uri", .string("$a"))]
        #expect(
            try rules.contributors([NamedContributor(.dismiss, "document", [.key: .arguments(given)])])
                == [.dismiss(KeyedName("document", key: [Binding("uri", .literal(.string("$a")))]))])
        for (name, key, text) in [
            ("document", Argument("line", .int64(1)), "the key of 'document' has no argument 'line': it takes 'uri'"),
            ("yes", Argument("uri", .string("a")), "the key of 'yes' has no argument 'uri': it takes none"),
            (
                "document", Argument("uri", .int64(1)),
                "the argument 'uri' does not fit: it is of type int64 and has to be of type string"
            ),
        ] {
            let error = #expect(throws: FlowError.self) {
                try rules.contributors([NamedContributor(.pop, name, [.key: .arguments([key])])])
            }
            #expect(error?.message == "contributor 1, 'pop' '\(name)': \(text)")
        }
    }
}
