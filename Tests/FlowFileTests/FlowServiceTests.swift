import FlowCore
import Testing

@testable import FlowFile

/// Keys of flows that name objects of other processes.
@Suite("Guards and navigators")
struct FlowServiceTests {
    /// The key of flow `f` is on line 7.
    private static let head = """
        [steps]
        go = {}
        home = {}
        [flows.g]
        [flows.f]

        """
    private static let rules = "\n[flows.f.on]\ngo = { none = true }\nhome = { none = true }"

    @Test func `guards`() throws {
        func `guard`(_ key: String) throws -> Guard? { try definitions(Self.head + key + Self.rules).flows[0].guard }
        let usual = ServiceTests.service("com.my-kiosk.Auth", "/com/my_kiosk/Auth", seconds: 10)
        #expect(try `guard`("") == nil)
        #expect(try `guard`("guard = 'com.my-kiosk.Auth'") == Guard(usual))
        #expect(try `guard`("guard = { name = 'com.my-kiosk.Auth' }") == Guard(usual))
        let own = ServiceTests.service("a.b", "/c", seconds: 1)
        #expect(
            try `guard`("guard = { name = 'a.b', path = '/c', timeout = '1s', steps = ['home', 'go'] }")
                == Guard(own, steps: [StepID(0), StepID(1)]))
    }

    @Test func `navigators`() throws {
        func flow(_ key: String) throws -> FlowDefinition { try definitions(Self.head + key).flows[0] }
        #expect(try flow("").navigator == nil)
        let flow = try flow("navigator = { name = 'com.my-phone.Ui', steps = ['home'] }\nguard = 'a.b'")
        #expect(
            flow.navigator
                == Navigator(
                    ServiceTests.service("com.my-phone.Ui", "/com/my_phone/Ui", seconds: 10), steps: [StepID(1)]))
        #expect(flow.guard == Guard(ServiceTests.service("a.b", "/a/b", seconds: 10)) && flow.rules == [])
        #expect(
            try definitions(
                Self.head + "navigator = { name = 'a.b', path = '/c', timeout = '20ms', steps = ['go', 'home', 'go'] }"
            ).flows[0].navigator
                == Navigator(Service("a.b", path: "/c", timeout: 20_000), steps: [StepID(0), StepID(1)]))
        // No rule, so nothing is there twice.
        #expect(errors(Self.head + "navigator = { name = 'a.b', steps = ['go'] }\n[flows.f.on]") == [])
    }

    @Test(arguments: [
        (
            "guard = 1", "guard",
            "this is an integer; it has to be a bus name, or a table: { name = \"com.vendor.App\", steps = [\"NAME\"] }"
        ),
        ("guard = 'com'", "guard", ServiceTests.badName),
        ("guard = { steps = ['go'] }", "guard", "'guard' has to give its bus name: name = \"com.vendor.App\""),
        (
            "guard = { name = 'a.b', step = 'go' }", "guard.step",
            "the table 'guard' has no key 'step'; did you mean 'steps'?"
        ),
        ("guard = { name = 'a.b', path = 'x' }", "guard.path", ServiceTests.badPath("x")),
        (
            "guard = { name = 'a.b', timeout = '2h' }", "guard.timeout", "'2h' is too long; at most 1 hour is allowed"
        ),
        (
            "guard = { name = 'a.b', steps = 'go' }", "guard.steps",
            "this is a string; it has to be a list of names of steps"
        ),
        (
            "guard = { name = 'a.b', steps = [] }", "guard.steps",
            "the list is empty; leave 'steps' out where it is asked about all"
        ),
        (
            "guard = { name = 'a.b', steps = ['go', 'hme'] }", "guard.steps[2]",
            "no file declares a step 'hme'; did you mean 'home'?"
        ),
        (
            "guard = { name = 'a.b', steps = [1] }", "guard.steps[1]",
            "this is an integer; it has to be the name of a step"
        ),
        (
            "navigator = 'a.b'", "navigator",
            "this is a string; it has to be a table: { name = \"com.vendor.App\", steps = [\"NAME\"] }"
        ),
        (
            "navigator = []", "navigator",
            "this is a list; it has to be a table: { name = \"com.vendor.App\", steps = [\"NAME\"] }"
        ),
        (
            "navigator = { steps = ['go'] }", "navigator",
            "'navigator' has to give its bus name: name = \"com.vendor.App\""
        ),
        (
            "navigator = { name = 'a.b' }", "navigator",
            "'navigator' has to list the steps that it takes: steps = [\"NAME\"]"
        ),
        (
            "navigator = { name = 'a.b', stps = ['go'] }", "navigator.stps",
            "the table 'navigator' has no key 'stps'; did you mean 'steps'?"
        ),
        (
            "navigator = { name = ' a.b', steps = ['go'] }", "navigator.name",
            ServiceTests.badName.replacing("'com'", with: "' a.b'")
        ),
        ("navigator = { name = 'a.b', path = '/a b', steps = ['go'] }", "navigator.path", ServiceTests.badPath("/a b")),
        (
            "navigator = { name = 'a.b', timeout = '0s', steps = ['go'] }", "navigator.timeout",
            "'0s' is too short; it has to be at least 10ms"
        ),
        (
            "navigator = { name = 'a.b', steps = [] }", "navigator.steps",
            "the list is empty; it has to name those that the navigator takes"
        ),
        (
            "navigator = { name = 'a.b', steps = ['hme'] }", "navigator.steps[1]",
            "no file declares a step 'hme'; did you mean 'home'?"
        ),
    ])
    func `one mistake in a flow is one error`(key: String, place: String, message: String) {
        #expect(errors(Self.head + key) == ["a.toml:7: error: [flows.f.\(place)] \(message)"])
    }

    @Test func `a navigator together with rules`() {
        let navigator = "[steps]\ngo = {}\nhome = {}\n[flows.f]\nnavigator = { name = 'a.b', steps = ['go'] }\n"
        let message = "it can't have both"
        #expect(
            errors(navigator + "[flows.f.on]\nhome = { none = true }\ngo = { none = true }") == [
                "a.toml:8: error: [flows.f.on.home] flow 'f' has a rule here and a navigator in a.toml:6, which decides "
                    + "where steps lead; \(message)"
            ])
        #expect(
            errors("[flows.f.on]\ngo = { none = true }", navigator) == [
                "a.toml:3: error: [flows.f.on.go] flow 'f' has a rule here and a navigator in b.toml:6, which decides "
                    + "where steps lead; \(message)"
            ])
    }

    @Test func `the same key in two files`() {
        let text = "[steps]\ngo = {}\n[flows.f]\nguard = 'a.b'\nnavigator = { name = 'a.b', steps = ['go'] }"
        #expect(
            errors(text, "[flows.f]\nguard = 'a.b'\nnavigator = { name = 'c.d', steps = ['go'] }") == [
                "b.toml:3: error: [flows.f.guard] the key 'guard' of flow 'f' is given twice: here and in a.toml:5",
                "b.toml:4: error: [flows.f.navigator] the key 'navigator' of flow 'f' is given twice: here and in a.toml:6",
            ])
    }

    @Test(arguments: ["guard = 'a.b'", "navigator = { name = 'a.b', steps = ['go'] }"])
    func `a key in the table of the rules`(key: String) {
        let name = key.prefix { $0 != " " }
        #expect(
            errors(Self.head + "[flows.f.on]\n" + key) == [
                "a.toml:8: error: [flows.f.on.\(name)] the key '\(name)' of flow 'f' stands below [flows.f.on], where it "
                    + "is taken for the rule of a step; move it up, before [flows.f.on]"
            ])
    }

    @Test func `a guard may end a cycle`() {
        let cycle = "\n[flows.f.on]\ngo = { current = 'go' }"
        #expect(errors(Self.head + cycle).count == 1)
        #expect(errors(Self.head + "guard = 'a.b'" + cycle) == [])
    }

    @Test func `names are not reported as undeclared while a file can't be read`() {
        let text =
            "version = 1\n[flows.f]\nguard = { name = 'a.b', steps = ['x'] }\n[flows.g]\n"
            + "navigator = { name = 'a.b', steps = ['x'] }"
        let failure = #expect(throws: DefinitionFailure.self) {
            try DefinitionFiles.check([
                ("a", .success(text)), ("b", .failure(FileReader.Failure(message: "can't be read"))),
            ])
        }
        #expect(failure?.diagnostics.map(\.description) == ["b: error: can't be read"])
    }

    // MARK: - Warnings

    @Test func `a guard on a step that leads nowhere`() throws {
        let start = "[[autostart]]\nflow = 'f'\n[steps]\ngo = {}\nhome = {}\n[flows.f]\n"
        let rule = "\n[flows.f.on]\ngo = { none = true }"
        let unhandled = "a.toml:6: warning: [steps.home] no flow has a rule for the step 'home'"
        #expect(try warnings(start + "guard = { name = 'a.b', steps = ['go'] }" + rule) == [unhandled])
        #expect(try warnings(start + "guard = 'a.b'" + rule) == [unhandled])
        #expect(
            try warnings(start + "guard = { name = 'a.b', steps = ['go', 'home'] }" + rule) == [
                unhandled,
                "a.toml:8: warning: [flows.f.guard.steps[2]] 'guard' is asked about the step 'home', which flow 'f' has no "
                    + "rule for",
            ])
        let navigator = "\nnavigator = { name = 'a.b', steps = ['go', 'home'] }"
        #expect(try warnings(start + "guard = { name = 'a.b', steps = ['go', 'home'] }" + navigator) == [])
    }

    @Test func `steps that a navigator takes, and those that it does not`() throws {
        let text = """
            [[autostart]]
            flow = "f"
            [[autostart]]
            flow = "f"
            id = "two"
            step = "away"
            [steps]
            go = {}
            home = {}
            away = {}
            [flows.f]
            navigator = { name = "a.b", steps = ["go", "home"] }

            """
        let unhandled = "a.toml:11: warning: [steps.away] no flow has a rule for the step 'away'"
        func warning(_ line: Int, _ place: String, _ key: String) -> String {
            "a.toml:\(line): warning: [\(place)] '\(key)' triggers the step 'away', which the navigator of flow 'f' does "
                + "not take"
        }
        let start = warning(7, "autostart[2].step", "step")
        let taken = "initial = 'go'\nonBack = 'home'\nidle = { after = '60s', step = 'go' }"
        #expect(try warnings(text + taken) == [start, unhandled])
        #expect(
            try warnings(text + taken.replacing("'go'", with: "'away'").replacing("'home'", with: "'away'")) == [
                start, unhandled, warning(14, "flows.f.initial", "initial"), warning(15, "flows.f.onBack", "onBack"),
                warning(16, "flows.f.idle.step", "idle"),
            ])
    }

    @Test func `a navigator may start other flows, but not its own`() throws {
        let text = """
            [steps]
            go = {}
            [flows.f]
            navigator = { name = "a.b", steps = ["go"] }
            [flows.g.on]
            go = { end = "go" }
            """
        #expect(
            try warnings(text) == [
                "a.toml:4: warning: [flows.f] nothing starts the flow 'f': no [[autostart]] and no other flow's "
                    + "contributor; only a client can, with Coordinate"
            ])
    }
}
