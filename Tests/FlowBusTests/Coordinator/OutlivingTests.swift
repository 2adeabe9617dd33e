import BusTestSupport
import FlowBus
import FlowBusClient
import Testing

/// Screens and flows that answer, and what screens keep beyond their process.
@MainActor
@Suite("Answers, saved state and titles", .fewAtOnce, .serialized, .timeLimit(.minutes(1)))
struct OutlivingTests {
    @AnswerValues
    struct Contact {
        var contact: Int
        var name: String?
    }

    @Step
    enum AskStep {
        case pick(movie: Int)
        case picked(contact: Int, movie: Int?)
        case other
    }

    enum Asker: Oddity {
        static var steps: [any Step.Type] { [AskStep.self] }
        static var children: Children { .stack }
    }

    /// A screen that answers, saves, and has a title.
    final class Picker: Screen, Answering {
        typealias Answer = Contact

        let presence = Presence()
        var name: String { "picker" }
        @SavedState var draft = ""
        @SavedState var place: Int? = nil
        private(set) var presentations: [Presentation] = []
        private(set) var withdrawals = 0

        func present(_ presentation: Presentation) { presentations.append(presentation) }
        func withdraw() { withdrawals += 1 }
    }

    /// Answers with the step's contact; one of another type for the contact 0.
    final class PickerFlow: Flow, Answering {
        typealias Answer = Contact

        static let steps: [any Step.Type] = [AskStep.self]
        let root = Presence()

        func navigate(to step: any Step) -> FlowContributors {
            guard case AskStep.picked(let contact, _) = step else { return .none }
            return contact == 0 ? .answer(with: contact) : .answer(with: Contact(contact: contact, name: "x"))
        }
    }

    private static let onResult = ResultStep(
        "picked", arguments: ["contact": .string("$result.contact"), "movie": .string("$asked.movie")])

