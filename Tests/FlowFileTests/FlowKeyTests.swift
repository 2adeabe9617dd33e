import FlowCore
import Testing

@testable import FlowFile

@Suite("Keys of flows")
struct FlowKeyTests {
    /// The key of flow `f` is on line 7.
    private static let head = """
        [steps]
        home = {}
        maybe = { n = "int64?" }
        needs = { n = "int64", a = "string" }
        [flows.f]

        """
    private static let tail = "\n[flows.f.on]\nhome = { none = true }\nmaybe = { none = true }"

    private func flow(_ key: String) throws -> FlowDefinition {
        try definitions(Self.head + key + Self.tail).flows[0]
    }

    @Test(arguments: [
        ("onBack = 1", "onBack", "this is an integer; it has to be the name of a step"),
        ("onBack = 'hme'", "onBack", "no file declares a step 'hme'; did you mean 'home'?"),
        (
            "onBack = 'needs'", "onBack",
            "step 'needs' needs the argument 'a', but 'onBack' gives none; it has to be a step that needs no arguments"
        ),
        (
            "idle = '60s'", "idle",
            "this is a string; it has to be a table: { after = \"60s\", step = \"NAME\" }, or a list of such tables"
        ),
        ("idle = []", "idle", "the list is empty; leave 'idle' out where nothing happens"),
        ("idle = [1]", "idle[1]", "this is an integer; it has to be a table: { after = \"60s\", step = \"NAME\" }"),
        (
            "idle = [{ after = '2s', step = 'home' }, { after = '2000ms', step = 'home' }]", "idle[2].after",
            "'2000ms' is not later than the stage before; the time of each stage counts from the last step that reached "
                + "the flow, and has to be longer than the one before"
        ),
        ("idle = { step = 'home' }", "idle", "'idle' needs a time: after = \"60s\""),
        ("idle = { after = '1s' }", "idle", "'idle' has to name its step: step = \"NAME\""),
        (
            "idle = { aftr = '1s', step = 'home' }", "idle.aftr",
            "the table 'idle' has no key 'aftr'; did you mean 'after'?"
        ),
        (
            "idle = { after = 60, step = 'home' }", "idle.after",
            "this is an integer; it has to be a time span, such as '60s' or '1min 30s'"
        ),
        (
            "idle = { after = 'soon', step = 'home' }", "idle.after",
            "'soon' is no time span; it has to be whole numbers with units, such as '250ms', '60s', '5min', '2h' or "
                + "'1min 30s'"
        ),
        (
            "idle = { after = '60', step = 'home' }", "idle.after",
            "the number '60' has no unit; it has to be whole numbers with units, such as '250ms', '60s', '5min', '2h' or "
                + "'1min 30s'"
        ),
        (
            "idle = { after = '0s', step = 'home' }", "idle.after",
            "'0s' is too short; it has to be at least 10ms"
        ),
        (
            "idle = { after = '31d', step = 'home' }", "idle.after",
            "'31d' is too long; at most 30 days are allowed"
        ),
        (
            "idle = { after = '1s', step = 'hme' }", "idle.step", "no file declares a step 'hme'; did you mean 'home'?"
        ),
        ("idle = { after = '1s', step = 1 }", "idle.step", "this is an integer; it has to be the name of a step"),
        (
            "idle = { after = '1s', step = 'needs' }", "idle.step",
            "step 'needs' needs the argument 'a', but 'idle' gives none; it has to be a step that needs no arguments"
        ),
        ("emitters = 'a.b'", "emitters", "this is a string; it has to be a list of bus names and \"owner\""),
        ("emitters = []", "emitters", "the list is empty; leave 'emitters' out where everyone may emit"),
        ("emitters = [1]", "emitters[1]", "this is an integer; it has to be a bus name"),
        (
            "emitters = ['a.b', ':1.5']", "emitters[2]",
            "':1.5' is the unique name of one connection, and the next connection of the same program has another; it "
                + "has to be a well-known name, such as 'com.vendor.Pay'"
        ),
        (
            "emitters = ['a..b']", "emitters[1]",
            "'a..b' can't be a well-known bus name: two or more parts with dots between them, each of letters, digits, '_' "
                + "and '-', not beginning with a digit, at most 255 bytes in all"
        ),
        (
            "emitters = ['com']", "emitters[1]",
            "'com' is neither a bus name, such as 'com.vendor.Pay', nor the word 'owner'"
        ),
        (
            "emitters = ['a.b', 'Owner']", "emitters[2]",
            "'Owner' is neither a bus name, such as 'com.vendor.Pay', nor the word 'owner'; did you mean 'owner'?"
        ),
        (
            "whenHidden = 'latst'", "whenHidden",
            "'latst' is not allowed here; it has to be 'ignore', 'allow', 'latest', 'queue' or 'turn'; did you mean 'latest'?"
        ),
    ])
    func `one mistake is one error`(key: String, place: String, message: String) {
        #expect(errors(Self.head + key + Self.tail) == ["a.toml:7: error: [flows.f.\(place)] \(message)"])
    }

