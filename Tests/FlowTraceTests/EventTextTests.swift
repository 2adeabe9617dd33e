import FlowCore
import Testing

@testable import FlowTrace

/// What the lines of events look like, and that they are read as they were written.
@Suite("Events as text")
struct EventTextTests {
    private static let number = ValueType(signature: "x").map { Parameter("n", $0, isOptional: true) }

    private let definitions = Definitions(
        steps: [
            StepDeclaration("go", parameters: [Self.number].compactMap(\.self)), StepDeclaration("rest"),
        ],
        screens: [ScreenDeclaration("page")],
        flows: [FlowDefinition("main", rules: [Rule(StepID(0), [.pop(.root)])]), FlowDefinition("other")],
        autostart: [Autostart(FlowID(0))],
        steppers: [StepperDefinition.Source.property("P", absent: nil), .signal("S")].map {
            StepperDefinition(FlowID(0), name: "a.b", object: .path("/"), interface: "a.B", source: $0, step: StepID(1))
        })

    private func coordinator() -> Coordinator {
        var coordinator = Coordinator(definitions: definitions, basePath: "/base")
        _ = coordinator.handle(.started, at: Instant(microseconds: 0))
        return coordinator
    }

    private func read(_ text: String) throws -> Event {
        var scanner = TraceScanner(Substring("7 " + text), reading: definitions)
        let coordinator = coordinator()
        let (event, now) = try scanner.event(for: coordinator)
        #expect(now == Instant(microseconds: 7))
        return event
    }

    private func write(_ event: Event) -> String {
        let coordinator = coordinator()
        return TraceLine(event, at: Instant(microseconds: 7), in: coordinator).text
    }

    // MARK: - Calls

