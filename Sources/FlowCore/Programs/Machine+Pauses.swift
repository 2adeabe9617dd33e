// What screens wait for. Presenters that have to wait: they could not show a screen of this name (S-47), or the properties of their root are
// not known yet (S-49). The alarms of screens: in sight, its owner is asked whether it is alive (S-44), or its presenter is called again
// (S-47); out of sight it is evicted (S-44). A screen has one at most.

extension Machine {
    /// The pause of presenters of screens like this one, if it counts.
    func pause(of slot: NodeSlot, _ now: Instant) -> Pause? {
        guard let pauses = forest[slot].parent.flatMap({ forest[$0].flow?.kept.pauses }), !pauses.isEmpty else {
            return nil
        }
        let name = pauseName(of: slot)
        let origin = forest[slot].presenting?.kept.origin
        return [pauses[name], pauses[Self.hasty(name)]].compactMap(\.self).filter {
            !$0.isOver(at: now) && ($0.origin == 0 || $0.origin == origin)
        }.max { $0.end < $1.end }
    }

    /// The presenter of a screen, as it is called while a pause counts: with less time to answer; nil while none does.
    func hurriedPresenter(of slot: NodeSlot, _ now: Instant) -> Presenter? {
        pause(of: slot, now).flatMap { _ in
            forest[slot].presenting?.presenter.limited(to: Limits.repeatedPresentTimeout)
        }
    }

    /// The name of the pauses of presentables like this one; with a key, of those with equal values (S-51).
    private func pauseName(of slot: NodeSlot) -> String {
        let name = forest[slot].name
        let key = definitions.key(ofLive: name, isFlow: forest[slot].flow != nil)
        return key.isEmpty ? name : name + "#" + forest[slot].arguments.digest(of: key)
    }

    /// The name of the pause after programs have dismissed screens of a name at once, which no presentable can have.
    private static func hasty(_ name: String) -> String { ":" + name }

    /// Whether the presenter of a screen in sight is not called yet, because it failed (S-47). Then an alarm is set, and the wait is
    /// reported.
    mutating func isDelayed(_ slot: NodeSlot, _ turn: inout Turn) -> Bool {
        guard let pause = pause(of: slot, turn.now), turn.now < pause.end, let presenting = forest[slot].presenting
        else { return false }
        // Whoever shows it has to know what is new, unless that is what failed.
        if forest[slot].owner != nil, presenting.kept.fault == nil { return false }
        if presenting.kept.fault == nil { forest.update(slot) { $0.presenting?.kept.fault = pause.fault } }
        let due = min(pause.end, patienceEnd(of: slot) ?? pause.end)
        // It can come in sight many times until then.
        guard presenting.alarm != Node.Presenting.Alarm(due: due, purpose: .pause) else { return true }
        setAlarm(.pause, of: slot, due: due)
        turn.effects.append(
            .reportDelay(
                path: forest[slot].path, presenter: presenting.presenter.service.name,
                microseconds: pause.end.microseconds - turn.now.microseconds, pause.fault))
        return true
    }

    /// Ends the pauses of screens whose presenter has this bus name, and of flows that ask it, or all of them. No program is called twice
    /// in half a second.
    ///
    /// - Parameter name: the name, which has an owner now; nil for all pauses (`Retry`).
    mutating func cutPauses(of name: String? = nil, _ now: Instant) {
        for slot in forest.preorder() {
            if forest[slot].flow?.beginning != nil { cutPause(ofFlow: slot, asking: name) }
            guard let presenting = forest[slot].presenting, name == nil || presenting.presenter.service.name == name,
                presenting.kept.state == .due, presenting.kept.fault != nil, let flow = forest[slot].parent
            else { continue }
            let screen = pauseName(of: slot)
            forest.update(flow) { node in
                for name in [screen, Self.hasty(screen)] { node.flow?.kept.pauses[name]?.isCut = true }
            }
            if forest[slot].isInSight { forest.noteSighting(slot) }
        }
    }

