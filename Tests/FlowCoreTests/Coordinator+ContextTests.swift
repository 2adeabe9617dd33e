import Testing

@testable import FlowCore

/// Values that screens and rules know without being given them (S-57).
@Suite("Flow coordinator: context")
struct ContextTests {
    /// A root `main` with a screen `page`, which gets `language` and the private `customer`. `:1.5` may set both.
    private func builder(
        _ rules: KeyValuePairs<String, DefinitionsBuilder.Branches> = [:], initial: String = "de",
        isForDisk: Bool = false, changed: (step: String, flow: String)? = nil
    ) -> DefinitionsBuilder {
        var builder = DefinitionsBuilder()
        builder.step("choose", ["lang": "string?"])
        builder.step("secret", ["lang": "string?"], isPrivate: true)
        builder.step("ask")
        builder.screen("page", ["text": "string?"], presenter: "com.page", context: ["customer", "language"])
        builder.screen("plain", presenter: "com.page")
        builder.flow(
            "main", initial: "open", whenHidden: .allow,
            on: [
                "open": [.screen("page")],
                "choose": [.set([Binding("language", .step("lang"))])],
                "secret": [.set([Binding("language", .step("lang"))])],
            ])
        for (step, branches) in rules { builder.addRule(step, branches, to: "main") }
        builder.context = [
            .init(
                name: "language", initial: initial, setters: ["com.settings"], isForDisk: isForDisk, changed: changed),
            .init(name: "customer", initial: "", setters: ["com.settings"], isPrivate: true),
        ]
        return builder
    }

    private func makeWorld(_ builder: DefinitionsBuilder) throws -> World {
        let world = World(builder)
        world.own("com.settings", ":1.5")
        try world.coordinate("main", by: ":1.0")
        return world
    }

    private func set(
        _ world: World, _ values: KeyValuePairs<String, Value>, at path: String? = nil, by client: String = ":1.5"
    )
        throws -> [String]
    {
        world.handle(
            .contextSet(
                world.nextRequest(), values.map { Argument($0.key, $0.value) }, of: try path.map { try world.node($0) },
                by: Client(client)))
    }

    private func presentation(_ world: World) -> Presentation? {
        world.effects.lazy.compactMap { if case .present(let it) = $0 { it } else { nil } }.last
    }

    private func present(_ world: World, as client: String = ":1.7") throws {
        let call = try #require(presentation(world))
        world.handle(.presenterReplied(call.id, .presented(by: Client(client))))
    }

    private func text(_ world: World, _ name: String) -> String? {
        if case .string(let text)? = world.coordinator.forest.context[name]?.value { text } else { nil }
    }

    // MARK: Setting

    @Test func `S-57 a setter sets values, and an equal value is no event`() throws {
        let world = try makeWorld(builder())
        #expect(world.coordinator.context == [Argument("language", .string("de"))])
        #expect(try set(world, ["language": .string("en")]) == ["context {language=en}", "= done"])
        world.now += Limits.contextPause
        #expect(try set(world, ["language": .string("en")]) == ["= done"])
        #expect(try set(world, [:]) == ["= done"])
    }

    @Test func `S-57 others are refused, and nothing changes`() throws {
        let world = try makeWorld(builder())
        _ = try set(world, ["language": .string("en")], by: ":1.6")
        #expect(try world.refusal().code == .accessDenied)
        #expect(try world.refusal().message.contains("'com.settings'"))
        _ = try set(world, ["language": .string("en"), "langage": .string("fr")])
        #expect(try world.refusal().code == .invalidArguments)
        #expect(try world.refusal().message.contains("'langage'") == true)
        #expect(try world.refusal().message.contains("did you mean 'language'?") == true)
        _ = try set(world, ["customer": .string("a"), "language": .int64(3)])
        #expect(try world.refusal().code == .invalidArguments)
        _ = try set(world, ["customer": .bool(true)])
        #expect(try world.refusal().message.contains("true") == false)
        _ = try set(world, ["language": .string(String(repeating: "x", count: Limits.contextBytes))])
        #expect(try world.refusal().code == .limitExceeded)
        #expect(text(world, "language") == "de" && text(world, "customer") == "")
    }

    @Test func `S-57 signals come at most ten times a second, and the last value arrives`() throws {
        let world = try makeWorld(builder())
        #expect(try set(world, ["language": .string("en")]).first == "context {language=en}")
        world.now += 1_000
        #expect(try set(world, ["language": .string("fr")]) == ["timer \(Limits.contextPause)", "= done"])
        world.now += 1_000
        #expect(try set(world, ["language": .string("it")]) == ["= done"])
        #expect(world.wait(Limits.contextPause - 2_000) == ["context {language=it}"])
    }

    @Test func `S-57 a private value is no property, nor one from a private step`() throws {
        let world = try makeWorld(builder())
        #expect(try set(world, ["customer": .string("Ada")]) == ["= done"])
        try world.emit("secret", ["lang": .string("xx")], on: "/main")
        #expect(text(world, "language") == "xx")
        #expect(world.coordinator.context == [])
        let contributions = world.effects.lazy.compactMap {
            if case .emitNavigationOccurred(let it) = $0 { it.contributions } else { nil }
        }.first
        #expect(contributions?.first?.kind == .set && contributions?.first?.arguments == [])
    }

