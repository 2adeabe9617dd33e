import FlowCore
import Testing

@testable import FlowFile

@Suite("Contributors")
struct ContributorTests {
    /// The rule of flow `f` for step `go` is on line 18.
    private static let head = """
        [steps]
        go = { n = "int64", alive = "string?", s = "string?" }
        gone = { why = "string", n = "int64?" }
        number = { n = "byte" }
        bare = {}
        [screens]
        page = { arguments = { n = "int64?", name = "int64?" } }
        item = { arguments = { n = "int64" } }
        plain = {}
        [[autostart]]
        flow = "f"
        [flows.f]
        arguments = { lang = "string?", x = "string?" }
        [flows.g.on]
        bare = { none = true }
        [flows.f.on]

        """

    private func alternatives(_ rule: String) throws -> [Alternative] {
        let definitions = try definitions(Self.head + "go = " + rule)
        let flow = definitions[try #require(definitions.flow(named: "f"))]
        return try #require(flow.rules.first).alternatives
    }

    private func child(_ rule: String) throws -> ChildTemplate {
        let contributors = try alternatives(rule)[0].contributors
        guard contributors.count == 1, case .child(let child) = contributors[0] else {
            Issue.record("not a child: \(contributors)")
            return ChildTemplate(.screen(ScreenID(0)))
        }
        return child
    }

    @Test(arguments: [
        ("{ pop = 1 }", ".pop", "this is an integer; it has to be the name of a screen or flow, or 'root'"),
        ("{ pop = 'pge' }", ".pop", "no file declares a screen or flow 'pge'; did you mean 'page'?"),
        ("{ pop = 'rot' }", ".pop", "no file declares a screen or flow 'rot'; did you mean 'root'?"),
        (
            "{ pop = 'page', arguments = {} }", ".arguments",
            "'arguments' does nothing beside 'pop', which takes no options"
        ),
        (
            "{ pop = 'page', screen = 'page' }", "",
            "'screen' and 'pop' are given; a contributor is only one of 'screen', 'flow', 'none', 'pop', 'show', "
                + "'hide', 'dismiss', 'evict', 'set', 'move', 'end', 'current' or 'parent'"
        ),
        ("{ screen = 'page', reuse = 1 }", ".reuse", "this is an integer; it has to be true, false or 'raise'"),
        ("{ screen = 'page', reuse = 'x' }", ".reuse", "'reuse' is 'x'; it has to be true, false or 'raise'"),
        ("{ screen = 'page', clear = 'x' }", ".clear", "this is a string; it has to be true or false"),
        (
            "{ screen = 'page', style = '\(String(repeating: "x", count: 129))' }", ".style",
            "'style' has 129 bytes; it can have at most 128"
        ),
        ("{ none = true, clear = true }", ".clear", "'clear' does nothing beside 'none', which takes no options"),
        ("{ pop = 'root', reuse = true }", ".reuse", "'reuse' does nothing beside 'pop', which takes no options"),
        (
            "{ current = 'bare', onDismissed = {} }", ".onDismissed",
            "'onDismissed' does nothing beside 'current', which takes only 'arguments'"
        ),
        (
            "{ end = true, clear = true }", ".clear",
            "'clear' does nothing beside 'end', which takes only 'arguments' and 'result'"
        ),
        (
            "{ do = [{ none = true }], clear = true }", ".clear",
            "'clear' stands beside 'do'; move it into a table of that list"
        ),
        (
            "[{ pop = 'root' }, { end = true }]", "[2].end",
            "'end' stands beside other contributors; the flow is gone with it, so it has to be the only one but for 'set'"
        ),
        ("{ screen = 'page', rese = true }", ".rese", "a contributor has no key 'rese'; did you mean 'reuse'?"),
        (
            "{ screen = 'page', onDismissed = 'bare' }", ".onDismissed",
            "this is a string; it has to be a table: { step = \"NAME\" }"
        ),
        (
            "{ screen = 'page', onDismissed = {} }", ".onDismissed",
            "'onDismissed' has to name its step: step = \"NAME\""
        ),
        (
            "{ screen = 'page', onDismissed = { stp = 'bare' } }", ".onDismissed.stp",
            "the table 'onDismissed' has no key 'stp'; did you mean 'step'?"
        ),
        (
            "{ screen = 'page', onDismissed = { step = 'bar' } }", ".onDismissed.step",
            "no file declares a step 'bar'; did you mean 'bare'?"
        ),
        (
            "{ screen = 'page', onDismissed = { step = 'gone' } }", ".onDismissed.arguments",
            "step 'gone' needs the argument 'why', which screen 'page' does not have; give it with 'arguments'"
        ),
        (
            "{ screen = 'page', onDismissed = { step = 'number' } }", ".onDismissed.arguments",
            "the argument 'n' that step 'number' gets from screen 'page' may be left out (its type has a '?'), but the "
                + "argument 'n' is required"
        ),
        (
            "{ screen = 'page', onDismissed = { step = 'number', arguments = { n = '$n' } } }",
            ".onDismissed.arguments.n",
            "'$n' may be left out (its type has a '?'), but the argument 'n' is required"
        ),
        (
            "{ screen = 'page', onDismissed = { step = 'number', arguments = {} } }", ".onDismissed.arguments",
            "step 'number' needs the argument 'n' of type byte"
        ),
        (
            "{ screen = 'page', onDismissed = { step = 'bare', arguments = { n = 1 } } }", ".onDismissed.arguments.n",
            "step 'bare' has no argument 'n': it takes none"
        ),
        (
            "{ screen = 'item', onDismissed = { step = 'number', arguments = { n = '$name' } } }",
            ".onDismissed.arguments.n", "'$name' is of type string; the argument 'n' has to be of type byte"
        ),
        (
            "{ screen = 'item', onDismissed = { step = 'gone', arguments = { why = '$n' } } }",
            ".onDismissed.arguments.why", "'$n' is of type int64; the argument 'why' has to be of type string"
        ),
        (
            "{ screen = 'item', onDismissed = { step = 'gone', arguments = { why = '$s' } } }",
            ".onDismissed.arguments.why",
            "'$s' refers to nothing (for the text itself write '$$s'): screen 'item' has no argument 's': it takes 'n'"
        ),
        (
            "{ screen = 'plain', onDismissed = { step = 'gone', arguments = { why = '$reson' } } }",
            ".onDismissed.arguments.why",
            "'$reson' refers to nothing (for the text itself write '$$reson'): screen 'plain' has no argument 'reson': it "
                + "takes none; did you mean 'reason'?"
        ),
        (
            "{ screen = 'plain', onDismissed = { step = 'gone', arguments = { why = '$flow.lang' } } }",
            ".onDismissed.arguments.why",
            "'$flow.lang' may be left out (its type has a '?'), but the argument 'why' is required"
        ),
        (
            "{ screen = 'page', arguments = { n = '$reason' } }", ".arguments.n",
            "'$reason' refers to nothing (for the text itself write '$$reason'): step 'go' has no argument 'reason': it "
                + "takes 'alive', 'n' and 's'"
        ),
        (
            "{ when = { alive = 'pag' }, none = true }", ".when.alive",
            "no file declares a screen or flow 'pag'; did you mean 'page'?"
        ),
        ("{ unless = { alive = 'root' }, none = true }", ".unless.alive", "no file declares a screen or flow 'root'"),
        (
            "{ when = { alive = true }, none = true }", ".when.alive",
            "this is true or false; it has to be the name of a screen or flow"
        ),
        (
            "{ when = { aliv = 'page' }, none = true }", ".when.aliv",
            "step 'go' has no argument 'aliv': it takes 'alive', 'n' and 's'; did you mean 'alive'?"
        ),
        (
            "{ when = { alive = 'page' }, screen = 'plain', step = 'gone', stepArguments = { why = '$s' } }",
            ".stepArguments.why", "'$s' may be left out (its type has a '?'), but the argument 'why' is required"
        ),
        (
            "{ unless = { n = 1 }, screen = 'plain', step = 'gone', stepArguments = { why = '$s' } }",
            ".stepArguments.why", "'$s' may be left out (its type has a '?'), but the argument 'why' is required"
        ),
        (
            "{ when = { n = 1 }, screen = 'plain', step = 'gone', stepArguments = { why = '$flow.lang' } }",
            ".stepArguments.why",
            "'$flow.lang' may be left out (its type has a '?'), but the argument 'why' is required"
        ),
    ])
    func `one mistake is one error`(rule: String, place: String, message: String) {
        #expect(errors(Self.head + "go = " + rule) == ["a.toml:18: error: [flows.f.on.go\(place)] \(message)"])
    }

    @Test func `pop`() throws {
        #expect(try alternatives("{ pop = 'page' }") == [Alternative(contributors: [.pop(.to("page"))])])
        #expect(try alternatives("{ pop = 'g' }") == [Alternative(contributors: [.pop(.to("g"))])])
        #expect(try alternatives("[{ pop = 'root' }]") == [Alternative(contributors: [.pop(.root)])])
    }

    @Test func `S-37 show, hide, dismiss and raise`() throws {
        #expect(
            try alternatives("[{ show = 'g' }, { hide = 'g' }, { dismiss = 'page' }]")
                == [Alternative(contributors: [.show("g"), .hide("g"), .dismiss("page")])])
        #expect(try alternatives("{ evict = true }") == [Alternative(contributors: [.evict])])
        let stack = Self.head.replacing("[flows.f]", with: "[flows.f]\nchildren = 'stack'")
        let definitions = try definitions(stack + "go = { screen = 'page', reuse = 'raise' }")
        guard
            case .child(let child)? = definitions.flows.lazy.flatMap(\.rules).first?.alternatives[0].contributors.first
        else {
            Issue.record("no child")
            return
        }
        #expect(child.reuses && child.raises)
    }

