import FlowCore
import FlowWire

@testable import Worlds

/// Compares what the coordinator of flowbusd does with what the model of the rules says (`Tests/FlowModelTests`), until the first
/// restart: the model has none. It knows the rules of one process, so no flow of these runs has a guard, a navigator or a presenter.
final class ModelCheck {
    private let model: Model
    private var isOver = false
    private var watched: Set<Client> = []
    private(set) var compared: UInt64 = 0

    init(_ definitions: Definitions) { model = Model(definitions, base: "\(BusNames.tree)") }

    /// The model goes no further.
    func end() { isOver = true }

    func handle(
        _ event: Event, _ now: Instant, _ coordinator: inout Coordinator, _ fail: (String) -> Void
    ) -> [Effect] {
        let effects = coordinator.handle(event, at: now, upTo: Limits.slice)
        if isOver || !isKnown(event) { return effects }
        // The model knows no slices.
        if coordinator.pendingWork.hasMore {
            isOver = true
            return effects
        }
        for case .watchClient(let client) in effects {
            // As in `World` of the tests: it outlasts the usage of a client that is gone.
            isOver = isOver || model.isGone(client)
            watched.insert(client)
        }
        if isOver { return effects }
        let expected = model.handle(event, at: now)
        let actual = effects.filter(Self.isObserved).compactMap(ObservedEffect.init)
        compared += 1
        if actual != expected, !ObservedEffect.isSame(expected, actual, nil) {
            fail("the model of the rules expects \(expected), and the coordinator has \(actual), of \(event)")
        }
        return effects
    }

    private static func isObserved(_ effect: Effect) -> Bool {
        switch effect {
        case .watchClient, .reportTiming: false
        default: true
        }
    }

    /// Whether the model knows the event; else it ends.
    private func isKnown(_ event: Event) -> Bool {
        switch event {
        // They change nothing.
        case .emissionRepeated, .backRepeated: return false
        case .clientVanished(let client): return watched.contains(client)
        case .clientIdentified(let client, _): return watched.contains(client)
        case .presentableClaimed, .presentableReleased, .readinessAwaited, .backStepSet, .titleSet, .stateSaved,
            .screenFinished,
            .flowRegistered, .flowUnregistered, .continued, .restored:
            isOver = true
            return false
        default: return true
        }
    }
}
