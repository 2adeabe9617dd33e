import FlowBus
import FlowBusClient
import Foundation
import Testing

/// What was live is live again after a restart of the program.
@MainActor
@Suite("Snapshots of a tree", .fewAtOnce, .serialized, .timeLimit(.minutes(1)))
struct RestoringTests {
    @Step
    enum NoteStep: Equatable {
        case list, pair, gone
        case picked(id: Int)
        case editor(text: String)
        case preview
    }

    /// Carries what can't be encoded.
    struct Closure: Step {
        let body: @Sendable () -> Void = {}
    }

    final class Page: Screen {
        let presence = Presence()
        let name: String
        let text: String
        @SavedState var draft = ""
        private(set) var withdrawals = 0

        init(_ name: String, _ text: String = "") { (self.name, self.text) = (name, text) }

        func withdraw() { withdrawals += 1 }
    }

    /// What the flows of one program have done.
    @MainActor
    final class Program {
        var taken: [String] = []
        var adapted: [String] = []
        var pages: [Page] = []
        /// What the program has no more.
        var isWithoutPreview = false
        let coordinator = FlowCoordinator()
        lazy var main = MainFlow(self)

        func page(_ name: String, _ text: String = "") -> Page {
            let page = Page(name, text)
            page.show()
            pages.append(page)
            return page
        }

        func page(named name: String) -> Page? { pages.last { $0.name == name } }
    }

    final class MainFlow: Flow {
        static let definition = "MainFlow"
        static let steps: [any Step.Type] = [NoteStep.self, Closure.self]
        let root = TestScreen("root")
        private unowned let program: Program

        init(_ program: Program) { self.program = program }

        func adapt(step: any Step) async throws -> any Step {
            program.adapted.append("\(step)")
            return step
        }

        func navigate(to step: any Step) -> FlowContributors {
            program.taken.append("main \(step)")
            switch step as? NoteStep {
            case .list: return [.show(program.page("list"), with: OneStepper(withSingleStep: NoteStep.picked(id: 1)))]
            case .picked(let id): return .show(program.page("detail", "\(id)"))
            case .pair:
                return [.show(program.page("left")), .show(program.page("right")), .forward(NoteStep.picked(id: 2))]
            case .editor(let text): return .start(EditorFlow(program, text), with: NoteStep.editor(text: text))
            case .gone, .preview: return .none
            case nil: return .show(program.page("unsaved"))
            }
        }
    }

    final class EditorFlow: Flow {
        static let definition = "EditorFlow"
        let root = TestScreen("root")
        private unowned let program: Program
        private let text: String

        init(_ program: Program, _ text: String) { (self.program, self.text) = (program, text) }

        func navigate(to step: NoteStep) -> FlowContributors {
            program.taken.append("editor \(step)")
            switch step {
            case .editor: return .show(program.page("editor", text))
            case .preview: return program.isWithoutPreview ? .none : .show(program.page("preview", text))
            default: return .unhandled
            }
        }
    }

    private func stored(_ snapshot: TreeSnapshot) throws -> TreeSnapshot {
        try JSONDecoder().decode(TreeSnapshot.self, from: JSONEncoder().encode(snapshot))
    }

    /// A program in use, with a tree of three levels.
    private func used() async throws -> Program {
        let program = Program()
        try await program.coordinator.coordinate(flow: program.main, with: OneStepper(withSingleStep: NoteStep.list))
        try await program.coordinator.emit(NoteStep.pair, on: program.main)
        try await program.coordinator.emit(NoteStep.editor(text: "hello"), on: program.main)
        await program.coordinator.settle()
        let editor = try #require(program.coordinator.presentable(at: "MainFlow/EditorFlow") as? EditorFlow)
        try await program.coordinator.emit(NoteStep.preview, on: editor)
        program.page(named: "left")?.dismiss()
        program.page(named: "editor")?.draft = "hello, world"
        await program.coordinator.settle()
        return program
    }

    @Test func `what was live is live again, with what it saved`() async throws {
        let before = try await used()
        #expect(
            before.coordinator.tree.description
                == """
                MainFlow
                  list
                  detail
                  right
                  detail_2
                  EditorFlow
                    editor
                    preview
                """)
        let snapshot = try before.coordinator.snapshot()
        #expect(try stored(snapshot) == snapshot && !snapshot.isEmpty)
        before.coordinator.end()

