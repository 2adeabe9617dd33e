import Testing

@testable import FlowCore

/// Arguments of private steps are told to nobody, however they are handed on.
@Suite("Privacy")
struct PrivacyTests {
    private let world: World

    init() throws {
        var sketch = DefinitionsBuilder()
        let handOn = [Binding("word", .step("pin"))]
        sketch.step("enter", ["pin": "string?"], isPrivate: true)
        sketch.step("literal", ["pin": "string?"], isPrivate: true)
        sketch.step("open", ["word": "string?"])
        sketch.step("number", ["word": "int64"])
        sketch.screen("pad", ["pin": "string?"])
        sketch.screen("show", ["word": "string?"])
        sketch.screen("count", ["word": "int64?"])
        sketch.flow(
            "main", announces: true,
            on: [
                "enter": [
                    .screen("pad", .init(step: "open", stepWith: handOn)), .screen("show", .init(with: handOn)),
                    .flow("sub", .init(with: handOn, step: "open", stepWith: handOn)), .current("open", handOn),
                    .parent("open", handOn),
                ],
                "open": [.screen("show")],
                "literal": [.current("enter", [Binding("pin", .literal(.string("secret")))])],
                "misfit": [], "end": [.flow("sub", .init(with: handOn))],
            ])
        sketch.flow(
            "sub", ["word": "string?"], children: .stack, announces: true,
            on: [
                "open": [.screen("show", .init(with: [Binding("word", .flow("word"))])), .parent("open")],
                "enter": [.end("open", handOn)],
                "misfit": [.screen("count", .init(with: [Binding("word", .flow("word"))]))],
                "set": [.current("number", [Binding("word", .flow("word"))])],
            ])
        world = try World(root: "main", sketch)
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
            let last = String(reflecting: coordinator.forest[node.slot].flow?.last)
            #expect(!last.contains("secret"), "\(path)", sourceLocation: sourceLocation)
        }
    }

    @Test func `they go where rules hand them, but into no signal, property or latest navigation`() throws {
        try world.emit("enter", ["pin": .string("secret")], on: "/main")
        #expect(world.navigations == ["/main enter", "/main/sub open", "/main open", "/main open"])
        isSilent()
        // They did arrive.
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

    @Test func `no refusal and no failure tells them, and what is lost neither`() throws {
        try world.emit("enter", ["pin": .array(element: "s", [.string("secret")])], on: "/main")
        #expect(try world.refusal().code == .invalidArguments)
        isSilent()
        try world.emit("enter", ["pin": .string("secret")], on: "/main")
        try world.emit("misfit", on: "/main/sub")
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

    @Test func `what came in public stays public beside it`() throws {
        var sketch = DefinitionsBuilder()
        sketch.step("open", ["word": "string?"])
        sketch.screen("show", ["word": "string?"])
        sketch.flow("main", on: ["open": [.screen("show")]])
        let world = try World(root: "main", sketch)
        #expect(try world.emit("open", ["word": .string("plain")], on: "/main").first == "+ /main/show {word=plain}")
    }

    @Test func `what is kept, reused, or handed to a parent when a screen goes stays private`() throws {
        var sketch = DefinitionsBuilder()
        let handOn = [Binding("word", .step("pin"))]
        sketch.step("enter", ["pin": "string?"], isPrivate: true)
        sketch.step("show", ["word": "string?"])
        sketch.screen("pad", ["word": "string?"])
        let pad = DefinitionsBuilder.Child(
            with: handOn, step: "show", stepWith: handOn, whenHidden: .latest, reuses: true, onDismissed: "show")
        sketch.flow("main", children: .stack, on: ["enter": [.screen("pad", pad)], "show": []])
        let world = try World(root: "main", sketch)
        func isSilent(sourceLocation: SourceLocation = #_sourceLocation) {
            let text = world.effects.map { String(reflecting: $0) }.joined()
            #expect(!text.contains("secret"), "\(text)", sourceLocation: sourceLocation)
        }
        for word in ["secret 1", "secret 2"] {
            try world.emit("enter", ["pin": .string(word)], on: "/main")
            isSilent()
            #expect(try world.kept("/main/pad").arguments.map(\.value) == [.string(word)])
        }
        // That nothing but a private argument changed is nobody's business.
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
        #expect(try world.kept("/main").flow?.last?.arguments == [])
        // A kept one stays private also where its step is so no longer.
        try world.emit("enter", ["pin": .string("secret 5")], on: "/main")
        try world.emit("enter", ["pin": .string("secret 6")], on: "/main/pad")
        sketch.step("enter", ["pin": "string?"])
        world.reload(sketch)
        isSilent()
        try world.show("/main/pad")
        #expect(world.navigations.contains("/main enter"))
        isSilent()
    }
}
