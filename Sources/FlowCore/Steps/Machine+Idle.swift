// Flows with idle steps: when those are due, and what begins their times again (S-34). The setting of all alarms.

extension Machine {
    /// Sets an alarm for the next idle step of a flow, if it has one and waits for it.
    mutating func scheduleIdleStep(of slot: NodeSlot) {
        guard let due = idleDue(of: slot) else { return }
        // An alarm that is too early is set again when it comes.
        if let alarm = forest[slot].flow?.alarm, alarm <= due { return }
        forest.update(slot) { $0.flow?.alarm = due }
        schedule(.flow(forest.id(of: slot)), due: due)
    }

    /// When the next idle step of a flow is due; nil if none is: all have been navigated, or a screen keeps the flow awake.
    func idleDue(of slot: NodeSlot) -> Instant? {
        guard let flow = forest[slot].flow, let reached = flow.lastReached, !flow.activity.isResting, flow.wakers == 0
        else {
            return nil
        }
        let stages = definitions.flows[flow.definition.index].idle
        return stages.isEmpty ? nil : reached.advanced(by: stages[min(flow.activity.stage, stages.count - 1)].after)
    }

    /// A step from outside reached a flow, and so all flows above it.
    mutating func reach(_ flow: NodeSlot, _ turn: inout Turn) {
        if definitions.haveIdleFlows { reachAll(from: flow, &turn) }
    }

    private mutating func reachAll(from flow: NodeSlot, _ turn: inout Turn) {
        var place: NodeSlot? = flow
        while let slot = place {
            if forest[slot].flow?.activity.reached != nil { reachAlone(slot, &turn) }
            place = forest[slot].parent
        }
    }

    private mutating func reachAlone(_ slot: NodeSlot, _ turn: inout Turn) {
        if forest[slot].flow?.isIdle == true { return beginIdleTimes(of: slot, &turn) }
        // There is an alarm, which is not too late.
        forest.update(slot) { $0.flow?.activity.reached = turn.now }
    }

    /// The idle times of a flow begin now.
    mutating func beginIdleTimes(of slot: NodeSlot, _ turn: inout Turn) {
        forest.update(slot) { $0.flow?.value.beginIdleTimes(at: turn.now) }
        scheduleIdleStep(of: slot)
    }

    /// After a failure of the last idle step it is tried again, after the same time. If the step was navigated or deferred, the
    /// flow rests until it is reached: a deferred step is taken when the flow is presented, and another one would only replace
    /// it.
    mutating func idleStepEnded(_ step: WaitingStep, _ outcome: Outcome, _ turn: inout Turn) {
        // The flow may be gone, or was reached.
        guard step.purpose == .idle(isLast: true), let slot = forest.slot(of: step.flow),
            forest[slot].flow?.activity.isResting == true
        else { return }
        forest.update(slot) { $0.flow?.activity.reached = turn.now }
        switch outcome {
        case .navigated, .ignored(.deferred): break
        case .ignored, .refused:
            forest.update(slot) { $0.flow?.activity.isResting = false }
            scheduleIdleStep(of: slot)
        }
    }

    // MARK: Screens that keep flows awake

    /// Notes whether a screen keeps the flows above it from being idle, by its declaration.
    mutating func noteKeepsAwake(_ slot: NodeSlot) {
        guard definitions.haveWakingScreens || forest[slot].keepsAwake, forest[slot].flow == nil else { return }
        let screen = definitions.screen(named: forest[slot].name)
        forest.setKeepsAwake(screen.map { definitions[$0].keepsAwake } ?? false, of: slot)
    }

    /// The times of flows that no screen keeps awake any more begin anew.
    mutating func restartDozing(_ turn: inout Turn) {
        for slot in forest.takeDozing() where forest[slot].flow?.activity.reached != nil {
            beginIdleTimes(of: slot, &turn)
        }
    }

    // MARK: Alarms

    /// Sets an alarm.
    mutating func schedule(_ subject: Alarms.Subject, due: Instant) {
        // Entries whose subject is gone, or has another alarm, stay until they are due, but never outnumber the others by much.
        if alarms.count > 2 * (forest.count + calls.count) + 16 {
            let (forest, calls) = (forest, calls)
            alarms.removeAll { entry in
                switch entry.subject {
                case .flow(let flow): forest.slot(of: flow).map { forest[$0].flow?.alarm != entry.due } ?? true
                case .screen(let screen):
                    forest.slot(of: screen).map { forest[$0].presenting?.alarm?.due != entry.due } ?? true
                case .beginning(let flow):
                    forest.slot(of: flow).map { forest[$0].flow?.beginning != .paused(until: entry.due) } ?? true
                case .call(let request): calls[request]?.isAwaited != true
                case .context(let flow?): forest.slot(of: flow) == nil
                case .stepper, .context(nil), .outputs: false
                }
            }
        }
        alarms.insert(subject, due: due)
    }

    /// Sets alarms for the calls that began to wait in this turn.
    mutating func watchSuspended() {
        while let (request, due) = calls.takeUnwatched() { schedule(.call(request), due: due) }
    }

    /// Sets the timer for the next alarm, if it has changed.
    mutating func askForTimer(_ turn: inout Turn) {
        if alarms.arm() { turn.effects.append(.startTimer(at: alarms.timer)) }
    }
}