        let after = Program()
        let path = try await after.coordinator.coordinate(
            flow: after.main, with: OneStepper(withSingleStep: NoteStep.list), restoring: stored(snapshot))
        #expect(path == "MainFlow")
        #expect(
            after.coordinator.tree.description.split(separator: "\n").map { $0.split(separator: " ")[0] } == [
                "MainFlow", "list", "detail", "right", "detail_2", "EditorFlow", "editor", "preview",
            ])
        // Each step once, and no initial step or forward beside them.
        #expect(
            after.taken == [
                "main list", "main picked(id: 1)", "main pair", "main picked(id: 2)", "main editor(text: \"hello\")",
                "editor editor(text: \"hello\")", "editor preview",
            ])
        #expect(after.adapted == [])
        #expect(after.pages.map(\.text) == ["", "1", "", "", "2", "hello", "hello"])
        #expect(after.page(named: "editor")?.draft == "hello, world")
        // It was made by the step, and is in sight no more.
        #expect(after.pages.filter { $0.withdrawals > 0 }.map(\.name) == ["left"])
        // It can be restored again, and goes on as any other.
        #expect(try after.coordinator.snapshot() == snapshot)
        #expect(after.coordinator.log.entries.allSatisfy { $0.serial > 0 })
        try await after.coordinator.emit(NoteStep.picked(id: 3), on: after.main)
        #expect(after.adapted == ["picked(id: 3)"])
        #expect(after.coordinator.presentable(at: "MainFlow/detail_3") === after.pages.last)
    }

    @Test func `what the program does not contribute any more is left out, and reported`() async throws {
        let snapshot = try await used().coordinator.snapshot()
        let after = Program()
        after.isWithoutPreview = true
        var failures = after.coordinator.failures.makeAsyncIterator()
        try await after.coordinator.coordinate(flow: after.main, restoring: snapshot)
        #expect(after.coordinator.presentable(at: "MainFlow/EditorFlow/editor") != nil)
        #expect(after.coordinator.presentable(at: "MainFlow/EditorFlow/preview") == nil)
        let failure = await failures.next(isolation: #isolation)
        #expect(failure?.path == "MainFlow/EditorFlow" && failure?.error?.code == .navigatorFailed)
        #expect(
            failure?.message
                == "the flow 'MainFlow/EditorFlow' did not contribute 'preview' to the step 'preview' again")
    }

    /// Replaces a part of a stored snapshot.
    private func changed(_ snapshot: TreeSnapshot, _ part: String, to other: String) throws -> TreeSnapshot {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let text = String(decoding: try encoder.encode(snapshot), as: UTF8.self)
        #expect(text.contains(part))
        return try JSONDecoder().decode(
            TreeSnapshot.self, from: Data(text.replacingOccurrences(of: part, with: other).utf8))
    }

    @Test(arguments: [
        (#""step":"preview""#, #""step":"previw""#, "there is no step 'previw'; did you mean 'preview'?"),
        (#""step":"preview""#, #""step":"gone""#, "was unhandled when it was restored"),
        (#"{"s":"hello"}"#, #"{"i":5}"#, "text"),
        (#"{"s":"hello, world"}"#, #"{"i":5}"#, "draft"),
    ])
    func `what a snapshot has and the program can't take is reported`(part: String, other: String, why: String)
        async throws
    {
        let snapshot = try changed(await used().coordinator.snapshot(), part, to: other)
        let after = Program()
        var failures = after.coordinator.failures.makeAsyncIterator()
        try await after.coordinator.coordinate(flow: after.main, restoring: snapshot)
        let failure = await failures.next(isolation: #isolation)
        #expect(failure?.message.contains(why) == true, "\(failure?.message ?? "")")
        // The others are live.
        #expect(after.coordinator.presentable(at: "MainFlow/right") != nil)
    }

    @Test func `a flow that a snapshot does not have begins with its initial step`() async throws {
        let before = Program()
        #expect(try before.coordinator.snapshot().isEmpty)
        try await before.coordinator.coordinate(flow: TestFlow(), with: NoneStepper())
        for snapshot in [nil, try before.coordinator.snapshot(), try Program().coordinator.snapshot()] {
            let program = Program()
            try await program.coordinator.coordinate(
                flow: program.main, with: OneStepper(withSingleStep: NoteStep.editor(text: "")), restoring: snapshot)
            await program.coordinator.settle()
            #expect(program.taken == ["main editor(text: \"\")", "editor editor(text: \"\")"])
        }
    }

    @Test func `of several roots of a class, each gets its own`() async throws {
        let before = Program()
        let other = MainFlow(before)
        for (flow, id) in [(before.main, 1), (other, 2)] {
            try await before.coordinator.coordinate(
                flow: flow, with: OneStepper(withSingleStep: NoteStep.picked(id: id)))
        }
        let after = Program()
        let snapshot = try stored(before.coordinator.snapshot())
        for flow in [after.main, MainFlow(after), MainFlow(after)] {
            try await after.coordinator.coordinate(
                flow: flow, with: OneStepper(withSingleStep: NoteStep.list), restoring: snapshot)
        }
        #expect(after.taken.prefix(3) == ["main picked(id: 1)", "main picked(id: 2)", "main list"])
    }

    @Test func `a step that can't be encoded can't be stored`() async throws {
        let program = Program()
        try await program.coordinator.coordinate(flow: program.main, with: OneStepper(withSingleStep: Closure()))
        let error = try #require(throws: NavigationError.self) { try program.coordinator.snapshot() }
        #expect(error.code == .invalidStep)
        #expect(error.message.hasPrefix("the step that led to 'MainFlow/unsaved' can't be stored in a snapshot: "))
        #expect(error.message.contains("'Closure'"))
        program.page(named: "unsaved")?.dismiss()
        await program.coordinator.settle()
        _ = try program.coordinator.snapshot()
    }

    @Test func `on the bus the service keeps the tree`() async throws {
        let fixture = try CoordinatorFixture(.onTheBus)
        let error = try #require(throws: NavigationError.self) { try fixture.coordinator.snapshot() }
        #expect(error.code == .notSupported && error.message.contains("the service keeps it"))
        let refused = await #expect(throws: NavigationError.self) {
            try await fixture.coordinator.coordinate(flow: TestFlow(), restoring: nil)
        }
        #expect(refused?.code == .notSupported)
    }

    @Test(arguments: [
        (#"{"version":2,"roots":[]}"#, "the snapshot has version 2; this library reads 1"),
        (#"{"roots":[]}"#, "version"),
        (#"{"version":1,"roots":[{"name":"a","state":[{"name":"b","value":{}}]}]}"#, "a value has to have one type"),
        (
            #"{"version":1,"roots":[{"name":"a","state":[{"name":"b","value":{"e":[{"b":true}]}}]}]}"#,
            "an entry of a dictionary has to have a key and a value"
        ),
    ])
    func `a text that is no snapshot is refused`(text: String, why: String) throws {
        let error = try #require(throws: DecodingError.self) {
            try JSONDecoder().decode(TreeSnapshot.self, from: Data(text.utf8))
        }
        #expect("\(error)".contains(why), "\(error)")
    }
}
