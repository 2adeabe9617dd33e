// Flows with an idle step (S-34).

extension Machine {
    /// Sets an alarm for a new flow, if it has an idle step.
    mutating func scheduleIdleStep(of slot: NodeSlot) {
        guard let reached = forest[slot].flow?.reached, let idle = idle(of: slot) else { return }
        schedule(.flow(forest.id(of: slot)), due: reached.advanced(by: idle.after))
    }

    /// Sets alarms for the calls that began to wait in this turn.
    mutating func watchSuspended() {
        for (request, due) in calls.takeUnwatched() { schedule(.call(request), due: due) }
    }

    /// Sets an alarm.
    mutating func schedule(_ subject: Alarms.Subject, due: Instant) {
        // Entries whose subject is gone stay until they are due, but never outnumber the others by much.
        if alarms.count > 2 * (forest.flowCount + calls.count) + 16 {
            let (forest, calls) = (forest, calls)
            alarms.removeAll { subject in
                switch subject {
                case .flow(let flow): forest.slot(of: flow) == nil
                case .call(let request): calls[request]?.isAwaited != true
                case .stepper: false
                }
            }
        }
        alarms.insert(subject, due: due)
    }

    /// A step from outside reached a flow, and so all flows above it.
    mutating func reach(_ flow: NodeSlot, _ turn: inout Turn) {
        guard definitions.haveIdleFlows else { return }
        var place: NodeSlot? = flow
        while let slot = place {
            if forest[slot].flow?.reached != nil {
                let wasResting = forest[slot].flow?.isResting == true
                forest.update(slot) { node in
                    node.flow?.reached = turn.now
                    node.flow?.isResting = false
                }
                if wasResting { scheduleIdleStep(of: slot) }
            }
            place = forest[slot].parent
        }
    }

    /// If the step was navigated or deferred, the flow rests until it is reached. A deferred step is taken when the flow is
    /// presented, and another one would only replace it. After any other outcome the step is tried again, after the same
    /// time.
    mutating func idleStepEnded(_ step: WaitingStep, _ outcome: Outcome, _ turn: inout Turn) {
        // The flow may be gone, or was reached.
        guard let slot = forest.slot(of: step.flow), forest[slot].flow?.isResting == true else { return }
        forest.update(slot) { $0.flow?.reached = turn.now }
        switch outcome {
        case .navigated, .ignored(.deferred): break
        case .ignored, .refused:
            forest.update(slot) { $0.flow?.isResting = false }
            scheduleIdleStep(of: slot)
        }
    }

    /// Sets the alarms of all flows again, after the definitions have changed.
    mutating func watchAll(unlike old: Definitions, _ turn: inout Turn) {
        alarms.removeAll { if case .flow = $0 { true } else { false } }
        for slot in forest.preorder() {
            guard let flow = forest[slot].flow else { continue }
            let before = old.flow(named: forest[slot].name).flatMap { id in
                old[id].idle.map { (after: $0.after, step: old[$0.step].name) }
            }
            let after = definitions[flow.definition].idle.map { (after: $0.after, step: definitions[$0.step].name) }
            if before?.after != after?.after || before?.step != after?.step {
                forest.update(slot) { node in
                    node.flow?.reached = after == nil ? nil : turn.now
                    node.flow?.isResting = false
                }
            }
            if forest[slot].flow?.isResting == false { scheduleIdleStep(of: slot) }
        }
    }

    /// Sets the timer for the next alarm, if it has changed.
    mutating func askForTimer(_ turn: inout Turn) {
        if alarms.arm() { turn.effects.append(.startTimer(at: alarms.timer)) }
    }

    func idle(of slot: NodeSlot) -> Idle? {
        forest[slot].flow.flatMap { definitions.flows[$0.definition.index].idle }
    }
}