    // MARK: Rules

    @Test func `S-57 S-13 a rule sets values with its navigation, or nothing happens`() throws {
        let world = try makeWorld(
            builder([
                "both": [.set([Binding("language", .literal(.string("fr")))]), .screen("page", .init(id: "page"))]
            ]))
        try world.emit("choose", ["lang": .string("en")], on: "/main")
        #expect(text(world, "language") == "en")
        // The id is taken.
        try world.emit("both", on: "/main")
        #expect(try world.refusal().code == .idTaken)
        #expect(text(world, "language") == "en")
        // What is left out stays.
        try world.emit("choose", on: "/main")
        #expect(text(world, "language") == "en")
    }

    @Test func `S-57 conditions and arguments have the value of before the list`() throws {
        let isGerman = Condition.context("language", .string("de"))
        let world = try makeWorld(
            builder([
                "ask": .first([
                    .init(
                        when: [isGerman],
                        parts: [
                            .set([Binding("language", .literal(.string("en")))]),
                            .screen("plain"), .screen("page", .init(with: [Binding("text", .context("language"))])),
                        ]),
                    .init(parts: []),
                ])
            ]))
        try world.emit("ask", on: "/main")
        #expect(try world.forestNode("/main/page_2").arguments == [Argument("text", .string("de"))])
        try world.emit("ask", on: "/main")
        #expect(world.coordinator.node(at: "/main/page_3") == nil)
        let explanation = world.coordinator.explain(
            try #require(world.coordinator.definitions.step(named: "ask")), [], on: try world.node("/main"),
            by: Client(":1.1"), at: Instant(microseconds: 0))
        #expect(explanation.lines.contains { $0.contains("'context.language' is 'en', not 'de'") })
    }

    @Test func `S-57 an argument from a private value is private`() throws {
        let world = try makeWorld(
            builder(["ask": [.screen("page", .init(with: [Binding("text", .context("customer"))]))]]))
        _ = try set(world, ["customer": .string("Ada")])
        try world.emit("ask", on: "/main")
        #expect(try world.forestNode("/main/page_2").arguments == [Argument("text", .string("Ada"), isPrivate: true)])
    }

    @Test func `S-57 S-21 a flow that ends can set values`() throws {
        var builder = builder(["ask": [.flow("child", .init(step: "begin"))]])
        builder.step("finish", ["lang": "string?"])
        builder.flow(
            "child", on: ["begin": [.screen("plain")], "finish": [.set([Binding("language", .step("lang"))]), .end()]])
        let world = try makeWorld(builder)
        try world.emit("ask", on: "/main")
        try world.emit("finish", ["lang": .string("fr")], on: "/main/child")
        #expect(text(world, "language") == "fr")
        #expect(world.coordinator.node(at: "/main/child") == nil)
    }

