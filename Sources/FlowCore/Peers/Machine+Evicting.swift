// Screens that have long been out of sight are taken from their processes, and stay (S-44).

extension Machine {
    /// Takes all screens of a tree that are out of sight and have the key from their processes.
    mutating func evictCovered(in root: NodeSlot, _ turn: inout Turn) {
        guard definitions.haveEvictedScreens else { return }
        for slot in forest.postorder(root) where isEvictable(slot) && evictionTime(of: slot) != nil {
            evict(slot, &turn)
        }
    }

    /// Whether a screen can be taken from its process now: not in the midst of a call of its presenter.
    func isEvictable(_ slot: NodeSlot) -> Bool {
        guard let presenting = forest[slot].presenting, forest[slot].owner != nil, !forest[slot].isInSight,
            presenting.eviction == .none
        else { return false }
        return switch presenting.state {
        case .due, .shown: true
        case .queued, .asked: false
        }
    }

    mutating func evict(_ slot: NodeSlot, _ turn: inout Turn) {
        guard let owner = forest[slot].owner else { return }
        forest.update(slot) { $0.presenting?.eviction = .underWay }
        askToLeave(slot, owner, &turn)
    }

    /// Until the owner leaves the screen, or its time is over, it may save the state.
    mutating func askToLeave(_ slot: NodeSlot, _ owner: Client, _ turn: inout Turn) {
        setAlarm(.leave, of: slot, due: turn.now.advanced(by: Limits.leaveTime))
        withdraw(forest[slot], from: owner, .evicted, &turn)
    }

    /// The owner of a screen that is evicted has left it, or its time is over. In sight again meanwhile, the screen is presented.
    mutating func endEviction(of slot: NodeSlot, _ turn: inout Turn) {
        let owner = forest[slot].owner
        removeOwner(slot, &turn)
        forest.update(slot) { node in
            node.presenting?.eviction = .done
            node.presenting?.leftBy = owner
        }
        hide(slot)
        if forest[slot].isInSight { forest.noteSighting(slot) }
        reportChanges(&turn)
        triggerPresented(&turn)
    }
}
