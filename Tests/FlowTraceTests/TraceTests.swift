import FlowCore
import Testing

@testable import FlowTrace

@Suite("Trace")
struct TraceTests {
    private static let number = ValueType(signature: "x").map { Parameter("n", $0, isOptional: true) }

    private let definitions = Definitions(
        steps: [
            StepDeclaration("go", parameters: [Self.number].compactMap(\.self)),
            StepDeclaration("rest"),
        ],
        screens: [ScreenDeclaration("page", parameters: [])],
        flows: [
            FlowDefinition(
                "main", initial: StepID(0), children: .stack, isUnique: true, whenHidden: .latest, announces: true,
                idle: [TimedStep(after: 1_000, step: StepID(1))], emitters: ["org.example.App"],
                rules: [
                    Rule(StepID(0), [.child(ChildTemplate(.screen(ScreenID(0)), style: "slide"))]),
                    Rule(StepID(1), [.pop(.root)]),
                ])
        ],
        autostart: [Autostart(FlowID(0))])

    /// A life with every kind of event, written down.
    private func record() throws -> String {
        var coordinator = Coordinator(definitions: definitions, basePath: "/base")
        var text = Trace.header(basePath: "/base") + "\n"
        var time: UInt64 = 0
        func take(_ event: Event) {
            time += 100
            let now = Instant(microseconds: time)
            text += Trace.line(of: event, at: now, in: coordinator) + "\n"
            for effect in coordinator.handle(event, at: now) { text += Trace.line(of: effect) + "\n" }
        }
        let (app, other) = (Client(":1.1"), Client(":1.2"))
        take(.nameOwnerChanged("org.example.App", owner: app))
        take(.started)
        let root = coordinator.node(at: "/base/main")
        let main = try #require(root)
        let number = [Argument("n", .int64(5))]
        take(
            .stepEmitted(
                RequestID(1), on: main, step: StepID(0), arguments: number, by: app,
                options: EmissionOptions(token: "a token", instance: 1)))
        take(.stepEmitted(RequestID(2), on: main, step: StepID(0), arguments: [], by: other))
        let error = FlowError(.unknownStep, "no \"such\" step")
        take(.stepsEmitted(RequestID(3), on: main, [.step(StepID(0), number), .refused(error)], by: app))
        take(.backPressed(RequestID(4), on: main, by: app, options: BackOptions(calledAt: "/instance/1")))
        take(.visibilityChanged(RequestID(5), of: main, isVisible: false, by: app))
        take(.stepEmitted(RequestID(6), on: main, step: StepID(0), arguments: [], by: app))
        take(.deepLinkOpened(RequestID(7), step: StepID(1), arguments: [], by: app))
        take(
            .pathOpened(
                RequestID(8),
                [
                    PathSegment(flow: "main"), PathSegment(flow: "main", step: StepID(0)),
                    PathSegment(flow: "main", key: [Argument("n", .int64(1))], step: StepID(0), arguments: number),
                ], by: app))
        var request = FlowRequest(FlowID(0), id: "two", by: app, token: "t")
        take(.flowRequested(RequestID(9), request))
        request.step = StepID(0)
        request.stepArguments = number
        take(.flowRequested(RequestID(10), request))
        take(.definitionsRead(definitions))
        time += 1_000
        take(.timerFired)
        let screen = coordinator.node(at: "/base/main/page")
        let page = try #require(screen)
        take(.presentableClaimed(RequestID(12), page, by: app))
        take(.presentableReleased(RequestID(13), page, by: app))
        take(.readinessAwaited(RequestID(14), of: main, by: app))
        let navigator = Service(":1.3", path: "/settings", timeout: 1_000)
        take(
            .flowRegistered(
                RequestID(15),
                Registration("settings", at: navigator, steps: [definitions.steps[0]], by: Client(":1.3"))))
        take(.flowUnregistered(RequestID(16), flow: "settings", by: Client(":1.3")))
        // Late answers, to nothing that was asked.
        take(.guardReplied(QuestionID(1_000), .step(StepID(0), number)))
        take(.navigatorReplied(QuestionID(1_001), .contributors([.pop(.root)])))
        take(.presenterReplied(QuestionID(1_002), .presented(by: app)))
        take(.clientVanished(Client(":1.3")))
        take(.presentableDismissed(RequestID(11), page, by: other))
        take(.nameOwnerChanged("org.example.App", owner: nil))
        return text
    }

