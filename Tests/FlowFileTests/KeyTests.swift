import FlowCore
import Testing

@testable import FlowFile

/// Keys in definition files (S-51).
@Suite("Keys")
struct KeyTests {
    /// The key of `document` is on line 8, that of flow `chat` on line 13, the rule of `go` on line 17.
    private static func text(
        key: String = "['uri']", flowKey: String = "['room', 'user']", go: String = "{ none = true }",
        isPrivate: Bool = false, more: String = "", flow: String = ""
    ) -> String {
        """
        [steps]
        go = { uri = "string", n = "int64?", room = "string?" }
        picked = { uri = "string" }
        [private]
        steps = [\(isPrivate ? "'go'" : "")]
        [screens.document]
        arguments = { uri = "string", title = "string?", screen = "string?", a = "byte?", b = "byte?", c = "byte?" }
        key = \(key)
        [screens.picker]
        result = { uri = "string"\(more) }
        [flows.chat]
        arguments = { room = "string", user = "string?" }
        key = \(flowKey)
        [flows.f]
        arguments = { lang = "string?" }\(flow)
        [flows.f.on]
        go = \(go)
        picked = { screen = "document" }
        """
    }

    @Test func `S-51 a key names arguments, and rules name one of several`() throws {
        let go = """
            [{ screen = "document", reuse = true }, { pop = { screen = "document", uri = "$uri" } },
            { show = { flow = "chat", user = "$$x", room = "$flow.lang" } }, { hide = { flow = "chat" } },
            { dismiss = { flow = "chat", room = "$room" } }, { dismiss = "document" }]
            """
        let definitions = try definitions(Self.text(flowKey: "['user', 'room']", go: go.replacing("\n", with: " ")))
        let document = definitions[try #require(definitions.screen(named: "document"))]
        let chat = definitions[try #require(definitions.flow(named: "chat"))]
        #expect((document.key, chat.key) == (["uri"], ["room", "user"]))
        let flow = definitions[try #require(definitions.flow(named: "f"))]
        #expect(
            flow.rules[0].alternatives[0].contributors.dropFirst() == [
                .pop(.to(KeyedName("document", isFlow: false, key: [Binding("uri", .step("uri"))]))),
                .show(
                    KeyedName(
                        "chat", isFlow: true,
                        key: [Binding("room", .flow("lang")), Binding("user", .literal(.string("$x")))])),
                .hide(KeyedName("chat", isFlow: true)),
                .dismiss(KeyedName("chat", isFlow: true, key: [Binding("room", .step("room"))])), .dismiss("document"),
            ])
    }

    @Test func `S-51 alive takes a table, too`() throws {
        let go = "[{ when = { alive = { screen = 'document', uri = '$uri' }, n = 1 }, none = true }, { none = true }]"
        let definitions = try definitions(Self.text(go: go))
        let flow = definitions[try #require(definitions.flow(named: "f"))]
        #expect(
            flow.rules[0].alternatives[0].when == [
                .alive(KeyedName("document", isFlow: false, key: [Binding("uri", .step("uri"))])),
                .argument("n", .int64(1)),
            ])
    }

    @Test(arguments: [
        ("'uri'", "", "this is a string; it has to be a list of names of arguments: key = [\"NAME\"]"),
        ("[1]", "[0]", "this is an integer; it has to be the name of an argument"),
        ("[]", "", "the key of screen 'document' is empty; it has to name arguments, or be left out"),
        (
            "['url']", "[0]",
            "screen 'document' has no argument 'url': it takes 'a', 'b', 'c', 'screen', 'title' and 'uri'; did you mean 'uri'?"
        ),
        ("['uri', 'uri']", "[1]", "the key of screen 'document' names 'uri' twice; once is enough"),
        (
            "['screen']", "[0]",
            "'screen' can't be in a key: beside the values of a key, it says what they belong to; give the argument another name"
        ),
        ("['a', 'b', 'c', 'uri', 'title']", "", "the key of screen 'document' names 5 arguments, of at most 4"),
    ])
    func `S-51 one mistake in a key is one error`(key: String, place: String, message: String) {
        let found = errors(Self.text(key: key))
        #expect(found.count == 1 && found[0].hasSuffix(message), "\(found)")
        #expect(found.first?.hasPrefix("a.toml:9: error: [screens.document.key") == true, "\(found)")
    }

    @Test(arguments: [
        (
            "{ dismiss = { uri = 'x' } }", ".dismiss",
            "the table names neither a 'screen' nor a 'flow'; write one of them, and beside it values of its key: { screen = \"NAME\", ARGUMENT = VALUE }"
        ),
        (
            "{ dismiss = { screen = 'document', flow = 'chat' } }", ".dismiss",
            "'screen' and 'flow' are given; write one of them, and beside it values of its key: { screen = \"NAME\", ARGUMENT = VALUE }"
        ),
        ("{ pop = { screen = 'chat' } }", ".pop.screen", "no file declares a screen 'chat'; it is a flow"),
        (
            "{ pop = { screen = 'document', title = 'x' } }", ".pop.title",
            "screen 'document' is not told apart by 'title': its key is 'uri'"
        ),
        (
            "{ pop = { screen = 'picker', x = 1 } }", ".pop.x", "screen 'picker' has no argument 'x': it takes none"
        ),
        (
            "{ pop = { screen = 'document', uri = 1 } }", ".pop.uri",
            "the argument 'uri' does not fit: it is an integer and has to be of type string"
        ),
        (
            "{ pop = { screen = 'document', uri = '$n' } }", ".pop.uri",
            "'$n' is of type int64; the argument 'uri' has to be of type string"
        ),
        (
            "{ hide = { screen = 'document', uri = 'x' } }", ".hide", "'document' is a screen; 'hide' is for flows"
        ),
        (
            "{ dismiss = 'document', key = { uri = 'x' } }", ".key",
            "'key' stands in the table of 'dismiss': dismiss = { screen = \"NAME\", ARGUMENT = VALUE }"
        ),
        (
            "{ screen = 'document', key = { uri = 'x' } }", ".key",
            "'key' does nothing beside 'screen'; it is declared at the screen itself, and 'reuse' means the one with equal values"
        ),
    ])
    func `S-51 one mistake beside a key is one error`(rule: String, place: String, message: String) {
        #expect(errors(Self.text(go: rule)) == ["a.toml:18: error: [flows.f.on.go\(place)] \(message)"])
    }

    @Test func `S-51 a disk keeps no private value, so it can't be in a key there`() throws {
        let go = "{ screen = 'document', reuse = true }"
        let message =
            "the key of screen 'document' gets the private argument 'uri' of step 'go', and a disk keeps the tree without it; give "
            + "the key another argument, make this one public, or write restore = false at flow 'f'"
        #expect(errors(Self.text(go: go, isPrivate: true)) == ["a.toml:18: error: [flows.f.on.go] \(message)"])
        let given = "{ screen = 'document', arguments = { uri = '$uri' } }"
        #expect(errors(Self.text(go: given, isPrivate: true)) == ["a.toml:18: error: [flows.f.on.go] \(message)"])
        for rule in [
            "{ screen = 'document', arguments = { uri = 'x', title = '$uri' } }",
            "{ dismiss = { screen = 'document', uri = '$uri' } }",
        ] {
            #expect(errors(Self.text(go: rule, isPrivate: true)) == [])
        }
        #expect(errors(Self.text(go: go, isPrivate: true, flow: "\nrestore = false")) == [])
    }

    @Test func `S-51 the same of a result, unless it is public`() throws {
        let go = "{ screen = 'picker', onResult = { step = 'picked' } }"
        let found = errors(Self.text(go: go))
        #expect(
            found.count == 1
                && found[0].contains("[flows.f.on.picked] the key of screen 'document' gets the private argument 'uri'")
        )
        #expect(errors(Self.text(go: go, more: ", public = true")) == [])
        #expect(
            errors(Self.text(go: "{ screen = 'picker', onResult = { step = 'picked', arguments = { uri = 'x' } } }"))
                == [])
    }

    @Test func `S-51 S-57 a key can have a value of the context, unless that is private`() throws {
        func text(_ more: String) -> String {
            Self.text(
                go:
                    "[{ screen = 'document', arguments = { uri = '$context.user' } }, { dismiss = { screen = 'document', uri = '$context.user' } }]"
            )
                + "\n[context]\nuser = { type = 'string', initial = '', setters = ['com.x.Login']\(more) }"
        }
        let definitions = try definitions(text(""))
        let flow = definitions[try #require(definitions.flow(named: "f"))]
        #expect(
            flow.rules[0].alternatives[0].contributors.last
                == .dismiss(KeyedName("document", isFlow: false, key: [Binding("uri", .context("user"))])))
        let found = errors(text(", private = true"))
        #expect(
            found.count == 1
                && found[0].contains(
                    "the key of screen 'document' gets the private value 'user' of the context, and a disk"),
            "\(found)")
    }

    @Test func `S-51 a name that a flow never contributes is a warning, in a table, too`() throws {
        let found = try warnings(Self.text(go: "{ dismiss = { flow = 'chat', room = 'x' } }"))
        #expect(
            found.contains { $0.contains("flow 'f' never contributes 'chat', so this never dismisses anything") },
            "\(found)")
    }
}
