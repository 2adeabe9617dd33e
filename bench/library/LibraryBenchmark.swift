import FlowBus
import Platform

/// Runs flows in this process, for `make bench`, which counts its instructions: the difference of two runs with different counts is what
/// one step costs.
///
/// ```
/// library-bench awaited|adapt|screen|burst COUNT
/// ```
@main
@MainActor
enum LibraryBenchmark {
    private enum Call: String, CaseIterable {
        /// A step that changes nothing, whose outcome is awaited.
        case awaited
        /// The same for a flow with an `adapt` that returns at once.
        case adapt
        /// A step that adds a screen.
        case screen
        /// Steps of a stepper, all at once.
        case burst
    }

    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard let call = arguments.first.flatMap(Call.init), arguments.count == 2,
            let count = arguments.last.flatMap({ Int($0) })
        else {
            print("usage: library-bench \(Call.allCases.map(\.rawValue).joined(separator: "|")) COUNT")
            return
        }
        let coordinator = FlowCoordinator()
        switch call {
        case .awaited: try await emit(count, .none, coordinator, on: PlainFlow())
        case .adapt: try await emit(count, .none, coordinator, on: GuardedFlow())
        case .screen: try await emit(count, .screen, coordinator, on: PlainFlow())
        case .burst: try await burst(count, coordinator)
        }
    }

    private static func emit(
        _ count: Int, _ step: BenchStep, _ coordinator: FlowCoordinator, on flow: some Flow
    ) async throws {
        try await coordinator.coordinate(flow: flow, with: NoneStepper())
        for _ in 0..<count { try await coordinator.emit(step, on: flow) }
        leave()
    }

    private static func burst(_ count: Int, _ coordinator: FlowCoordinator) async throws {
        let (flow, stepper) = (PlainFlow(), NoneStepper())
        try await coordinator.coordinate(flow: flow, with: stepper)
        for _ in 0..<count { stepper.steps.accept(BenchStep.none) }
        // It is taken after them.
        try await coordinator.emit(BenchStep.none, on: flow)
        leave()
    }

    /// Ends without ending the flows, which is no part of a step.
    private static func leave() -> Never { CurrentProcess.exit(0) }
}

private enum BenchStep: Step {
    case none
    case screen
}

private final class Page: Screen {
    let presence = Presence()
}

private final class PlainFlow: Flow {
    static let steps: [any Step.Type] = [BenchStep.self]
    static let isGuarded = false
    let root = Page()

    func navigate(to step: any Step) -> FlowContributors {
        guard let step = step as? BenchStep else { return .none }
        switch step {
        case .none: return .none
        case .screen:
            return .one(flowContributor: .contribute(withNextPresentable: Page(), withNextStepper: NoneStepper()))
        }
    }
}

private final class GuardedFlow: Flow {
    static let steps: [any Step.Type] = [BenchStep.self]
    let root = Page()

    func adapt(step: any Step) async -> any Step { step }
    func navigate(to step: any Step) -> FlowContributors { .none }
}
