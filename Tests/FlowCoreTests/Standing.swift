@testable import FlowCore

/// All that a refusal leaves as it was (S-33).
struct Standing: Equatable {
    private let nodes: [Node]
    private let accounting: Accounting
    private let origins: [UInt64: Origins.Cascade]
    private let serial: UInt64
    private let waiting: [WaitingStep]
    private let blocked: [NodeID: [WaitingStep]]
    private let questions: [QuestionID: Asked]
    private let watches: ClientWatches
    private let definitions: Definitions

    /// How a coordinator stands; without the times at which its flows were reached, where those may differ.
    init(of coordinator: borrowing Coordinator, withTimes: Bool = true) {
        nodes = coordinator.forest.preorder().map { [forest = coordinator.forest] slot in
            var node = forest[slot]
            // What a search noted is no part of it.
            (node.isEvictable, node.isUnseen) = (false, false)
            if !withTimes {
                node.flow?.reached = nil
                node.flow?.isResting = false
            }
            return node
        }
        accounting = coordinator.accounting
        origins = coordinator.origins.cascades
        serial = coordinator.serial
        waiting = coordinator.queue.all
        blocked = coordinator.blocked.all
        questions = coordinator.questions.open
        watches = coordinator.watches
        definitions = coordinator.definitions
    }
}
