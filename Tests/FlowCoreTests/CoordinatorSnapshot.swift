@testable import FlowCore

/// The state of a coordinator that a refusal leaves unchanged (S-33).
struct CoordinatorSnapshot: Equatable {
    private let nodes: [Node]
    private let accounting: Accounting
    private let origins: [UInt64: Origins.Cascade]
    private let serial: UInt64
    private let waiting: [WaitingStep]
    private let blocked: [NodeID: [WaitingStep]]
    private let questions: [QuestionID: Asked]
    private let watches: ClientWatches
    private let definitions: Definitions

    /// Takes a snapshot, optionally without the idle times of flows.
    init(of coordinator: borrowing Coordinator, withTimes: Bool = true) {
        nodes = coordinator.forest.preorder().map { [forest = coordinator.forest] slot in
            var node = forest[slot]
            // Notes of a search are not part of the state.
            (node.isReclaimable, node.isUnseen) = (false, false)
            if !withTimes {
                node.flow?.activity.idle = TimerState()
                node.flow?.touched = nil
                node.flow?.alarm = nil
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