    private mutating func cutPause(ofFlow slot: NodeSlot, asking name: String?) {
        guard let flow = forest[slot].flow, var pause = flow.kept.pauses[""], flow.beginning != .due else { return }
        let definition = definitions.flows[flow.definition.index]
        guard name == nil || definition.navigator?.service.name == name || definition.guard?.service.name == name
        else { return }
        pause.isCut = true
        forest.update(slot) { [pause] node in
            node.flow?.kept.pauses[""] = pause
            node.flow?.beginning = .paused(until: pause.end)
        }
        schedule(.beginning(forest.id(of: slot)), due: pause.end)
    }

    // MARK: Failures

    /// Notes that a screen's presenter could not show it, or that it lost its owner.
    mutating func noteFailure(of slot: NodeSlot, _ fault: Fault, isLoss: Bool = false, _ now: Instant) {
        guard let flow = forest[slot].parent else { return }
        notePause(pauseName(of: slot), at: flow, fault, isLoss: isLoss, now)
    }

    /// Notes that the pause of this name begins at a flow, or is longer from now on.
    mutating func notePause(
        _ name: String, at flow: NodeSlot, _ fault: Fault, isLoss: Bool = false, origin: UInt64 = 0, _ now: Instant
    ) {
        // Clients can register screens of any name.
        var all = (forest[flow].flow?.kept.pauses ?? [:]).filter { !$0.value.isOver(at: now) }
        if all[name]?.note(fault, of: origin, at: now) == nil {
            all[name] = Pause(after: fault, isLoss: isLoss, of: origin, at: now)
        }
        all.dropMostBeyond(Limits.pausesPerFlow)
        forest.update(flow) { [all] in $0.flow?.kept.pauses = all }
    }

    /// A program refuses a screen. If that brings the screen again, by the step of `onDismissed` or because a flow begins again, it
    /// has to wait: it would be a busy loop.
    mutating func noteHaste(of slot: NodeSlot, _ fault: Fault, origin: UInt64, _ now: Instant) {
        guard let flow = forest[slot].parent else { return }
        notePause(Self.hasty(pauseName(of: slot)), at: flow, fault, origin: origin, now)
    }

    // MARK: Patience

    /// How long a screen in sight may wait for its presenter, in µs.
    private func patience(of slot: NodeSlot) -> UInt64 {
        let screen = definitions.screen(named: forest[slot].name)
        // One that never ends is a long one.
        if let given = screen.flatMap({ definitions[$0].patience }) { return time(given, at: slot) ?? .max / 4 }
        let isDismissed = screen.map { definitions[$0].whenOwnerGone == .dismiss } ?? true
        return isDismissed || forest[slot].presenting?.kept.reason == .launch
            ? Limits.patience : Limits.patienceForLosses
    }

    /// When that is over, if it runs: the presenter was called, and the screen is in sight.
    func patienceEnd(of slot: NodeSlot) -> Instant? {
        guard let patience = forest[slot].presenting?.patience, let since = patience.since else { return nil }
        let all = self.patience(of: slot)
        return since.advanced(by: all - min(patience.spent, all))
    }

    // MARK: Flows that go and come again

    /// An empty flow goes, with the screen that was lost. The next flow of its name below the same parent goes on with its pauses,
    /// else a rule that contributes it again would be a loop without one.
    mutating func handOnPauses(of flow: NodeSlot, _ now: Instant) {
        guard let parent = forest[flow].parent, let pauses = forest[flow].flow?.kept.pauses, !pauses.isEmpty else {
            return
        }
        let prefix = pauseName(of: flow) + "/"
        var all = (forest[parent].flow?.kept.pauses ?? [:]).filter { !$0.value.isOver(at: now) }
        for (name, own) in pauses where !own.isOver(at: now) { all[prefix + name] = own }
        all.dropMostBeyond(Limits.pausesPerFlow)
        forest.update(parent) { [all] in $0.flow?.kept.pauses = all }
    }

    /// A new flow takes over the pauses of the one before.
    mutating func takeOverPauses(_ flow: NodeSlot, from parent: NodeSlot) {
        guard let pauses = forest[parent].flow?.kept.pauses, !pauses.isEmpty else { return }
        let prefix = pauseName(of: flow) + "/"
        let taken = pauses.filter { $0.key.hasPrefix(prefix) }
        if taken.isEmpty { return }
        forest.update(flow) { node in
            for (name, own) in taken { node.flow?.kept.pauses[String(name.dropFirst(prefix.count))] = own }
        }
        forest.update(parent) { $0.flow?.kept.pauses = pauses.filter { taken[$0.key] == nil } }
    }