    @Test(arguments: [
        ("stack", "{ show = 'g' }", ".show", "reuse = \"raise\""), ("stack", "{ hide = 'g' }", ".hide", "\"free\""),
        ("tabs", "{ hide = 'g' }", ".hide", "\"tabs\""),
        ("tabs", "{ screen = 'page', reuse = 'raise' }", ".reuse", "comes to the front"),
        ("free", "{ flow = 'g', reuse = 'raise' }", ".reuse", "\"stack\""),
        ("free", "{ show = 'page' }", ".show", "'page' is a screen"),
        ("free", "{ hide = 'page' }", ".hide", "'page' is a screen"),
    ])
    func `S-37 what does nothing in a flow with these children is an error`(
        children: String, rule: String, place: String, words: String
    ) {
        let head = Self.head.replacing("[flows.f]", with: "[flows.f]\nchildren = '\(children)'")
        let found = errors(head + "go = " + rule)
        #expect(found.count == 1)
        #expect(found.first?.contains("[flows.f.on.go\(place)]") == true && found.first?.contains(words) == true)
    }

    @Test func `reuse, clear and whenHidden`() throws {
        let plain = try child("{ screen = 'page' }")
        #expect(!plain.reuses && !plain.clears && plain.onDismissed == nil && plain.whenHidden == nil)
        let both = try child("{ screen = 'page', reuse = true, clear = true, id = 'x', whenHidden = 'latest' }")
        #expect(both.reuses && both.clears && both.id == "x" && both.whenHidden == .latest)
        let neither = try child("{ flow = 'g', reuse = false, clear = false }")
        #expect(!neither.reuses && !neither.clears)
    }