    static let lines = [
        "emitted 1 /base/main go 1 \"n\" x 5 \":1.1\"",
        "emitted 1 /base/main go 0 \":1.1\" token \"a b\" instance 3 no-wait activation-token \"t\\\"\" interactive",
        "emitted 1 /base/main go 0 \":1.1\" instance 3",
        "emitted 1 /base/main go 0 \":1.1\" no-wait",
        "emitted 1 /base/main go 0 \":1.1\" no-input",
        "emitted 1 /base/main go 0 \":1.1\" interactive",
        "emitted 1 /base/main go 0 \":1.1\" at /instance/1",
        "emitted 1 /base/main go 0 \":1.1\" token \"at\" interactive at /instance/1",
        "emitted-list 1 /base/main 0 \":1.1\" at /instance/1",
        "emitted-list 1 /base/main 2 step go 1 \"n\" x 5 refused UnknownStep \"no 'x'\" \":1.1\"",
        "started", "continued", "timer", "deep-link 1 go 1 \"n\" x 5 \":1.1\"",
        "deep-link 1 go 0 \":1.1\" activation-token \"t\"", "deep-link 1 go 0 \":1.1\" no-wait",
        "visible 1 /base/main true \":1.1\"",
        "dismissed 1 /base/main \":1.1\"",
        "dismissed 1 /base/main \":1.1\" because \"com.pay.Error.Declined\" \"the card is blocked\"",
        "touched 1 /base/main \":1.1\"",
        "claimed 1 /base/main \":1.1\"",
        "released 1 /base/main \":1.1\"",
        "readiness 1 /base/main \":1.1\"",
        "back 1 /base/main \":1.1\"",
        "back 1 /base/main \":1.1\" at /instance/1",
        "back 1 /base/main \":1.1\" goes 3 token \"a b\" activation-token \"t\" at /instance/1",
        "back-repeated 1 \"a b\" \":1.1\"",
        "back-step 1 /base/main rest \":1.1\"",
        "back-step 1 /base/main - \":1.1\"",
        "title 1 /base/main \"The \\\"end\\\"\" \":1.1\"",
        "state-saved 1 /base/main 1 \"n\" x 5 \":1.1\"",
        "finished 1 /base/main 1 \"n\" x 5 \":1.1\"",
        "cancelled 1 /base/main \"a b\" \":1.1\"",
        "acknowledged 1 /base/main \"a b\" \":1.1\"",
        "emitted 1 /base/main go 0 \":1.1\" token \"t\" ask",
        "repeated 3 \"a b\" \":1.1\" on /base/main",
        "requested 1 other 0 - 0 \":1.1\" id \"two\" token \"t\" activation-token \"x y\"",
        "requested 1 other 0 go 1 \"n\" x 1 \":1.1\" activation-token \"\"",
        "requested 1 other 0 - 0 \":1.1\" output \"left\" input 5",
        "requested 1 other 0 - 0 \":1.1\" when-hidden allow",
        "emitted 1 /base/main go 0 \":1.1\" at /instance/1 input 70",
        "context-set 1 1 \"lang\" s \"de\" \":1.1\"", "context-set 1 0 \":1.1\" at /base/main",
        "outputs-set 1 2 \"DP-1\" \"b\" \":1.1\"", "outputs-set 1 0 \":1.1\"",
        "outputs-set 1 1 \"DP-1\" \":1.1\" sizes 1 \"DP-1\" 1280 720",
        "root-moved 1 /base/main \"left\" \":1.1\"", "pauses-ended 1",
        "path 1 1 \"main\" - 0 \":1.1\" timeout 5 activation-token \"t\"",
        "path 1 2 \"main\" - 0 \"main\" go 1 \"n\" x 5 \":1.1\" timeout 2500",
        "path 1 1 \"other\" - 0 \":1.1\" timeout 2500 below /base/main",
        "registered 1 \"settings\" \":1.1\" \"/a/b\" 5000000 0 \":1.1\"",
        "registered 1 \"settings\" \"a.b\" \"/\" 1 2 \"home\" public 2 \"n\" x? \"any\" a{sv} \"private\" private 0 \":1.1\" "
            + "guard children tabs initial \"home\" activatable",
        "registered 1 \"settings\" \":1.1\" \"/a\" 5 0 \":1.1\" screens 2 \"page\" 0 \"list\" 2 \"n\" x? "
            + "\"of\" as presenter \"/b\"",
        "registered 1 \"-\" \"a.b\" \"/\" 1 0 \":1.1\" guard activatable screens 1 \"activatable\" 0 presenter \"/\"",
        "registered 1 \"-\" \"a.b\" \"/\" 1 0 \":1.1\" initial \"activatable\"",
        "unregistered 1 \"settings\" \":1.1\"",
        "repeated 3 \"a b\" \":1.1\"",
        "guard-replied 4 step go 1 \"n\" x 5",
        "guard-replied 4 rejected",
        "guard-replied 4 failed \"'x': no \\\"such\\\" thing\"",
        "guard-replied 4 timed-out",
        "navigator-replied 5 contributors 0", "navigator-replied 5 unhandled",
        "navigator-replied 5 failed \"gone\"",
        "navigator-replied 5 timed-out",
        "presenter-replied 6 presented \":1.1\"",
        "presenter-replied 6 failed", "presenter-replied 6 failed because \"com.x.No\" \"not \\\"now\\\"\"",
        "presenter-replied 6 timed-out",
        "alive-replied 6 alive", "alive-replied 6 unsupported", "alive-replied 6 silent",
        "client-vanished \":1.1\"",
        "client-identified \":1.1\" 1000",
        "name-owner \"a.b\" \":1.1\"",
        "stepper-changed \"a.B.P for main\" value b true",
        "stepper-changed \"a.B.P for main\" absent",
        "stepper-signalled \"a.B.S for main\" 2 s \"x\" i 5",
        "stepper-failed \"a.B.S for main\" LimitExceeded \"too large\"",
        "definitions",
        "restored same-bus 0",
        "restored other-bus 1 counters 0 00ff7f80",
        "restored same-bus 4 node 17 0a node 18 - activity 17 c0ffee step 72057594037927935 gone",
    ]