    /// Forgets the pauses of screens that no definition declares any more.
    mutating func forgetUndeclaredPauses(of flow: NodeSlot) {
        guard let pauses = forest[flow].flow?.kept.pauses, !pauses.isEmpty else { return }
        let declared = pauses.filter { definitions.declaresPaused($0.key) }
        if declared.count < pauses.count { forest.update(flow) { $0.flow?.kept.pauses = declared } }
    }

    // MARK: Roots whose properties are not known yet

    /// Whether the presenter of a screen has to wait for the first value of a property of its root, and for the steps that follow from
    /// it.
    mutating func isHeld(_ screen: NodeSlot) -> Bool {
        guard awaitsFirstValue(screen) else { return false }
        steppers.hold(forest.id(of: screen))
        return true
    }

    func awaitsFirstValue(_ screen: NodeSlot) -> Bool {
        if definitions.steppers.isEmpty { return false }
        let flow = definition(of: forest[screen].root)
        return definitions.steppers.indices.contains {
            let stepper = StepperID($0)
            return definitions.steppers[$0].flow == flow
                && (steppers.isAwaited(stepper) || isUnderWay(steppers.firstOrigins(stepper)))
        }
    }

    /// Whether steps of these origins wait for their turn, or for an answer about them or others.
    func isUnderWay(_ origins: Range<UInt64>) -> Bool {
        !origins.isEmpty
            && (questions.haveSteps(of: origins) || blocked.hasSteps(of: origins) || queue.hasSteps(of: origins))
    }

    /// Cascades have ended: the presenters that waited for nothing else are called.
    mutating func releaseHeldScreens() {
        for screen in steppers.takeHeld() {
            guard let slot = forest.slot(of: screen) else { continue }
            if awaitsFirstValue(slot) { steppers.hold(screen) } else { forest.noteSighting(slot) }
        }
    }

    // MARK: Alarms

    /// Sets the alarm of a screen, in place of an earlier one.
    mutating func setAlarm(_ purpose: Node.Presenting.Alarm.Purpose, of slot: NodeSlot, due: Instant) {
        let isSet = forest[slot].presenting?.alarm?.due == due
        forest.update(slot) { $0.presenting?.alarm = Node.Presenting.Alarm(due: due, purpose: purpose) }
        if isSet { return }
        schedule(.screen(forest.id(of: slot)), due: due)
    }

    /// A screen with an owner that is out of sight is evicted some time later, by its declaration.
    mutating func awaitEviction(of slot: NodeSlot, _ now: Instant) {
        guard definitions.haveEvictedScreens, !forest[slot].isInSight, forest[slot].owner != nil,
            let presenting = forest[slot].presenting, presenting.kept.eviction == .none,
            let time = evictionTime(of: slot)
        else { return }
        // Out of sight, its owner is not asked whether it is alive, and no presenter is called.
        guard [nil, .check, .pause].contains(presenting.alarm?.purpose) else { return }
        setAlarm(.eviction, of: slot, due: now.advanced(by: time))
    }

    /// A screen is in sight, or has no owner.
    mutating func stopAwaitingEviction(of slot: NodeSlot) {
        guard forest[slot].presenting?.alarm?.purpose == .eviction else { return }
        forest.update(slot) { $0.presenting?.alarm = nil }
    }

    /// How long a screen can be out of sight until it is evicted, by these definitions or those in force, in µs; nil for ever.
    func evictionTime(of slot: NodeSlot, in definitions: Definitions? = nil) -> UInt64? {
        guard case .service? = forest[slot].presenting?.presenter else { return nil }
        let definitions = definitions ?? self.definitions
        return definitions.screen(named: forest[slot].name).flatMap { definitions[$0].evictAfter }.flatMap {
            time($0, at: slot)
        }
    }
}

extension Definitions {
    /// Whether the screen is declared whose pause has this name (``Node/FlowState/pauses``); true for the flow's own.
    func declaresPaused(_ name: String) -> Bool {
        let screen = name.split(separator: "/").last?.drop { $0 == ":" }.prefix { $0 != "#" } ?? ""
        return name.isEmpty || self.screen(named: String(screen)) != nil
    }
}
