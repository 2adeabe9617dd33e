import FlowCore
import Testing

@testable import FlowTrace

/// A trace can begin with what an earlier process left.
@Suite("Traces of restored trees")
struct RestoredTraceTests {
    /// A flow with a page, where steps are kept while it is hidden.
    private func definitions(screen: String = "page") -> Definitions {
        Definitions(
            steps: [StepDeclaration("go"), StepDeclaration("rest")], screens: [ScreenDeclaration(screen)],
            flows: [
                FlowDefinition(
                    "main", initial: StepID(0), children: .stack, whenHidden: .queue,
                    rules: [
                        Rule(StepID(0), [.child(ChildTemplate(.screen(ScreenID(0))))]), Rule(StepID(1), [.pop(.root)]),
                    ])
            ],
            autostart: [Autostart(FlowID(0))])
    }

    /// All records of a life that ends with a step that waits and a page that belongs to somebody.
    private func records() throws -> [Record] {
        var coordinator = Coordinator(definitions: definitions(), basePath: "/base")
        let app = Client(":1.1")
        _ = coordinator.handle(.started, at: Instant(microseconds: 1))
        let root = coordinator.node(at: "/base/main")
        let main = try #require(root)
        let screen = coordinator.node(at: "/base/main/page")
        let page = try #require(screen)
        let events: [Event] = [
            .visibilityChanged(RequestID(1), of: page, isVisible: true, by: app),
            .presentableClaimed(RequestID(2), page, by: app),
            .visibilityChanged(RequestID(3), of: main, isVisible: false, by: app),
            .stepEmitted(RequestID(4), on: main, step: StepID(0), arguments: [], by: app),
        ]
        for (time, event) in events.enumerated() {
            _ = coordinator.handle(event, at: Instant(microseconds: 10 + UInt64(time)))
        }
        return coordinator.takeAllRecords()
    }

    /// What a life that begins with these records comes to.
    private func life(_ records: [Record], onSameBus: Bool, _ definitions: Definitions) throws -> String {
        var coordinator = Coordinator(definitions: definitions, basePath: "/base")
        var text = Trace.header(basePath: "/base") + "\n"
        func take(_ event: Event, at time: UInt64) {
            let now = Instant(microseconds: time)
            text += Trace.line(of: event, at: now, in: coordinator) + "\n"
            for effect in coordinator.handle(event, at: now) { text += Trace.line(of: effect) + "\n" }
        }
        take(.restored(records, onSameBus: onSameBus), at: 100)
        take(.started, at: 100)
        let root = coordinator.node(at: "/base/main")
        let main = try #require(root)
        take(.visibilityChanged(RequestID(5), of: main, isVisible: true, by: Client(":1.1")), at: 200)
        take(.clientVanished(Client(":1.1")), at: 300)
        return text
    }

    @Test func `D-3: a restored coordinator's trace replays to the same effects`() throws {
        let text = try life(records(), onSameBus: true, definitions())
        #expect(try Trace.replay(text, definitions: definitions()) == 4)
        #expect(text.contains("\n> 100 restored same-bus "))
        // The deferred step was taken, and the page went with its owner.
        #expect(text.contains("\n< did /base/main ") && text.contains("\n< removed /base/main/page screen\n"))
    }

    @Test func `D-3: so does that of one restored on another bus`() throws {
        let text = try life(records(), onSameBus: false, definitions())
        #expect(try Trace.replay(text, definitions: definitions()) == 4)
        #expect(text.contains("\n> 100 restored other-bus "))
        #expect(!text.contains("\n< removed "))
    }

    @Test func `D-5: dropped records are reported, also in a replay`() throws {
        let text = try life(records(), onSameBus: true, definitions(screen: "sheet"))
        #expect(try Trace.replay(text, definitions: definitions(screen: "sheet")) == 4)
        #expect(text.contains("\n< unrestored /base/main/page "))
    }

    @Test func `records of another run lead to a difference`() throws {
        let text = try life(records(), onSameBus: true, definitions())
        let other = text.replacing("restored same-bus", with: "restored other-bus")
        #expect(throws: Trace.Mismatch.self) { try Trace.replay(other, definitions: definitions()) }
    }
}
