import Testing

@testable import FlowCore

/// What people read of flows, screens and steps (S-58).
@Suite("Flow coordinator: titles")
struct TitlesTests {
    private func text(_ versions: KeyValuePairs<String, String>) -> LocalizedText {
        LocalizedText(versions.map { LocalizedText.Version($0.key, $0.value) })
    }

    /// A root `main` with a screen `bill`, whose title is in English and German, and has its number.
    private func builder(title: LocalizedText? = nil) -> DefinitionsBuilder {
        var builder = DefinitionsBuilder()
        builder.step("open", ["number": "int64?"])
        builder.step("hidden", ["number": "int64?"], isPrivate: true)
        builder.step("speak", ["lang": "string"])
        builder.screen("bill", ["number": "int64?"], presenter: "com.page")
        builder.flow(
            "main",
            on: [
                "open": [.screen("bill", .init(reuses: true))], "hidden": [.screen("bill", .init(reuses: true))],
                "speak": [.set([Binding("language", .step("lang"))])],
            ])
        builder.context = [.init(name: "language", initial: "en", setters: ["com.settings"])]
        builder.texts = [
            "bill": Texts(title: title ?? text(["en": "Bill ${number}", "de": "Rechnung ${number}"])),
            "main": Texts(title: LocalizedText("Shop"), description: LocalizedText("All that is sold")),
            "open": Texts(title: text(["en": "Open bill ${number}", "de": "Rechnung ${number} öffnen"])),
        ]
        return builder
    }

    private func makeWorld(_ step: String = "open") throws -> World {
        let world = World(builder())
        try world.coordinate("main", by: ":1.0")
        try world.emit(step, ["number": .int64(7)], on: "/main")
        return world
    }

    private func title(_ world: World, _ path: String = "/main/bill") throws -> String { try world.state(path).title }

    // MARK: Texts

    @Test(arguments: [
        ("de", "ja"), ("de-AT", "jo"), ("de_AT.UTF-8", "jo"), ("DE_at@euro", "jo"), ("de-CH", "ja"), ("fr", "yes"),
        ("", "yes"), ("C", "yes"), ("pt-BR", "sim"), ("pt", "yes"), ("deu", "yes"),
    ])
    func `S-58 a text is in the language, or in it without its region, or in English`(language: String, found: String) {
        let all = text(["fr-CA": "oui", "de": "ja", "de-AT": "jo", "en": "yes", "pt_BR": "sim"])
        #expect(all.text(in: language, []) == found)
    }

    @Test func `S-58 a text without English is the first one, and one without languages for all`() {
        #expect(text(["fr": "oui", "de": "ja"]).text(in: "it", []) == "oui")
        #expect(LocalizedText("yes").text(in: "de", []) == "yes")
        #expect(LocalizedText([]).text(in: "de", []) == "")
    }

    @Test(arguments: [
        ("${a}", "1"), ("a ${a}${b} c", "a 1(private) c"), ("$a", "$a"), ("$${a}", "${a}"), ("${x}|", "|"),
        ("${a", "${a"), ("$", "$"), ("$$", "$$"), ("$$$${a}", "$$${a}"), ("${}", ""),
    ])
    func `S-58 arguments stand in a text, private ones hidden`(template: String, found: String) {
        let arguments = [Argument("a", .int64(1)), Argument("b", .string("pin"), isPrivate: true)]
        #expect(LocalizedText(template).text(in: "", arguments) == found)
    }

    // MARK: Titles

    @Test func `S-58 a title is that of the definitions, until the owner gives another one`() throws {
        let world = try makeWorld()
        #expect(try title(world) == "Bill 7" && title(world, "/main") == "Shop")
        #expect(try world.coordinator.stack(on: "").map(\.title) == ["Bill 7"])
        let call = try #require(
            world.effects.lazy.compactMap { if case .present(let it) = $0 { it } else { nil } }.last)
        world.handle(.presenterReplied(call.id, .presented(by: Client(":1.7"))))
        #expect(try world.setTitle("/main/bill", "Mine", by: ":1.7") == ["~ /main/bill title=Mine", "= done"])
        // It stays in all languages.
        try world.emit("speak", ["lang": .string("de")], on: "/main")
        #expect(try title(world) == "Mine")
        #expect(
            try world.setTitle("/main/bill", "", by: ":1.7") == ["~ /main/bill title=Rechnung 7", "= done"])
    }

    @Test func `S-58 S-57 another language, or other arguments, are another title`() throws {
        let world = try makeWorld()
        let lines = try world.emit("speak", ["lang": .string("de_CH.UTF-8")], on: "/main")
        #expect(lines.contains("~ /main/bill title=Rechnung 7"))
        try world.emit("open", ["number": .int64(8)], on: "/main")
        #expect(try title(world) == "Rechnung 8")
        try world.emit("open", on: "/main")
        #expect(try title(world) == "Rechnung ")
    }

    @Test func `S-58 a flow's own language counts for all below it`() throws {
        var builder = builder()
        builder.add(.init(name: "language", initial: "de"), to: "main")
        let world = World(builder)
        try world.coordinate("main", by: ":1.0")
        try world.emit("open", on: "/main")
        #expect(try title(world) == "Rechnung ")
    }

    @Test func `S-58 no title has a private value`() throws {
        let world = try makeWorld("hidden")
        #expect(try title(world) == "Bill (private)")
    }

    @Test func `S-58 D-3 a restart and a reload keep a title or change it`() throws {
        let world = try makeWorld()
        try world.emit("speak", ["lang": .string("de")], on: "/main")
        world.restart()
        #expect(try title(world) == "Rechnung 7" && title(world, "/main") == "Shop")
        let lines = world.reload(builder(title: LocalizedText("No. ${number}")))
        #expect(lines.contains("~ /main/bill title=No. 7"))
        var none = builder()
        none.texts = [:]
        #expect(world.reload(none).contains("~ /main/bill title=-"))
        #expect(try title(world, "/main") == "")
    }

    @Test func `S-58 a long title is shortened`() throws {
        let world = World(builder(title: LocalizedText(String(repeating: "ä", count: 200))))
        try world.coordinate("main", by: ":1.0")
        try world.emit("open", on: "/main")
        #expect(try title(world).utf8.count <= Limits.titleLength && title(world).hasPrefix("ää"))
    }

    @Test func `S-58 an explanation has the titles of steps and screens`() throws {
        let world = World(builder())
        try world.coordinate("main", by: ":1.0")
        let explanation = world.coordinator.explain(
            try world.id(ofStep: "open"), [Argument("number", .int64(7))], on: try world.node("/main"),
            by: Client(":1.1"), at: Instant(microseconds: 0))
        #expect(explanation.lines.first?.contains("step 'open' \"Open bill 7\"") == true, "\(explanation.lines)")
        #expect(explanation.lines.contains { $0.contains("title \"Bill 7\"") }, "\(explanation.lines)")
    }
}
