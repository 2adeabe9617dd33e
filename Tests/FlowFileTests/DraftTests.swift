import FlowCore
import Testing

@testable import FlowFile

@Suite("Draft")
struct DraftTests {
    @Test func `each file has a version`() {
        let texts = ["", "version = 2\nx = 1", "version = '1'", "[steps]\nversion = 'string'"]
        let failure = #expect(throws: DefinitionFailure.self) {
            try DefinitionFiles.check(zip("abcd", texts).map { ("\($0)", .success($1)) })
        }
        #expect(
            failure?.diagnostics.map(\.description) == [
                "a: error: the file has no version; 'version = 1' has to precede all tables",
                "b:1: error: [version] version '2' of the format is not known; it has to be 1",
                "c:1: error: [version] this is a string; it has to be the integer 1",
                "d: error: the file has no version; 'version = 1' has to precede all tables",
                "d:2: error: [steps.version] this is a string; it has to be a table of arguments and their types",
            ])
    }

    @Test(arguments: [
        ("[step]", "[step] a definition file has no key 'step'; did you mean 'steps'?"),
        (
            "zzzzzz = 1",
            "[zzzzzz] a definition file has no key 'zzzzzz'; it has the keys 'autostart', 'context', 'flows', '"
        ),
        ("steps = 1", "[steps] this is an integer; it has to be a table"),
        ("[steps]\n_a = {}", "[steps._a] '_a' can't be the name of a step: \(Names.stepNameRule)"),
        (
            "[steps]\na = { 1b = 'string' }",
            "[steps.a.1b] '1b' can't be the name of an argument: \(Names.presentableNameRule)"
        ),
        (
            "[steps]\na.b = {}",
            "[steps.a.b] this is a table; it has to be the name of a type; a name with dots has to be in quotes"
        ),
        (
            "[steps]\na = { b = { type = 'string' } }",
            "[steps.a.b] this is a table; it has to be the name of a type; the type stands alone: b = \"string\""
        ),
        ("[steps]\na = { b = 1 }", "[steps.a.b] this is an integer; it has to be the name of a type"),
        (
            "[steps]\na = { b = 'in64' }",
            "[steps.a.b] 'in64' is no type; it has to be one of 'bool', 'byte', 'int16', 'uint16', 'int32', 'ui"
        ),
        (
            "[screens]\nroot = {}",
            "[screens.root] 'root' can't be the name of a screen: in 'pop' it stands for the oldest child"
        ),
        ("[screens]\n'a-b' = {}", "[screens.a-b] 'a-b' can't be the name of a screen: \(Names.presentableNameRule)"),
        ("[screens]\na = 'x'", "[screens.a] this is a string; it has to be a table"),
        (
            "[screens]\na = { argument = {} }",
            "[screens.a.argument] a screen has no key 'argument'; did you mean 'arguments'?"
        ),
        ("[flows.root]", "[flows.root] 'root' can't be the name of a flow: in 'pop' it stands for the oldest child"),
        ("[flows]\na = 1", "[flows.a] this is an integer; it has to be a table"),
        ("[flows.a]\ninital = 'x'", "[flows.a.inital] a flow has no key 'inital'; did you mean 'initial'?"),
        (
            "[flows.a]\nchildren = 'tab'",
            "[flows.a.children] 'tab' is not allowed here; it has to be 'free', 'stack', 'tabs' or 'layers'; did you mean"
        ),
        (
            "[flows.a]\nchildren = 1",
            "[flows.a.children] this is an integer; it has to be 'free', 'stack', 'tabs' or 'layers'"
        ),
        ("[flows.a]\nunique = 'yes'", "[flows.a.unique] this is a string; it has to be true or false"),
        ("[flows.a]\nrestore = 'no'", "[flows.a.restore] this is a string; it has to be true or false"),
        ("[flows.a]\nrestore = 0", "[flows.a.restore] this is an integer; it has to be true or false"),
        ("[flows.a]\nrestor = false", "[flows.a.restor] a flow has no key 'restor'; did you mean 'restore'?"),
        ("[flows.a]\nannounce = 1", "[flows.a.announce] this is an integer; it has to be true or false"),
        (
            "[flows.a]\narguments = []",
            "[flows.a.arguments] this is a list; it has to be a table of arguments and their types"
        ),
        ("[flows.a]\non = []", "[flows.a.on] this is a list; it has to be a table of rules"),
        ("[flows.a]\ninitial = 'b'", "[flows.a.initial] no file declares a step 'b'"),
        ("[flows.a]\ninitial = 1", "[flows.a.initial] this is an integer; it has to be the name of a step"),
        ("[private]\nstep = []", "[private.step] the table 'private' has no key 'step'; did you mean 'steps'?"),
        ("[private]\nsteps = 'a'", "[private.steps] this is a string; it has to be a list of names of steps"),
        ("[private]\nsteps = ['a']", "[private.steps[1]] no file declares a step 'a'"),
        ("[private]\nsteps = [1]", "[private.steps[1]] this is an integer; it has to be the name of a step"),
        ("[autostart]\nflow = 'a'", "[autostart] this is a table; it has to be a list of tables: [[autostart]]"),
    ])
    func `one mistake is one error`(text: String, error: String) {
        let line = text.contains("\n") && !text.hasPrefix("[autostart") ? 3 : 2
        #expect(errors(text).count == 1)
        #expect(errors(text).first?.hasPrefix("a.toml:\(line): error: \(error)") == true, "\(errors(text))")
    }

    @Test func `a type can be a word or a signature, and optional`() throws {
        let steps = try definitions("[steps]\na = { b = 'a{sv}?', c = 'path', d = '(ix)', e = 'v' }").steps
        #expect(steps[0].parameters.map(\.type.signature) == ["a{sv}", "o", "(ix)", "v"])
        #expect(steps[0].parameters.map(\.isOptional) == [true, false, false, false])
    }

    @Test(arguments: ["", "?", "h", "ss", "a{vs}", "(", "int64 ", "int64??", "aaaaaaaaas"])
    func `no types`(type: String) {
        #expect(errors("[steps]\na = { b = '\(type)' }").count == 1)
    }

    @Test func `a signature longer than the bus allows`() {
        let type = "(" + String(repeating: "i", count: 254) + ")"
        #expect(errors("[steps]\na = { b = '\(type)' }").count == 1)
    }

    @Test func `more arguments than a step can carry`() {
        func text(_ count: Int) -> String {
            "[steps]\na = { " + (0..<count).map { "a\($0) = 'string'" }.joined(separator: ", ") + " }"
        }
        #expect(errors(text(Limits.argumentCount)) == [])
        #expect(
            errors(text(Limits.argumentCount + 1))
                == ["a.toml:3: error: [steps.a] step 'a' declares 65 arguments; at most 64 are allowed"])
    }

    @Test func `declared twice in different files`() {
        let one = "[steps]\na = {}\n[screens]\ns = {}\n[flows.f]\nunique = true\n[flows.f.on]\na = { none = true }"
        let two = "[steps]\na = {}\n[screens]\ns = {}\n[flows.f]\nunique = true\n[flows.f.on]\na = { end = true }"
        #expect(
            errors(one, two) == [
                "b.toml:3: error: [steps.a] the step 'a' is declared twice: here and in a.toml:3",
                "b.toml:5: error: [screens.s] the screen 's' is declared twice: here and in a.toml:5",
                "b.toml:7: error: [flows.f.unique] the key 'unique' of flow 'f' is given twice: here and in a.toml:7",
                "b.toml:9: error: [flows.f.on.a] flow 'f' has two rules for the step 'a': here and in a.toml:9",
            ])
    }

    @Test func `the parts of a flow in different files are merged`() throws {
        let merged = try definitions(
            "[flows.f.on]\nb = { current = 'a' }", "[flows.f]\ninitial = 'a'\narguments = { x = 'string?' }",
            "[steps]\nb = {}\na = {}\n[flows.f.on]\na = { none = true }")
        let flow = merged.flows[0]
        #expect(flow.rules.map { merged[$0.step].name } == ["a", "b"])
        #expect(flow.initial == merged.step(named: "a"))
        #expect(flow.parameters.map(\.name) == ["x"])
    }
}
