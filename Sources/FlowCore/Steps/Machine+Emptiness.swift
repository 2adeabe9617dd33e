// Which flows may be empty: they are noted when that happens, and looked at when the cascade has ended or waits (S-36).

extension Machine {
    /// Notes that a flow may be empty, to be looked at when the cascade has ended or waits.
    mutating func noteEmpty(_ flow: NodeSlot, _ cause: EmptyFlows.Cause) {
        guard isLeftEmpty(flow) else {
            if forest[flow].flow?.isChildless == true { forest.update(flow) { $0.flow?.kept.isBare = true } }
            return
        }
        // The origin lasts until then, so that its limit holds for the step of `onDismissed` (S-11).
        emptyFlows.touch(forest.id(of: flow))
        if forest[flow].flow?.kept.emptiedBy != nil { return }
        origins.wait(cause.origin, isDeferred: true)
        forest.update(flow) { $0.flow?.kept.emptiedBy = Boxed(cause) }
    }

    /// A step was not navigated. If the birth of its flow triggered it, and the flow has had no child, the flow is empty. So is one
    /// that took its initial step again.
    mutating func noteFailedCreation(_ step: WaitingStep, _ fault: Fault?) {
        noteStillEmpty(step, fault, cause: step.cause)
        guard let flow = forest.slot(of: step.flow), let state = forest[flow].flow, state.kept.birth == step.origin,
            !state.mayBeEmpty
        else { return }
        forest.update(flow) { $0.flow?.mayBeEmpty = true }
        noteEmpty(
            flow,
            EmptyFlows.Cause(
                origin: step.origin, cause: step.cause, client: step.client, fault: fault))
    }

    /// A flow took its initial step again, and has no child nevertheless.
    mutating func noteStillEmpty(_ step: WaitingStep, _ fault: Fault?, cause: UInt64) {
        guard step.purpose == .initial, let flow = forest.slot(of: step.flow), forest[flow].flow?.mayBeEmpty == true
        else { return }
        noteEmpty(
            flow, EmptyFlows.Cause(origin: step.origin, cause: cause, client: step.client, fault: fault))
    }

    /// Whether a flow has no child, and goes or begins again if no step waits for it.
    func isLeftEmpty(_ slot: NodeSlot) -> Bool {
        forest[slot].flow?.isChildless == true && whenEmpty(slot) != .stay
    }

    /// What becomes of a flow when it is empty, by its definition, or by how it began.
    func whenEmpty(_ slot: NodeSlot) -> WhenEmpty {
        let given = forest[slot].flow.flatMap { definitions.flows[$0.definition.index].whenEmpty }
        let isOfDaemon = forest[slot].client == .daemon
        let whenEmpty = given ?? (forest[slot].parent != nil ? .go : isOfDaemon ? .again : .stay)
        return whenEmpty == .again && stepAgain(of: slot) == nil ? .stay : whenEmpty
    }

    /// The step that an empty flow takes again: that of `autostart`, or its `initial`; nil if that needs arguments.
    func stepAgain(of slot: NodeSlot) -> (step: StepID, arguments: Arguments)? {
        guard let flow = forest[slot].flow?.definition else { return nil }
        if forest[slot].parent == nil, forest[slot].client == .daemon {
            let root = autostartPlace(of: slot).map { definitions.autostart[$0] }
            let isMeant = root.map { $0.isPerOutput || definitions.id(of: $0) == forest[slot].id } ?? false
            if isMeant, let root, let step = root.step { return (step, root.stepArguments) }
        }
        guard let step = definitions.flows[flow.index].initial, definitions[step].requiredParameter == nil else {
            return nil
        }
        return (step, [])
    }

    /// Whether a step waits for a flow: in the queue, for an answer, behind one that does, or until the flow is presented.
    mutating func isAwaitingSteps(_ slot: NodeSlot) -> Bool {
        let id = forest.id(of: slot)
        return isWaiting(slot) || blocked.count(for: id) > 0 || !forest[slot].deferredSteps.isEmpty
            || queue.isAwaited(by: id)
    }

    /// A flow has a new child, or has one again.
    mutating func endEmptiness(ofParent flow: NodeSlot) {
        guard let state = forest[flow].flow, state.kept.isBare || state.kept.emptiedBy != nil, !state.isChildless else {
            return
        }
        endEmptiness(of: flow)
    }

    /// A flow has a child, or stays without one.
    mutating func endEmptiness(of flow: NodeSlot) {
        forgetEmpty(flow)
        let isBare = forest[flow].flow?.isChildless == true
        forest.update(flow) { node in
            node.flow?.kept.isBare = isBare
            node.flow?.beginning = nil
            node.flow?.kept.nothingToShow = ""
        }
    }

    /// A flow is not empty.
    mutating func forgetEmpty(_ flow: NodeSlot) {
        guard let cause = forest[flow].flow?.kept.emptiedBy else { return }
        forest.update(flow) { $0.flow?.kept.emptiedBy = nil }
        releaseOrigin(cause.origin, isDeferred: true)
    }

    /// A step that a flow waited for has ended: if the flow may be empty, it is looked at.
    mutating func touchEmpty(_ flow: NodeID) {
        if let slot = forest.slot(of: flow), forest[slot].flow?.kept.emptiedBy != nil { emptyFlows.touch(flow) }
    }

    /// A triggered step of an origin no longer waits.
    mutating func releaseOrigin(_ number: UInt64, isDeferred: Bool = false) {
        // A screen of the origin may be about to wait for its presenter.
        if forest.hasSightings, origins[number] != nil { return origins.postpone(number, isDeferred: isDeferred) }
        origins.release(number, isDeferred: isDeferred)
        if !activationTokens.isEmpty { activationTokens.touch(number) }
    }
}