    @Test(arguments: lines)
    func `a line is written as it was read`(line: String) throws {
        #expect(write(try read(line)) == "7 " + line)
    }

    /// A new event needs a case here, which needs a description, which needs a line above.
    private enum Word: String, CaseIterable {
        case started, continued, timer, emitted, repeated, visible, dismissed, claimed, released, readiness, back
        case requested, path, registered, unregistered, definitions, restored
        case emittedList = "emitted-list"
        case touched, title, finished, acknowledged, cancelled
        case stateSaved = "state-saved"
        case backRepeated = "back-repeated"
        case backStep = "back-step"
        case deepLink = "deep-link"
        case guardReplied = "guard-replied"
        case navigatorReplied = "navigator-replied"
        case presenterReplied = "presenter-replied"
        case aliveReplied = "alive-replied"
        case clientVanished = "client-vanished"
        case clientIdentified = "client-identified"
        case rootMoved = "root-moved"
        case contextSet = "context-set"
        case outputsSet = "outputs-set"
        case pausesEnded = "pauses-ended"
        case nameOwner = "name-owner"
        case stepperChanged = "stepper-changed"
        case stepperSignalled = "stepper-signalled"
        case stepperFailed = "stepper-failed"

        init(_ event: Event) {
            self =
                switch event {
                case .started: .started
                case .continued: .continued
                case .timerFired: .timer
                case .stepEmitted: .emitted
                case .emissionRepeated: .repeated
                case .stepsEmitted: .emittedList
                case .stepCancelled: .cancelled
                case .visibilityChanged: .visible
                case .presentableDismissed: .dismissed
                case .presentableTouched: .touched
                case .presentableClaimed: .claimed
                case .presentableReleased: .released
                case .readinessAwaited: .readiness
                case .backPressed: .back
                case .backRepeated: .backRepeated
                case .backStepSet: .backStep
                case .titleSet: .title
                case .stateSaved: .stateSaved
                case .screenFinished: .finished
                case .answerAcknowledged: .acknowledged
                case .flowRequested: .requested
                case .rootMoved: .rootMoved
                case .contextSet: .contextSet
                case .outputsSet: .outputsSet
                case .pausesEnded: .pausesEnded
                case .deepLinkOpened: .deepLink
                case .pathOpened: .path
                case .flowRegistered: .registered
                case .flowUnregistered: .unregistered
                case .guardReplied: .guardReplied
                case .navigatorReplied: .navigatorReplied
                case .presenterReplied: .presenterReplied
                case .aliveReplied: .aliveReplied
                case .clientVanished: .clientVanished
                case .clientIdentified: .clientIdentified
                case .nameOwnerChanged: .nameOwner
                case .stepperChanged: .stepperChanged
                case .stepperSignalled: .stepperSignalled
                case .stepperFailed: .stepperFailed
                case .definitionsRead: .definitions
                case .restored: .restored
                }
        }
    }

    @Test func `each event has a line`() throws {
        let words = try Self.lines.map { line in
            let word = Word(try read(line)).rawValue
            #expect(line == word || line.hasPrefix(word + " "))
            return word
        }
        #expect(Set(words) == Set(Word.allCases.map(\.rawValue)))
        #expect(TraceFields.eventCases.map(\.word).sorted() == Set(words).sorted())
    }

    @Test(arguments: lines)
    func `a line that is cut anywhere is read or refused`(line: String) throws {
        for count in 0..<line.count {
            // Options at the end of a line can be missing.
            guard let event = try? read(String(line.prefix(count))) else { continue }
            let written = write(event)
            #expect(write(try read(String(written.dropFirst(2)))) == written)
        }
    }

