// Empty flows: a flow that has lost its last child would go on covering others (S-36).

extension Machine {
    /// Dismisses the flows that are empty, the deepest first.
    mutating func dismissEmptyFlows(_ turn: inout Turn) {
        var ahead = Heap<EmptyFlow>()
        while true {
            for id in emptyFlows.takeDue() {
                if let slot = forest.slot(of: id) { ahead.insert(EmptyFlow(slot, forest)) }
            }
            guard let next = ahead.popFirst() else { return }
            guard let slot = forest.slot(of: next.id) else { continue }
            guard isLeftEmpty(slot) else {
                endEmptiness(of: slot)
                continue
            }
            guard !isAwaitingSteps(slot) else {
                forest.update(slot) { $0.flow?.isBare = true }
                continue
            }
            // The flow may have been listed twice.
            guard let cause = emptyFlows.causes[next.id] else { continue }
            if whenEmpty(slot) == .again {
                if mayBegin(slot, cause, &turn) { beginAgain(slot, cause, &turn) }
                continue
            }
            _ = emptyFlows.remove(next.id)
            handOnPauses(of: slot, turn.now)
            dismiss(
                slot, Dismissal(.empty, cause.fault, isClosed: cause.isClosed), origin: cause.origin,
                cause: cause.cause, cause.client, &turn)
            releaseOrigin(cause.origin, isDeferred: true)
        }
    }

    // MARK: Flows that begin again

    /// Whether an empty flow begins again now: at once if it was not empty before, and after a pause if it was (S-48).
    private mutating func mayBegin(_ slot: NodeSlot, _ cause: EmptyFlows.Cause, _ turn: inout Turn) -> Bool {
        forest.update(slot) { $0.flow?.isBare = true }
        if cause.isClosed { return false }
        if let beginning = forest[slot].flow?.beginning { return beginning == .due }
        let fault = cause.fault ?? Fault("", "")
        // After a restart a pause goes on.
        notePause("", at: slot, fault, isLoss: true, turn.now)
        guard let pause = forest[slot].flow?.pauses[""], turn.now < pause.end else { return true }
        let text = fault.text.isEmpty ? "nothing to show" : "nothing to show: \(fault.text)"
        forest.update(slot) { node in
            node.flow?.beginning = .paused(until: pause.end)
            node.flow?.nothingToShow = text
        }
        schedule(.beginning(forest.id(of: slot)), due: pause.end)
        turn.effects.append(
            .reportDelay(
                path: forest[slot].path, presenter: "", microseconds: pause.end.microseconds - turn.now.microseconds,
                Fault("", text)))
        reportChanges(&turn)
        return false
    }

    /// An empty flow takes its initial step again. The origin that emptied it triggers that unless there was a pause, so that
    /// flows which empty each other come to its limit (S-11). Beyond that the flow waits for a pause, too.
    private mutating func beginAgain(_ slot: NodeSlot, _ cause: EmptyFlows.Cause, _ turn: inout Turn) {
        guard let initial = stepAgain(of: slot) else { return }
        let hasPaused = forest[slot].flow?.beginning == .due
        forest.update(slot) { $0.flow?.beginning = nil }
        let step = WaitingStep(
            origin: hasPaused ? origins.next() : cause.origin, client: .daemon, flow: forest.id(of: slot),
            step: initial.step, arguments: initial.arguments, cause: cause.cause, purpose: .initial)
        guard mayTrigger(step, &turn) else { return emptyFlows.touch(forest.id(of: slot)) }
        queue.insert(contentsOf: [step])
        forgetEmpty(forest.id(of: slot))
    }

    /// The pause of an empty flow is over, or was cut short.
    mutating func endPause(ofFlow slot: NodeSlot, at due: Instant) {
        guard forest[slot].flow?.beginning == .paused(until: due) else { return }
        forest.update(slot) { $0.flow?.beginning = .due }
        emptyFlows.touch(forest.id(of: slot))
    }

    /// Notes the flows that are empty by new definitions. Each has an origin, in the order in which they go.
    mutating func noteEmptyByDefinition() {
        for slot in forest.preorder() where forest[slot].flow?.beginning != nil && whenEmpty(slot) != .again {
            endEmptiness(of: slot)
        }
        let empty = forest.preorder().filter { isLeftEmpty($0) }
        for flow in empty.map({ EmptyFlow($0, forest) }).sorted() {
            noteEmpty(flow.id.slot, EmptyFlows.Cause(origin: origins.next(), cause: 0, client: .daemon))
        }
    }

    /// Removes the flows of a restored tree that are empty, without a signal: no client has seen them (S-36).
    mutating func removeRestoredEmptyFlows(of stored: RecordSet, onSameBus: Bool, _ turn: inout Turn) {
        var causes: [UInt64: EmptyFlows.Cause] = [:]
        for stored in stored.nodes {
            if let flow = stored.node.flow, let cause = flow.value.emptiedBy { causes[stored.instance] = cause }
        }
        var hasGone = false
        for slot in forest.preorder().reversed() where forest[slot].flow?.isChildless == true {
            let mayGo = isLeftEmpty(slot)
            if !mayGo || isAwaitingSteps(slot) || whenEmpty(slot) == .again {
                if mayGo {
                    var cause =
                        causes[forest[slot].instance]
                        ?? EmptyFlows.Cause(origin: origins.next(), cause: 0, client: .daemon)
                    if !onSameBus { cause.client = .daemon }
                    noteEmpty(slot, cause)
                }
                forest.update(slot) { $0.flow?.isBare = true }
                continue
            }
            let parent = forest[slot].parent
            let gone = forest.remove(slot)
            for node in gone {
                if node.parent == nil { steppers.forget(root: node.instance) }
                if node.owner != nil { withdraw(node, .dismissal(.empty), &turn) }
            }
            noteGone(gone, .empty, &turn)
            concludeRemoval(gone, below: parent)
            hasGone = true
        }
        if !hasGone { return }
        forest.updateAllVisibility()
        forest.forgetChanges()
    }
}

/// A flow to look at: the deepest first, and of those the newest.
private struct EmptyFlow: Comparable {
    let id: NodeID
    let depth: Int
    /// Its place in time: a raised flow is as new as its raise (S-37).
    let order: UInt64

    init(_ slot: NodeSlot, _ forest: borrowing Forest) {
        (id, depth, order) = (forest.id(of: slot), forest[slot].depth, forest[slot].order)
    }

    static func < (one: EmptyFlow, other: EmptyFlow) -> Bool {
        (one.depth, one.order) > (other.depth, other.order)
    }
}
