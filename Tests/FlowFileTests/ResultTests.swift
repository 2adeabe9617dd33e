import FlowCore
import Testing

@testable import FlowFile

/// Results in definition files (S-45).
@Suite("Results")
struct ResultTests {
    /// The rule of flow `main` for `ask` is on line 20, that of flow `picker` for `chosen` on line 24.
    private static func text(
        ask: String = "{ flow = 'picker', onResult = { step = 'picked' } }",
        chosen: String = "{ end = true, result = { contact = '$contact' } }",
        result: String = "result = { contact = 'int64', note = 'string?' }"
    ) -> String {
        """
        [steps]
        ask = { movie = 'int64?', mode = 'string' }
        picked = { contact = 'int64?', movie = 'int64?', who = 'string?' }
        needed = { contact = 'int64' }
        noted = { note = 'string' }
        chosen = { contact = 'int64', text = 'string?' }
        [screens]
        pad = { arguments = { mode = 'string' }, result = { contact = 'int64' } }
        done = { result = {} }
        plain = {}
        [[autostart]]
        flow = 'main'
        [flows.main]
        arguments = { lang = 'string?' }
        [flows.main.on]
        picked = { none = true }
        needed = { none = true }
        noted = { none = true }
        ask = \(ask)
        [flows.picker]
        \(result)
        [flows.picker.on]
        chosen = \(chosen)
        """
    }