    @Test func `options of a step`() throws {
        let coordinator = coordinator()
        let main = coordinator.node(at: "/base/main")
        let node = try #require(main)
        let all = EmissionOptions(
            token: "a b", instance: 3, waits: false, activationToken: "t\"", isInteractive: true)
        let some = [EmissionOptions(token: "no-wait"), EmissionOptions(activationToken: "interactive")]
        for options in [nil, all] + some {
            let event = Event.stepEmitted(
                RequestID(1), on: node, step: StepID(0), arguments: [], by: Client(":1.1"), options: options)
            guard case .stepEmitted(_, _, _, _, _, let read) = try read(String(write(event).dropFirst(2))) else {
                Issue.record("another event")
                continue
            }
            #expect(read == options)
        }
    }

    @Test func `a registration is read as it was written`() throws {
        let text = try #require(ValueType(signature: "as"))
        var request = Registration(
            "my flow", at: Service(":1.5", path: "/a", timeout: .max),
            steps: [
                StepDeclaration("a", parameters: [Parameter("p", text), Parameter("q", text, isOptional: true)]),
                StepDeclaration("guard", isPrivate: true), StepDeclaration(""),
            ],
            by: Client(":1.5"))
        for children in Children.allCases {
            for bits in 0..<64 {
                request.hasGuard = bits & 1 != 0
                request.children = children
                request.initial = bits & 2 != 0 ? "a \"b\"" : nil
                request.isActivatable = bits & 4 != 0
                request.result = bits & 16 != 0 ? bits & 8 != 0 ? [] : request.steps[0].parameters : nil
                let screens = [
                    bits & 32 != 0
                        ? ScreenDeclaration(
                            "screens", isPresentedOnReturn: false, keepsAwake: true, budget: 1, watchdog: 2, result: [])
                        : ScreenDeclaration("screens", result: request.steps[0].parameters),
                    .init("result", watchdog: 5),
                    .init("presenter", parameters: request.steps[0].parameters, key: bits & 1 != 0 ? ["p", "q"] : []),
                ]
                request.bring(bits & 8 != 0 ? screens : [], presentedAt: "/p")
                let line = write(.flowRegistered(RequestID(9), request))
                guard case .flowRegistered(RequestID(9), let read) = try read(String(line.dropFirst(2))) else {
                    Issue.record("another event: \(line)")
                    continue
                }
                #expect(read == request)
            }
        }
    }

    @Test func `D-3: records are read as they were written, of each kind and of any bytes`() throws {
        let numbers: [UInt64] = [0, 1, 1 << 32, 1 << 56 - 1]
        let bodies: [[UInt8]?] = [nil, [], [0], [0x80, 0x0f], Array(0...255)]
        let records = RecordKey.Kind.allCases.flatMap { kind in
            numbers.flatMap { number in bodies.map { Record(RecordKey(kind, number), $0) } }
        }
        for onSameBus in [true, false] {
            let line = write(.restored(records, onSameBus: onSameBus))
            guard case .restored(let read, onSameBus) = try read(String(line.dropFirst(2))) else {
                Issue.record("another event: \(line)")
                continue
            }
            #expect(read == records)
        }
    }

    // MARK: - Contributors

    static let step = StepTemplate(
        StepID(0),
        arguments: .given([
            Binding("a", .literal(.array(element: "s", [.string("x y"), .string("\"")]))), Binding("b", .step("n")),
            Binding("c", .flow("lang")), Binding("d", .childName), Binding("reason", .reason),
        ]))