    @Test(arguments: [
        ("item", "{ step = 'number' }", ArgumentSource.inherited),
        ("page", "{ step = 'bare', arguments = {} }", .given([])),
        (
            "page", "{ step = 'gone', arguments = { why = '$reason', n = '$n' } }",
            .given([Binding("n", .step("n")), Binding("why", .reason)])
        ),
        (
            "page", "{ step = 'go', arguments = { n = 1, s = '$name', alive = '$flow.lang' } }",
            .given([Binding("alive", .flow("lang")), Binding("n", .literal(.int64(1))), Binding("s", .childName)])
        ),
        (
            "page", "{ step = 'gone', arguments = { why = '$$reason' } }",
            .given([Binding("why", .literal(.string("$reason")))])
        ),
    ])
    func `onDismissed`(screen: String, onDismissed: String, arguments: ArgumentSource) throws {
        #expect(try child("{ screen = '\(screen)', onDismissed = \(onDismissed) }").onDismissed?.arguments == arguments)
    }

    @Test func `a flow's onDismissed refers to the flow's own arguments`() throws {
        let rule = "{ flow = 'f', onDismissed = { step = 'go', arguments = { n = 1, s = '$x' } } }"
        let onDismissed = try child(rule).onDismissed
        #expect(onDismissed?.arguments == .given([Binding("n", .literal(.int64(1))), Binding("s", .step("x"))]))
    }

