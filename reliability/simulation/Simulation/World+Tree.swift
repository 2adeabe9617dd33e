import CSdBus
@testable import FlowCore
@testable import Worlds
@testable import flowbusd

// What the tree never has, whatever happened.

extension World {
    /// How long flowbusd may take for what is due, in µs.
    private static let slack: UInt64 = 1_000_000

    /// Notes what an event led to. Who is killed before the signals has told nobody of its instances.
    func note(_ effects: [Effect], of event: Event) {
        if case .restored(let records, _) = event {
            restoredInstances = Set(records.filter { $0.key.kind == .node }.map(\.key.number))
            instances.formUnion(restoredInstances)
        }
        for effect in effects {
            noteWithdrawal(effect)
            if case .addPresentable(let state) = effect { added[state.path, default: []].append(state.instance) }
        }
    }

    /// flowbusd has signalled a presentable at a path: the one of its oldest effect there.
    func addedPresentable(at path: String) {
        guard let instance = added[path]?.first else { return }
        added[path]?.removeFirst()
        let isNew = instances.insert(instance).inserted || restoredInstances.contains(instance)
        if !isNew, !mayRepeatSerials {
            fail("'\(path)' has the instance \(instance), which another presentable had (S-1, D-2)")
        }
    }

    /// flowbusd answers a call: at once, or when its caller has waited for as long as it should (S-9).
    func checkDelay(of call: PendingCall, by peer: Peer) {
        let delay = sim_now - busyTime - call.delivered
        if delay > Limits.replyTimeout + Self.slack {
            fail("\(peer.name) has waited \(delay) µs for the answer to \(call.member) (S-9)")
        }
    }

    /// One origin reports once that it has triggered too many steps (S-11). Seen where an event has one origin, and no other waits.
    func countLoops(_ effects: [Effect], of event: Event, wasAlone: Bool) {
        switch event {
        case .continued: break
        case .stepEmitted(_, _, _, _, let client, _) where wasAlone: loopReports = (client, 0)
        default: loopReports = nil
        }
        // What another client began earlier, such as a screen, can begin a cascade of its own.
        guard let known = loopReports else { return }
        let reports = effects.count {
            guard case .emitNavigationFailed(let failure) = $0 else { return false }
            return failure.reason == .error(.navigationLoop) && failure.client == known.client
        }
        loopReports?.count += reports
        if known.count + reports > 1 {
            fail("\(known.count + reports) reports say that one origin triggers too many steps (S-11)")
        }
    }

    private func noteWithdrawal(_ effect: Effect) {
        if case .withdraw(let withdrawal) = effect, withdrawal.reason == .evicted {
            toldToLeave[withdrawal.instance] = sim_now
        }
    }

    /// Nobody who is gone owns anything (S-30), and an owner that is told to leave a screen has left it 10 s later (S-44).
    func checkOwners() {
        guard let daemon, daemon.state.isServing, !daemon.isBusy else { return }
        let forest = daemon.coordinator.machine.forest
        for slot in forest.preorder() {
            guard let owner = forest[slot].owner else { continue }
            let (path, instance) = (forest[slot].path, forest[slot].instance)
            if let gone = goneSince[owner.name], max(gone, lifeBegin) + Self.slack < sim_now,
                isOverdue("\(instance) \(gone)")
            {
                fail("'\(path)' has the owner '\(owner.name)', which left the bus at \(gone) (S-30)")
            }
            guard forest[slot].presenting?.kept.eviction == .underWay else { continue }
            guard let told = toldToLeave[instance] else {
                fail("'\(owner.name)' is to leave '\(path)', and this flowbusd has not told it (S-44)")
                return
            }
            if told + Limits.leaveTime + Self.slack < sim_now, isOverdue("\(instance) \(told)") {
                fail("'\(owner.name)' still owns '\(path)', and was told to leave it at \(told) (S-44)")
            }
        }
    }

    /// The titles of presentables are those of their definitions, in the language of their context (S-58).
    func checkTitles() {
        guard let daemon, daemon.state.isServing, !daemon.isBusy else { return }
        let forest = daemon.coordinator.machine.forest
        for slot in forest.preorder() {
            let (node, language) = (forest[slot], daemon.coordinator.machine.language(at: slot))
            let title = daemon.coordinator.machine.texts(of: slot).title?.text(in: language, node.arguments) ?? ""
            if node.declaredTitle != title {
                fail("'\(node.path)' has the title '\(node.declaredTitle)', not '\(title)' (S-58)")
            }
        }
    }

    /// Whether something was overdue some turns of the loop before: time can pass while flowbusd has work at hand.
    private func isOverdue(_ what: String) -> Bool {
        guard let first = overdue[what] else {
            overdue[what] = turns
            return false
        }
        return turns > first + 30
    }
}
