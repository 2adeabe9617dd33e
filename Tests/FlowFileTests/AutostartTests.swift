import FlowCore
import Testing

@testable import FlowFile

@Suite("Autostart")
struct AutostartTests {
    /// The first `[[autostart]]` is on line 12.
    private static let head = """
        [steps]
        go = { n = "byte" }
        bare = {}
        [flows.f]
        [flows.g]
        initial = "go"
        unique = true
        arguments = { lang = "string" }
        [flows.f.on]
        go = { none = true }

        """

    @Test(arguments: [
        ("id = 'x'", "", "an autostart has to name its flow: flow = \"NAME\""),
        ("flwo = 'f'", ".flwo", "an autostart has no key 'flwo'; did you mean 'flow'?"),
        ("flow = 'x'", ".flow", "no file declares a flow 'x'"),
        ("flow = 1", ".flow", "this is an integer; it has to be the name of a flow"),
        (
            "flow = 'f'\nid = 'root'", ".id",
            "'root' can't be the name of a presentable: in 'pop' it stands for the oldest child"
        ),
        ("flow = 'f'\nstep = 'bre'", ".step", "no file declares a step 'bre'; did you mean 'bare'?"),
        ("flow = 'f'\nstep = 'go'", ".stepArguments", "step 'go' needs the argument 'n' of type byte"),
        (
            "flow = 'f'\nstepArguments = {}", ".stepArguments",
            "flow 'f' has no initial step, so nothing takes these arguments"
        ),
        ("flow = 'g'\nstepArguments = { n = 1 }", ".arguments", "flow 'g' needs the argument 'lang' of type string"),
        ("flow = 'g'\narguments = { lang = 'x' }", ".stepArguments", "step 'go' needs the argument 'n' of type byte"),
        ("flow = 'f'\noutput = 'a b'", ".output", "'a b' can't be the name of an output: a word"),
        ("flow = 'f'\noutput = ''", ".output", "'' can't be the name of an output: a word"),
        ("flow = 'f'\noutput = 1", ".output", "this is an integer; it has to be a string"),
        ("flow = 'f'\narguments = { x = 1 }", ".arguments.x", "flow 'f' has no argument 'x': it takes none"),
        (
            "flow = 'g'\nstep = 'bare'\narguments = { lang = '$lang' }", ".arguments.lang",
            "'$lang' refers to an argument, but no step starts a root; for the text itself write '$$lang'"
        ),
    ])
    func `one mistake is one error`(text: String, place: String, message: String) {
        let found = errors(Self.head + "[[autostart]]\n" + text)
        #expect(found.count == 1)
        #expect(found.first?.contains(": error: [autostart[1]\(place)] \(message)") == true, "\(found)")
    }

    @Test func `an id that is taken`() {
        let start = "[[autostart]]\nflow = 'f'\n"
        #expect(
            errors(Self.head + start + "id = 'x'\n" + start + "id = 'x'\n")
                == ["a.toml:17: error: [autostart[2].id] the id 'x' is taken by the autostart in a.toml:12 already"])
        #expect(errors(Self.head + start + start) == [])
        #expect(errors(Self.head + start + start + "id = 'f'").count == 1)
        #expect(errors(Self.head + start + "id = 'f'\n" + start) == [])
    }

    @Test func `a unique flow twice`() {
        let start = "[[autostart]]\nflow = 'g'\nstep = 'bare'\narguments = { lang = 'x' }\n"
        #expect(
            errors(Self.head + start + start) == [
                "a.toml:17: error: [autostart[2].flow] flow 'g' is unique, and the autostart in a.toml:12 starts it already"
            ])
    }

    @Test func `in the order of files`() throws {
        let started = try definitions(
            "[[autostart]]\nflow = 'b'\n[[autostart]]\nflow = 'a'", "[flows.a]\n[flows.b]\n[[autostart]]\nflow = 'b'")
        #expect(started.autostart.map { started[$0.flow].name } == ["b", "a", "b"])
    }
}
