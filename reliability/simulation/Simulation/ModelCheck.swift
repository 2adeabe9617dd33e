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
    /// An event that goes on in slices, which the model knows none of: all of them together are its one.
    private var sliced: Sliced?

    private struct Sliced {
        let event: Event
        let time: Instant
        var effects: [Effect]
        /// How many slices there were.
        var count = 0
    }

    init(_ definitions: Definitions) { model = Model(definitions, base: "\(BusNames.tree)") }

    /// The model goes no further.
    func end() { isOver = true }

    func handle(
        _ event: Event, _ now: Instant, _ coordinator: inout Coordinator, _ fail: (String) -> Void
    ) -> [Effect] {
        let effects = coordinator.handle(event, at: now, upTo: Limits.slice)
        if isOver { return effects }
        for case .watchClient(let client) in effects {
            // As in `World` of the tests: it outlasts the usage of a client that is gone.
            isOver = isOver || model.isGone(client)
            watched.insert(client)
        }
        let isSlice = if case .continued = event { true } else { false }
        // Another event, or another time, in the midst of one: the model has no such thing.
        if (sliced != nil) != isSlice || sliced.map({ $0.time != now }) == true || (!isSlice && !isKnown(event)) {
            isOver = isOver || isSlice || sliced != nil
            return effects
        }
        var whole = sliced ?? Sliced(event: event, time: now, effects: [])
        whole.effects += effects
        whole.count += 1
        sliced = coordinator.pendingWork.hasMore ? whole : nil
        if !isOver, sliced == nil { compare(whole, fail) }
        return effects
    }

    private func compare(_ whole: Sliced, _ fail: (String) -> Void) {
        let (event, effects) = (whole.event, whole.effects)
        let expected = model.handle(event, at: whole.time)
        let actual = effects.filter(Self.isObserved).compactMap(ObservedEffect.init)
        compared += 1
        if actual != expected, !isSame(expected, actual, isSliced: whole.count > 1) {
            fail("the model of the rules expects \(expected), and the coordinator has \(actual), of \(event)")
        }
    }

    /// A call can be answered at the end of a slice, before the steps of later ones.
    private func isSame(_ expected: [ObservedEffect], _ actual: [ObservedEffect], isSliced: Bool) -> Bool {
        guard isSliced else { return ObservedEffect.isSame(expected, actual, nil) }
        func answers(_ all: [ObservedEffect]) -> [ObservedEffect] { all.filter { $0.request != nil } }
        func others(_ all: [ObservedEffect]) -> [ObservedEffect] { all.filter { $0.request == nil } }
        return answers(expected) == answers(actual) && ObservedEffect.isSame(others(expected), others(actual), nil)
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
