// Presenters that failed are called again, or their screens go (S-47); what the alarms of screens lead to.

extension Machine {
    /// The presenter of a screen could not show it: it is called again after a pause, or the screen goes.
    ///
    /// - Parameter late: the call if it may still be answered.
    mutating func presentationFailed(
        of slot: NodeSlot, _ fault: Fault, late: QuestionID? = nil, _ turn: inout Turn
    ) {
        let isRefused = isRefusal(slot, fault, isTimeout: late != nil)
        // It is no failure that holds back the next screen of that name, which may be another one.
        if !isRefused { noteFailure(of: slot, fault, turn.now) }
        guard !isRefused, isRepeated(slot, fault, isTimeout: late != nil) else {
            return dismissFailed(slot, fault, &turn)
        }
        // One that answered an older call may be its owner, which ended its patience.
        if forest[slot].presenting?.patience == nil {
            forest.update(slot) { $0.presenting?.patience = .init(since: $0.isInSight ? turn.now : nil) }
        }
        if let end = patienceEnd(of: slot), end <= turn.now { return dismissFailed(slot, fault, &turn) }
        forest.update(slot) { $0.presenting?.value.becomeWaiting(fault, late: late) }
        if forest[slot].isInSight { forest.noteSighting(slot) }
        reportChanges(&turn)
        triggerPresented(&turn)
    }

    /// Whether the presenter says that it will never show this screen.
    private func isRefusal(_ slot: NodeSlot, _ fault: Fault, isTimeout: Bool) -> Bool {
        forest[slot].presenting?.presenter.application == nil && !isTimeout && fault.name == Fault.refusal
    }

    /// Whether a call that failed can be made again. A program that knows nothing of flowbus would do again what it may have done.
    private func isRepeated(_ slot: NodeSlot, _ fault: Fault, isTimeout: Bool) -> Bool {
        forest[slot].presenting?.presenter.application == nil || !isTimeout && fault.saysNothingArrived
    }

    /// A screen goes because its presenter can't show it. As the next one has to wait, a rule that contributes it again is no busy
    /// loop, and begins an origin each time (S-11).
    private mutating func dismissFailed(_ slot: NodeSlot, _ fault: Fault, _ turn: inout Turn) {
        let origin = origins.next()
        if isRefusal(slot, fault, isTimeout: false) { noteHaste(of: slot, fault, origin: origin, turn.now) }
        dismiss(
            slot, Dismissal(.presentFailed, fault), origin: origin, cause: forest[slot].presenting?.serial ?? 0,
            forest[slot].sender, &turn)
    }

    /// A pause is over, or the patience for a screen (S-47).
    mutating func endPause(of slot: NodeSlot, _ turn: inout Turn) {
        guard let presenting = forest[slot].presenting, presenting.state == .due, !presenting.isKept,
            forest[slot].isInSight
        else { return }
        if let fault = presenting.fault, let end = patienceEnd(of: slot), end <= turn.now {
            dismissFailed(slot, fault, &turn)
        } else {
            forest.noteSighting(slot)
        }
    }

    /// The alarm of a screen has come.
    mutating func takeAlarm(of screen: NodeID, at due: Instant, _ turn: inout Turn) {
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
}
