// Flows that name a step for when nobody reached them for a time (S-34).

extension FlowCoordinator {
    /// Watches a flow that was just born, if it has an idle step.
    mutating func watch(_ slot: Int) {
        guard let reached = forest.nodes[slot].flow?.reached, let idle = idle(of: slot) else { return }
        // What is gone stands there until its time comes: at most as often as what is not, and a few.
        if alarms.count > 2 * forest.flowCount + 16 {
            let forest = forest
            alarms.removeAll { forest.slot(of: $0) == nil }
        }
        alarms.insert(forest.id(of: slot), due: reached.advanced(by: idle.after))
    }

    /// A step from outside reached a flow, and so all above it.
    mutating func reach(_ flow: Int) {
        guard definitions.haveIdleFlows else { return }
        var place: Int? = flow
        while let slot = place {
            if forest.nodes[slot].flow?.reached != nil {
                forest.nodes[slot].flow?.reached = now
                if forest.nodes[slot].flow?.isResting == true {
                    forest.nodes[slot].flow?.isResting = false
                    watch(slot)
                }
            }
            place = forest.nodes[slot].parent
        }
    }

    /// Sets off the idle steps that are due, each when the chain of the one before is done.
    mutating func setOffIdle() {
        while let next = alarms.next, next.due <= now {
            alarms.removeNext()
            guard let slot = forest.slot(of: next.flow), let reached = forest.nodes[slot].flow?.reached,
                let idle = idle(of: slot)
            else { continue }
            let due = reached.advanced(by: idle.after)
            guard due == next.due else {
                alarms.insert(next.flow, due: due)
                continue
            }
            let isDone = setOff(idle, at: slot)
            run()
            // The flow may be gone, or have been reached.
            guard let slot = forest.slot(of: next.flow), forest.nodes[slot].flow?.isResting == false else { continue }
            forest.nodes[slot].flow?.reached = now
            if isDone { forest.nodes[slot].flow?.isResting = true } else { watch(slot) }
        }
    }

    /// Emits a flow's idle step on it; whether it was navigated, or will be taken when the flow is presented.
    private mutating func setOff(_ idle: Idle, at flow: Int) -> Bool {
        let step = WaitingStep(
            origin: nextOrigin(), client: .daemon, flow: forest.id(of: flow), tellAt: forest.nodes[flow].path,
            step: idle.step, arguments: [], cause: 0, purpose: .idle)
        switch pass(step, at: flow, for: flow) {
        case .taken:
            if case .navigated = takeOutcome() { return true }
            return false
        case .ended(.ignored(.deferred)):
            // It is taken when the flow is presented; until then, another one would only take its place.
            return true
        case .ended(let outcome):
            tellFailure(of: step, outcome)
            return false
        }
    }

    /// Where each flow stands, watched anew: after definitions were read again.
    mutating func watchAll(unlike old: Definitions) {
        alarms.removeAll()
        for slot in forest.preorder() {
            guard let flow = forest.nodes[slot].flow else { continue }
            let before = old.flow(named: forest.nodes[slot].name).flatMap { id in
                old[id].idle.map { (after: $0.after, step: old[$0.step].name) }
            }
            let after = definitions[flow.definition].idle.map { (after: $0.after, step: definitions[$0.step].name) }
            if before?.after != after?.after || before?.step != after?.step {
                forest.nodes[slot].flow?.reached = after == nil ? nil : now
                forest.nodes[slot].flow?.isResting = false
            }
            if forest.nodes[slot].flow?.isResting == false { watch(slot) }
        }
    }

    /// Asks the shell to come back when the next flow is due, if that is another time than it knows.
    mutating func askForTimer() {
        guard alarms.next?.due != timer else { return }
        timer = alarms.next?.due
        effects.append(.startTimer(at: timer))
    }

    private func idle(of slot: Int) -> Idle? {
        forest.nodes[slot].flow.flatMap { definitions.flows[$0.definition.index].idle }
    }
}
