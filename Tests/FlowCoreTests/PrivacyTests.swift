import Testing

@testable import FlowCore

/// Private arguments are never broadcast, however they are passed on.
@Suite("Privacy")
struct PrivacyTests {
    private let world: World

    init() throws {
        var builder = DefinitionsBuilder()
        let handOn = [Binding("word", .step("pin"))]
        builder.step("enter", ["pin": "string?"], isPrivate: true)
        builder.step("literal", ["pin": "string?"], isPrivate: true)
        builder.step("open", ["word": "string?"])
        builder.step("number", ["word": "int64"])
        builder.screen("pad", ["pin": "string?"])
        builder.screen("show", ["word": "string?"])
        builder.screen("count", ["word": "int64?"])
        builder.flow(
            "main", announces: true,
            on: [
                "enter": [
                    .screen("pad", .init(step: "open", stepWith: handOn)), .screen("show", .init(with: handOn)),
                    .flow("sub", .init(with: handOn, step: "open", stepWith: handOn)), .current("open", handOn),
                    .parent("open", handOn),
                ],
                "open": [.screen("show")],
                "literal": [.current("enter", [Binding("pin", .literal(.string("secret")))])],
                "mistyped": [], "end": [.flow("sub", .init(with: handOn))],
            ])
        builder.flow(
            "sub", ["word": "string?"], children: .stack, announces: true,
            on: [
                "open": [.screen("show", .init(with: [Binding("word", .flow("word"))])), .parent("open")],
                "enter": [.end("open", handOn)],
                "mistyped": [.screen("count", .init(with: [Binding("word", .flow("word"))]))],
                "set": [.current("number", [Binding("word", .flow("word"))])],
            ])
        world = try World(root: "main", builder)
    }

    private func isSilent(sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(!world.effects.isEmpty, sourceLocation: sourceLocation)
        for effect in world.effects {
            let text = String(reflecting: effect)
            #expect(!text.contains("secret"), "\(text)", sourceLocation: sourceLocation)
        }
        let coordinator = world.coordinator.copy()
        for path in world.paths {
            guard let node = coordinator.node(at: path) else { continue }
            let last = String(reflecting: coordinator.forest[node.slot].flow?.activity.last)
            #expect(!last.contains("secret"), "\(path)", sourceLocation: sourceLocation)
        }
    }

