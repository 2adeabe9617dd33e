import FlowCore
import Testing

@testable import FlowFile

@Suite("Rules")
struct RuleTests {
    /// The rule of flow `f` for step `go` is on line 10.
    private static let head = """
        [steps]
        go = { n = "int64", s = "string?" }
        other = {}
        "dot.ted" = {}
        [screens]
        page = {}
        [flows]
        [flows.f.on]

        """

    @Test(arguments: [
        (
            "go = 'page'", "",
            "this is a string; it has to be a contributor, which is a table, or a list of contributors"
        ),
        ("go = []", "", "the list is empty; write { none = true } for a step that leads to nothing"),
        ("go = [1]", "[1]", "this is an integer; it has to be a contributor, which is a table"),
        (
            "go = {}", "",
            "a contributor has to have one of 'screen', 'flow', 'none', 'pop', 'show', 'hide', 'dismiss', 'evict', 'set', 'move', 'end', 'current' or 'parent'"
        ),
        ("go = { screeen = 'page' }", ".screeen", "a contributor has no key 'screeen'; did you mean 'screen'?"),
        ("go = { screen = 'pag' }", ".screen", "no file declares a screen 'pag'; did you mean 'page'?"),
        ("go = { flow = 'g' }", ".flow", "no file declares a flow 'g'"),
        ("go = { current = 'othr' }", ".current", "no file declares a step 'othr'; did you mean 'other'?"),
        ("go = { screen = 1 }", ".screen", "this is an integer; it has to be the name of a screen"),
        (
            "go = { screen = 'page', none = true }", "",
            "'screen' and 'none' are given; a contributor is only one of 'screen', 'flow', 'none', 'pop', 'show"
        ),
        ("go = { none = false }", ".none", "this is false; it has to be true"),
        ("go = { none = 'x' }", ".none", "this is a string; it has to be true"),
        ("go = { end = false }", ".end", "this is false; it has to be the name of a step, or true"),
        ("go = { end = 1 }", ".end", "this is an integer; it has to be the name of a step, or true"),
        (
            "go = { end = true, arguments = {} }", ".arguments",
            "the flow ends without a step, so nothing takes these arguments"
        ),
        ("go = { none = true, style = 'x' }", ".style", "'style' does nothing beside 'none', which takes no options"),
        (
            "go = { parent = 'other', id = 'x' }", ".id",
            "'id' does nothing beside 'parent', which takes only 'arguments'"
        ),
        (
            "go = [{ screen = 'page' }, { end = true }]", "[2].end",
            "'end' stands beside other contributors; the flow is gone with it, so it has to be the only one but for 'set'"
        ),
        (
            "go = { screen = 'page', id = 'root' }", ".id",
            "'root' can't be the name of a presentable: in 'pop' it stands for the oldest child"
        ),
        (
            "go = { screen = 'page', id = 'a b' }", ".id",
            "'a b' can't be an id: it has to be \(Names.presentableNameRule)"
        ),
        (
            "go = { screen = 'page', style = '\\uFFFE' }".replacing("'\\uFFFE'", with: "\"\\uFFFE\""), ".style",
            "the character U+FFFE can't go over the bus"
        ),
        (
            "go = { screen = 'page', whenHidden = 'alow' }", ".whenHidden",
            "'whenHidden' is 'alow'; it has to be 'ignore', 'allow', 'latest', 'queue' or 'turn'; did you mean 'allow'?"
        ),
        (
            "go = [{ screen = 'page', id = 'x' }, { screen = 'page', id = 'x' }]", "[2].id",
            "the id 'x' is taken by the contributor in a.toml:10 already"
        ),
        (
            "go = { screen = 'page', stepArguments = {} }", ".stepArguments",
            "a screen has no initial step of its own, so nothing takes these arguments; name one with 'step'"
        ),
        (
            "go = { flow = 'f', stepArguments = {} }", ".stepArguments",
            "the flow has no initial step, so nothing takes these arguments; name one with 'step'"
        ),
        (
            "go = { when = {}, none = true }", ".when",
            "'when' is empty; it has to name an argument of the step, or 'alive', or be left out"
        ),
        ("go = { when = 1, none = true }", ".when", "this is an integer; it has to be a table of arguments an"),
        ("go = { when = { m = 1 }, none = true }", ".when.m", "step 'go' has no argument 'm': it takes 'n' and 's'"),
        (
            "go = { unless = { n = 'x' }, none = true }", ".unless.n",
            "the argument 'n' does not fit: it is a string and has to be of type int64"
        ),
        (
            "go = { do = [], when = { n = 1 } }", ".do",
            "'do' is empty; write { none = true } for an alternative that leads to nothing"
        ),
        (
            "go = { do = [{ none = true }], screen = 'page' }", ".screen",
            "'screen' stands beside 'do'; move it into a table of that list"
        ),
        (
            "go = [{ do = [{ none = true }] }, { screen = 'page' }]", "[1].do",
            "'do' stands in an alternative, beside 'when' or 'unless', or is all there is; list the contributor"
        ),
        (
            "go = { do = [{ none = true, when = { n = 1 } }] }", ".do[1].when",
            "'when' stands beside 'do', not in a contributor of its list"
        ),
        (
            "go = [{ none = true, when = { n = 1 } }, { none = true }, { end = true }]", "[3]",
            "this is never reached: the alternative in a.toml:10 has neither 'when' nor 'unless'; it has to be "
        ),
    ])
    func `one mistake is one error`(rule: String, place: String, message: String) {
        let found = errors(Self.head + rule)
        #expect(found.count == 1)
        let error = "a.toml:10: error: [flows.f.on.go\(place)] \(message)"
        #expect(found.first?.hasPrefix(error) == true, "\(found)")
    }

