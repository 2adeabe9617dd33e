// The way of a step: it is taken from the queue, handled at its flow, and ends; the steps that it triggers join the queue.

extension Machine {
    /// Handles waiting steps until none is left whose flow could take it: a cascade that waits for nothing ends before the
    /// next step from outside is taken (S-7).
    ///
    /// - Returns: false if the rest continues in the next slice.
    @discardableResult
    mutating func run(_ turn: inout Turn) -> Bool {
        while true {
            if turn.isOver, queue.isBetweenChains { return queue.isEmpty }
            guard let step = queue.takeNext() else { return true }
            if queue.dropRecord(of: step) { unrecord(step) }
            take(step, &turn)
        }
    }

    /// Handles one step until it ends, or waits for a guard or navigator (nil).
    @discardableResult
    mutating func take(_ step: WaitingStep, _ turn: inout Turn) -> Outcome? {
        turn.begin(step)
        guard let flow = forest.slot(of: step.flow) else {
            let name = definitions[step.step].name
            return end(
                step, .refused(FlowError(.flowEnded, "the flow that was to take step '\(name)' has ended")), &turn)
        }
        let definition = definition(of: flow).index
        if definitions.flows[definition].asksOthers || isWaiting(flow) {
            guard mayProceed(step, at: flow, definition, &turn) else { return nil }
        }
        let outcome = carryOut(step, at: flow, &turn)
        unblock(step.flow)
        return outcome
    }

    /// Handles a step at its live flow by the flow's own rules, as soon as nothing has to be waited for.
    @discardableResult
    mutating func carryOut(_ step: WaitingStep, at flow: NodeSlot, _ turn: inout Turn) -> Outcome {
        if step.countedBytes == nil { return end(step, navigate(step, flow, &turn), &turn) }
        // The step no longer counts, which leaves room for its contributors.
        let step = stopWaiting(step)
        return end(step, navigate(step, flow, &turn), &turn)
    }

    /// A step has ended.
    @discardableResult
    mutating func end(_ step: WaitingStep, _ outcome: Outcome, _ turn: inout Turn) -> Outcome {
        conclude(step, outcome, &turn)
        stopWaiting(step)
        if step.isTriggered { release(origin: step.origin) }
        return outcome
    }

    /// Gives the outcome of a step to the call that waits for it (S-9), or reports a failure to all (S-12).
    private mutating func conclude(_ step: WaitingStep, _ outcome: Outcome, _ turn: inout Turn) {
        switch step.purpose {
        case .emitted(let request), .deepLink(let request, _), .listed(let request, _), .segment(let request):
            if !calls.isEmpty, calls[request] != nil {
                takeOutcome(outcome, of: step, for: request, &turn)
            } else if case .emitted = step.purpose, request == turn.call.request {
                turn.answer = Self.answer(request, outcome)
            }
        case .idle:
            reportFailure(of: step, outcome, &turn)
            idleStepEnded(step, outcome, &turn)
        case .initial, .triggered, .kept:
            reportFailure(of: step, outcome, &turn)
        }
        if step.purpose == .initial, let flow = forest.slot(of: step.flow) {
            initialStepEnded(of: flow)
            reportChanges(&turn)
        }
    }

    /// The answer to a call that emitted one step.
    static func answer(_ request: RequestID, _ outcome: Outcome) -> Effect {
        switch outcome {
        case .navigated(let serial): .reply(request, .verdict(.navigated, serial: serial))
        case .ignored(let verdict): .reply(request, .verdict(verdict, serial: 0))
        case .refused(let error): .fail(request, error)
        }
    }

    /// Puts a triggered step into the queue, in the order of origins (S-6), within the limit of its origin (S-11).
    mutating func trigger(_ step: WaitingStep, _ turn: inout Turn) {
        guard mayTrigger(step, &turn) else {
            if step.purpose == .initial, let flow = forest.slot(of: step.flow) {
                initialStepEnded(of: flow)
                reportChanges(&turn)
            }
            return
        }
        queue.insert(step)
    }

    /// Counts a triggered step; returns false beyond the limit of its origin, which is reported once (S-11).
    mutating func mayTrigger(_ step: WaitingStep, _ turn: inout Turn) -> Bool {
        switch origins.trigger(step.origin) {
        case .admitted: return true
        case .dropped(isFirst: false): return false
        case .dropped(isFirst: true):
            reportFailure(
                of: step,
                .refused(
                    FlowError(
                        .navigationLoop,
                        "step '\(definitions[step.step].name)' and further ones were dropped: "
                            + "one origin may trigger \(Limits.triggeredSteps) steps")), &turn)
            return false
        }
    }

    /// A triggered step of an origin no longer waits.
    mutating func release(origin number: UInt64, isDeferred: Bool = false) {
        origins.release(number, isDeferred: isDeferred)
        if !activationTokens.isEmpty { activationTokens.touch(number) }
    }

    // MARK: Helpers

    /// The path was looked up when the call came, so this happens only if the shell confuses its calls.
    mutating func refuseGone(_ request: RequestID, _ turn: inout Turn) {
        turn.answer = .fail(request, Self.gone)
    }

    static let gone = FlowError(.presentableDismissed, "the presentable is gone")

    /// The flow that handles steps emitted on a presentable (S-4).
    func flow(for slot: NodeSlot) -> NodeSlot {
        forest[slot].flow == nil ? forest[slot].parent ?? slot : slot
    }
}