    private func contributors(_ flow: String, _ text: String) throws -> [FlowContributor] {
        let definitions = try definitions(text)
        let flow = definitions[try #require(definitions.flow(named: flow))]
        let rule = try #require(flow.rules.first { ["ask", "chosen"].contains(definitions[$0.step].name) })
        return rule.alternatives.flatMap(\.contributors)
    }

    @Test(arguments: [
        ("{ contact = 'int64', public = true }", true, ["contact"]),
        ("{ contact = 'int64', public = false }", false, ["contact"]),
        ("{ public = true }", true, []), ("{ contact = 'int64', public = 'bool' }", false, ["contact", "public"]),
    ])
    func `S-45 public = true is no value, and one that has a type is`(
        result: String, isPublic: Bool, values: [String]
    ) throws {
        let text = """
            [steps]
            ask = {}
            [screens]
            pad = { result = \(result) }
            [[autostart]]
            flow = 'main'
            [flows.main.on]
            ask = [{ screen = 'pad' }, { flow = 'picker' }]
            [flows.picker]
            result = \(result)
            navigator = { name = 'com.x', steps = ['ask'] }
            """
        let definitions = try definitions(text)
        let flow = try #require(definitions.flows.last)
        #expect(definitions.screens[0].isResultPublic == isPublic && flow.isResultPublic == isPublic)
        #expect(definitions.screens[0].result?.map(\.name) == values && flow.result?.map(\.name) == values)
        #expect(try DefinitionFiles.definitions(in: definitions.fileText(hidesPrivateValues: false)) == definitions)
    }

    @Test func `S-45 what screens and flows answer, and a rule that answers`() throws {
        let definitions = try definitions(Self.text())
        let int64 = try #require(ValueType(name: "int64")), string = try #require(ValueType(name: "string"))
        #expect(
            definitions.flows.map(\.result)
                == [nil, [Parameter("contact", int64), Parameter("note", string, isOptional: true)]])
        #expect(definitions.screens.map(\.result) == [[], [Parameter("contact", int64)], nil])
        #expect(
            try contributors("picker", Self.text()) == [.answer(.given([Binding("contact", .step("contact"))]))])
        #expect(
            try contributors("picker", Self.text(chosen: "{ end = true, result = { contact = 5, note = '$$' } }"))
                == [
                    .answer(
                        .given([
                            Binding("contact", .literal(.int64(5))), Binding("note", .literal(.string("$"))),
                        ]))
                ])
        #expect(
            try contributors("picker", Self.text(chosen: "{ end = true, result = {} }", result: "result = {}"))
                == [.answer(.given([]))])
    }

    @Test func `S-45 what onResult can refer to`() throws {
        let rule =
            "{ screen = 'pad', onResult = { step = 'picked', arguments = "
            + "{ contact = '$result.contact', movie = '$asked.movie', who = '$name' } } }"
        guard case .child(let child)? = try contributors("main", Self.text(ask: rule)).first else {
            Issue.record("no child")
            return
        }
        #expect(
            child.onResult?.arguments
                == .given([
                    Binding("contact", .result("contact")), Binding("movie", .asked("movie")),
                    Binding("who", .childName),
                ]))
        for reference in ["$mode", "$asked.mode", "$flow.lang"] {
            #expect(errors(Self.text(ask: rule.replacing("$name", with: reference))) == [])
        }
    }

    @Test(arguments: [
        (
            "{ screen = 'plain', onResult = { step = 'picked' } }", ".onResult",
            "screen 'plain' declares no 'result', so 'onResult' would never be triggered"
        ),
        ("{ screen = 'pad', onResult = {} }", ".onResult", "'onResult' has to name its step: step = \"NAME\""),
        (
            "{ screen = 'pad', onResult = { stp = 'picked' } }", ".onResult.stp",
            "the table 'onResult' has no key 'stp'; did you mean 'step'?"
        ),
        (
            "{ current = 'picked', onResult = { step = 'picked' } }", ".onResult",
            "'onResult' does nothing beside 'current', which takes only 'arguments'"
        ),
        (
            "{ screen = 'pad', result = {} }", ".result",
            "'result' does nothing beside 'screen'; what it answers is declared at the screen itself, and 'onResult' names "
                + "the step for that"
        ),
        (
            "{ screen = 'pad', onResult = { step = 'picked', arguments = { contact = '$result.contat' } } }",
            ".onResult.arguments.contact",
            "'$result.contat' refers to nothing (for the text itself write '$$result.contat'): the result of screen 'pad' "
                + "has no argument 'contat': it takes 'contact'; did you mean 'contact'?"
        ),
        (
            "{ screen = 'pad', onResult = { step = 'picked', arguments = { movie = '$asked.film' } } }",
            ".onResult.arguments.movie",
            "'$asked.film' refers to nothing (for the text itself write '$$asked.film'): step 'ask' has no argument "
                + "'film': it takes 'mode' and 'movie'"
        ),
        (
            "{ screen = 'pad', onResult = { step = 'picked', arguments = { who = '$reason' } } }",
            ".onResult.arguments.who",
            "'$reason' refers to nothing (for the text itself write '$$reason'): screen 'pad' has no argument 'reason': it "
                + "takes 'mode'"
        ),
        (
            "{ screen = 'pad', onResult = { step = 'picked', arguments = { who = '$result.contact' } } }",
            ".onResult.arguments.who",
            "'$result.contact' is of type int64; the argument 'who' has to be of type string"
        ),
        (
            "{ flow = 'picker', onResult = { step = 'noted', arguments = { note = '$result.note' } } }",
            ".onResult.arguments.note",
            "'$result.note' may be left out (its type has a '?'), but the argument 'note' is required"
        ),
        (
            "{ screen = 'done', onResult = { step = 'needed' } }", ".onResult.arguments",
            "step 'needed' needs the argument 'contact', which the result of screen 'done' does not have; give it with "
                + "'arguments'"
        ),
        (
            "{ screen = 'pad', onDismissed = { step = 'picked', arguments = { contact = '$result.contact' } } }",
            ".onDismissed.arguments.contact",
            "'$result.contact' is no reference; it has to be '$NAME', '$flow.NAME' or '$context.NAME', or for the text itself "
                + "'$$result.contact'"
        ),
        (
            "{ end = true, result = {} }", ".result",
            "flow 'main' declares no 'result'; declare its values and their types there"
        ),
    ])
    func `S-45 one mistake is one error`(rule: String, place: String, message: String) {
        #expect(errors(Self.text(ask: rule)) == ["a.toml:20: error: [flows.main.on.ask\(place)] \(message)"])
    }

    @Test(arguments: [
        (
            "{ end = 'picked', result = { contact = 1 } }", ".result",
            "'result' stands beside a step; a flow that answers ends with 'end = true', and its parent's 'onResult' names the step"
        ),
        (
            "{ end = true, result = {} }", ".result",
            "the result of flow 'picker' needs the argument 'contact' of type int64"
        ),
        (
            "{ end = true, result = { contact = '$text' } }", ".result.contact",
            "'$text' is of type string; the argument 'contact' has to be of type int64"
        ),
        (
            "{ end = true, result = { contact = 1, nte = 'x' } }", ".result.nte",
            "the result of flow 'picker' has no argument 'nte': it takes 'contact' and 'note'; did you mean 'note'?"
        ),
        (
            "{ end = true, result = { contact = 'x' } }", ".result.contact",
            "the argument 'contact' does not fit: it is a string and has to be of type int64"
        ),
    ])
    func `S-45 a result has to fit its declaration`(rule: String, place: String, message: String) {
        #expect(errors(Self.text(chosen: rule)) == ["a.toml:24: error: [flows.picker.on.chosen\(place)] \(message)"])
    }

    @Test func `S-45 an optional argument that a condition tests can be a result, and be asked`() throws {
        let tested =
            "{ when = { movie = 1 }, screen = 'pad', onResult = { step = 'needed', arguments = { contact = '$asked.movie' } } }"
        #expect(errors(Self.text(ask: tested)) == [])
        #expect(errors(Self.text(ask: tested.replacing("when = { movie = 1 }, ", with: ""))).count == 1)
    }

    @Test func `S-45 results that nobody gives or takes are warnings, those that nobody hears are none`() throws {
        #expect(try warnings(Self.text()) == [])
        #expect(try warnings(Self.text(ask: "{ flow = 'picker' }")) == [])
        #expect(
            try warnings(Self.text(chosen: "{ end = true }")) == [
                "a.toml:22: warning: [flows.picker.result] flow 'picker' declares a result, and never ends with one: a rule "
                    + "answers by end = true with 'result'"
            ])
        #expect(
            try warnings(
                Self.text(ask: "{ flow = 'picker', onResult = { step = 'chosen', arguments = { contact = 1 } } }")) == [
                    "a.toml:20: warning: [flows.main.on.ask.onResult.step] 'onResult' triggers the step 'chosen', which flow "
                        + "'main' has no rule for"
                ])
    }
}
