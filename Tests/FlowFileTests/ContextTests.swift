import FlowCore
import Testing

@testable import FlowFile

/// `[context]`, and all that refers to it (S-57).
@Suite("Context")
struct ContextTests {
    private static let head = """
        [steps]
        go = { lang = "string?", n = "int64" }
        bare = {}
        [screens]
        s = { arguments = { lang = "string" } }

        """
    private static let values = """
        [context]
        language = { type = "string", initial = "de" }
        volume = { type = "byte", initial = 5 }

        """

    private static func rule(_ rule: String) -> String {
        head + values + "[flows.f]\n[flows.f.on]\nbare = { none = true }\ngo = " + rule
    }

    private func contributors(_ rule: String) throws -> [FlowContributor] {
        let flow = try #require(try definitions(Self.rule(rule)).flows.first)
        return flow.rules.flatMap(\.alternatives).flatMap(\.contributors)
    }

    @Test func `S-57 values and their keys`() throws {
        let found = try definitions(
            Self.head + """
                [context]
                b = { type = "int64", initial = 3, setters = ["com.x.A", "com.x.B"], kept = "reboot" }
                a = { type = "string", initial = "$$x", private = true, changed = { flow = "f", step = "bare" } }
                [flows.f]
                context = { b = { type = "int64", initial = 4, kept = "restart", changed = "bare" } }
                [flows.f.on]
                bare = { none = true }
                go = { none = true }
                """)
        let (text, number) = (try #require(ValueType(name: "string")), try #require(ValueType(name: "int64")))
        let bare = ContextDeclaration.Change(StepID(0), on: FlowID(0))
        #expect(
            found.context == [
                ContextDeclaration("a", text, initial: .string("$x"), isPrivate: true, changed: bare),
                ContextDeclaration("b", number, initial: .int64(3), setters: ["com.x.A", "com.x.B"], isForDisk: true),
            ])
        #expect(found.flows[0].context == [ContextDeclaration("b", number, initial: .int64(4), changed: bare)])
        #expect(found.busNames == ["com.x.A", "com.x.B"])
    }

