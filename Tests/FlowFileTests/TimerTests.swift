import FlowCore
import Testing

@testable import FlowFile

/// `[[flows.X.timers]]`, times of the context (S-55), and steps that are no input (S-56).
@Suite("Timers in definition files")
struct TimerTests {
    private static let head = """
        [steps]
        home = {}
        maybe = { a = "string?" }
        needs = { a = "string" }
        [flows.f]

        """
    private static let tail =
        "\n[flows.f.on]\nhome = { none = true }\nmaybe = { none = true }\nneeds = { none = true }\n"

    private func timers(_ key: String) throws -> [FlowTimer] {
        try #require(try definitions(Self.head + key + Self.tail).flows.first).timers
    }

    @Test func `S-55 timers with all keys, and with those that they need`() throws {
        #expect(
            try timers(
                """
                [[flows.f.timers]]
                after = "1s"
                step = "home"
                [[flows.f.timers]]
                every = "1min 30s"
                since = "presented"
                step = "maybe"
                whenHidden = "queue"
                """) == [
                    FlowTimer(TimedStep(after: 1_000_000, step: StepID(0), whenHidden: .ignore)),
                    FlowTimer(
                        since: .presented, repeats: true,
                        TimedStep(after: 90_000_000, step: StepID(1), whenHidden: .queue)),
                ])
        for word in FlowTimer.Since.allCases {
            #expect(try timers("timers = [{ after = '2s', step = 'home', since = '\(word)' }]").map(\.since) == [word])
        }
    }

    @Test(arguments: [
        ("timers = 1", "timers", "this is an integer; it has to be a list of tables: [[flows.NAME.timers]]"),
        ("timers = []", "timers", "the list is empty; leave 'timers' out where nothing happens"),
        (
            "timers = ['1s']", "timers[1]",
            "this is a string; it has to be a table: { every = \"20s\", step = \"NAME\" }"
        ),
        (
            "timers = [\(Array(repeating: "{ after = '1s', step = 'home' }", count: 5).joined(separator: ", "))]",
            "timers",
            "the flow has 5 timers; at most 4 are allowed"
        ),
        (
            "timers = [{ step = 'home' }]", "timers[1]",
            "a timer has either 'after', for one step, or 'every', for one again and again: every = \"20s\""
        ),
        (
            "timers = [{ after = '1s', every = '2s', step = 'home' }]", "timers[1]",
            "a timer has either 'after', for one step, or 'every', for one again and again: every = \"20s\""
        ),
        ("timers = [{ every = '1s' }]", "timers[1]", "'timers' has to name its step: step = \"NAME\""),
        (
            "timers = [{ every = '999ms', step = 'home' }]", "timers[1].every",
            "'999ms' is too short; it has to be at least 1s"
        ),
        (
            "timers = [{ after = '31d', step = 'home' }]", "timers[1].after",
            "'31d' is too long; at most 30 days are allowed"
        ),
        (
            "timers = [{ every = '1s', step = 'needs' }]", "timers[1].step",
            "step 'needs' needs the argument 'a', but 'timers' gives none; it has to be a step that needs no arguments"
        ),
        (
            "timers = [{ every = '1s', step = 'home', since = 'shown' }]", "timers[1].since",
            "'shown' is not allowed here; it has to be 'created' or 'presented'"
        ),
        (
            "timers = [{ evry = '1s', step = 'home' }]", "timers[1].evry",
            "a timer has no key 'evry'; did you mean 'every'?"
        ),
        (
            "timers = [{ every = '$context.tme', step = 'home' }]", "timers[1].every",
            "no file declares a value 'tme' of the context: it has none"
        ),
    ])
    func `S-33 S-55 one mistake is one error`(key: String, place: String, message: String) {
        #expect(errors(Self.head + key + Self.tail) == ["a.toml:7: error: [flows.f.\(place)] \(message)"])
    }

    @Test func `S-55 a warning of a step that the flow has no rule for`() throws {
        let found = try warnings(
            "[steps]\nhome = {}\n[[autostart]]\nflow = 'f'\n[flows.f]\ntimers = [{ every = '1s', step = 'home' }]\n"
                + "[flows.g]\nunique = true\non.home = { none = true }")
        #expect(
            found == [
                "a.toml:7: warning: [flows.f.timers[1].step] 'timers' triggers the step 'home', which flow 'f' has no rule for"
            ])
    }

    // MARK: Times of the context

    private static func file(
        _ use: String, type: String = "string", initial: String = "'5min'", rule: String = "{ none = true }"
    ) -> String {
        """
        [steps]
        home = {}
        [context]
        time = { type = "\(type)", initial = \(initial) }
        [screens]
        s = { presenter = "a.b"\(use.hasPrefix(",") ? use : "") }
        [flows.f]
        \(use.hasPrefix(",") ? "" : use)
        on.home = \(rule)
        """
    }

    @Test func `S-55 S-57 where a time can be a value of the context`() throws {
        let idle = try definitions(Self.file("idle = { after = '$context.time', step = 'home' }"))
        #expect(idle.flows[0].idle == [TimedStep(after: .context("time"), step: StepID(0))])
        let timer = try definitions(Self.file("timers = [{ every = '$context.time', step = 'home' }]"))
        #expect(timer.flows[0].timers[0].steps[0].after == .context("time"))
        let screen = try definitions(Self.file(", patience = '$context.time', evictAfter = '$context.time'"))
        #expect(screen.screens[0].patience == .context("time") && screen.screens[0].evictAfter == .context("time"))
        #expect(
            try definitions(Self.file("idle = { after = '$context.time', step = 'home' }", initial: "'never'")).spans
                .count == 1)
        // Elsewhere it can't be one.
        #expect(errors(Self.file(", budget = '$context.time'")).count == 1)
    }

    @Test func `S-55 S-57 the value is a text, and a time`() {
        let idle = "idle = { after = '$context.time', step = 'home' }"
        #expect(
            errors(Self.file(idle, type: "int64", initial: "5")) == [
                "a.toml:9: error: [flows.f.idle.after] the value 'time' of the context has the type int64, and a time is a "
                    + "text, such as '5min'; declare it with type = \"string\""
            ])
        #expect(
            errors(Self.file(idle, initial: "'soon'")) == [
                "a.toml:5: error: [context.time.initial] the value 'time' of the context is a time, or 'never', as a definition "
                    + "refers to it: 'soon' is no time span; it has to be whole numbers with units, such as '250ms', '60s', '5min', "
                    + "'2h' or '1min 30s'"
            ])
        #expect(
            errors(Self.file("timers = [{ every = '$context.time', step = 'home' }]", initial: "'500ms'")).map {
                $0.hasSuffix("'500ms' is too short; it has to be at least 1s")
            } == [true])
        #expect(
            errors(Self.file(idle, rule: "{ set = { time = '5' } }")).map {
                $0.hasPrefix("a.toml:10: error: [flows.f.on.home]")
            }
                == [true])
        #expect(errors(Self.file(idle, rule: "{ set = { time = 'never' } }")) == [])
    }

    @Test func `S-55 S-57 so are the values of flows`() {
        let text = """
            [steps]
            home = {}
            [flows.f]
            idle = { after = "$context.time", step = "home" }
            context = { time = { type = "string", initial = "x" } }
            on.home = { none = true }
            """
        #expect(errors(text).map { $0.hasPrefix("a.toml:6: error: [flows.f.context.time.initial]") } == [true])
    }

    // MARK: No input

    @Test func `S-56 input = false stands beside the arguments, and a type is an argument`() throws {
        let found = try definitions(
            """
            [steps]
            a = { input = false, text = "string" }
            b = { input = true }
            c = { input = "string" }
            [flows.f.on]
            a = { none = true }
            b = { none = true }
            c = { none = true }
            """)
        #expect(found.steps.map(\.isInput) == [false, true, true])
        #expect(found.steps.map { $0.parameters.map(\.name) } == [["text"], [], ["input"]])
        #expect(errors("[steps]\na = { input = 1 }").count == 1)
    }

    @Test func `S-55 S-56 what was read is written`() throws {
        let text = """
            [steps]
            home = { a = "string?", input = false }
            [context]
            time = { type = "string", initial = "5min" }
            [screens]
            s = { presenter = "a.b", patience = "$context.time", evictAfter = "$context.time" }
            [flows.f]
            idle = { after = "$context.time", step = "home" }
            timers = [{ after = "1s", step = "home" }, { every = "$context.time", since = "presented", step = "home", whenHidden = "allow" }]
            on.home = { screen = "s" }
            """
        // Whatever is read here is also written, and read again.
        #expect(try definitions(text).flows.map(\.timers.count) == [2])
    }
}
