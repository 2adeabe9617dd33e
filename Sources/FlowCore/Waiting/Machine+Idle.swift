// Flows that name a step for when nobody reached them for a time (S-34).

extension Machine {
    /// Watches a flow that was just born, if it has an idle step.
    mutating func watch(_ slot: NodeSlot) {
        guard let reached = forest[slot].flow?.reached, let idle = idle(of: slot) else { return }
        watch(.flow(forest.id(of: slot)), due: reached.advanced(by: idle.after))
    }

    /// Has the coordinator woken for the calls that the event at hand made to wait.
    mutating func watchSuspended() {
        for (request, due) in calls.takeUnwatched() { watch(.call(request), due: due) }
    }

    /// Has the coordinator woken when something is due.
    mutating func watch(_ subject: Alarms.Subject, due: Instant) {
        // What is over stands there until its time comes: at most as often as what is not, and a few.
        if alarms.count > 2 * (forest.flowCount + calls.count) + 16 {
            let (forest, calls) = (forest, calls)
            alarms.removeAll { subject in
                switch subject {
                case .flow(let flow): forest.slot(of: flow) == nil
                case .call(let request): calls[request]?.isAwaited != true
                }
            }
        }
        alarms.insert(subject, due: due)
    }

    /// A step from outside reached a flow, and so all above it.
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
                if wasResting { watch(slot) }
            }
            place = forest[slot].parent
        }
    }

    /// Takes the next thing that is due. Its chain, and the calls that go on with that, come before the next one: also before
    /// their callers' patience ends, which may be due, too.
    mutating func takeNextDue(_ turn: inout Turn) {
        guard let next = alarms.takeDue() else { return }
        switch next.subject {
        case .flow(let flow): takeIdle(flow, due: next.due, &turn)
        case .call(let request): replyTimedOut(request, &turn)
        }
    }

    private mutating func takeIdle(_ flow: NodeID, due expected: Instant, _ turn: inout Turn) {
        guard let slot = forest.slot(of: flow), let reached = forest[slot].flow?.reached,
            let idle = idle(of: slot)
        else { return }
        let due = reached.advanced(by: idle.after)
        guard due == expected else { return alarms.insert(.flow(flow), due: due) }
        // Until it is known how it ends; and after that, if it is navigated or kept.
        forest.update(slot) { $0.flow?.isResting = true }
        trigger(idle, at: slot, &turn)
    }

    /// Emits a flow's idle step on it.
    private mutating func trigger(_ idle: Idle, at flow: NodeSlot, _ turn: inout Turn) {
        let step = WaitingStep(
            origin: origins.next(), client: .daemon, flow: forest.id(of: flow),
            step: idle.step, arguments: [], cause: 0, purpose: .idle)
        switch pass(step, at: flow, for: flow, &turn) {
        case .taken, .waiting: break
        case .ended(let outcome):
            if outcome != .ignored(.deferred) { reportFailure(of: step, outcome, &turn) }
            idleStepEnded(step, outcome, &turn)
        }
    }

    /// One that was navigated rests until the flow is reached; so does one that is kept: it is taken when the flow is
    /// presented, and another one would only take its place. Any other is tried again after the same time.
    mutating func idleStepEnded(_ step: WaitingStep, _ outcome: Outcome, _ turn: inout Turn) {
        // The flow may be gone, or have been reached.
        guard let slot = forest.slot(of: step.flow), forest[slot].flow?.isResting == true else { return }
        forest.update(slot) { $0.flow?.reached = turn.now }
        switch outcome {
        case .navigated, .ignored(.deferred): break
        case .ignored, .refused:
            forest.update(slot) { $0.flow?.isResting = false }
            watch(slot)
        }
    }

    /// Where each flow stands, watched anew: after definitions were read again.
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
            if forest[slot].flow?.isResting == false { watch(slot) }
        }
    }

    /// Asks the shell to come back when the next flow is due, if that is another time than it knows.
    mutating func askForTimer(_ turn: inout Turn) {
        if alarms.arm() { turn.effects.append(.startTimer(at: alarms.timer)) }
    }

    private func idle(of slot: NodeSlot) -> Idle? {
        forest[slot].flow.flatMap { definitions.flows[$0.definition.index].idle }
    }
}
