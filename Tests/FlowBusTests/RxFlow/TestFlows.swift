import FlowBus
import FlowBusClient

// The flows of RxFlow's own tests.

@Step
enum TestStep: BusStep, Equatable {
    case one, two, three, four, five, six
    case multiple
    case unauthorized
    case number(Int)
    case reference
}

/// A screen, optionally with steps of its own.
final class TestScreen: Screen, Stepper {
    let presence = Presence()
    let steps = PublishRelay<any Step>()
    let initialStep: any Step
    private let givenName: String
    private(set) var readyCount = 0
    private(set) var withdrawals = 0

    init(_ name: String = "page", initialStep: any Step = NoneStep()) {
        givenName = name
        self.initialStep = initialStep
    }

    var name: String { givenName }
    func readyToEmitSteps() { readyCount += 1 }
    func withdraw() { withdrawals += 1 }
}

/// A flow with a test's contributors.
final class TestFlow: Flow {
    static let steps: [any Step.Type] = [TestStep.self, RxFlowStep.self]
    let root = TestScreen("root")
    private let answer: @MainActor (any Step) -> FlowContributors
    private let adapted: @MainActor (any Step) async throws -> any Step

    init(
        _ answer: @escaping @MainActor (any Step) -> FlowContributors = { _ in .none },
        adapt: @escaping @MainActor (any Step) async throws -> any Step = { $0 }
    ) {
        self.answer = answer
        adapted = adapt
    }

    func adapt(step: any Step) async throws -> any Step { try await adapted(step) }
    func navigate(to step: any Step) -> FlowContributors { answer(step) }
}

/// A flow below it, with another definition.
final class LeafFlow: Flow {
    static let steps: [any Step.Type] = [TestStep.self]
    static let definition = "leaf"
    let root = TestScreen("leafRoot")
    private let answer: @MainActor (any Step) -> FlowContributors

    init(_ answer: @escaping @MainActor (any Step) -> FlowContributors = { _ in .none }) { self.answer = answer }

    func navigate(to step: any Step) -> FlowContributors { answer(step) }
}

/// A stepper that emits a test's steps.
final class TestStepper: Stepper {
    let steps = PublishRelay<any Step>()
    let initialStep: any Step
    private(set) var readyCount = 0

    init(_ initialStep: any Step = NoneStep()) { self.initialStep = initialStep }

    func readyToEmitSteps() { readyCount += 1 }
}

extension FlowContributors {
    /// A screen that emits its own steps.
    @MainActor
    static func screen(_ screen: TestScreen, allowStepWhenNotPresented: Bool = false) -> FlowContributors {
        .one(flowContributor: .contribute(withNext: screen, allowStepWhenNotPresented: allowStepWhenNotPresented))
    }
}
