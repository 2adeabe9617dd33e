import FlowBus
import FlowBusClient

/// The static properties of a test's flow.
protocol Oddity: SendableMetatype {
    static var definition: String { get }
    static var steps: [any Step.Type] { get }
    static var children: Children { get }
    static var isGuarded: Bool { get }
    static var timeout: Duration { get }
}

extension Oddity {
    static var definition: String { String(describing: Self.self) }
    static var steps: [any Step.Type] { [TestStep.self] }
    static var children: Children { .free }
    static var isGuarded: Bool { true }
    static var timeout: Duration { .seconds(10) }
}

/// A flow whose properties a test defines.
final class OddFlow<Kind: Oddity>: Flow {
    static var definition: String { Kind.definition }
    static var steps: [any Step.Type] { Kind.steps }
    static var children: Children { Kind.children }
    static var isGuarded: Bool { Kind.isGuarded }
    static var timeout: Duration { Kind.timeout }

    let root = TestScreen("root")
    private(set) var withdrawals = 0
    private let answer: @MainActor (any Step) -> FlowContributors
    private let adapted: @MainActor (any Step) async throws -> any Step

    init(
        _ kind: Kind.Type, _ answer: @escaping @MainActor (any Step) -> FlowContributors = { _ in .none },
        adapt: @escaping @MainActor (any Step) async throws -> any Step = { $0 }
    ) {
        self.answer = answer
        adapted = adapt
    }

    func adapt(step: any Step) async throws -> any Step { try await adapted(step) }
    func navigate(to step: any Step) -> FlowContributors { answer(step) }
    func withdraw() { withdrawals += 1 }
}

/// Flow types by their properties.
enum Main: Oddity {}
enum Side: Oddity {}
enum Deep: Oddity {}

/// A step type that no flow lists.
@Step
enum UndeclaredStep { case undeclared }

extension FlowContributor {
    /// A child without steps of its own.
    @MainActor
    static func child(_ presentable: any Presentable) -> FlowContributor {
        .contribute(withNextPresentable: presentable, withNextStepper: NoneStepper())
    }

    /// A child that begins with a step.
    @MainActor
    static func child(_ presentable: any Presentable, _ step: any Step) -> FlowContributor {
        .contribute(withNextPresentable: presentable, withNextStepper: OneStepper(withSingleStep: step))
    }
}

extension FlowContributors {
    @MainActor
    static func child(_ presentable: any Presentable) -> FlowContributors {
        .one(flowContributor: .child(presentable))
    }

    @MainActor
    static func child(_ presentable: any Presentable, _ step: any Step) -> FlowContributors {
        .one(flowContributor: .child(presentable, step))
    }

    static func all(_ contributors: FlowContributor...) -> FlowContributors {
        .multiple(flowContributors: contributors)
    }
}

extension CoordinatorFixture {
    /// A live root with a test's contributors, before its first step.
    func root<Kind: Oddity>(
        _ kind: Kind.Type, _ answer: @escaping @MainActor (any Step) -> FlowContributors = { _ in .none },
        adapt: @escaping @MainActor (any Step) async throws -> any Step = { $0 }
    ) async throws -> OddFlow<Kind> {
        let flow = OddFlow(kind, answer, adapt: adapt)
        try await begin(flow)
        return flow
    }

    /// Emits a step and returns its verdict.
    func verdict(of step: any Step, on presentable: any Presentable) async -> String {
        do {
            return try await coordinator.emit(step, on: presentable).verdict.rawValue
        } catch let error as NavigationError {
            return error.code.rawValue
        } catch {
            return "\(error)"
        }
    }
}
