// The time of an alarm has come. The event only marks which entries are due (`Alarms.fire`). `continueWork` handles each of them here,
// when the cascade of the one before has ended (S-7).

extension Machine {
    /// Handles the next due entry. Its cascade, and the calls that continue with it, come before the next entry, even if
    /// time limits of their callers are due, too.
    mutating func takeNextDue(_ turn: inout Turn) {
        guard let next = alarms.takeDue() else { return }
        forest.origin = 0
        // What came before may have dismissed a screen that kept a flow awake.
        if forest.hasTimed { renewTimers(&turn) }
        switch next.subject {
        case .flow(let flow): takeTimer(of: flow, due: next.due, &turn)
        case .stepper(let stepper): stepperIsDue(stepper, at: next.due, &turn)
        case .call(let request): replyTimedOut(request, &turn)
        case .screen(let screen): takeAlarm(of: screen, at: next.due, &turn)
        case .context(let flow): contextIsDue(of: flow, &turn)
        case .outputs: outputsAreDue(at: next.due, &turn)
        case .beginning(let flow): if let slot = forest.slot(of: flow) { endPause(ofFlow: slot, at: next.due) }
        }
    }

    // MARK: Screens, and flows that begin again

    /// The alarm of a screen has come.
    private mutating func takeAlarm(of screen: NodeID, at due: Instant, _ turn: inout Turn) {
        guard let slot = forest.slot(of: screen), let alarm = forest[slot].presenting?.alarm, alarm.due == due else {
            return
        }
        forest.update(slot) { $0.presenting?.alarm = nil }
        switch alarm.purpose {
        case .check: checkOwner(of: slot, &turn)
        case .leave: endEviction(of: slot, &turn)
        case .pause: endPause(of: slot, &turn)
        case .eviction:
            guard isEvictable(slot) else { return awaitEviction(of: slot, turn.now) }
            evict(slot, &turn)
        }
    }

    /// A pause is over, or the patience for a screen (S-47).
    private mutating func endPause(of slot: NodeSlot, _ turn: inout Turn) {
        guard let presenting = forest[slot].presenting, presenting.kept.state == .due, !presenting.kept.isSpared,
            forest[slot].isInSight
        else { return }
        if let fault = presenting.kept.fault, let end = patienceEnd(of: slot), end <= turn.now {
            dismissFailed(slot, fault, &turn)
        } else {
            forest.noteSighting(slot)
        }
    }

    /// The pause of an empty flow is over, or was cut short.
    private mutating func endPause(ofFlow slot: NodeSlot, at due: Instant) {
        guard forest[slot].flow?.beginning == .paused(until: due) else { return }
        forest.update(slot) { $0.flow?.beginning = .due }
        touchEmpty(forest.id(of: slot))
    }
}