    static let contributors: [FlowContributor] = [
        .child(ChildTemplate(.screen(ScreenID(0)))),
        .child(ChildTemplate(.flow(FlowID(1)), clears: true)),
        .child(
            ChildTemplate(
                .flow(FlowID(0)), id: "arguments", arguments: .given([]), step: StepID(1),
                stepArguments: .given([Binding("n", .literal(.int64(-1)))]), style: "reuse", whenHidden: .queue,
                reuses: true, clears: true, onDismissed: step)),
        .child(ChildTemplate(.screen(ScreenID(0)), stepArguments: .given([]), reuses: true)),
        .child(ChildTemplate(.screen(ScreenID(0)), raises: true, layer: "top")), .show("page"),
        .hide("other"),
        .dismiss("page"), .evict, .move(.literal(.string("DP-1"))), .move(.step("t")), .move(.output),
        .child(ChildTemplate(.flow(FlowID(0)), style: "", reuses: true)),
        .dismiss(
            KeyedName("page", isFlow: false, key: [Binding("n", .step("n")), Binding("t", .literal(.string("x")))])),
        .pop(.to(KeyedName("page", key: [Binding("n", .flow("n"))]))), .show(KeyedName("other", isFlow: true)),
        .child(ChildTemplate(.screen(ScreenID(0)), onDismissed: StepTemplate(StepID(1)))),
        .pop(.root), .pop(.to("root")), .pop(.to("page")), .current(step),
        .current(StepTemplate(StepID(1))),
        .parent(step), .parent(StepTemplate(StepID(0), arguments: .given([]))), .end(nil), .end(step),
        .end(StepTemplate(StepID(1))), .answer(.given([])),
        .answer(.given([Binding("n", .step("n"))])),
        .child(
            ChildTemplate(
                .screen(ScreenID(0)),
                onResult: StepTemplate(
                    StepID(1), arguments: .given([Binding("a", .result("n")), Binding("b", .asked("n"))])))),
    ]

    private func back(_ answer: NavigatorAnswer) throws -> NavigatorAnswer? {
        let line = write(.navigatorReplied(QuestionID(5), answer))
        guard case .navigatorReplied(QuestionID(5), let read) = try read(String(line.dropFirst(2))) else { return nil }
        return read
    }

    @Test(arguments: contributors)
    func `a contributor is read as it was written`(contributor: FlowContributor) throws {
        let answer = NavigatorAnswer.contributors([contributor])
        #expect(try back(answer) == answer)
    }

    @Test func `every pair of contributors is read as it was written`() throws {
        for one in Self.contributors {
            for other in Self.contributors {
                let answer = NavigatorAnswer.contributors([one, other])
                #expect(try back(answer) == answer)
            }
        }
    }

