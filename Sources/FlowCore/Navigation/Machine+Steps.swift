// The way of a step: it is taken from the queue, carried out at its flow, and ends; what it triggers comes to the queue.

extension Machine {
    /// Takes the waiting steps until none is left whose flow could take it: a chain that waits for nobody is finished
    /// before the next step from outside is taken (S-7).
    ///
    /// - Returns: false: the rest goes on with the next slice.
    @discardableResult
    mutating func run(_ turn: inout Turn) -> Bool {
        while true {
            if turn.isOver, queue.isBetweenChains { return queue.isEmpty }
            guard let step = queue.takeNext() else { return true }
            if queue.dropRecord(of: step) { unrecord(step) }
            take(step, &turn)
        }
    }

    /// Takes one step to its end, or to where it waits for a guard or navigator; nil: it waits.
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

    /// Takes a step at its live flow by the flow's own rules, as soon as nothing has to be waited for.
    @discardableResult
    mutating func carryOut(_ step: WaitingStep, at flow: NodeSlot, _ turn: inout Turn) -> Outcome {
        if step.countedBytes == nil { return end(step, navigate(step, flow, &turn), &turn) }
        // It leaves its room to what comes of it.
        let step = stopWaiting(step)
        return end(step, navigate(step, flow, &turn), &turn)
    }

    /// A step has come to its end.
    @discardableResult
    mutating func end(_ step: WaitingStep, _ outcome: Outcome, _ turn: inout Turn) -> Outcome {
        conclude(step, outcome, &turn)
        stopWaiting(step)
        if step.isTriggered { release(origin: step.origin) }
        return outcome
    }

    /// Tells who waits for a step how it ended (S-9), or everyone, where nobody waits and it ended badly (S-12).
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

    /// Lets a step wait for its turn, in the order of origins (S-6); not more than an origin may trigger (S-11).
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

    /// Counts a step that an origin triggers; false where it is one too many, which is reported once (S-11).
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

    /// A step that the origin triggered waits no longer.
    mutating func release(origin number: UInt64, held: Bool = false) {
        origins.release(number, isHeld: held)
        if !activationTokens.isEmpty { activationTokens.touch(number) }
    }

    // MARK: What all ways need

    /// The path was looked up when the call came, so this takes a shell that mixes up its calls.
    mutating func refuseGone(_ request: RequestID, _ turn: inout Turn) {
        turn.answer = .fail(request, Self.gone)
    }

    static let gone = FlowError(.presentableDismissed, "the presentable is gone")

    /// The flow that handles steps on a presentable (S-4).
    func flow(for slot: NodeSlot) -> NodeSlot {
        forest[slot].flow == nil ? forest[slot].parent ?? slot : slot
    }
}
