import FlowBus
import FlowBusClient
import Testing

/// In one process an answer is of any type (S-45).
@MainActor
@Suite("Answers of any type", .fewAtOnce, .serialized, .timeLimit(.minutes(1)))
struct AnyAnswerTests {
    /// What the bus can't carry.
    final class Photo: Sendable {
        let pixels: Int
        init(_ pixels: Int) { self.pixels = pixels }
    }

    private final class Picker: Screen, Answering {
        typealias Answer = Photo
        let presence = Presence()
        var name: String { "picker" }
    }

    /// A flow that answers with a closure.
    private final class Chooser: Flow, Answering {
        typealias Answer = @Sendable () -> Int
        let root = TestScreen("chooser")
        func navigate(to step: TestStep) -> FlowContributors {
            let answer: Answer = { 42 }
            return .answer(with: answer)
        }
    }

    /// A step that carries one.
    struct PhotoStep: Step { var photo: Photo }

    private enum Asker: Oddity { static var steps: [any Step.Type] { [TestStep.self, PhotoStep.self] } }

    @Test func `an object, and a closure, are the answers that were given`() async throws {
        let fixture = try CoordinatorFixture(.inProcess)
        let picker = Picker()
        let flow = try await fixture.root(Asker.self) { step in
            switch step {
            case TestStep.one: .child(picker)
            case TestStep.two: .child(Chooser(), TestStep.one)
            default: .none
            }
        }
        let photo = Photo(12)
        async let answer: Photo? = fixture.coordinator.ask(TestStep.one, on: flow)
        #expect(await fixture.navigations(1) == ["Asker one"])
        try picker.finish(with: photo)
        #expect(try await answer === photo)
        let answered = try await fixture.coordinator.askResult(
            of: TestStep.two, on: flow, as: (@Sendable () -> Int).self)
        #expect(answered.outcome == .result && answered.answer?() == 42)
    }

    @Test func `another type than the one that is answered is an error that names both`() async throws {
        let fixture = try CoordinatorFixture(.inProcess)
        let picker = Picker()
        let flow = try await fixture.root(Asker.self) { _ in .child(picker) }
        async let answer: Int? = fixture.coordinator.ask(TestStep.one, on: flow)
        #expect(await fixture.navigations(1) == ["Asker one"])
        try picker.finish(with: Photo(1))
        do {
            _ = try await answer
            Issue.record("no error")
        } catch let error as NavigationError {
            #expect(error.code == .invalidStep)
            #expect(error.message.contains("'Photo'") && error.message.contains("'Int'"), "\(error)")
        }
    }

    @Test func `the parent makes a step of the answer`() async throws {
        let fixture = try CoordinatorFixture(.inProcess)
        let picker = Picker()
        let chooser = Chooser()
        let flow = try await fixture.root(Asker.self) { step in
            switch step {
            case TestStep.one:
                .one(
                    flowContributor: .contribute(
                        withNextPresentable: picker, withNextStepper: NoneStepper(),
                        onResult: .step { (photo: Photo) in PhotoStep(photo: photo) }))
            case TestStep.two:
                .one(
                    flowContributor: .contribute(
                        withNextPresentable: chooser, withNextStepper: OneStepper(withSingleStep: TestStep.one),
                        onResult: .step { (answer: @Sendable () -> Int) in TestStep.number(answer()) }))
            default: .none
            }
        }
        try await fixture.coordinator.emit(TestStep.one, on: flow)
        let photo = Photo(3)
        try picker.finish(with: photo)
        #expect(await fixture.navigation() != nil)
        #expect((await fixture.navigation()?.step as? PhotoStep)?.photo === photo)
        try await fixture.coordinator.emit(TestStep.two, on: flow)
        // The flow that answers navigates between the two.
        #expect(await fixture.navigations(3).last == "Asker number(42)")
    }

    @Test func `a step that the flow does not take, and a closure on the bus, are errors`() async throws {
        let flows: [(HostKind, NavigationError.Code, String)] = [
            (.inProcess, .navigatorFailed, "UndeclaredStep"), (.onTheBus, .navigatorFailed, "name of a case"),
        ]
        for (host, code, words) in flows {
            let fixture = try CoordinatorFixture(host)
            let flow = try await fixture.root(Main.self) { _ in
                .one(
                    flowContributor: .contribute(
                        withNextPresentable: TestScreen(), withNextStepper: NoneStepper(),
                        onResult: .step { (_: Photo) in UndeclaredStep.undeclared }))
            }
            let error = try await refusal { try await fixture.coordinator.emit(TestStep.one, on: flow) }
            #expect(error.code == code && error.message.contains(words), "\(error)")
        }
        let fixture = try CoordinatorFixture(.inProcess)
        let flow = try await fixture.root(Main.self) { _ in
            .one(flowContributor: .contributeFlow(named: "Side", onResult: .step { (_: Photo) in TestStep.one }))
        }
        let error = try await refusal { try await fixture.coordinator.emit(TestStep.one, on: flow) }
        #expect(error.message.contains("contributed by its name"), "\(error)")
    }

    @Test func `on the bus such an answer is an error before the screen is there`() async throws {
        let fixture = try CoordinatorFixture(.onTheBus)
        let flow = try await fixture.root(Main.self) { _ in .child(Picker()) }
        let error = try await refusal { try await fixture.coordinator.emit(TestStep.one, on: flow) }
        #expect(error.message.contains("@AnswerValues struct Photo"), "\(error)")
        let refused = try await refusal { try await fixture.coordinator.coordinate(flow: Chooser()) }
        #expect(refused.code == .invalidStep, "\(refused)")
        #expect(fixture.coordinator.tree["Main"]?.children.isEmpty == true)
    }
}
