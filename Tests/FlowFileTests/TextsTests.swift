import FlowCore
import Testing

@testable import FlowFile

/// `title` and `description`, for people (S-58).
@Suite("Titles and descriptions")
struct TextsTests {
    private func texts(_ text: String) throws -> Texts { try #require(try definitions(text).screens.first).texts }

    @Test func `S-58 steps, screens and flows have texts`() throws {
        let found = try definitions(
            """
            [steps]
            go = { title = "Go to ${place}", description = { en = "Goes", "de-AT" = "Geht" }, place = "string?" }
            [screens]
            s = { title = { de = "Karte", en = "Map" }, arguments = { n = "int64" } }
            [flows.f]
            title = "Way"
            description = "A way to a place"
            [flows.f.on]
            go = { none = true }
            """)
        let two = [LocalizedText.Version("en", "Goes"), LocalizedText.Version("de-AT", "Geht")]
        #expect(found.steps[0].texts.title == LocalizedText("Go to ${place}"))
        #expect(Set(try #require(found.steps[0].texts.description).versions) == Set(two))
        #expect(found.steps[0].parameters.map(\.name) == ["place"])
        #expect(
            found.screens[0].texts.title?.text(in: "de", []) == "Karte" && found.screens[0].texts.description == nil)
        #expect(
            found.flows[0].texts == Texts(title: LocalizedText("Way"), description: LocalizedText("A way to a place")))
    }

    @Test func `S-58 an argument 'title' of a step stays an argument`() throws {
        let found = try definitions("[steps]\na = { title = 'string', description = 'as?' }\nb = { title = 'Strings' }")
        #expect(found.steps[0].parameters.map(\.name) == ["description", "title"] && found.steps[0].texts == Texts())
        #expect(found.steps[1].parameters.isEmpty && found.steps[1].texts.title == LocalizedText("Strings"))
        let warned = try warnings("[steps]\nb = { title = 'strng' }")
        #expect(warned.contains { $0.contains("'strng' is no type, so it is taken for a text of the step") })
    }

    @Test func `S-58 a step has as many arguments as without its texts`() throws {
        func text(_ count: Int) -> String {
            "[steps]\na = { title = 'A step', description = 'It does', "
                + (0..<count).map { "a\($0) = 'byte'" }.joined(separator: ", ") + " }"
        }
        #expect(errors(text(Limits.argumentCount)) == [])
        #expect(errors(text(Limits.argumentCount + 1)).count == 1)
    }

    @Test(arguments: [
        ("title = {}", "'title' is empty"),
        ("title = 3", "it has to be a text, or a table of texts by languages"),
        ("title = { en = 3 }", "it has to be a text, or a table of texts by languages"),
        ("title = { 'e n' = 'x' }", "'e n' is no language; it has to be a tag such as 'en'"),
        ("title = { english_language = 'x', en- = 'y' }", "is no language"),
        ("title = 'x ${m}', arguments = { n = 'byte' }", "'${m}' refers to nothing"),
        ("title = '${m}'", "screen 's' takes no arguments"),
        ("title = { en = '${n}', de = '${nn}' }, arguments = { n = 'byte' }", "'${nn}' refers to nothing"),
        ("titel = 'x'", "did you mean 'title'?"),
        (
            "title = '\(String(repeating: "x", count: Limits.titleLength + 1))'",
            "'title' has 257 bytes; it can have at most 256"
        ),
        (
            "description = '\(String(repeating: "x", count: Limits.descriptionLength + 1))'",
            "'description' has 1025 bytes; it can have at most 1024"
        ),
    ])
    func `S-58 mistakes in texts are errors`(keys: String, message: String) {
        let found = errors("[screens]\ns = { \(keys) }")
        #expect(!found.isEmpty && found.allSatisfy { $0.contains(message) }, "\(found)")
    }

    @Test func `S-58 a reference as in rules is only a text, with a warning`() throws {
        #expect(
            try warnings("[screens]\ns = { title = 'Bill $n', arguments = { n = 'byte' } }")
                .contains { $0.contains("'${n}'") })
        #expect(try texts("[screens]\ns = { title = 'For $5 and $${n}' }").title?.text(in: "", []) == "For $5 and ${n}")
    }
}
