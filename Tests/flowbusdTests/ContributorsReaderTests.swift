import BusTestSupport
import FlowCore
import SdBus
import Testing

@testable import flowbusd

/// Reading the answer of a navigator from a message that the bus has carried.
@Suite("Reading contributors")
struct ContributorsReaderTests {
    private typealias Entry = (kind: String, name: String, options: BusValue)

    private static let none = BusValue.options()

    private let bus: PrivateBus
    private let client: TestClient
    private let definitions: Definitions
    private let go: StepID
    private let stop: StepID

    init() throws {
        bus = try PrivateBus()
        client = try TestClient(bus)
        func type(_ name: String) throws -> ValueType { try #require(ValueType(name: name)) }
        let item = Parameter("item", try type("int32"))
        let note = Parameter("note", try type("string"), isOptional: true)
        definitions = Definitions(
            steps: [StepDeclaration("go", parameters: [item, note]), StepDeclaration("stop")],
            screens: [ScreenDeclaration("detail", parameters: [item, note]), ScreenDeclaration("list")],
            flows: [
                FlowDefinition("shop", initial: StepID(0)),
                FlowDefinition("still", result: [Parameter("word", try type("string"))]),
            ])
        (go, stop) = (StepID(0), StepID(1))
    }

    private func read(_ entries: [Entry]) throws -> [FlowContributor] {
        let list = BusValue.array(
            of: "(ssa{sv})", entries.map { .structure([.string($0.kind), .string($0.name), $0.options]) })
        let sender = try TestClient(bus)
        try sender.post(client.uniqueName, "/x", "org.example.X", "Take", list)
        let received = try client.waitForCall("Take")
        return try received.withReader { try ContributorsReader.read($0, in: definitions) }
    }

    private func read(_ kind: String, _ name: String, _ options: BusValue = none) throws -> [FlowContributor] {
        try read([(kind, name, options)])
    }

    @Test func `every kind has its contributor`() throws {
        let none = Self.none
        #expect(try read([]) == [])
        #expect(
            try read([
                ("screen", "list", none), ("flow", "shop", none), ("current", "stop", none), ("parent", "go", none),
                ("pop", "root", none), ("pop", "detail", none), ("none", "", none), ("show", "shop", none),
                ("hide", "shop", none), ("dismiss", "list", none),
                ("evict", "", none),
            ]) == [
                .child(ChildTemplate(.screen(ScreenID(1)))), .child(ChildTemplate(.flow(FlowID(0)))),
                .current(StepTemplate(stop)), .parent(StepTemplate(go)), .pop(.root), .pop(.to("detail")),
                .show("shop"),
                .hide("shop"), .dismiss("list"), .evict,
            ])
        #expect(try read("end", "") == [.end(nil)])
        #expect(
            try read("end", "go", .options(["arguments": .options(["item": .byte(3)])]))
                == [.end(StepTemplate(go, arguments: .given([Binding("item", .literal(.int32(3)))])))])
    }

    @Test func `a child has all its options`() throws {
        let options = BusValue.options([
            "stepArguments": .options(["item": .int64(7)]), "id": "mine", "step": "go",
            "arguments": .options(["note": "$note", "item": .int32(1)]), "style": "modal", "whenHidden": "queue",
            "reuse": true, "clear": true,
            "onDismissed": .options([
                "arguments": .options(["note": "$reason", "item": "$item"]), "step": "go",
            ]),
        ])
        let child = ChildTemplate(
            .screen(ScreenID(0)), id: "mine",
            arguments: .given([Binding("item", .literal(.int32(1))), Binding("note", .literal(.string("$note")))]),
            step: go, stepArguments: .given([Binding("item", .literal(.int32(7)))]), style: "modal",
            whenHidden: .queue, reuses: true, clears: true,
            onDismissed: StepTemplate(
                go, arguments: .given([Binding("item", .step("item")), Binding("note", .reason)])))
        #expect(try read("screen", "detail", options) == [.child(child)])
    }

    @Test func `S-37 reuse is a Boolean, or the text raise`() throws {
        for (value, isReused, isRaised): (BusValue, Bool, Bool) in [
            (false, false, false), (true, true, false), ("raise", true, true),
        ] {
            guard case .child(let child)? = try read("screen", "list", .options(["reuse": value])).first else {
                Issue.record("no child")
                return
            }
            #expect(child.reuses == isReused && child.raises == isRaised)
        }
    }

    @Test(arguments: [
        ("$name", Binding.Source.childName), ("$note", .step("note")), ("$$name", .literal(.string("$name"))),
    ])
    func `texts of onDismissed with one dollar are references, with two themselves`(
        text: String, source: Binding.Source
    ) throws {
        let dismissed = BusValue.options([
            "step": "go", "arguments": .options(["item": .int32(1), "note": .string(text)]),
        ])
        guard case .child(let child)? = try read("screen", "detail", .options(["onDismissed": dismissed])).first else {
            Issue.record("no child")
            return
        }
        #expect(
            child.onDismissed?.arguments
                == .given([Binding("item", .literal(.int32(1))), Binding("note", source)]))
    }

    private static func dismissed(_ arguments: BusValue) -> BusValue {
        .options(["onDismissed": .options(["step": "go", "arguments": arguments])])
    }

    private static func answered(_ arguments: BusValue) -> BusValue {
        .options(["onResult": .options(["step": "go", "arguments": arguments])])
    }

    @Test func `S-45 a result, and the step for that of a child`() throws {
        #expect(
            try read("end", "", .options(["result": .options(["word": "$x"])]))
                == [.answer(.given([Binding("word", .literal(.string("$x")))]))])
        #expect(try read("end", "") == [.end(nil)])
        let arguments = BusValue.options(["item": "$asked.n", "note": "$result.word"])
        #expect(
            try read("flow", "still", Self.answered(arguments)) == [
                .child(
                    ChildTemplate(
                        .flow(FlowID(1)),
                        onResult: StepTemplate(
                            go,
                            arguments: .given([Binding("item", .asked("n")), Binding("note", .result("word"))]))))
            ])
    }

    private static let refused: [(String, String, BusValue, String)] = [
        ("screan", "list", none, "contributor 1, 'screan' 'list': there is no such kind; known are 'screen'"),
        ("clear", "", none, "there is no such kind"),
        ("screen", "lists", none, "no definition declares that screen; did you mean 'list'?"),
        ("flow", "shops", none, "no flow 'shops' is defined; did you mean 'shop'?"),
        ("current", "stops", none, "no definition declares a step 'stops'; did you mean 'stop'?"),
        ("pop", "lost", none, "no definition declares a screen or flow of that name; did you mean 'list'?"),
        ("show", "lost", none, "no definition declares a screen or flow of that name; did you mean 'list'?"),
        ("screen", "list", .options(["reuse": "lift"]), "'reuse' is 'lift'; it has to be true, false or 'raise'"),
        (
            "screen", "list", .options(["reuse": .byte(1)]),
            "'reuse' is of D-Bus type 'y'; it has to be of type 'b' or 's'"
        ),
        ("none", "x", none, "'none' has no name"),
        ("none", "", .options(["clear": true]), "'clear' does nothing beside 'none', which takes no options"),
        ("screen", "list", .options(["claer": true]), "there is no option 'claer'"),
        ("screen", "list", .options(["clear": "yes"]), "'clear' is of D-Bus type 's'; it has to be of type 'b'"),
        ("screen", "list", .options(["id": "a/b"]), "'a/b' can't be an id"),
        (
            "screen", "list", .options(["whenHidden": "maybe"]),
            "'whenHidden' is 'maybe'; it has to be 'ignore', 'allow', 'latest', 'queue' or 'turn'"
        ),
        (
            "screen", "list", .options(["style": .string(String(repeating: "x", count: 129))]),
            "'style' has 129 bytes; it can have at most 128"
        ),
        ("screen", "list", .options(["step": "gone"]), "no definition declares a step 'gone'"),
        (
            "screen", "list", .options(["stepArguments": none]),
            "a screen has no initial step of its own, so nothing takes these arguments; name one with 'step'"
        ),
        (
            "flow", "still", .options(["stepArguments": none]),
            "the flow has no initial step, so nothing takes these arguments; name one with 'step'"
        ),
        ("screen", "list", .options(["whenHidden": "queu"]), "; did you mean 'queue'?"),
        ("screen", "list", .options(["result": none]), "'result' does nothing beside 'screen'; what it answers is"),
        (
            "current", "stop", .options(["style": "modal"]),
            "'style' does nothing beside 'current', which takes only 'arguments'"
        ),
        (
            "screen", "list", .options(["arguments": .options(["x": "y"])]),
            "screen 'list' has no argument 'x': it takes none"
        ),
        ("screen", "detail", .options(["arguments": none]), "needs the argument 'item' of type int32"),
        (
            "screen", "detail", .options(["arguments": .options(["item": "secret"])]),
            "the argument 'item' does not fit: it is of type string and has to be of type int32"
        ),
        (
            "screen", "detail", .options(["arguments": .options(["item": .int64(.max)])]),
            "it is out of the range of the type int32"
        ),
        ("screen", "list", .options(["onDismissed": none]), "'onDismissed' has to name its step: step = \"NAME\""),
        (
            "screen", "list", dismissed(.options(["item": "$item"])),
            "'$item' refers to nothing (for the text itself write '$$item'): screen 'list' has no argument 'item'"
        ),
        (
            "screen", "list", dismissed(.options(["item": "$name"])),
            "'$name' is of type string; the argument 'item' has to be of type int32"
        ),
        ("end", "", .options(["arguments": none]), "the flow ends without a step, so nothing takes these arguments"),
        (
            "end", "stop", .options(["result": none]),
            "'result' stands beside a step; a flow that answers ends with 'end = true'"
        ),
        (
            "screen", "list", answered(none),
            "screen 'list' declares no 'result', so 'onResult' would never be triggered"
        ),
        ("flow", "still", .options(["onResult": none]), "'onResult' has to name its step"),
        (
            "flow", "still", answered(.options(["item": "$result.itm"])),
            "the result of flow 'still' has no argument 'itm': it takes 'word'"
        ),
        (
            "flow", "still", answered(.options(["item": "$result.word"])),
            "'$result.word' is of type string; the argument 'item' has to be of type int32"
        ),
        ("flow", "still", answered(.options(["item": "$reason"])), "'$reason' refers to nothing"),
    ]

    @Test(arguments: refused)
    func `errors name the invalid value`(kind: String, name: String, options: BusValue, text: String) throws {
        let refusal = #expect(throws: FlowError.self) { try read(kind, name, options) }
        #expect(refusal?.code == .navigatorFailed)
        #expect(refusal?.message.contains(text) == true, "\(refusal?.message ?? "")")
        #expect(refusal?.message.contains("secret") == false)
    }

    @Test func `an end can't be combined, and there is a limit`() throws {
        let beside = #expect(throws: FlowError.self) { try read([("end", "", Self.none), ("none", "", Self.none)]) }
        #expect(beside?.message.contains("'end' stands beside other contributors") == true)
        let many = [Entry](repeating: ("screen", "list", Self.none), count: ContributorRules.limit)
        #expect(try read(many).count == ContributorRules.limit)
        let more = #expect(throws: FlowError.self) { try read(many + [("none", "", Self.none)]) }
        #expect(more?.message.contains("more than 1024 contributors") == true)
    }

    @Test func `all arguments of an answer have a limit together`() throws {
        let text = BusValue.string(String(repeating: "x", count: 60_000))
        let arguments = BusValue.options(["item": .int32(1), "note": text])
        let one: Entry = ("screen", "detail", .options(["arguments": arguments]))
        let most = Limits.answerBytes / 60_200
        #expect(try read([Entry](repeating: one, count: most)).count == most)
        let refusal = #expect(throws: FlowError.self) { try read([Entry](repeating: one, count: most + 1)) }
        #expect(refusal?.message.contains("take more than 4194304 bytes") == true, "\(refusal?.message ?? "")")
    }
}
