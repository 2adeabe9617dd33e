import BusTestSupport
import Testing

@testable import FlowBus
@testable import FlowBusClient

/// Asks of programs with a coordinator, in one process and on the bus (S-45).
@MainActor
@Suite("Asks", .fewAtOnce, .serialized, .timeLimit(.minutes(1)))
struct AskTests {
    @AnswerValues
    struct Contact: Equatable {
        var contact: Int
    }

    @AnswerValues
    struct Other { var name: String }

    @Step
    enum AskStep {
        case pick
        case dull
        case other
    }

    enum Asker: Oddity {
        static var steps: [any Step.Type] { [AskStep.self] }
    }

    final class Picker: Screen, Answering {
        typealias Answer = Contact
        let presence = Presence()
        var name: String { "picker" }
    }

    /// A screen that asks.
    final class Page: Screen {
        let presence = Presence()
        var name: String { "page" }
        let picked = Ask<Contact>()
        private(set) var answers: [AskResult<Contact>] = []
        var error: NavigationError?

        init() {
            picked.onAnswer = { [unowned self] in
                answers.append($0)
                if let error { throw error }
            }
        }

        func present(_ presentation: Presentation) { show() }
    }

    /// A live flow that leads to new pickers.
    @MainActor
    private final class Setting {
        let fixture: CoordinatorFixture
        var pickers: [Picker] = []
        let page = Page()

        init(_ fixture: CoordinatorFixture) { self.fixture = fixture }

        func begin() async throws -> OddFlow<Asker> {
            let flow = try await fixture.root(Asker.self) { [unowned self] step in
                switch step {
                case AskStep.pick:
                    let picker = Picker()
                    pickers.append(picker)
                    return .child(picker)
                case AskStep.other: return .child(page)
                default: return .none
                }
            }
            try await fixture.coordinator.emit(AskStep.other, on: flow)
            return flow
        }

        /// The picker that is shown next.
        func picker(_ number: Int) async throws -> Picker {
            try await until {
                self.pickers.count > number && self.fixture.coordinator.path(of: self.pickers[number]) != nil
            }
            return pickers[number]
        }
    }

    @Test(arguments: HostKind.allCases)
    func `S-45 a program asks a flow or a screen, and gets the answer as its type`(host: HostKind) async throws {
        let setting = Setting(try CoordinatorFixture(host))
        let (flow, coordinator) = (try await setting.begin(), setting.fixture.coordinator)
        for (number, presentable) in [flow as any Presentable, setting.page].enumerated() {
            async let answer: Contact? = coordinator.ask(AskStep.pick, on: presentable)
            try await setting.picker(number).finish(with: Contact(contact: 5))
            #expect(try await answer == Contact(contact: 5))
        }
        if let service = setting.fixture.serviceFixture?.service {
            // It is acknowledged.
            #expect(try service.property("Asks", of: "/Asker/page", "Presentable") == .uint64(0))
        }
    }

    @Test(arguments: HostKind.allCases)
    func `S-45 without an answer there is none, and its outcome says why`(host: HostKind) async throws {
        let setting = Setting(try CoordinatorFixture(host))
        let (flow, coordinator) = (try await setting.begin(), setting.fixture.coordinator)
        async let closed = coordinator.askResult(of: AskStep.pick, on: flow, as: Contact.self)
        try await setting.picker(0).dismiss()
        let result = try await closed
        #expect(result.outcome == .dismissed && result.answer == nil)
        let nothing = try await coordinator.askResult(of: AskStep.dull, on: flow, as: Contact.self)
        #expect(nothing.outcome == .nothing)
        setting.page.hide()
        let hidden = try await coordinator.askResult(of: AskStep.pick, on: setting.page, as: Contact.self)
        #expect(hidden.outcome == .hidden)
        let unknown = try await refusal {
            try await coordinator.ask(UndeclaredStep.undeclared, on: flow, as: Contact.self)
        }
        #expect(unknown.code == .unknownStep)
        async let wrong = coordinator.ask(AskStep.pick, on: flow, as: Other.self)
        try await setting.picker(1).finish(with: Contact(contact: 4711))
        do {
            _ = try await wrong
            Issue.record("it fits")
        } catch let error as NavigationError {
            #expect(error.code == .invalidStep && error.message.contains("the result lacks 'name'"))
            #expect(!error.message.contains("4711"))
        }
    }

    @Test(arguments: HostKind.allCases)
    func `S-45 a screen asks, and its property gets the answer`(host: HostKind) async throws {
        let setting = Setting(try CoordinatorFixture(host))
        try setting.page.picked.ask(AskStep.pick)
        _ = try await setting.begin()
        try await setting.picker(0).finish(with: Contact(contact: 5))
        try await until { !setting.page.answers.isEmpty }
        #expect(setting.page.answers.map(\.answer) == [Contact(contact: 5)])
        // A step that is not taken is told, too.
        setting.page.hide()
        try setting.page.picked.ask(AskStep.pick)
        try await until { setting.page.answers.count > 1 }
        #expect(setting.page.answers[1].outcome == .hidden)
        setting.page.show()
        setting.page.error = NavigationError(.timeout, "no time")
        try setting.page.picked.ask(AskStep.pick)
        try await setting.picker(1).dismiss()
        #expect(await setting.fixture.failures(1) == ["Asker/page  Timeout"])
        #expect(setting.page.answers[2].outcome == .dismissed)
    }

    // MARK: Without a bus

    @Test func `an answer is handled once, acknowledged when it is saved, and again if its handler failed`()
        async throws
    {
        var log: [String] = []
        var answers: [Done<StepOutcome>] = []
        let calls = ScreenAsks.Calls { _ in
            StepMessage(name: "")
        } ask: { step, token, done in
            log.append("\(step.name) \(token.prefix(2))")
            answers.append(done)
        } acknowledge: { token, done in
            log.append("acknowledge \(token)")
            done(.success(()))
        }
        let asks = ScreenAsks(calls) { log.append("failed \($0.code.rawValue)") }
        var saved: [@MainActor () -> Void] = []
        asks.whenSaved = { saved.append($0) }
        asks.ask(StepMessage(name: "pick"), named: "a")
        asks.take([AskMessage(token: "a-1", outcome: "result")])
        #expect(log == [])
        asks.becomeOwner()
        #expect(log == ["pick a-"])
        @MainActor final class Switch { var isOn = true }
        let fails = Switch()
        asks.handle("a") { answer in
            log.append("handle \(answer.token)")
            if fails.isOn { throw TestFailure("no") }
        }
        #expect(log.suffix(2) == ["handle a-1", "failed HandlerFailed"])
        fails.isOn = false
        asks.take([AskMessage(token: "a-1", outcome: "result"), AskMessage(token: "b-1", outcome: "result")])
        #expect(log.last == "handle a-1" && saved.count == 1)
        saved[0]()
        #expect(log.last == "acknowledge a-1")
        // A Present that was under way has it once more.
        asks.take([AskMessage(token: "a-1", outcome: "result")])
        #expect(log.suffix(2) == ["acknowledge a-1", "acknowledge a-1"])
        // The service went away, and may know the ask.
        answers[0](.failure(NavigationError(.noReply, "gone")))
        #expect(log.last == "pick a-" && answers.count == 2)
        answers[1](.success(StepOutcome(verdict: .navigated, serial: 1)))
        asks.handle("b") { log.append("handle \($0.token)") }
        #expect(log.last == "handle b-1")
        asks.end()
        asks.take([AskMessage(token: "b-2", outcome: "result")])
        #expect(log.last == "handle b-1")
    }
}