    @Test(arguments: HostKind.allCases)
    func `S-45 a screen answers with a type of its own, and the flow takes a step with it`(host: HostKind) async throws
    {
        let fixture = try CoordinatorFixture(host)
        let picker = Picker()
        let flow = try await fixture.root(Asker.self) { step in
            guard case AskStep.pick = step else { return .none }
            return .one(
                flowContributor: .contribute(
                    withNextPresentable: picker, withNextStepper: NoneStepper(), onResult: Self.onResult))
        }
        try await fixture.coordinator.emit(AskStep.pick(movie: 7), on: flow)
        try picker.finish(with: Contact(contact: 5))
        // It is over, so this has no effect.
        try picker.finish(with: Contact(contact: 6))
        picker.dismiss()
        #expect(
            await fixture.navigations(2) == ["Asker pick(movie: 7)", "Asker picked(contact: 5, movie: Optional(7))"])
        #expect(fixture.coordinator.path(of: picker) == nil && picker.withdrawals == 0 && picker.presence.isDismissed)
    }

    @Test(arguments: HostKind.allCases)
    func `S-45 an answer that is given before the screen is presented is sent when it is`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        let picker = Picker()
        try picker.finish(with: Contact(contact: 5))
        let flow = try await fixture.root(Asker.self) { step in
            guard case AskStep.pick = step else { return .none }
            return .one(
                flowContributor: .contribute(
                    withNextPresentable: picker, withNextStepper: NoneStepper(), onResult: "picked"))
        }
        try await fixture.coordinator.emit(AskStep.pick(movie: 7), on: flow)
        // Without arguments, the step gets the values that it declares.
        #expect(await fixture.navigations(2) == ["Asker pick(movie: 7)", "Asker picked(contact: 5, movie: nil)"])
    }

    @Test(arguments: HostKind.allCases)
    func `S-45 a flow answers; with another type, or without one, its step fails`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        let child = PickerFlow()
        let flow = try await fixture.root(Asker.self) { step in
            switch step {
            case AskStep.pick:
                .one(
                    flowContributor: .contribute(
                        withNextPresentable: child, withNextStepper: NoneStepper(), onResult: Self.onResult))
            case AskStep.other: .answer(with: Contact(contact: 1))
            default: .none
            }
        }
        try await fixture.coordinator.emit(AskStep.pick(movie: 7), on: flow)
        let wrong = try await refusal {
            try await fixture.coordinator.emit(AskStep.picked(contact: 0, movie: nil), on: child)
        }
        #expect(wrong.code == .navigatorFailed)
        #expect(wrong.message.contains("'PickerFlow' answers with 'Int'; its answer has to be of the type 'Contact'"))
        try await fixture.coordinator.emit(AskStep.picked(contact: 5, movie: nil), on: child)
        #expect(
            await fixture.navigations(3) == [
                "Asker pick(movie: 7)", "Asker/OutlivingTests_PickerFlow picked(contact: 5, movie: nil)",
                "Asker picked(contact: 5, movie: Optional(7))",
            ])
        let none = try await refusal { try await fixture.coordinator.emit(AskStep.other, on: flow) }
        #expect(none.message.contains("ends with a result, but does not conform to Answering"))
    }

    @Test(arguments: HostKind.allCases)
    func `S-44 what a screen saves comes back with its next presentation`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        let (picker, cover) = (Picker(), TestScreen("cover"))
        let flow = try await fixture.root(Asker.self) { step in
            switch step {
            case AskStep.pick: .child(picker)
            case AskStep.other: .child(cover)
            default: .none
            }
        }
        picker.title = "Contacts"
        picker.draft = "a"
        try await fixture.coordinator.emit(AskStep.pick(movie: 7), on: flow)
        picker.show()
        for text in ["ab", "abc"] { picker.draft = text }
        picker.place = 3
        try await fixture.coordinator.emit(AskStep.other, on: flow)
        cover.show()
        try await fixture.coordinator.back(on: flow)
        try await until { picker.presentations.count > 1 }
        let (first, again) = (picker.presentations[0], picker.presentations[1])
        #expect(first.reason == .launch && !first.isRepeated && first.state.isEmpty)
        #expect(again.reason == .return && again.isRepeated)
        #expect(again.state == ["draft": .string("abc"), "place": .int64(3)])
        struct State: Codable, Equatable { var draft: String, place: Int }
        #expect(try again.restoredState(as: State.self) == State(draft: "abc", place: 3))
        #expect(try first.restoredState(as: State.self) == nil)
        // The values of a live object are newer than any that were saved.
        #expect(picker.draft == "abc" && picker.title == "Contacts")
        if let service = fixture.serviceFixture?.service {
            #expect(try service.property("Title", of: "/Asker/picker", "Presentable") == "Contacts")
        }
    }

    @Test(arguments: HostKind.allCases)
    func `S-44 S-33 what can't be saved is reported, and the screen stays`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        let picker = Picker()
        let flow = try await fixture.root(Asker.self) { step in
            if case AskStep.pick = step { .child(picker) } else { .none }
        }
        try await fixture.coordinator.emit(AskStep.pick(movie: 7), on: flow)
        picker.draft = String(repeating: "x", count: 65_536)
        #expect(await fixture.failures(1) == ["Asker/picker  LimitExceeded"])
        picker.draft = "\0"
        let failure = try #require(await fixture.failure())
        #expect(failure.error?.code == .invalidStep)
        #expect(failure.message.contains("the value 'draft' of the saved state is"), "\(failure.message)")
        picker.title = String(repeating: "x", count: 257)
        #expect(await fixture.failures(1) == ["Asker/picker  LimitExceeded"])
        #expect(fixture.coordinator.path(of: picker) == "Asker/picker")
    }

    @Test(arguments: HostKind.allCases)
    func `S-45 an answer that the service refuses is reported, and the screen is dismissed`(host: HostKind) async throws
    {
        /// Answers, without saying that it does.
        final class Silent: Screen {
            let presence = Presence()
            var name: String { "silent" }
        }
        let fixture = try CoordinatorFixture(host)
        let silent = Silent()
        let flow = try await fixture.root(Asker.self) { step in
            if case AskStep.pick = step { .child(silent) } else { .none }
        }
        try await fixture.coordinator.emit(AskStep.pick(movie: 7), on: flow)
        try silent.presence.finish(with: Contact(contact: 5))
        #expect(await fixture.failures(1) == ["Asker/silent  org.freedesktop.DBus.Error.NotSupported"])
        try await until { fixture.coordinator.path(of: silent) == nil }
    }

    @Test(arguments: HostKind.allCases)
    func `S-32 two screens of one name with different answers are an error of the flow`(host: HostKind) async throws {
        final class Other: Screen {
            let presence = Presence()
            var name: String { "picker" }
        }
        let fixture = try CoordinatorFixture(host)
        let flow = try await fixture.root(Asker.self) { _ in .all(.child(Picker()), .child(Other())) }
        let error = try await refusal { try await fixture.coordinator.emit(AskStep.pick(movie: 7), on: flow) }
        #expect(error.message.contains("the screen 'picker' of type 'Other' has another Answer"), "\(error.message)")
    }
}
