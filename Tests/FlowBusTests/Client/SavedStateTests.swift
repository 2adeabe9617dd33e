import BusTestSupport
import Glibc
import Testing

@testable import FlowBus
@testable import FlowBusClient

import struct FlowCore.ScreenReport
import enum FlowCore.Value

/// Screens of a plain client that outlive its process.
@Suite("Saved state of presented screens", .fewAtOnce, .serialized, .timeLimit(.minutes(1)))
@MainActor
struct SavedStateTests {
    private static let definitions = """
        [steps]
        write = {}
        written = { text = "string" }
        typed = { text = "string" }
        [screens]
        draft = { presenter = "com.example.Peer", whenOwnerGone = "present", result = { text = "string" } }
        plain = { presenter = "com.example.Peer" }
        [[autostart]]
        flow = "main"
        [flows.main.on]
        write   = { screen = "draft", onResult = { step = "written" } }
        written = { screen = "plain" }
        typed   = { none = true }
        """

    @Step
    enum MailStep {
        case write
        case typed(text: String)
    }

    struct Draft: Codable, Equatable {
        var text = ""
        var to: [String] = []
    }

    @AnswerValues
    struct Text { var text: String }

    /// A screen of the program.
    final class Compose: Screen, Stepper, Answering {
        typealias Answer = Text

        let presence = Presence()
        let steps = PublishRelay<any Step>()
        @SavedState var draft = Draft()
        @SavedState var count = 0
        private(set) var presentations: [Presentation] = []
        private(set) var withdrawals = 0

        func present(_ presentation: Presentation) {
            presentations.append(presentation)
            title = "Draft \(presentations.count)"
            show()
        }
        func withdraw() {
            withdrawals += 1
            count += 100
        }
    }

    /// The screens that a program made.
    private final class Made {
        var screens: [Compose] = []
    }

    private let service: Service
    private let bus: NavigationBus
    private let tree: Events<TreeEvent>

    init() async throws {
        service = try Service(Self.definitions)
        bus = try NavigationBus(service)
        tree = try await Events.following(bus)
    }

    /// A process of the program.
    private func program() async throws -> (NavigationBus, ScreenPresenter, Made) {
        let (player, made) = (try NavigationBus(service), Made())
        let presenter = try await player.present(
            as: "com.example.Peer",
            screens: { _ in
                let screen = Compose()
                made.screens.append(screen)
                return screen
            })
        return (player, presenter, made)
    }

    /// Returns when the screen has this title.
    private func titled(_ title: String) async throws {
        try await tree.first { if case .changed("main/draft", .title(title)) = $0 { true } else { false } }
    }

    @Test func `S-44 the next process has what the one before has saved, and answers`() async throws {
        let (player, presenter, made) = try await program()
        try await bus.emit("write", on: "main")
        try await titled("Draft 1")
        let first = made.screens[0]
        first.draft.text = "Dear"
        first.draft.to = ["a@b"]
        first.count = 2
        first.steps.accept(MailStep.typed(text: "Dear"))
        try await tree.first { if case .navigated(let it) = $0 { it.step == "typed" } else { false } }
        // The program crashes, and another process has its name.
        presenter.end()
        let (next, second, others) = try await program()
        player.close()
        try await tree.first { if case .changed("main/draft", .presented(true)) = $0 { true } else { false } }
        try await tree.first { if case .changed("main/draft", .owner) = $0 { true } else { false } }
        let screen = others.screens[0]
        #expect(screen.presentations[0].reason == .recover)
        #expect(screen.draft == Draft(text: "Dear", to: ["a@b"]) && screen.count == 2)
        #expect(screen.presentations[0].state["count"] == .int64(2))
        try screen.finish(with: Text(text: "Bye"))
        try await tree.first { if case .added(let node) = $0 { node.name == "plain" } else { false } }
        #expect(!"\(tree.all)".contains("Bye"))
        #expect(screen.withdrawals == 0)
        second.end()
        next.close()
    }

    @Test func `S-44 what does not fit any more is reported, and the property keeps its initial value`() async throws {
        let old = try NavigationBus(service)
        let saved = Broadcast<Void>()
        let done = Events(saved.values())
        let presenter = try await old.present(as: "com.example.Peer") { request in
            request.screen.whenOwned {
                Task {
                    try await request.screen.save(["draft": .string("once a text"), "count": .int64(4)])
                    saved.send(())
                }
            }
        }
        try await bus.emit("write", on: "main")
        try await done.first()
        presenter.end()
        let (player, next, made) = try await program()
        let failures = Events(next.failures)
        old.close()
        try await tree.first { if case .changed("main/draft", .owner(player.uniqueName)) = $0 { true } else { false } }
        let failure = try await failures.first()
        #expect(failure.error?.code == .invalidStep && failure.path == "main/draft")
        #expect(failure.message.contains("the value 'draft' of the saved state does not fit"), "\(failure.message)")
        #expect(made.screens[0].draft == Draft() && made.screens[0].count == 4)
        withExtendedLifetime(player) {}
    }

