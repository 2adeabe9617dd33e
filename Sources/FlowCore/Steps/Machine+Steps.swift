// The way of a step: it is taken from the queue, handled at its flow, and ends; the steps that it triggers join the queue.

extension Machine {
    /// Handles waiting steps until none is left whose flow could take it: a cascade that waits for nothing ends before the
    /// next step from outside is taken (S-7).
    ///
    /// - Returns: false if the rest continues in the next slice.
    @discardableResult
    mutating func run(_ turn: inout Turn) -> Bool {
        // Most steps trigger none.
        settleChain(&turn) || runOn(&turn)
    }

    /// Settles the cascade at hand if it has ended, or waits. Returns whether no step is left in the queue.
    private mutating func settleChain(_ turn: inout Turn) -> Bool {
        if queue.isBetweenChains { settle(&turn) }
        if !queue.isEmpty { return false }
        queue.forgetGone()
        return true
    }

    /// Takes the steps in the queue.
    private mutating func runOn(_ turn: inout Turn) -> Bool {
        while true {
            if turn.isOver, queue.isBetweenChains { return false }
            guard let step = queue.takeNext() else { return true }
            if queue.dropRecord(of: step) { unrecord(step) }
            take(step, &turn)
            if settleChain(&turn) { return true }
        }
    }

    /// The cascade at hand has ended, or waits: empty flows go, and presenters are called if no other cascade begins at once
    /// (S-36, S-38).
    mutating func settle(_ turn: inout Turn) {
        if emptyFlows.hasDue { dismissEmptyFlows(&turn) }
        if inTurn.hasDue { endTurns() }
        endCascade(&turn)
        // It may have been the last that follows from a first value (S-49).
        if steppers.hasHeld, queue.isEmpty {
            releaseHeldScreens()
            endCascade(&turn)
        }
    }

    private mutating func endCascade(_ turn: inout Turn) {
        if !forest.hasSightings {
            if !activationTokens.isEmpty { activationTokens.endCurrent() }
        } else if queue.isEmpty, !turn.isOnPath, !calls.isAmidPath {
            callPresenters(&turn)
            reportChanges(&turn)
        }
    }

    /// Handles one step until it ends, or waits for a guard or navigator (nil).
    @discardableResult
    mutating func take(_ step: WaitingStep, _ turn: inout Turn) -> Outcome? {
        turn.begin(step)
        forest.origin = step.origin
        if !activationTokens.isEmpty { activationTokens.begin(step.origin) }
        guard let flow = forest.slot(of: step.flow) else { return endWithoutFlow(step, &turn) }
        let definition = definition(of: flow).index
        if definitions.flows[definition].asksOthers || isWaiting(flow) {
            guard mayProceed(step, at: flow, definition, &turn) else { return nil }
        }
        let outcome = carryOut(step, at: flow, &turn)
        unblock(step.flow, at: turn.now)
        return outcome
    }

    /// Ends a step whose flow has ended.
    @discardableResult
    private mutating func endWithoutFlow(_ step: WaitingStep, _ turn: inout Turn) -> Outcome {
        let name = definitions[step.step].name
        return end(
            step, .refused(FlowError(.flowEnded, "the flow that was to take step '\(name)' has ended")), &turn)
    }

    /// Handles a step at its live flow by the flow's own rules, as soon as nothing has to be waited for.
    @discardableResult
    mutating func carryOut(_ step: WaitingStep, at flow: NodeSlot, _ turn: inout Turn) -> Outcome {
        if step.countedBytes == nil { return navigateAndEnd(step, at: flow, &turn) }
        // The step no longer counts, which leaves room for its contributors.
        return navigateAndEnd(stopWaiting(step), at: flow, &turn)
    }

    /// Has the flow navigate, and ends the step with the outcome.
    private mutating func navigateAndEnd(_ step: WaitingStep, at flow: NodeSlot, _ turn: inout Turn) -> Outcome {
        let outcome = navigate(step, flow, &turn)
        end(step, outcome, &turn)
        return outcome
    }

    /// Ends the current cascades, and all that waits behind them, because the next action requires that.
    mutating func runToEnd(_ turn: inout Turn) {
        let size = turn.size
        turn.size = .max
        run(&turn)
        turn.size = size
    }

    // MARK: Empty flows

    /// Dismisses the flows that are empty, the deepest first.
    private mutating func dismissEmptyFlows(_ turn: inout Turn) {
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
                forest.update(slot) { $0.flow?.kept.isBare = true }
                continue
            }
            // The flow may have been listed twice.
            guard let cause = forest[slot].flow?.kept.emptiedBy?.value else { continue }
            if whenEmpty(slot) == .again {
                if mayBegin(slot, cause, &turn) { beginAgain(slot, cause, &turn) }
                continue
            }
            forest.update(slot) { $0.flow?.kept.emptiedBy = nil }
            handOnPauses(of: slot, turn.now)
            dismiss(
                slot, Dismissal(.empty, cause.fault, isClosed: cause.isClosed), origin: cause.origin,
                cause: cause.cause, cause.client, &turn)
            releaseOrigin(cause.origin, isDeferred: true)
        }
    }

    /// Whether an empty flow begins again now: at once if it was not empty before, and after a pause if it was (S-48).
    private mutating func mayBegin(_ slot: NodeSlot, _ cause: EmptyFlows.Cause, _ turn: inout Turn) -> Bool {
        forest.update(slot) { $0.flow?.kept.isBare = true }
        if cause.isClosed { return false }
        if let beginning = forest[slot].flow?.beginning { return beginning == .due }
        let fault = cause.fault ?? Fault("", "")
        // After a restart a pause goes on.
        notePause("", at: slot, fault, isLoss: true, turn.now)
        guard let pause = forest[slot].flow?.kept.pauses[""], turn.now < pause.end else { return true }
        let text = fault.text.isEmpty ? "nothing to show" : "nothing to show: \(fault.text)"
        forest.update(slot) { node in
            node.flow?.beginning = .paused(until: pause.end)
            node.flow?.kept.nothingToShow = text
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
        guard mayTrigger(step, &turn) else { return touchEmpty(forest.id(of: slot)) }
        queue.insert(contentsOf: [step])
        forgetEmpty(slot)
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
