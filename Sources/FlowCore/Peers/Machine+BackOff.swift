// Programs that crash again and again: their presenters have to wait (S-36).

extension Machine {
    /// When the wait of presenters of screens like this one is over; nil if they don't have to wait.
    func backOff(of slot: NodeSlot, _ now: Instant) -> Instant? {
        let losses = forest[slot].parent.flatMap { forest[$0].flow?.losses[forest[slot].name] }
        return losses.flatMap { now < $0.until ? $0.until : nil }
    }

    /// Whether a presenter is not called yet, because its screens of this name lost too many owners (S-36). Then an alarm is set.
    mutating func isDelayed(_ slot: NodeSlot, _ now: Instant) -> Bool {
        guard let flow = forest[slot].parent, forest[slot].owner == nil, let end = backOff(of: slot, now) else {
            return false
        }
        let name = forest[slot].name
        if forest.children(of: flow).contains(where: { forest[$0].name == name && isSurvivor(forest[$0], now) }) {
            forgetLosses(of: name, in: flow)
            return false
        }
        // It can come in sight many times until then.
        if forest[slot].presenting?.delayedUntil != end {
            forest.update(slot) { $0.presenting?.delayedUntil = end }
            schedule(.screen(forest.id(of: slot)), due: end)
        }
        return true
    }

    /// The wait for a screen is over, unless another alarm took the place of this one, or no call has to wait any more.
    mutating func endDelay(of screen: NodeID, at alarm: Instant) {
        guard let slot = forest.slot(of: screen), forest[slot].presenting?.delayedUntil == alarm else { return }
        forest.update(slot) { $0.presenting?.delayedUntil = nil }
        guard let presenting = forest[slot].presenting, presenting.state == .due else { return }
        if forest[slot].owner == nil {
            if !presenting.isKept { forest.noteSighting(slot) }
        } else {
            // A client has claimed it meanwhile.
            forest.update(slot) { node in
                node.presenting?.state = .shown
                node.presenting?.isKept = false
            }
        }
    }

    /// Whether a screen has had its owner for so long that former losses don't count.
    private func isSurvivor(_ node: Node, _ now: Instant) -> Bool {
        node.presenting?.ownedSince.map { $0.advanced(by: Limits.survival) <= now } ?? false
    }

    private mutating func forgetLosses(of name: String, in flow: NodeSlot) {
        if forest[flow].flow?.losses[name] != nil { forest.update(flow) { $0.flow?.losses[name] = nil } }
    }

    /// A screen goes, or loses its owner. If it had that for long enough, former losses don't count.
    mutating func noteSurvival(of node: Node, _ now: Instant) {
        if let flow = node.parent, isSurvivor(node, now) { forgetLosses(of: node.name, in: flow) }
    }

    /// A screen has no owner from now on.
    mutating func endOwnership(of slot: NodeSlot, _ now: Instant) {
        noteSurvival(of: forest[slot], now)
        forest.update(slot) { $0.presenting?.ownedSince = nil }
    }

    /// Notes that a screen with a presenter lost its owner, or found none. Returns whether that happened to its flow's screens
    /// of this name too often.
    mutating func noteLoss(of slot: NodeSlot, _ now: Instant) -> Bool {
        guard let flow = forest[slot].parent else { return false }
        endOwnership(of: slot, now)
        let name = forest[slot].name
        // Clients can register screens of any name.
        var all = (forest[flow].flow?.losses ?? [:]).filter { !$0.value.isOver(at: now) }
        let isTooMany = all[name, default: OwnerLosses()].note(at: now)
        forest.update(flow) { [all] in $0.flow?.losses = all }
        return isTooMany
    }

    /// Forgets the losses of screens that no definition declares any more.
    mutating func forgetUndeclaredLosses(of flow: NodeSlot) {
        guard let losses = forest[flow].flow?.losses, !losses.isEmpty else { return }
        let declared = losses.filter { definitions.screen(named: $0.key) != nil }
        if declared.count < losses.count { forest.update(flow) { $0.flow?.losses = declared } }
    }
}

/// The losses of owners of a flow's screens of one name (S-36). A program that crashes again and again has to wait.
struct OwnerLosses: Equatable, Sendable {
    /// Those of the last 10 s.
    var times: [Instant] = []
    /// How many were too many.
    var excess: UInt64 = 0
    /// No presenter is called for a screen without an owner before this time.
    var until = Instant(microseconds: 0)

    /// Whether no loss counts any more.
    func isOver(at now: Instant) -> Bool {
        excess == 0 && times.allSatisfy { $0.advanced(by: Limits.lossTime) <= now }
    }

    /// Notes a loss. From the third one within the period on, the next calls have to wait. Returns whether it is such a one.
    mutating func note(at now: Instant) -> Bool {
        times.removeAll { $0.advanced(by: Limits.lossTime) <= now }
        times.append(now)
        let isTooMany = times.count >= Limits.losses
        guard isTooMany || excess > 0 else { return false }
        if isTooMany { times.removeFirst(times.count - Limits.losses) }
        until = now.advanced(by: min(Limits.firstWait << min(excess, 32), Limits.longestWait))
        excess += 1
        return isTooMany
    }
}