    @Test func `a trace of every event replays to the same effects`() throws {
        let text = try record()
        #expect(try Trace.replay(text, definitions: definitions) == 25)
        for kind in ["will ", "added ", "removed ", "changed ", "did ", "timer ", "reply ", "fail "] {
            #expect(text.contains("\n< \(kind)"), "\(kind)")
        }
    }

    @Test func `S-7 a trace of a call in slices replays to the same effects`() throws {
        var coordinator = Coordinator(definitions: definitions, basePath: "/base")
        var lines = [Trace.header(basePath: "/base")]
        func take(_ event: Event) {
            let now = Instant(microseconds: UInt64(lines.count))
            lines.append(Trace.line(of: event, at: now, in: coordinator))
            lines += coordinator.handle(event, at: now, upTo: Limits.slice).map { Trace.line(of: $0) }
        }
        let app = Client(":1.1")
        take(.nameOwnerChanged("org.example.App", owner: app))
        take(.started)
        let root = coordinator.node(at: "/base/main")
        let main = try #require(root)
        take(.stepsEmitted(RequestID(1), on: main, Array(repeating: .step(StepID(1), []), count: 600), by: app))
        var slices = 1
        while coordinator.pendingWork.hasMore {
            take(.continued)
            slices += 1
        }
        #expect(slices > 2)
        #expect(lines.filter { $0.hasPrefix("> ") && $0.hasSuffix(" continued") }.count == slices - 1)
        #expect(try Trace.replay(lines.joined(separator: "\n"), definitions: definitions) == 2 + slices)
    }

    @Test func `the first effect that differs is reported`() throws {
        let text = try record()
        let changed = text.replacing("did /base/main 2 ", with: "did /base/main 3 ")
        let mismatch = #expect(throws: Trace.Mismatch.self) { try Trace.replay(changed, definitions: definitions) }
        #expect(mismatch?.message.contains("now follows:   < did /base/main 2 ") == true)
        let place = changed.split(separator: "\n").firstIndex { $0.contains("did /base/main 3 ") }
        #expect(mismatch?.line == (place ?? 0) + 1)

        var lines = text.split(separator: "\n")
        let last = lines.removeLast()
        #expect(last.hasPrefix("> "))
        let answer = lines.removeLast()
        let short = #expect(throws: Trace.Mismatch.self) {
            try Trace.replay(lines.joined(separator: "\n"), definitions: definitions)
        }
        #expect(short?.message == "the trace ends where now follows: \(answer)")
        let long = #expect(throws: Trace.Mismatch.self) {
            try Trace.replay((lines + [answer, answer]).joined(separator: "\n"), definitions: definitions)
        }
        #expect(long == Trace.Mismatch(line: lines.count + 2, "the trace has: \(answer)\nnow follows nothing"))
    }

    @Test(arguments: [
        ("", 1, "this is no trace: it has to begin with 'flowbus-trace 1 PATH'"),
        ("flowbus-trace 2 /base", 1, "this is no trace: it has to begin with 'flowbus-trace 1 PATH'"),
        ("flowbus-trace 1 /base\nstarted", 2, "'> ' and an event are expected here"),
        ("flowbus-trace 1 /base\n> 1 repeated", 2, "the line ends where a word is missing"),
        ("flowbus-trace 1 /base\n> 1 began 5", 2, "'began' is no event"),
        ("flowbus-trace 1 /base\n> 1 timer soon", 2, "there is more in the line than the event"),
        ("flowbus-trace 1 /base\n> 1 visible 1 /base/main true", 2, "nothing is live at '/base/main'"),
        (
            "flowbus-trace 1 /base\n> 1 deep-link 1 og 0 \"\"", 2,
            "no definition declares a step 'og'; did you mean 'go'?"
        ),
        ("flowbus-trace 1 /base\n> 1 requested 1 mian 0", 2, "no flow 'mian' is defined; did you mean 'main'?"),
    ])
    func `an invalid trace is refused with its line`(text: String, line: Int, message: String) {
        #expect(throws: Trace.Mismatch(line: line, message)) { try Trace.replay(text, definitions: definitions) }
    }
}