    @Test func `keys with values`() throws {
        #expect(try flow("onBack = 'home'").onBack == StepID(0))
        #expect(try flow("onBack = 'maybe'").onBack == StepID(1))
        #expect(
            try flow("idle = { after = '250ms', step = 'maybe' }").idle == [TimedStep(after: 250_000, step: StepID(1))])
        for word in WhenHidden.allCases {
            let idle = try flow("idle = { after = '1s', step = 'maybe', whenHidden = '\(word.rawValue)' }").idle
            #expect(idle == [TimedStep(after: 1_000_000, step: StepID(1), whenHidden: word)])
        }
        let stages = try flow("idle = [{ after = '1s', step = 'maybe' }, { after = '2s', step = 'maybe' }]").idle
        #expect(stages.map(\.after) == [1_000_000, 2_000_000])
        #expect(try flow("emitters = ['b.c', 'a.b']").emitters == ["b.c", "a.b"])
        let (mixed, owners) = (try flow("emitters = ['a.b', 'owner']"), try flow("emitters = ['owner']"))
        #expect(mixed.emitters == ["a.b"] && mixed.ownersMayEmit && owners.emitters == [] && owners.ownersMayEmit)
        for word in WhenHidden.allCases {
            #expect(try flow("whenHidden = '\(word.rawValue)'").whenHidden == word)
        }
    }

    @Test func `D-3: a flow is restored on another bus, unless it sets restore = false`() throws {
        #expect(try !flow("restore = false").isRestored)
        #expect(try flow("restore = true").isRestored)
        #expect(try flow("").isRestored)
    }

    @Test func `default values`() throws {
        let flow = try flow("")
        #expect(flow.onBack == nil && flow.idle == [] && flow.emitters == [] && flow.whenHidden == .ignore)
    }

    @Test func `S-34 a warning where Touch can put off no idle step`() throws {
        func found(_ idle: String) throws -> [String] {
            try warnings(
                """
                [steps]
                home = {}
                [[autostart]]
                flow = "f"
                [flows.f]
                idle = \(idle)
                [flows.f.on]
                home = { none = true }
                """)
        }
        #expect(try found("{ after = '1001ms', step = 'home' }") == [])
        #expect(
            try found("[{ after = '1s', step = 'home' }, { after = '2s', step = 'home' }]") == [
                "a.toml:7: warning: [flows.f.idle[1].after] '1s' is so short that no call of Touch puts the step off: within "
                    + "1 s of a step or another Touch it has no effect"
            ])
    }

    @Test func `a step that the flow has no rule for`() throws {
        let text = """
            [steps]
            home = {}
            away = {}
            [[autostart]]
            flow = "g"
            [flows.f]
            onBack = "away"
            idle = { after = "60s", step = "away" }
            [flows.f.on]
            home = { none = true }
            [flows.g]
            onBack = "home"
            idle = { after = "60s", step = "home" }
            [flows.g.on]
            home = { flow = "f" }
            """
        #expect(
            try warnings(text) == [
                "a.toml:4: warning: [steps.away] no flow has a rule for the step 'away'",
                "a.toml:8: warning: [flows.f.onBack] 'onBack' triggers the step 'away', which flow 'f' has no rule for",
                "a.toml:9: warning: [flows.f.idle.step] 'idle' triggers the step 'away', which flow 'f' has no rule for",
            ])
    }
}
