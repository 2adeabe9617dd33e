@testable import FlowCore

/// Evictions as a client of the bus sees them (S-44), with what owners saved.
struct EvictionBook {
    /// The owners that were told to leave a screen, by its instance.
    private var leaving: [UInt64: Client] = [:]
    /// Those of them that have not been asked for yet.
    private var told: [(instance: UInt64, owner: Client)] = []
    /// The screens that nobody has since their eviction.
    private(set) var evicted: Set<UInt64> = []
    /// The screens that were presented before.
    private var presented: Set<UInt64> = []
    /// Their latest calls, by instance, as far as these are the first ones.
    private var launches: [UInt64: QuestionID] = [:]
    /// By instance: what was saved last, as far as it was acknowledged.
    private var states: [UInt64: Arguments] = [:]
    /// The screens that were reused since: other arguments drop what was saved.
    private var reused: Set<UInt64> = []
    /// How many screens were evicted, and how many of them were presented again, and with a state.
    private(set) var count = 0
    private(set) var returns = 0
    private(set) var statefulReturns = 0
    private(set) var faults: [String] = []

    mutating func takeTold() -> [(instance: UInt64, owner: Client)] {
        defer { told = [] }
        return told
    }

    mutating func save(_ state: Arguments, of instance: UInt64) {
        states[instance] = state
        reused.remove(instance)
    }

    /// Takes an effect that the model has taken.
    mutating func take(_ effect: Effect, _ model: BusModel) {
        switch effect {
        case .withdraw(let it) where it.reason == .evicted: take(it, model)
        case .changeProperties(let changes): if let object = model.objects[changes.path] { follow(object) }
        case .present(let it): take(it)
        case .emitNavigationOccurred(let navigation):
            for it in navigation.contributions where it.kind == .reuse {
                if let screen = it.path.flatMap({ model.objects[$0] }) { reused.insert(screen.instance) }
            }
        default: break
        }
    }

    /// The process ends, and another one begins. The answers to its open questions are lost: who was asked to present a new screen is
    /// asked that again, for the same reason (S-38).
    mutating func restart(_ open: some Collection<QuestionID>) {
        let lost = Set(open)
        presented.subtract(launches.filter { lost.contains($0.value) }.keys)
        launches = [:]
    }

    /// A presenter has failed, or is late: what it was called for was not presented.
    mutating func fail(_ question: QuestionID) {
        presented.subtract(launches.filter { $0.value == question }.keys)
    }

    /// Forgets what is gone.
    mutating func follow(_ model: BusModel) {
        let live = Set(model.objects.values.map(\.instance))
        leaving = leaving.filter { live.contains($0.key) }
        evicted.formIntersection(live)
    }

    private mutating func take(_ withdrawal: Withdrawal, _ model: BusModel) {
        // After a restart an owner is told again, also if the screen is in sight by then.
        if leaving.updateValue(withdrawal.client, forKey: withdrawal.instance) == withdrawal.client { return }
        told.append((withdrawal.instance, withdrawal.client))
        let screen = model.objects[withdrawal.path]
        if screen?.owner != withdrawal.client.name || screen?.isInSight != false {
            faults.append("\(withdrawal.path) is evicted in sight, or from another one than its owner")
        }
    }

    private mutating func follow(_ screen: PresentableState) {
        if !screen.owner.isEmpty { evicted.remove(screen.instance) }
        guard let owner = leaving[screen.instance], screen.owner != owner.name else { return }
        leaving[screen.instance] = nil
        guard screen.owner.isEmpty else { return }
        evicted.insert(screen.instance)
        count += 1
        if screen.isVisible { faults.append("\(screen.path) is evicted, and visible") }
    }

    private mutating func take(_ it: Presentation) {
        if leaving[it.instance] != nil { faults.append("\(it.path) is presented while its owner leaves it") }
        let saved = states[it.instance] ?? []
        if it.state != saved, !it.state.isEmpty || !reused.contains(it.instance) {
            faults.append("\(it.path) gets \(it.state), and \(saved) was saved")
        }
        if evicted.remove(it.instance) != nil {
            returns += 1
            if !it.state.isEmpty { statefulReturns += 1 }
            // It may have been claimed before anyone was asked to present it, or had said that it is presented.
            if it.reason != .recover, it.reason != .launch || presented.contains(it.instance) {
                faults.append("\(it.path) was evicted, and is presented by \(it.reason)")
            }
        }
        presented.insert(it.instance)
        if it.reason != .return { launches[it.instance] = it.reason == .launch ? it.id : nil }
    }
}
