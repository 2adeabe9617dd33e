import FlowCore
import Testing

@testable import FlowFile

/// Roots for each output, and rules that move one (S-53).
@Suite("Outputs in definition files")
struct OutputTests {
    private static let head = """
        [steps]
        go = { output = "string?", n = "byte?" }
        pin = { code = "string" }
        [private]
        steps = ["pin"]
        [outputs]
        setter = "com.x.Stacker"

        """
    private static let flow = "[flows.f]\narguments = { lang = 'string?' }\n[flows.f.on]\npin = { none = true }\ngo = "

    private static func rule(_ rule: String) -> String { head + flow + rule + "\n[[autostart]]\nflow = 'f'\n" }

    private static func root(_ keys: String, _ head: String = head) -> String {
        head + "[flows.f.on]\ngo = { none = true }\npin = { none = true }\n[[autostart]]\nflow = 'f'\n" + keys
    }

    private func alternatives(_ rule: String) throws -> [Alternative] {
        let flow = try #require(try definitions(Self.rule(rule)).flows.first)
        return flow.rules.filter { $0.step == StepID(0) }.flatMap(\.alternatives)
    }

    @Test func `S-53 a root for each output, and what becomes of it`() throws {
        let found = try definitions(Self.root("per = 'output'\noutput = 'DP-*'\nwhenOutputGone = 'move'"))
        #expect(
            found.autostart == [
                Autostart(FlowID(0), output: "DP-*", isPerOutput: true, whenOutputGone: .move)
            ])
        #expect(found.outputSetter == "com.x.Stacker" && found.busNames == ["com.x.Stacker"])
        #expect(
            try definitions(Self.root("per = 'output'")).autostart == [
                Autostart(FlowID(0), output: "*", isPerOutput: true)
            ])
        #expect(
            try definitions(Self.root("output = 'DP-1'\nwhenOutputGone = 'end'")).autostart == [
                Autostart(FlowID(0), output: "DP-1", whenOutputGone: .end)
            ])
        #expect(try warnings(Self.root("per = 'output'\noutput = 'DP-*'\nwhenOutputGone = 'keep'")).isEmpty)
        // Several with one id: the first that matches counts.
        #expect(errors(Self.root("per = 'output'\noutput = 'DP-*'\n[[autostart]]\nflow = 'f'\nper = 'output'")) == [])
    }

    @Test(arguments: [
        ("per = 'screen'", "per", "'per' is 'screen'; it has to be 'output', or be left out for one root"),
        ("per = 1", "per", "this is an integer; it has to be a string"),
        ("per = 'output'\noutput = 'a b'", "output", "'a b' matches no output: it has to be a word without spaces"),
        ("per = 'output'\noutput = ''", "output", "'' matches no output"),
        (
            "whenOutputGone = 'go'\noutput = 'a'", "whenOutputGone",
            "'go' is not allowed here; it has to be 'keep', 'move' or 'end'"
        ),
        (
            "per = 'output'\nid = '\(String(repeating: "x", count: 41))'", "id",
            "it can have at most 40 bytes: give a shorter 'id'"
        ),
    ])
    func `S-53 one mistake is one error`(keys: String, place: String, message: String) {
        let found = errors(Self.root(keys))
        #expect(found.count == 1)
        #expect(found.first.map { $0.contains("[autostart[1].\(place)]") && $0.contains(message) } == true, "\(found)")
    }

    @Test func `S-53 a unique flow has no root on each output`() {
        let found = errors(
            Self.root("per = 'output'").replacing("[flows.f.on]", with: "[flows.f]\nunique = true\n[flows.f.on]"))
        #expect(found.count == 1 && found[0].contains("can't have a root on each output"), "\(found)")
    }

    @Test func `S-53 the setter is a bus name, and is given once`() {
        for (text, message) in [
            ("[outputs]\nsetter = 'x'", "'x'"), ("[outputs]", "'outputs' has to name who sets them"),
            ("[outputs]\nseter = 'com.x.A'", "did you mean 'setter'?"),
        ] {
            let found = errors(text)
            #expect(found.count == 1 && found[0].contains(message), "\(found)")
        }
        let found = errors("[outputs]\nsetter = 'com.x.A'", "[outputs]\nsetter = 'com.x.B'")
        #expect(
            found.count == 1 && found[0].contains("the setter of the outputs is given twice: here and in a.toml:3"),
            "\(found)")
    }

    @Test(arguments: [
        ("per = 'output'", "", "no such root starts: name the program that does: [outputs] setter"),
        ("output = 'a'\nwhenOutputGone = 'move'", "", "none is ever gone: name the program that does"),
        ("whenOutputGone = 'move'", head, "'whenOutputGone' does nothing: the root stands on no output"),
        ("output = 'DP-*'", head, "'DP-*' is the name of one output; a pattern needs per = \"output\" beside it"),
        (
            "per = 'output'\noutput = 'DP-[12]'", head,
            "'[' in 'DP-[12]' stands for itself; only '*' and '?' stand for others"
        ),
    ])
    func `S-53 what is probably not meant is a warning`(keys: String, head: String, message: String) throws {
        let head = head.isEmpty ? "[steps]\ngo = {}\npin = {}\n" : head
        let found = try warnings(Self.root(keys, head))
        #expect(found.count == 1 && found[0].contains(message), "\(found)")
    }

    @Test func `S-53 a rule moves the root`() throws {
        for (text, source): (String, Binding.Source) in [
            ("'DP-1'", .literal(.string("DP-1"))), ("''", .literal(.string(""))), ("'$$x'", .literal(.string("$x"))),
            ("'$output'", .step("output")), ("'$flow.lang'", .flow("lang")), ("'$flow.output'", .output),
        ] {
            #expect(try alternatives("{ move = \(text) }") == [Alternative(contributors: [.move(source)])])
        }
        #expect(
            try alternatives("[{ move = 'x' }, { screen = 's' }]\n[screens.s]").first?.contributors.count == 2)
    }

    @Test(arguments: [
        ("{ move = 'a b' }", "'a b' can't be the name of an output: a word without spaces"),
        ("{ move = 1 }", "this is an integer; it has to be the name of an output, empty for none"),
        ("{ move = '$x' }", "'$x' refers to nothing"), ("{ move = '$n' }", "'$n' is of type byte"),
        ("{ move = 'x', style = 'y' }", "'style' does nothing beside 'move', which takes no options"),
        ("[{ move = 'x' }, { end = true }]", "'end' stands beside other contributors"),
    ])
    func `S-53 a wrong output in a rule is one error`(rule: String, message: String) {
        let found = errors(Self.rule(rule))
        #expect(found.count == 1 && found[0].contains(message), "\(found)")
    }

    @Test func `S-53 a private value names no output`() {
        let found = errors(
            Self.rule("{ none = true }").replacing("pin = { none = true }", with: "pin = { move = '$code' }"))
        #expect(
            found.count == 1 && found[0].contains("'$code' is private, and everyone can read the output"), "\(found)")
        let value = "[context]\nwhere = { type = 'string', initial = '', private = true }\n"
        let second = errors(value + Self.rule("{ move = '$context.where' }"))
        #expect(second.count == 1 && second[0].contains("'$context.where' is private"), "\(second)")
    }

    @Test func `S-53 conditions and arguments know the output of the root, and the values of the flow`() throws {
        let value = "[context]\nwhere = { type = 'string', initial = '' }\n"
        func conditions(_ text: String) throws -> [Condition] {
            let flow = try #require(
                try definitions(value + Self.rule("[{ when = { \(text) }, none = true }, { none = true }]")).flows.first
            )
            return flow.rules.filter { $0.step == StepID(0) }.flatMap(\.alternatives).flatMap(\.when)
        }
        #expect(try conditions("output = '$flow.output'") == [.same(.step("output"), .output)])
        #expect(try conditions("output = '$flow.lang'") == [.same(.step("output"), .flow("lang"))])
        #expect(try conditions("output = '$context.where'") == [.same(.step("output"), .context("where"))])
        #expect(try conditions("'$flow.output' = 'DP-1'") == [.same(.output, .literal(.string("DP-1")))])
        #expect(try conditions("'$flow.lang' = '$$x'") == [.same(.flow("lang"), .literal(.string("$x")))])
        #expect(try conditions("'$context.where' = '$flow.output'") == [.same(.context("where"), .output)])
        #expect(
            try conditions("'$context.where' = 'x', output = 'y'") == [
                .context("where", .string("x")), .argument("output", .string("y")),
            ])
        let rule = "{ screen = 's', arguments = { at = '$flow.output' } }\n[screens.s]\narguments = { at = 'string' }"
        guard case .child(let child)? = try alternatives(rule).first?.contributors.first else {
            Issue.record("no child")
            return
        }
        #expect(child.arguments == .given([Binding("at", .output)]))
    }

    @Test func `S-53 an argument of the flow that is called output takes precedence`() throws {
        let text = Self.rule("[{ when = { n = '$flow.output' }, none = true }, { none = true }]")
            .replacing("lang = 'string?'", with: "output = 'byte?'")
        let found = try definitions(text).flows[0].rules.flatMap(\.alternatives).flatMap(\.when)
        #expect(found == [.same(.step("n"), .flow("output"))])
    }

    @Test(arguments: [
        ("n = '$flow.output'", "'$flow.output' is of type string; the argument 'n' has to be of type byte"),
        ("'$flow.output' = 1", "does not fit"), ("'$flow.x' = 'y'", "'$flow.x' refers to nothing"),
        ("output = '$flow.x'", "'$flow.x' refers to nothing"),
        ("output = '$n'", "compares with a value that stands here, with '$flow.NAME' or with '$context.NAME'"),
    ])
    func `S-53 a comparison that can't be is one error`(text: String, message: String) {
        let found = errors(Self.rule("[{ when = { \(text) }, none = true }, { none = true }]"))
        #expect(found.count == 1 && found[0].contains(message), "\(found)")
    }

    @Test func `S-52 an empty style is written, too`() throws {
        let rule = "{ flow = 'f', style = '', reuse = true }"
        guard case .child(let child)? = try alternatives(rule).first?.contributors.first else {
            Issue.record("no child")
            return
        }
        #expect(child.style == "" && child.reuses)
    }
}