    @Test func `alive, alone and with arguments, hides an argument of that name`() throws {
        let both = try alternatives(
            "{ when = { alive = 'g', n = 1 }, unless = { alive = 'page' }, do = [{ pop = 'root' }, { none = true }] }")
        #expect(
            both == [
                Alternative(
                    when: [.alive("g"), .argument("n", .int64(1))], unless: [.alive("page")],
                    contributors: [.pop(.root)])
            ])
    }

    @Test(arguments: [
        "{ when = { n = 1 }, screen = 'plain', step = 'gone', stepArguments = { why = '$s' } }",
        "{ when = { n = 1 }, do = [{ screen = 'plain', step = 'gone', stepArguments = { why = '$s' } }] }",
    ])
    func `a condition can ensure that an optional argument is present`(rule: String) {
        #expect(errors(Self.head + "go = " + rule) == [])
    }

    @Test func `an id that may be free again`() {
        let first = "{ screen = 'page', id = 'x' }"
        for second in ["{ pop = 'root' }, \(first)", "{ screen = 'page', id = 'x', reuse = true }"] {
            #expect(errors(Self.head + "go = [\(first), \(second)]") == [])
        }
        for second in ["{ screen = 'page', id = 'x', clear = true }", "{ screen = 'page', id = 'x', reuse = false }"] {
            #expect(
                errors(Self.head + "go = [\(first), \(second)]") == [
                    "a.toml:18: error: [flows.f.on.go[2].id] the id 'x' is taken by the contributor in a.toml:18 already"
                ])
        }
    }

    @Test func `a cycle of steps that depends on the tree`() {
        #expect(errors(Self.head + "bare = { current = 'bare', when = { alive = 'page' } }") == [])
        #expect(errors(Self.head + "bare = { current = 'bare', unless = { alive = 'page' } }") == [])
        #expect(errors(Self.head + "bare = [{ end = true, when = { alive = 'g' } }, { current = 'bare' }]") == [])
        #expect(errors(Self.head + "bare = [{ pop = 'root' }, { current = 'bare' }]").count == 1)
    }

    @Test func `children and rules that the flow does not have`() throws {
        let rule = """
            go = [{ pop = "pages" }, { screen = "page", onDismissed = { step = "number", arguments = { n = 1 } } }]
            [[flows.f.on.bare]]
            when = { alive = "g" }
            do = [{ pop = "page" }, { pop = "g" }, { pop = "root" }]
            [[flows.f.on.bare]]
            flow = "g"
            onDismissed = { step = "go", arguments = { n = 1 } }
            [[flows.f.on.gone]]
            unless = { alive = "page" }
            do = [{ pop = "item" }, { flow = "g", onDismissed = { step = "number", arguments = { n = 1 } } }]
            [flows.f2.on]
            number = { flow = "f" }
            go = { flow = "f2" }
            [screens.pages]
            [[autostart]]
            flow = "f2"
            """
        #expect(
            try warnings(Self.head + rule) == [
                "a.toml:18: warning: [flows.f.on.go[1].pop] flow 'f' never contributes 'pages', so this never dismisses "
                    + "anything; did you mean 'page'?",
                "a.toml:18: warning: [flows.f.on.go[2].onDismissed.step] 'onDismissed' triggers the step 'number', which "
                    + "flow 'f' has no rule for",
                "a.toml:27: warning: [flows.f.on.gone[1].do[1].pop] flow 'f' never contributes 'item', so this never "
                    + "dismisses anything",
                "a.toml:27: warning: [flows.f.on.gone[1].do[2].onDismissed.step] 'onDismissed' triggers the step 'number', "
                    + "which flow 'f' has no rule for",
            ])
    }

    @Test func `S-24 S-37 a warning where Back would dismiss the first child of a stack, which was raised`() throws {
        func found(_ keys: String, _ home: String = "reuse = 'raise'") throws -> [String] {
            try warnings(
                """
                [steps]
                home = {}
                app = {}
                [screens]
                launcher = {}
                camera = {}
                [[autostart]]
                flow = "apps"
                [flows.apps]
                initial = "home"
                \(keys)
                on.home = { screen = "launcher", \(home) }
                on.app = { screen = "camera", reuse = true }
                """)
        }
        #expect(
            try found("children = 'stack'") == [
                "a.toml:10: warning: [flows.apps] 'launcher' is the first child of flow 'apps', and reuse = \"raise\" brings it to "
                    + "the front of the others; Back dismisses it there, and it is gone: give the flow an 'onBack', such as the "
                    + "step that raises it"
            ])
        #expect(try found("children = 'stack'\nonBack = 'home'") == [])
        #expect(try found("children = 'stack'", "reuse = true") == [])
        #expect(try found("children = 'tabs'", "reuse = true") == [])
    }
}