    @Test func `the format of a navigator's answer`() {
        let child = ChildTemplate(
            .screen(ScreenID(0)), id: "p", arguments: .given([Binding("n", .literal(.int64(5)))]), style: "modal",
            whenHidden: .latest, onDismissed: StepTemplate(StepID(1), arguments: .given([Binding("w", .reason)])))
        #expect(
            write(.navigatorReplied(QuestionID(5), .contributors([.pop(.root), .child(child), .current(Self.step)])))
                == "7 navigator-replied 5 contributors 3 pop-root screen page id \"p\" arguments 1 \"n\" literal x 5 style "
                + "\"modal\" when-hidden latest on-dismissed rest arguments 1 \"w\" reason current go arguments 5 \"a\" "
                + "literal as 2 \"x y\" \"\\\"\" \"b\" of-step \"n\" \"c\" of-flow \"lang\" \"d\" child-name \"reason\" reason"
        )
    }

    // MARK: - Mistakes

    @Test(arguments: [
        ("visible 1 /base/main true :1.1 more", "there is more in the line than the event"),
        ("visible 1 /base/main true", "the line ends where a word is missing"),
        ("path 1 1 \"main\" - 0 \":1.1\"", "'timeout' is missing"),
        ("emitted 1 /base/main go 0 \":1.1\" token \"t\" wait", "there is more in the line than the event"),
        ("claimed 1 /base/nobody \":1.1\"", "nothing is live at '/base/nobody'"),
        ("guard-replied 1 perhaps", "'perhaps' is no answer of a guard"),
        ("guard-replied 1 step og 0", "no definition declares a step 'og'; did you mean 'go'?"),
        ("navigator-replied 1 rejected", "'rejected' is no answer of a navigator"),
        ("navigator-replied 1 contributors 1 none", "'none' is no contributor"),
        ("navigator-replied 1 contributors 2 end", "the line ends where a word is missing"),
        ("navigator-replied 1 contributors 1 screen paeg", "no definition declares a screen 'paeg'"),
        ("navigator-replied 1 contributors 1 flow mian", "no flow 'mian' is defined; did you mean 'main'?"),
        (
            "navigator-replied 1 contributors 1 flow main when-hidden never",
            "'never' is none of 'ignore', 'allow', 'latest', 'queue', 'turn'"
        ),
        (
            "navigator-replied 1 contributors 1 current go arguments 1 \"a\" of-parent",
            "'of-parent' is no source of an argument"
        ),
        ("alive-replied 1 dead", "'dead' is no answer of an owner"),
        ("presenter-replied 1 rejected", "'rejected' is no answer of a presenter"),
        ("registered 1 \"f\" \"a.b\" \"/\" 1 1 \"s\" secret 0 \":1.1\"", "'secret' is neither 'private' nor 'public'"),
        ("registered 1 \"f\" \"a.b\" \"/\" 1 1 \"s\" public 1 \"p\" int64 \":1.1\"", "'int64' is no type of a value"),
        (
            "registered 1 \"f\" \"a.b\" \"/\" 1 0 \":1.1\" screens 1 \"page\" 1 \"p\" int64 presenter \"/\"",
            "'int64' is no type of a value"
        ),
        (
            "registered 1 \"f\" \"a.b\" \"/\" 1 0 \":1.1\" screens 1 \"page\" 0",
            "'presenter' is missing"
        ),
        (
            "registered 1 \"f\" \"a.b\" \"/\" 1 0 \":1.1\" children none",
            "'none' is none of 'free', 'stack', 'tabs', 'layers'"
        ),
        ("restored", "the line ends where a word is missing"),
        ("restored yes 0", "'yes' is neither 'same-bus' nor 'other-bus'"),
        ("restored same-bus", "the line ends where a word is missing"),
        ("restored same-bus -1", "'-1' things can't follow in this line"),
        ("restored same-bus 99999 node 1 00", "'99999' things can't follow in this line"),
        ("restored same-bus 2 node 1 00", "the line ends where a word is missing"),
        ("restored same-bus 1 node 1 00 node 2 00", "there is more in the line than the event"),
        (
            "restored same-bus 1 screen 1 00",
            "'screen' is no kind of a record; it has to be one of 'counters', 'node', 'activity', 'step', 'list', "
                + "'origin', 'token', 'registration', 'name-owner', 'progress', 'stepper', 'saved-state', 'ask', 'context', 'outputs'"
        ),
        ("restored same-bus 1 node one 00", "'one' is no number that fits here"),
        (
            "restored same-bus 1 node 72057594037927936 00",
            "'72057594037927936' is no number of a record; it has to be less than 2 to the power of 56"
        ),
        (
            "restored same-bus 1 node 1 0a0",
            "the bytes of 'node 1' are no pairs of hexadecimal digits; without any they are '-' or 'gone'"
        ),
        (
            "restored same-bus 1 activity 7 0aé0",
            "the bytes of 'activity 7' are no pairs of hexadecimal digits; without any they are '-' or 'gone'"
        ),
        ("emitted-list 1 /base/main 1 go \":1.1\"", "'go' is no step or error"),
        ("nothing", "'nothing' is no event"),
    ])
    func `an unreadable line is reported`(text: String, message: String) {
        let failure = #expect(throws: TraceScanner.Failure.self) { _ = try read(text) }
        #expect(failure?.message == message)
    }

    @Test func `a reload uses the given definitions`() throws {
        guard case .definitionsRead(let read) = try read("definitions") else {
            Issue.record("another event")
            return
        }
        #expect(read == definitions)
    }
}
