// Presenters that have to wait: their programs crash again and again (S-36), or the properties of their root are not known yet (S-49).

extension Machine {
    /// Whether a screen has an owner that showed it. The only client owns it before that.
    private func isOwned(_ slot: NodeSlot) -> Bool {
        soleClient == nil ? forest[slot].owner != nil : forest[slot].presenting?.ownedSince != nil
    }

    /// When the wait of presenters of screens like this one is over; nil if they don't have to wait.
    func backOff(of slot: NodeSlot, _ now: Instant) -> Instant? {
        let losses = forest[slot].parent.flatMap { forest[$0].flow?.losses[forest[slot].name] }
        return losses.flatMap { now < $0.until ? $0.until : nil }
    }

    /// Whether a presenter is not called yet, because its screens of this name lost too many owners (S-36). Then an alarm is set, and
    /// the wait is reported.
    ///
    /// - Parameters:
    ///   - searched: the names for which no survivor was found in this event, as there can be a thousand siblings.
    ///   - turn: gets the report.
    mutating func isDelayed(_ slot: NodeSlot, _ searched: inout Set<Forest.NameInFlow>, _ turn: inout Turn) -> Bool {
        let now = turn.now
        guard let flow = forest[slot].parent, !isOwned(slot), let end = backOff(of: slot, now) else { return false }
        if searched.insert(forest.nameInFlow(of: slot)).inserted {
            let name = forest[slot].name
            for sibling in forest.children(of: flow) where forest[sibling].name == name {
                noteSurvival(of: forest[sibling], now)
            }
            if backOff(of: slot, now) == nil { return false }
        }
        forest.update(slot) { $0.presenting?.delayedUntil = end }
        // It can come in sight many times until then.
        if let presenter = forest[slot].presenting?.presenter.service.name, forest[slot].presenting?.delayAlarm != end {
            forest.update(slot) { $0.presenting?.delayAlarm = end }
            schedule(.screen(forest.id(of: slot)), due: end)
            turn.effects.append(
                .reportDelay(
                    path: forest[slot].path, presenter: presenter,
                    microseconds: end.microseconds - now.microseconds))
        }
        return true
    }

    /// The wait for a screen is over, unless another alarm took the place of this one, or no call has to wait any more.
    mutating func endDelay(of screen: NodeID, at alarm: Instant) {
        guard let slot = forest.slot(of: screen), let presenting = forest[slot].presenting,
            presenting.delayAlarm == alarm
        else { return }
        forest.update(slot) { node in
            node.presenting?.delayAlarm = nil
            node.presenting?.delayedUntil = nil
        }
        guard presenting.delayedUntil == alarm, presenting.state == .due, !presenting.isKept else { return }
        forest.noteSighting(slot)
    }

    /// An owner that keeps its screen for long enough ends the losses up to then, those of other screens of the name, too.
    mutating func noteSurvival(of node: Node, _ now: Instant) {
        guard let flow = node.parent, let since = node.presenting?.ownedSince,
            let losses = forest[flow].flow?.losses[node.name]
        else { return }
        let survived = since.advanced(by: Limits.survival)
        guard survived <= now, losses.times.allSatisfy({ $0 <= survived }) else { return }
        forest.update(flow) { $0.flow?.losses[node.name] = nil }
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

    /// An empty flow goes, with the screen that was lost. The next flow of its name below the same parent goes on with its losses,
    /// else a rule that contributes it again would be a loop without a wait.
    mutating func handOnLosses(of flow: NodeSlot, _ now: Instant) {
        guard let parent = forest[flow].parent, let losses = forest[flow].flow?.losses, !losses.isEmpty else { return }
        let prefix = forest[flow].name + "/"
        var all = (forest[parent].flow?.losses ?? [:]).filter { !$0.value.isOver(at: now) }
        for (name, own) in losses where !own.isOver(at: now) { all[prefix + name] = own }
        forest.update(parent) { [all] in $0.flow?.losses = all }
    }

    /// A new flow takes over the losses of the one before.
    mutating func takeOverLosses(_ flow: NodeSlot, from parent: NodeSlot) {
        guard let losses = forest[parent].flow?.losses, !losses.isEmpty else { return }
        let prefix = forest[flow].name + "/"
        let taken = losses.filter { $0.key.hasPrefix(prefix) }
        if taken.isEmpty { return }
        forest.update(flow) { node in
            for (name, own) in taken { node.flow?.losses[String(name.dropFirst(prefix.count))] = own }
        }
        forest.update(parent) { $0.flow?.losses = losses.filter { taken[$0.key] == nil } }
    }

    /// Forgets the losses of screens that no definition declares any more.
    mutating func forgetUndeclaredLosses(of flow: NodeSlot) {
        guard let losses = forest[flow].flow?.losses, !losses.isEmpty else { return }
        let declared = losses.filter { definitions.declaresLost($0.key) }
        if declared.count < losses.count { forest.update(flow) { $0.flow?.losses = declared } }
    }
}

// MARK: - Roots whose properties are not known yet

extension Machine {
    /// Whether the presenter of a screen has to wait for the first value of a property of its root. It is called when that is known.
    mutating func isHeld(_ screen: NodeSlot) -> Bool {
        guard awaitsFirstValue(screen) else { return false }
        steppers.hold(forest.id(of: screen))
        return true
    }

    private func awaitsFirstValue(_ screen: NodeSlot) -> Bool {
        if definitions.steppers.isEmpty { return false }
        let flow = definition(of: forest[screen].root)
        return definitions.steppers.indices.contains {
            definitions.steppers[$0].flow == flow && steppers.isAwaited(StepperID($0))
        }
    }

    /// A property is known: the presenters that waited for nothing else are called.
    mutating func releaseHeldScreens() {
        for screen in steppers.takeHeld() {
            guard let slot = forest.slot(of: screen) else { continue }
            if awaitsFirstValue(slot) { steppers.hold(screen) } else { forest.noteSighting(slot) }
        }
    }
}

extension Definitions {
    /// Whether the screen is declared whose losses have this name (``Node/FlowState/losses``).
    func declaresLost(_ name: String) -> Bool {
        screen(named: name.split(separator: "/").last.map(String.init) ?? "") != nil
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