    @Test func `S-44 S-45 the owner of a screen saves, sets a title and finishes; the errors of others`() async throws {
        let (player, other) = (try NavigationBus(service), try NavigationBus(service))
        var screens: [PresentedScreen] = []
        let presenter = try await player.present(as: "com.example.Peer") { request in
            try await request.screen.setTitle("New")
            screens.append(request.screen)
        }
        try await bus.emit("write", on: "main")
        try await titled("New")
        let screen = screens[0]
        try await screen.setTitle("Draft")
        try await titled("Draft")
        try await screen.save(Draft(text: "a"))
        try await player.saveState(Draft(text: "b"), at: screen.path, instance: screen.instance)
        func code(_ call: () async throws -> Void) async throws -> NavigationError.Code {
            try await refusal(call).code
        }
        #expect(try await code { try await screen.save(5) } == .invalidStep)
        #expect(
            try await code { try await screen.save(["x": .string(String(repeating: "x", count: 65_536))]) }
                == .limitExceeded)
        #expect(try await code { try await other.setTitle("x", at: screen.path) } == .notOwner)
        #expect(try await code { try await other.saveState(Draft(), at: screen.path) } == .notOwner)
        #expect(try await code { try await other.finish(screen.path, with: Text(text: "x")) } == .notOwner)
        #expect(try await code { try await player.setTitle("x", at: "main") } == .notSupported)
        #expect(try await code { try await screen.finish(with: Draft()) } == .invalidArguments)
        #expect(try await code { try await screen.finish(with: 5) } == .invalidStep)
        try await screen.finish(with: Text(text: "x"))
        try await tree.first { if case .added(let node) = $0 { node.name == "plain" } else { false } }
        #expect(try await code { try await screen.save(Draft()) } == .unknownObject)
        try await tree.first { if case .changed(_, .owner(player.uniqueName)) = $0 { true } else { false } }
        #expect(try await code { try await screens[1].finish(with: Text(text: "x")) } == .notSupported)
        presenter.end()
    }

    @Test func `objects whose screens a new service does not have are withdrawn`() async throws {
        let (player, presenter, made) = try await program()
        try await bus.emit("write", on: "main")
        try await tree.first { if case .changed("main/draft", .owner(player.uniqueName)) = $0 { true } else { false } }
        try service.restart("--runtime", "none", "--state", "none")
        try await until { made.screens[0].withdrawals > 0 }
        presenter.end()
    }

    @Test func `S-44 a screen that is evicted is saved, and has a new object when it is in sight again`() async throws {
        try service.write(
            Self.definitions.replacing("result = {", with: "evictAfter = \"10ms\", result = {")
                .replacing("[flows.main.on]", with: "[flows.main]\nchildren = \"stack\"\n[flows.main.on]"))
        try service.coordinator("Reload")
        let (player, presenter, made) = try await program()
        try await bus.emit("write", on: "main")
        try await titled("Draft 1")
        made.screens[0].count = 1
        try await bus.emit("written", ["text": .string("x")], on: "main")
        try await tree.first { if case .changed("main/draft", .owner("")) = $0 { true } else { false } }
        #expect(made.screens[0].withdrawals == 1)
        #expect(try await bus.isEvicted("main/draft"))
        try await bus.back(on: "main")
        try await tree.first { if case .changed("main/draft", .owner(player.uniqueName)) = $0 { true } else { false } }
        #expect(made.screens.count == 3 && made.screens[2].count == 101)
        #expect(try await !bus.isEvicted("main/draft"))
        presenter.end()
    }

    @Test func `D-3 objects go on after a restart of the service, which gets what it missed`() async throws {
        let (player, presenter, made) = try await program()
        try await bus.emit("write", on: "main")
        try await titled("Draft 1")
        service.process.send(signal: SIGKILL)
        try service.process.waitForExit()
        made.screens[0].title = "Later"
        made.screens[0].draft.text = "Dear"
        let failures = Events(presenter.failures)
        for _ in 0..<2 { #expect(try await failures.first().error?.isFromService == false) }
        try service.start()
        try await tree.first { event in
            switch event {
            case .changed("main/draft", .title("Later")): true
            case .snapshot(let nodes): nodes.contains { $0.title == "Later" }
            default: false
            }
        }
        try made.screens[0].finish(with: Text(text: "x"))
        try await tree.first { if case .added(let node) = $0 { node.name == "plain" } else { false } }
        #expect(made.screens[0].withdrawals == 0)
        withExtendedLifetime(player) {}
    }

    // MARK: Without a bus

    @Test func `while a save is under way, only the newest of those that wait is sent next`() throws {
        var sent: [String] = []
        var answers: [Done<Void>] = []
        var done: [String] = []
        let saver = StateSaver { state, answer in
            sent += state.compactMap { if case .string(let text) = $0.value { text } else { nil } }
            answers.append(answer)
        }
        for text in ["a", "b", "c"] {
            let state = try KeptValues.state(Text(text: text))
            saver.save({ state }) { if case .success = $0 { done.append(text) } }
        }
        #expect(sent == ["a"] && done == [])
        answers[0](.success(()))
        #expect(sent == ["a", "c"] && done == ["a"])
        answers[1](.success(()))
        #expect(sent == ["a", "c"] && done == ["a", "b", "c"])
    }

    @Test func `what a service did not get is reported to the next one, the newest only`() throws {
        var log: [String] = []
        let gone = NavigationError(.noReply, "gone")
        var result: Result<Void, NavigationError> = .failure(gone)
        let compose = Compose()
        let calls = PresenceReports.Calls(
            setVisible: {
                log.append("visible \($0)")
                $1(result)
            },
            dismiss: {
                log.append("dismiss")
                $0(result)
            },
            setTitle: {
                log.append("title \($0)")
                $1(result)
            },
            save: {
                log.append("save \($0["count"]?.value.description ?? "")")
                $1(result)
            },
            finish: {
                log.append("finish \((try? $0.encoded())?.count ?? 0)")
                $1(result)
            })
        var failures = 0
        let reports = PresenceReports(SavedProperties(of: compose), calls) { _ in failures += 1 }
        let subscription = compose.presence.subscribe { reports.report($0) }
        compose.title = "a"
        compose.count = 1
        #expect(log == [])
        reports.becomeOwner()
        #expect(log == ["title a", "save 1"] && failures == 2)
        compose.title = "b"
        compose.count = 2
        compose.show()
        #expect(log == ["title a", "save 1", "title b", "save 2", "visible true"])
        log = []
        result = .success(())
        reports.catchUp()
        #expect(log == ["visible true", "title b", "save 2"])
        reports.catchUp()
        #expect(log == ["visible true", "title b", "save 2"] && failures == 5)
        result = .failure(gone)
        try compose.finish(with: Text(text: "x"))
        result = .success(())
        var isGone = false
        reports.isGone = { isGone = true }
        reports.catchUp()
        #expect(log.suffix(2) == ["finish 1", "finish 1"] && isGone && reports.isDismissed)
        subscription.end()
    }

    @Test func `what a screen says while it is presented is for the answer, and other than the service knows`() {
        var log: [String] = []
        var visible: [Done<Void>] = []
        let compose = Compose()
        let calls = PresenceReports.Calls(
            setVisible: {
                log.append("visible \($0)")
                visible.append($1)
            }, dismiss: { _ in }, setTitle: { title, _ in log.append("title \(title.count)") }, save: { _, _ in },
            finish: { _, _ in })
        let reports = PresenceReports(SavedProperties(of: compose), calls) { _ in }
        let subscription = compose.presence.subscribe { reports.report($0) }
        let nothing = ScreenReport(isVisible: false, title: "")
        func presented(_ known: ScreenReport, _ present: () -> Void = {}) -> ScreenReport {
            reports.answer(known, present)
        }
        #expect(presented(nothing) == ScreenReport())
        let first = presented(nothing) {
            compose.title = "a"
            compose.show()
        }
        #expect(first == ScreenReport(isVisible: true, title: "a"))
        // The answer was lost.
        #expect(presented(nothing) == ScreenReport(isVisible: true, title: "a"))
        reports.becomeOwner()
        #expect(presented(ScreenReport(isVisible: true, title: "a")) == ScreenReport() && log == [])
        compose.hide()
        // A call says it, and no answer once more.
        #expect(presented(ScreenReport(isVisible: true, title: "a")) == ScreenReport() && log == ["visible false"])
        visible.removeLast()(.success(()))
        // A step that it emits meanwhile comes after its visibility.
        let second = presented(ScreenReport(title: "a")) {
            compose.show()
            reports.sendBeforeStep()
            reports.sendBeforeStep()
            compose.title = String(repeating: "b", count: 257)
        }
        #expect(second == ScreenReport() && log == ["visible false", "visible true"])
        // Its error is that of a call.
        reports.becomeOwner()
        #expect(log.last == "title 257")
        reports.becomeOwner()
        compose.title = "c"
        #expect(log.suffix(2) == ["title 257", "title 1"])
        subscription.end()
    }

    @Test func `a title that is late to fail does not replace a newer one`() {
        var sent: [String] = []
        var answers: [Done<Void>] = []
        let compose = Compose()
        let calls = PresenceReports.Calls(
            setVisible: { _, _ in }, dismiss: { _ in },
            setTitle: {
                sent.append($0)
                answers.append($1)
            }, save: { _, _ in }, finish: { _, _ in })
        let reports = PresenceReports(SavedProperties(of: compose), calls) { _ in }
        reports.becomeOwner()
        reports.report(.title("a"))
        reports.report(.title("b"))
        for answer in answers { answer(.failure(NavigationError(.noReply, "gone"))) }
        reports.catchUp()
        #expect(sent == ["a", "b", "b"])
    }
}
