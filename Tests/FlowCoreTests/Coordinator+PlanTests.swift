import Testing

@testable import FlowCore

@Suite("Flow coordinator: plan")
struct PlanTests {
    @Test func `S-18 a child's arguments: given ones, otherwise declared ones of the step`() throws {
        var builder = DefinitionsBuilder()
        builder.step("go", ["item": "int64", "lang": "string?", "extra": "string"])
        builder.screen("list", ["item": "int32", "lang": "string?"])
        builder.flow(
            "main",
            on: ["go": [.screen("list"), .screen("list", .init(with: [Binding("item", .literal(.int32(7)))]))]])
        let world = try World(root: "main", builder)
        try world.emit("go", ["lang": .string("en"), "item": .byte(1), "extra": .string("x")], on: "/main")
        #expect(
            try world.state("/main/list").arguments == [Argument("lang", .string("en")), Argument("item", .int32(1))])
        #expect(try world.state("/main/list_2").arguments == [Argument("item", .int32(7))])
    }

    @Test func `S-18 values refer to the step's arguments and to the flow's own; what is absent stays absent`() throws {
        var builder = DefinitionsBuilder()
        builder.step("go", ["item": "int64", "lang": "string?"])
        builder.screen("list", ["number": "int64", "tongue": "string?", "theme": "string?"])
        let bindings = [
            Binding("number", .step("item")), Binding("tongue", .step("lang")), Binding("theme", .flow("theme")),
        ]
        builder.flow("main", ["theme": "string?"], on: ["go": [.screen("list", .init(with: bindings))]])
        let world = World(builder)
        try world.coordinate("main", ["theme": .string("dark")])
        try world.coordinate("main")
        try world.emit("go", ["item": .byte(1), "lang": .string("en")], on: "/main")
        try world.emit("go", ["item": .byte(1)], on: "/main_2")
        #expect(
            try world.state("/main/list").arguments == [
                Argument("number", .int64(1)), Argument("tongue", .string("en")), Argument("theme", .string("dark")),
            ])
        #expect(try world.state("/main_2/list").arguments == [Argument("number", .int64(1))])
    }

    @Test func `S-18 an initial step's arguments: given ones, otherwise declared ones of the step`() throws {
        var builder = DefinitionsBuilder()
        builder.step("go", ["item": "int64", "extra": "string"])
        builder.step("begin", ["item": "int64"])
        builder.flow(
            "main",
            on: [
                "go": [
                    .flow("sub"), .flow("sub", .init(stepWith: [Binding("item", .literal(.int64(9)))])),
                    .flow("sub", .init(step: "other", stepWith: [])),
                ]
            ])
        builder.flow("sub", initial: "begin", on: ["begin": [], "other": []])
        let world = try World(root: "main", builder)
        #expect(
            try world.emit("go", ["item": .byte(1), "extra": .string("x")], on: "/main")
                .filter { $0.hasPrefix("did") }.dropFirst() == [
                    "did 2 after 1 by :1.1: /main/sub begin {item=1} []",
                    "did 3 after 1 by :1.1: /main/sub_2 begin {item=9} []",
                    "did 4 after 1 by :1.1: /main/sub_3 other []",
                ])
    }

    @Test func `S-18 S-20 a forwarded step's arguments: given ones, otherwise declared ones of the step`() throws {
        var builder = DefinitionsBuilder()
        builder.step("go", ["item": "int64", "extra": "string"])
        builder.step("next", ["item": "int64?"])
        builder.flow(
            "main", ["n": "int64"],
            on: [
                "go": [.current("next"), .current("next", []), .current("next", [Binding("item", .flow("n"))])],
                "next": [],
            ])
        let world = World(builder)
        try world.coordinate("main", ["n": .int64(5)])
        #expect(
            try world.emit("go", ["item": .byte(1), "extra": .string("x")], on: "/main").first
                == "did 1 after 0 by :1.1: /main go {item=1, extra=x} "
                + "[current next /main {item=1}, current next /main, current next /main {item=5}]")
        #expect(
            world.effects.map(\.line)[1...3] == [
                "did 2 after 1 by :1.1: /main next {item=1} []", "did 3 after 1 by :1.1: /main next []",
                "did 4 after 1 by :1.1: /main next {item=5} []",
            ])
    }

    @Test func `S-18 the style is reported`() throws {
        var builder = DefinitionsBuilder()
        builder.flow("main", on: ["go": [.screen("list", .init(style: "modal"))]])
        let world = try World(root: "main", builder)
        #expect(
            try world.emit("go", on: "/main") == [
                "+ /main/list style=modal", "did 1 after 0 by :1.1: /main go [screen list /main/list style=modal]",
                "= navigated 1",
            ])
    }

    @Test func `S-1 an id of its own, and one that is taken fails the step`() throws {
        var builder = DefinitionsBuilder()
        builder.flow("main", on: ["go": [.screen("list", .init(id: "only"))], "more": [.screen("only")]])
        let world = try World(root: "main", builder)
        try world.emit("go", on: "/main")
        #expect(world.paths == ["/main", "/main/only"])
        #expect(try world.emit("go", on: "/main") == ["! IdTaken"])
        #expect(try world.refusal().message == "the id 'only' is taken below '/main'")
        try world.emit("more", on: "/main")
        #expect(world.paths.last == "/main/only_2")
        try world.dismiss("/main/only")
        #expect(try world.emit("go", on: "/main").last == "= navigated 3")
    }

    /// Steps that fail at their last contributor, with the errors.
    private static let failing: [(step: String, code: FlowError.Code)] = [
        ("taken", .idTaken), ("twice", .idTaken), ("named", .invalidName), ("mistyped", .invalidArguments),
        ("missing", .invalidArguments), ("initial", .invalidArguments), ("forward", .invalidArguments),
        ("ending", .invalidArguments),
    ]

    @Test(arguments: failing.indices)
    func `S-13 all contributors apply or none: a step that fails changes nothing`(index: Int) throws {
        let (step, code) = Self.failing[index]
        var builder = DefinitionsBuilder()
        for (name, _) in Self.failing { builder.step(name, ["item": "int64?"]) }
        builder.step("need", ["lang": "string"])
        builder.screen("tight", ["item": "byte"])
        let before: [DefinitionsBuilder.Part] = [
            .screen("a"), .flow("sub"), .screen("b", .init(step: "hello")), .current("hello"),
        ]
        func rule(_ last: DefinitionsBuilder.Part...) -> DefinitionsBuilder.Branches {
            .first([DefinitionsBuilder.Branch(parts: before + last)])
        }
        builder.flow(
            "main", children: .tabs,
            on: [
                "taken": rule(.screen("x", .init(id: "old"))), "named": rule(.screen("x", .init(id: "1"))),
                "twice": rule(.screen("x", .init(id: "c")), .screen("x", .init(id: "c"))),
                "mistyped": rule(.screen("tight")),
                "missing": rule(.screen("tight", .init(with: []))), "initial": rule(.flow("sub", .init(step: "need"))),
                "forward": rule(.parent("need")), "ending": [.end("need")], "hello": [],
                "open": [.screen("old")], "good": rule(),
            ])
        builder.flow("sub", initial: "hello", on: ["hello": []])
        let (failed, other) = (try World(root: "main", builder), try World(root: "main", builder))
        for world in [failed, other] { try world.emit("open", on: "/main") }
        let untouched = failed.coordinator.copy()
        #expect(try failed.emit(step, ["item": .int64(1_000)], on: "/main") == ["! \(code.rawValue)"])
        #expect(try failed.refusal().message.contains("'"))
        #expect(failed.coordinator.accounting == untouched.accounting)
        #expect(failed.coordinator.serial == untouched.serial)
        #expect(failed.coordinator.origins.cascades == untouched.origins.cascades)
        // Later behaviour, ids and instances included, is that of a world in which it never happened.
        for world in [failed, other] { try world.emit("good", on: "/main") }
        #expect(failed.effects.map(\.line) == other.effects.map(\.line))
        #expect(failed.paths.count == 5)
        #expect(failed.paths.compactMap { try? failed.state($0) } == other.paths.compactMap { try? other.state($0) })
    }
}
