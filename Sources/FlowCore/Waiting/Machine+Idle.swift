// Flows with idle steps (S-34), and the setting of all alarms.

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
    private func idleDue(of slot: NodeSlot) -> Instant? {
        guard let flow = forest[slot].flow, let reached = flow.lastReached, !flow.isResting, flow.wakers == 0 else {
            return nil
        }
        let stages = definitions.flows[flow.definition.index].idle
        return stages.isEmpty ? nil : reached.advanced(by: stages[min(flow.stage, stages.count - 1)].after)
    }

    /// Takes the next idle step of a flow whose alarm has come; nil if none is due yet.
    mutating func takeIdleStep(of slot: NodeSlot, dueBy alarm: Instant) -> (idle: Idle, isLast: Bool)? {
        // Another alarm took its place.
        guard forest[slot].flow?.alarm == alarm else { return nil }
        forest.update(slot) { $0.flow?.alarm = nil }
        guard let due = idleDue(of: slot), due <= alarm else {
            scheduleIdleStep(of: slot)
            return nil
        }
        let stages = definitions[definition(of: slot)].idle
        let stage = min(forest[slot].flow?.stage ?? 0, stages.count - 1)
        let isLast = stage == stages.count - 1
        forest.update(slot) { node in
            // After the last one, the flow rests until the outcome is known, and longer if it is navigated or deferred.
            if isLast { node.flow?.isResting = true }
            node.flow?.stage = isLast ? stage : stage + 1
        }
        scheduleIdleStep(of: slot)
        return (stages[stage], isLast)
    }

    /// Sets alarms for the calls that began to wait in this turn.
    mutating func watchSuspended() {
        while let (request, due) = calls.takeUnwatched() { schedule(.call(request), due: due) }
    }

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
                case .stepper: false
                }
            }
        }
        alarms.insert(subject, due: due)
    }

    /// A step from outside reached a flow, and so all flows above it.
    mutating func reach(_ flow: NodeSlot, _ turn: inout Turn) {
        if definitions.haveIdleFlows { reachAll(from: flow, &turn) }
    }

    private mutating func reachAll(from flow: NodeSlot, _ turn: inout Turn) {
        var place: NodeSlot? = flow
        while let slot = place {
            if forest[slot].flow?.reached != nil { reachAlone(slot, &turn) }
            place = forest[slot].parent
        }
    }

    private mutating func reachAlone(_ slot: NodeSlot, _ turn: inout Turn) {
        if forest[slot].flow?.isIdle == true { return beginIdleTimes(of: slot, &turn) }
        // There is an alarm, which is not too late.
        forest.update(slot) { $0.flow?.reached = turn.now }
    }

    /// Input that is no step reached a flow, and so all flows above it. It is recorded only if the flow was idle.
    mutating func touch(_ flow: NodeSlot, _ turn: inout Turn) {
        guard definitions.haveIdleFlows else { return }
        var place: NodeSlot? = flow
        while let slot = place {
            if let state = forest[slot].flow, let reached = state.lastReached {
                if state.isIdle {
                    beginIdleTimes(of: slot, &turn)
                } else if reached.advanced(by: Limits.touchPause) <= turn.now {
                    let now = turn.now
                    forest.update(slot) { $0.flow?.touched = now }
                }
            }
            place = forest[slot].parent
        }
    }

    /// Makes records of when flows were touched, at an orderly end of the process.
    mutating func recordTouches() {
        for slot in forest.preorder() where forest[slot].flow?.touched != nil {
            let reached = forest[slot].flow?.lastReached
            forest.update(slot) { node in
                node.flow?.reached = reached
                node.flow?.touched = nil
            }
        }
    }

    /// After a failure of the last idle step it is tried again, after the same time. If the step was navigated or deferred, the
    /// flow rests until it is reached: a deferred step is taken when the flow is presented, and another one would only replace
    /// it.
    mutating func idleStepEnded(_ step: WaitingStep, _ outcome: Outcome, _ turn: inout Turn) {
        // The flow may be gone, or was reached.
        guard step.purpose == .idle(isLast: true), let slot = forest.slot(of: step.flow),
            forest[slot].flow?.isResting == true
        else { return }
        forest.update(slot) { $0.flow?.reached = turn.now }
        switch outcome {
        case .navigated, .ignored(.deferred): break
        case .ignored, .refused:
            forest.update(slot) { $0.flow?.isResting = false }
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
        for slot in forest.takeDozing() where forest[slot].flow?.reached != nil { beginIdleTimes(of: slot, &turn) }
    }

    /// The idle times of a flow begin now.
    mutating func beginIdleTimes(of slot: NodeSlot, _ turn: inout Turn) {
        forest.update(slot) { $0.flow?.value.beginIdleTimes(at: turn.now) }
        scheduleIdleStep(of: slot)
    }

    // MARK: Definitions

    /// Sets the alarms of all flows again, after the definitions have changed.
    mutating func watchAll(unlike old: Definitions, _ turn: inout Turn) {
        func stages(_ flow: FlowID?, _ definitions: Definitions) -> [String] {
            flow.map { definitions[$0].idle.map { "\($0.after) \(definitions[$0.step].name)" } } ?? []
        }
        alarms.removeAll { if case .flow = $0.subject { true } else { false } }
        for slot in forest.preorder() {
            guard let flow = forest[slot].flow else { continue }
            forest.update(slot) { $0.flow?.alarm = nil }
            let after = stages(flow.definition, definitions)
            if stages(old.flow(named: forest[slot].name), old) != after {
                forest.update(slot) { $0.flow?.value.beginIdleTimes(at: after.isEmpty ? nil : turn.now) }
            }
            scheduleIdleStep(of: slot)
        }
    }

    /// Sets the timer for the next alarm, if it has changed.
    mutating func askForTimer(_ turn: inout Turn) {
        if alarms.arm() { turn.effects.append(.startTimer(at: alarms.timer)) }
    }
}
