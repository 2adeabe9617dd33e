@testable import FlowCore

/// All that a refusal leaves as it was (S-33).
struct Standing: Equatable {
    private let nodes: [Node]
    private let ledger: Ledger
    private let origins: [UInt64: FlowCoordinator.Origin]
    private let serial: UInt64
    private let waiting: [WaitingStep]

    /// How a coordinator stands; without the times at which its flows were reached, where those may differ.
    init(of coordinator: borrowing FlowCoordinator, withTimes: Bool = true) {
        nodes = coordinator.forest.preorder().map { [forest = coordinator.forest] slot in
            var node = forest.nodes[slot]
            if !withTimes {
                node.flow?.reached = nil
                node.flow?.isResting = false
            }
            return node
        }
        ledger = coordinator.ledger
        origins = coordinator.origins
        serial = coordinator.serial
        waiting = coordinator.queue.steps
    }
}

extension FlowCoordinator {
    /// A coordinator in the same state, to compare with later: the type itself can't be copied.
    func copy() -> FlowCoordinator {
        var copy = FlowCoordinator(definitions: definitions, basePath: forest.base)
        copy.forest = forest
        copy.queue = queue
        copy.ledger = ledger
        copy.origins = origins
        copy.lastOrigin = lastOrigin
        copy.serial = serial
        copy.now = now
        copy.tokens = tokens
        copy.nameOwners = nameOwners
        copy.alarms = alarms
        copy.timer = timer
        return copy
    }
}