    @Test func `an undeclared step, and one without quotes`() {
        #expect(
            errors(Self.head + "og = { none = true }\ndot.ted = { none = true }") == [
                "a.toml:10: error: [flows.f.on.og] no file declares a step 'og'; did you mean 'go'?",
                "a.toml:11: error: [flows.f.on.dot] no file declares a step 'dot'; for 'dot.ted' write \"dot.ted\", in "
                    + "quotes",
            ])
    }

    @Test(arguments: ["initial = 'go'", "arguments = { x = 'string' }", "idle = {}", "unique = true", "restore = true"])
    func `a key of the flow in the table of its rules`(key: String) {
        let name = key.prefix { $0 != " " }
        #expect(
            errors(Self.head + key) == [
                "a.toml:10: error: [flows.f.on.\(name)] the key '\(name)' of flow 'f' stands below [flows.f.on], where it "
                    + "is taken for the rule of a step; move it up, before [flows.f.on]"
            ])
    }

    @Test func `a step may be called like a key of a flow`() throws {
        #expect(
            try definitions("[steps]\ninitial = {}\n[flows.f.on]\ninitial = { none = true }").flows[0].rules.count == 1)
    }

    @Test func `forms of lists`() throws {
        func alternatives(_ rule: String) throws -> [Alternative] {
            try definitions(Self.head + rule).flows[0].rules[0].alternatives
        }
        #expect(
            try alternatives("go = { do = [{ none = true }, { parent = 'other' }] }").map(\.contributors.count) == [1])
        #expect(
            try alternatives("go = [{ do = [{ screen = 'page' }, { screen = 'page' }] }]").map(\.contributors.count)
                == [2])
        #expect(try alternatives("go = [{ none = true }, { none = true }]") == [Alternative(contributors: [])])
        let both = try alternatives("go = { when = { n = 1, s = '$$s' }, unless = { n = 2 }, end = true }")
        #expect(
            both == [
                Alternative(
                    when: [Condition.argument("n", .int64(1)), Condition.argument("s", .string("$s"))],
                    unless: [Condition.argument("n", .int64(2))], contributors: [.end(nil)])
            ])
        #expect(try alternatives("go = [{ when = { n = 1 }, none = true }, { none = true }]").count == 2)
    }

    @Test func `several mistakes are all reported`() {
        #expect(errors(Self.head + "go = [{ screen = 'x', flow2 = 1 }, { style = 1, screen = 'page' }]").count == 3)
    }

    @Test func `steps that trigger each other endlessly`() {
        let text = Self.head + "other = { current = 'dot.ted' }\n'dot.ted' = [{ none = true }, { current = 'other' }]"
        #expect(
            errors(text) == [
                "a.toml:11: error: [flows.f.on.\"dot.ted\"] the steps 'dot.ted' → 'other' → 'dot.ted' set each other off "
                    + "for ever with 'current'; one of them needs a 'when' or 'unless'"
            ])
    }

    @Test func `several cycles are all reported`() {
        let cycles = "go = { current = 'go' }\nother = [{ current = 'dot.ted' }, { current = 'other' }]\n"
        #expect(errors(Self.head + cycles + "'dot.ted' = { current = 'other' }").count == 3)
    }

    @Test func `a step that triggers itself`() {
        #expect(errors(Self.head + "go = { current = 'go' }").count == 1)
        #expect(errors(Self.head + "go = { current = 'go', when = { n = 1 } }") == [])
        #expect(errors(Self.head + "go = [{ end = true, when = { n = 1 } }, { current = 'go' }]") == [])
        #expect(errors(Self.head + "go = { parent = 'go' }") == [])
    }

    @Test func `a unique flow may wait for a client to start it`() throws {
        let flow = "[steps]\ngo = {}\n[flows.f]\ninitial = 'go'\n"
        let rule = "[flows.f.on]\ngo = { none = true }"
        #expect(try warnings(flow + rule).count == 1)
        #expect(try warnings(flow + "unique = true\n" + rule) == [])
    }

    @Test func `valid definitions with warnings`() throws {
        let text =
            Self.head
            + "go = { end = 'other' }\n[flows.g]\n[flows.h.on]\nother = { end = 'go', arguments = { n = 1 } }\n"
            + "go = [{ flow = 'h' }, { flow = 'g' }]\n[[autostart]]\nflow = 'f'"
        #expect(
            try warnings(text) == [
                "a.toml:5: warning: [steps.\"dot.ted\"] no flow has a rule for the step 'dot.ted'",
                "a.toml:10: warning: [flows.f.on.go] the flow 'f' is only ever a root, so nobody gets the step 'other' "
                    + "when it ends; write end = true",
                "a.toml:12: warning: [flows.h] nothing starts the flow 'h': no [[autostart]] and no other flow's "
                    + "contributor; only a client can, with Coordinate",
            ])
    }
}