    @Test func `S-57 several files have values, and no value twice`() throws {
        let other = "[context]\nother = { type = 'bool', initial = true }"
        #expect(
            try definitions(Self.rule("{ none = true }"), other).context.map(\.name) == ["language", "other", "volume"])
        #expect(errors(Self.values, "[context]\nvolume = { type = 'byte', initial = 1 }").count == 1)
    }

    @Test func `S-57 what a screen gets`() throws {
        let found = try definitions(Self.values + "[screens]\ns = { context = ['volume', 'language'] }")
        #expect(found.screens[0].context == ["language", "volume"])
    }

    @Test func `S-57 rules set values, compare them and pass them on`() throws {
        #expect(
            try contributors("{ set = { language = '$lang', volume = 7 } }") == [
                .set([Binding("language", .step("lang")), Binding("volume", .literal(.byte(7)))])
            ])
        let arguments = ArgumentSource.given([Binding("lang", .context("language"))])
        #expect(
            try contributors("{ screen = 's', arguments = { lang = '$context.language' } }") == [
                .child(ChildTemplate(.screen(ScreenID(0)), arguments: arguments))
            ])
        #expect(try contributors("[{ set = { volume = 1 } }, { end = true }]").count == 2)
        let flow = try definitions(
            Self.rule("[{ when = { '$context.volume' = 3, n = 1 }, none = true }, { none = true }]")
        ).flows[0]
        #expect(
            flow.rules.flatMap(\.alternatives).flatMap(\.when) == [
                .context("volume", .byte(3)), .argument("n", .int64(1)),
            ])
    }

    @Test(arguments: [
        ("[context]\na = 'string'", "this is a string; it has to be a table: { type = \"string\", initial = \"en\" }"),
        ("[context]\na = { initial = 1 }", "a value of the context has to have 'type'"),
        ("[context]\na = { type = 'byte' }", "a value of the context has to have 'initial'"),
        (
            "[context]\na = { type = 'byte?', initial = 1 }",
            "a value of the context is always there; write its type without '?'"
        ),
        ("[context]\na = { type = 'byte', initial = 300 }", "'300' is out of the range of the type byte"),
        ("[context]\na = { type = 'byte', initial = 1, settters = [] }", "did you mean 'setters'?"),
        ("[context]\na = { type = 'byte', initial = 1, setters = ['a'] }", "'a'"),
        ("[context]\na = { type = 'byte', initial = 1, kept = 'ever' }", "'ever' is not allowed here"),
        (
            "[context]\na = { type = 'byte', initial = 1, kept = 'reboot', private = true }",
            "the value 'a' is private, so nothing may write it to a disk; leave 'kept' out"
        ),
        (
            "[context]\na = { type = 'byte', initial = 1, changed = { flow = 'f' } }\n[flows.f]",
            "'changed' has to name its step"
        ),
        ("[context]\n\"1a\" = { type = 'byte', initial = 1 }", "'1a' can't be the name of a value of the context"),
        ("[screens]\ns = { context = ['x'] }", "no file declares a value 'x' of the context: it has none"),
        (
            "[screens]\ns = { application = 'a.b', context = [] }",
            "'context' is not possible beside 'application': that program knows nothing of it; leave it out"
        ),
    ])
    func `S-57 one mistake in a declaration is one error`(text: String, message: String) {
        let found = errors(text)
        #expect(found.count == 1 && found.first?.contains(message) == true, "\(found)")
    }

    @Test func `S-57 values of one name have one type, and all fit into the limit`() {
        let two = errors(Self.values + "[flows.f]\ncontext = { volume = { type = 'int64', initial = 1 } }")
        #expect(two.count == 1 && two.first?.contains("'volume' has the type int64 here and byte elsewhere") == true)
        let long = String(repeating: "x", count: Limits.contextBytes)
        let large = errors("[context]\na = { type = 'string', initial = '\(long)' }")
        #expect(large.count == 1 && large.first?.contains("at most 4096 are allowed") == true)
    }

    @Test(arguments: [
        ("{ set = {} }", "'set' is empty; it has to have a value: set = { language = \"en\" }"),
        ("{ set = true }", "this is true or false; it has to be a table of values of the context"),
        ("{ set = { langage = 'x' } }", "did you mean 'language'?"),
        ("{ set = { volume = 'x' } }", "of type byte"),
        ("{ set = { volume = '$lang' } }", "'$lang' is of type string; the argument 'volume' has to be of type byte"),
        ("{ set = { volume = 1 }, style = 'x' }", "'style' does nothing beside 'set'"),
        ("{ screen = 's', arguments = { lang = '$context.volume' } }", "'$context.volume' is of type byte"),
        ("{ screen = 's', arguments = { lang = '$context.x' } }", "no file declares a value 'x' of the context"),
        ("[{ when = { '$context.x' = 1 }, none = true }]", "no file declares a value 'x' of the context"),
        ("[{ when = { '$context.volume' = '$n' }, none = true }]", "compares with a value that stands here"),
    ])
    func `S-57 one mistake in a rule is one error`(rule: String, message: String) {
        let found = errors(Self.rule(rule))
        #expect(found.count == 1 && found.first?.contains(message) == true, "\(found)")
    }

    @Test func `S-57 a private value stays out of the text for others`() throws {
        let found = try definitions(
            Self.head + """
                [context]
                pin = { type = "string", initial = "1234", private = true }
                [flows.f.on]
                go = [{ when = { "$context.pin" = "5678" }, set = { pin = "9012" } }, { none = true }]
                bare = { none = true }
                """)
        let text = try found.fileText(hidesPrivateValues: true)
        for secret in ["1234", "5678", "9012"] { #expect(!text.contains(secret)) }
    }

    @Test func `S-57 a step that nobody takes leads to a warning`() throws {
        let found = try warnings(
            Self.head + "[flows.f]\ncontext = { a = { type = 'byte', initial = 1, changed = 'bare' } }\n"
                + "[flows.f.on]\ngo = { none = true }")
        #expect(found.contains { $0.contains("'changed' triggers the step 'bare', which flow 'f' has no rule for") })
    }
}
