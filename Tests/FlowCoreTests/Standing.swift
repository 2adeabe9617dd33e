@testable import FlowCore

/// All that a refusal leaves as it was (S-33).
struct Standing: Equatable {
    private let nodes: [Node]
    private let accounting: Accounting
    private let origins: [UInt64: Coordinator.Origin]
    private let serial: UInt64
    private let waiting: [WaitingStep]
    private let blocked: [NodeID: [WaitingStep]]
    private let questions: [QuestionID: Asked]
    private let watched: [Client: Int]
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
        origins = coordinator.origins
        serial = coordinator.serial
        waiting = coordinator.queue.all
        blocked = coordinator.blocked.mapValues(\.sorted)
        questions = coordinator.questions
        watched = coordinator.watched
        definitions = coordinator.definitions
    }
}
