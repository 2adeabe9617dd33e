@testable import FlowCore

// What tests look at in a coordinator.
extension Coordinator {
    var forest: Forest { machine.forest }
    var accounting: Accounting { machine.accounting }
    var queue: StepQueue { machine.queue }
    var blocked: BlockedSteps { machine.blocked }
    var origins: Origins { machine.origins }
    var activationTokens: ActivationTokens { machine.activationTokens }
    var alarms: Alarms { machine.alarms }
    var calls: PendingCalls { machine.calls }
    var tokens: Tokens { machine.tokens }
    var questions: Questions { machine.questions }
    var emptyFlows: EmptyFlows { machine.emptyFlows }
    /// What emptied the flows that are noted as empty.
    var emptied: [EmptyFlows.Cause] { forest.preorder().compactMap { forest[$0].flow?.kept.emptiedBy?.value } }
    var nameOwners: NameOwners { machine.nameOwners }
    var watches: ClientWatches { machine.watches }
    var registrations: Registrations { machine.registrations }
    var steppers: Steppers { machine.steppers }
    var unsaved: UnsavedRecords { machine.unsaved }
    var allRecords: [Record] {
        var machine = machine
        return machine.takeRecords(all: true)
    }

    func watchdog(of slot: NodeSlot) -> UInt64? { machine.watchdog(of: slot, in: definitions) }
    func evictionTime(of slot: NodeSlot) -> UInt64? { machine.evictionTime(of: slot) }

    func checkHandling(_ slot: NodeSlot, _ client: Client) throws(FlowError) {
        try machine.checkHandling(slot, client)
    }

    func definition(of flow: NodeSlot) -> FlowID { machine.definition(of: flow) }

    /// A coordinator in the same state, which goes its own way from here.
    borrowing func copy() -> Coordinator {
        var copy = Coordinator(definitions: definitions, basePath: machine.forest.base)
        copy.machine = machine
        return copy
    }
}
