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
    mutating func endWithoutFlow(_ step: WaitingStep, _ turn: inout Turn) -> Outcome {
        let name = definitions[step.step].name
        return end(
            step, .refused(FlowError(.flowEnded, "the flow that was to take step '\(name)' has ended")), &turn)
    }

    /// Handles a step at its live flow by the flow's own rules, as soon as nothing has to be waited for.
    @discardableResult
    mutating func carryOut(_ step: WaitingStep, at flow: NodeSlot, _ turn: inout Turn) -> Outcome {
        if step.countedBytes == nil { return finish(step, at: flow, &turn) }
        // The step no longer counts, which leaves room for its contributors.
        return finish(stopWaiting(step), at: flow, &turn)
    }

    /// Has the flow navigate, and ends the step with the outcome.
    private mutating func finish(_ step: WaitingStep, at flow: NodeSlot, _ turn: inout Turn) -> Outcome {
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
}
