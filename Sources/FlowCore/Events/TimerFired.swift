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

    // MARK: Flows with timers

    /// The time of a flow's timers has come: emits the step of the one that is due, on the flow.
    private mutating func takeTimer(of flow: NodeID, due alarm: Instant, _ turn: inout Turn) {
        // Another alarm took its place.
        guard let slot = forest.slot(of: flow), forest[slot].flow?.alarm == alarm else { return }
        forest.update(slot) { $0.flow?.alarm = nil }
        guard let (clock, due) = nextTimer(of: slot), due <= alarm, let state = forest[slot].flow?.activity[clock]
        else {
            return scheduleTimers(of: slot)
        }
        let timer = definitions.flows[definition(of: slot).index].clocks[clock]
        let stage = min(state.stage, timer.steps.count - 1)
        let (timed, isLast) = (timer.steps[stage], stage == timer.steps.count - 1)
        if timer.repeats { passOver(timer, clock, of: slot, turn.now) }
        let waiting = timer.since == nil ? nil : waits(timed, clock, at: slot)
        forest.update(slot) { node in
            // After the last one, the timer rests until the outcome is known, and longer if it does not repeat.
            if isLast {
                node.flow?.activity[clock].rest = waiting ?? .taken
            } else {
                node.flow?.activity[clock].stage = stage + 1
            }
        }
        scheduleTimers(of: slot)
        if waiting == nil { emit(timed, of: clock, isLast: isLast, at: slot, &turn) }
    }

    /// Whether a step of a timer waits already, as its times began anew since: for an answer, or at the gate. One is enough.
    private func waits(_ timed: TimedStep, _ clock: Int, at slot: NodeSlot) -> TimerState.Rest? {
        if forest[slot].deferredSteps.contains(where: { $0.client == .daemon && $0.step == timed.step }) {
            return .deferred
        }
        guard let question = forest[slot].flow?.question else { return nil }
        let steps = [questions[question]?.step].compactMap(\.self) + blocked.steps(for: forest.id(of: slot))
        return steps.contains { $0.purpose == .timed(clock, isLast: true) } ? .taken : nil
    }

    private mutating func emit(_ timed: TimedStep, of clock: Int, isLast: Bool, at flow: NodeSlot, _ turn: inout Turn) {
        let step = WaitingStep(
            origin: origins.next(), client: .daemon, flow: forest.id(of: flow),
            step: timed.step, arguments: [], cause: 0, purpose: .timed(clock, isLast: isLast))
        switch pass(step, at: flow, for: flow, whenHidden: timed.whenHidden, isInput: false, &turn) {
        case .taken, .waiting: break
        case .ended(let outcome):
            if outcome != .ignored(.deferred) { reportFailure(of: step, outcome, &turn) }
            timedStepEnded(step, outcome, &turn)
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