    @Test func `S-57 S-5 a navigator sets values`() throws {
        var builder = builder()
        builder.ask(about: "main", guarded: nil, navigated: (by: "com.nav", steps: ["ask", "open"]))
        let world = try makeWorld(builder)
        let named = NamedContributor(.set, "", [.arguments: .arguments([Argument("language", .string("fr"))])])
        let contributors = try ContributorRules(world.coordinator.definitions).contributors([named])
        world.answer(1, .contributors(contributors))
        #expect(text(world, "language") == "fr")
        for (wrong, why) in [
            (NamedContributor(.set, "language"), "'set' has no name"),
            (NamedContributor(.set), "it has to have the values in the option 'arguments'"),
            (NamedContributor(.set, "", [.arguments: .arguments([Argument("x", .int64(1))])]), "no value 'x'"),
            (NamedContributor(.set, "", [.arguments: .arguments([Argument("language", .int64(1))])]), "string"),
        ] {
            #expect { try ContributorRules(world.coordinator.definitions).contributors([wrong]) } throws: {
                ($0 as? FlowError)?.message.contains(why) == true
            }
        }
    }

    @Test func `S-57 S-8 a change has a step, which follows all others of the list`() throws {
        let world = try makeWorld(
            builder(
                [
                    "both": [.set([Binding("language", .literal(.string("fr")))]), .current("ask")], "ask": [],
                    "changed": [.screen("plain")],
                ], changed: ("changed", "main")))
        try world.emit("both", on: "/main")
        #expect(world.navigations == ["/main both", "/main ask", "/main changed"])
        // The same origin, so that S-11 counts it; nothing where nothing is new.
        try world.emit("both", on: "/main")
        #expect(world.navigations == ["/main both", "/main ask"])
        _ = try set(world, ["language": .string("it")])
        #expect(world.navigations == ["/main changed"])
    }

    // MARK: Flows

    @Test func `S-57 a flow has values of its own, which all below it see`() throws {
        var builder = builder(["ask": [.flow("child", .init(step: "begin"))]])
        builder.flow("child", whenHidden: .allow, on: ["begin": [.screen("page")]])
        builder.add(.init(name: "language", initial: "pl", setters: ["com.settings"]), to: "main")
        let world = try makeWorld(builder)
        try world.coordinate("main", id: "other", by: ":1.0")
        try world.emit("ask", on: "/main")
        #expect(presentation(world)?.context.first { $0.name == "language" }?.value == .string("pl"))
        #expect(
            try set(world, ["language": .string("cs")], at: "/main/child") == [
                "~ /main context= {language=cs}", "= done",
            ])
        #expect(world.coordinator.context == [Argument("language", .string("de"))])
        #expect(
            world.coordinator.value(of: .context, at: try world.node("/other"))
                == .arguments([Argument("language", .string("pl"))]))
        world.restart()
        #expect(
            world.coordinator.value(of: .context, at: try world.node("/main"))
                == .arguments([Argument("language", .string("cs"))]))
        // What only the coordinator has is set there, wherever it is set from.
        world.own("com.settings", ":1.5")
        _ = try set(world, ["customer": .string("Ada")], at: "/other")
        #expect(text(world, "customer") == "Ada")
    }

    // MARK: Screens

    @Test func `S-57 a screen gets what it names, and its owner learns of changes`() throws {
        let world = try makeWorld(builder())
        _ = try set(world, ["customer": .string("Ada")])
        let all = [Argument("customer", .string("Ada"), isPrivate: true), Argument("language", .string("de"))]
        #expect(presentation(world)?.context == nil)
        try world.coordinate("main", id: "other", by: ":1.0")
        #expect(presentation(world)?.context == all)
        try present(world)
        #expect(world.effects.allSatisfy { if case .emitContextChanged = $0 { false } else { true } })
        let lines = try set(world, ["language": .string("en")])
        #expect(lines.contains("context /other/page for :1.7 {customer=Ada, language=en}"))
        #expect(lines.count == 3)
    }

    @Test func `S-57 a change while the presenter is called reaches the owner`() throws {
        let world = try makeWorld(builder())
        let call = try #require(presentation(world))
        #expect(call.context[1] == Argument("language", .string("de")))
        _ = try set(world, ["language": .string("en")])
        #expect(!world.effects.contains { if case .emitContextChanged = $0 { true } else { false } })
        let lines = world.handle(.presenterReplied(call.id, .presented(by: Client(":1.7"))))
        #expect(lines.contains("context /main/page for :1.7 {customer=, language=en}"))
    }

    @Test func `S-57 S-29 who claims a screen is told`() throws {
        var builder = builder()
        builder.screen("page", ["text": "string?"], context: ["language"])
        let world = try makeWorld(builder)
        let lines = try world.claim("/main/page", by: ":1.9")
        #expect(lines.contains("context /main/page for :1.9 {language=de}"))
        #expect(try !world.claim("/main/page", by: ":1.9").contains { $0.hasPrefix("context") })
    }

    // MARK: Restarts

    @Test func `S-57 D-3 a restart keeps values, and tells owners again`() throws {
        let world = try makeWorld(builder())
        try present(world)
        _ = try set(world, ["language": .string("en"), "customer": .string("Ada")])
        #expect(world.restart().contains("context /main/page for :1.7 {customer=Ada, language=en}"))
        #expect(text(world, "language") == "en" && text(world, "customer") == "Ada")
        // On another bus only what a disk may have is left.
        world.restart(onSameBus: false)
        #expect(text(world, "language") == "de" && text(world, "customer") == "")
    }

    @Test func `S-57 D-3 a value for a disk outlives the bus, unless it came from a private step`() throws {
        let world = try makeWorld(builder(isForDisk: true))
        _ = try set(world, ["language": .string("en"), "customer": .string("Ada")])
        world.restart(onSameBus: false)
        #expect(text(world, "language") == "en" && text(world, "customer") == "")
        try world.emit("secret", ["lang": .string("xx")], on: "/main")
        world.restart(onSameBus: false)
        #expect(text(world, "language") == "de")
    }

    @Test func `S-57 a reload keeps what was set and has the type, and all others begin anew`() throws {
        let world = try makeWorld(builder())
        try present(world)
        _ = try set(world, ["customer": .string("Ada")])
        world.now += Limits.contextPause
        let lines = world.reload(builder(initial: "en"))
        #expect(text(world, "language") == "en" && text(world, "customer") == "Ada")
        #expect(lines.contains("context {language=en}"))
        #expect(lines.contains("context /main/page for :1.7 {customer=Ada, language=en}"))
        // To set the same value is no event, and nevertheless lets it stay.
        _ = try set(world, ["language": .string("en")])
        world.reload(builder(initial: "de"))
        #expect(text(world, "language") == "en")
        var other = builder()
        other.context = []
        other.screen("page", ["text": "string?"], presenter: "com.page")
        world.reload(other)
        #expect(world.coordinator.context == [])
    }
}