    @Test func `rules pass private arguments on, but no signal, property or latest navigation contains them`() throws {
        try world.emit("enter", ["pin": .string("secret")], on: "/main")
        #expect(world.navigations == ["/main enter", "/main/sub open", "/main open", "/main open"])
        isSilent()
        // They have arrived.
        for path in ["/main/pad", "/main/show", "/main/sub", "/main/sub/show", "/main/show_2"] {
            #expect(
                world.coordinator.forest[try world.node(path).slot].arguments.map(\.value) == [.string("secret")],
                "\(path)")
        }
        try world.show("/main/pad")
        #expect(world.navigations == ["/main open"])
        isSilent()
        try world.emit("enter", ["pin": .string("secret")], on: "/main/sub")
        #expect(world.navigations == ["/main/sub enter", "/main open"])
        isSilent()
    }

    @Test func `deep links and literals in rules are as private`() throws {
        try world.navigate("enter", ["pin": .string("secret")])
        isSilent()
        try world.emit("literal", on: "/main")
        #expect(world.navigations.starts(with: ["/main literal", "/main enter"]))
        isSilent()
    }

    @Test func `no error and no reported failure contains them`() throws {
        try world.emit("enter", ["pin": .array(element: "s", [.string("secret")])], on: "/main")
        #expect(try world.refusal().code == .invalidArguments)
        isSilent()
        try world.emit("enter", ["pin": .string("secret")], on: "/main")
        try world.emit("mistyped", on: "/main/sub")
        #expect(try world.refusal().code == .invalidArguments)
        #expect(try world.refusal().message.contains("'word'"))
        isSilent()
        try world.emit("set", on: "/main/sub")
        #expect(try world.refusal().code == .invalidArguments)
        isSilent()
        try world.dismiss("/main/pad")
        #expect(world.failures.count == 1)
        isSilent()
    }

    @Test func `public arguments stay public next to private ones`() throws {
        var builder = DefinitionsBuilder()
        builder.step("open", ["word": "string?"])
        builder.screen("show", ["word": "string?"])
        builder.flow("main", on: ["open": [.screen("show")]])
        let world = try World(root: "main", builder)
        #expect(try world.emit("open", ["word": .string("plain")], on: "/main").first == "+ /main/show {word=plain}")
    }

    @Test func `S-5 S-45 what a guard lets through, or makes of it, stays private`() throws {
        var builder = DefinitionsBuilder()
        builder.step("ask", ["movie": "int64?"])
        builder.step("picked", ["contact": "string?", "movie": "int64?"])
        builder.step("chosen", ["who": "string?", "movie": "int64?"])
        builder.screen("pad", result: ["contact": "string"])
        builder.screen("show", ["contact": "string?", "who": "string?", "movie": "int64?"])
        let result = DefinitionsBuilder.Child(
            onResult: "picked",
            onResultWith: [Binding("contact", .result("contact")), Binding("movie", .asked("movie"))])
        builder.flow(
            "main", guarded: ("com.auth", ["picked"]),
            on: ["ask": [.screen("pad", result)], "picked": [.screen("show")], "chosen": [.screen("show")]])
        let answers: [(step: String, name: String)] = [("picked", "contact"), ("chosen", "who")]
        for (step, name) in answers {
            let world = try World(root: "main", builder)
            try world.emit("ask", ["movie": .int64(7)], on: "/main")
            try world.claim("/main/pad", by: ":1.7")
            try world.finish("/main/pad", ["contact": .string("secret")], by: ":1.7")
            #expect(world.coordinator.questions.count == 1)
            try world.adapt(1, to: step, [name: .string("secret"), "movie": .int64(7)])
            let text = world.effects.map { String(reflecting: $0) }.joined()
            #expect(!text.contains("secret") && text.contains("movie"), "\(text)")
            #expect(
                try world.forestNode("/main/show").arguments[name] == Argument(name, .string("secret"), isPrivate: true)
            )
            // What does not fit is not in the message.
            try world.emit("ask", on: "/main")
            try world.claim("/main/pad", by: ":1.7")
            try world.finish("/main/pad", ["contact": .string("x")], by: ":1.7")
            try world.adapt(2, to: step, [name: .array(element: "s", [.string("secret")])])
            #expect(world.failures.count == 1 && !String(reflecting: world.failures).contains("secret"))
        }
    }

    @Test func `deferred, reused and onDismissed arguments stay private`() throws {
        var builder = DefinitionsBuilder()
        let handOn = [Binding("word", .step("pin"))]
        builder.step("enter", ["pin": "string?"], isPrivate: true)
        builder.step("show", ["word": "string?"])
        builder.screen("pad", ["word": "string?"])
        let pad = DefinitionsBuilder.Child(
            with: handOn, step: "show", stepWith: handOn, whenHidden: .latest, reuses: true, onDismissed: "show")
        builder.flow("main", children: .stack, on: ["enter": [.screen("pad", pad)], "show": []])
        let world = try World(root: "main", builder)
        func isSilent(sourceLocation: SourceLocation = #_sourceLocation) {
            let text = world.effects.map { String(reflecting: $0) }.joined()
            #expect(!text.contains("secret"), "\(text)", sourceLocation: sourceLocation)
        }
        for word in ["secret 1", "secret 2"] {
            try world.emit("enter", ["pin": .string(word)], on: "/main")
            isSilent()
            #expect(try world.forestNode("/main/pad").arguments.map(\.value) == [.string(word)])
        }
        // A change of a private argument only is not reported.
        #expect(world.effects.map(\.line).contains { $0.hasPrefix("~ /main/pad") } == false)
        for word in ["secret 3", "secret 4"] {
            try world.emit("enter", ["pin": .string(word)], on: "/main/pad")
            isSilent()
        }
        #expect(world.failures.map(\.reason) == [.verdict(.hidden)])
        try world.show("/main/pad")
        #expect(world.navigations == ["/main show", "/main enter", "/main show"])
        isSilent()
        try world.dismiss("/main/pad")
        #expect(world.navigations == ["/main show"])
        isSilent()
        #expect(try world.forestNode("/main").flow?.activity.last?.arguments == [])
        // A kept one stays private also where its step is so no longer.
        try world.emit("enter", ["pin": .string("secret 5")], on: "/main")
        try world.emit("enter", ["pin": .string("secret 6")], on: "/main/pad")
        builder.step("enter", ["pin": "string?"])
        world.reload(builder)
        isSilent()
        try world.show("/main/pad")
        #expect(world.navigations.contains("/main enter"))
        isSilent()
    }
}
