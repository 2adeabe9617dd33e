// The outcomes of steps: where they are reported (S-9, S-12), and which steps are triggered (S-11).

extension Machine {
    /// A step has ended.
    @discardableResult
    mutating func end(_ step: WaitingStep, _ outcome: Outcome, _ turn: inout Turn) -> Outcome {
        conclude(step, outcome, &turn)
        if case .navigated = outcome {} else { noteFailedCreation(step, fault(of: step, outcome)) }
        touchEmpty(step.flow)
        if step.countedBytes != nil { stopWaiting(step) }
        if step.isTriggered { releaseOrigin(step.origin) }
        if !inTurn.isEmpty { inTurn.stepEnded(step.origin) }
        if asks.isFollowing { endStep(step, ofAskBy: outcome, &turn) }
        return outcome
    }

    /// What `onDismissed` gets of a step that was not navigated.
    private func fault(of step: WaitingStep, _ outcome: Outcome) -> Fault? {
        switch outcome {
        case .navigated: nil
        case .ignored(let verdict): Fault(verdict.rawValue, text(of: verdict, on: step, at: failurePath(of: step.flow)))
        case .refused(let error): Fault(error)
        }
    }

    /// Gives the outcome of a step to the call that waits for it (S-9), or reports a failure to all (S-12).
    private mutating func conclude(_ step: WaitingStep, _ outcome: Outcome, _ turn: inout Turn) {
        switch step.purpose {
        case .deepLink(let request, let place):
            takeOutcome(outcome, ofDeepLink: request, at: place, &turn)
        case .emitted(let request), .listed(let request, _), .segment(let request):
            if calls.contains(request) {
                takeOutcome(outcome, of: step, for: request, &turn)
            } else if case .emitted = step.purpose, request == turn.call.request {
                turn.answer = Self.answer(request, outcome)
            }
        case .timed:
            reportFailure(of: step, outcome, &turn)
            timedStepEnded(step, outcome, &turn)
        case .initial, .triggered, .deferred, .property, .signalled:
            reportFailure(of: step, outcome, &turn)
        }
        if step.purpose == .initial, let flow = forest.slot(of: step.flow) {
            initialStepEnded(of: flow)
            if case .navigated(let serial) = outcome { noteStillEmpty(step, nil, cause: serial) }
            reportChanges(&turn)
        }
    }

    /// Puts a triggered step into the queue, in the order of origins (S-6), within the limit of its origin (S-11).
    mutating func trigger(_ step: WaitingStep, _ turn: inout Turn) {
        guard mayTrigger(step, &turn) else {
            noteFailedCreation(step, Fault(loop))
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
        case .admitted:
            if asks.isFollowing { asks.addStep(step.origin) }
            return true
        case .dropped(isFirst: false): return false
        case .dropped(isFirst: true):
            reportFailure(
                of: step,
                .refused(
                    FlowError(
                        .navigationLoop,
                        "step '\(definitions[step.step].name)' and further ones were dropped: \(loop.message)")),
                &turn)
            return false
        }
    }

    private var loop: FlowError {
        FlowError(.navigationLoop, "one origin may trigger \(origins.limit) steps")
    }

    func lost(_ deferred: DeferredStep, with node: Node, flowLives: Bool, isInitial: Bool) -> FlowError {
        let name = definitions.steps[deferred.step.index].name
        guard flowLives else {
            return FlowError(.flowEnded, "the flow that was to take step '\(name)' has ended")
        }
        let what = isInitial ? "its initial step '\(name)'" : "step '\(name)', which was deferred"
        return FlowError(
            .presentableDismissed, "screen '\(node.name)' was dismissed before it was presented, with \(what)")
    }

    /// Reports a step that no call waits for, unless it was navigated (S-12).
    mutating func reportFailure(of step: WaitingStep, _ outcome: Outcome, _ turn: inout Turn) {
        let name = definitions.steps[step.step.index].name
        if case .navigated = outcome { return }
        let place = failurePath(of: step.flow)
        let reason: NavigationFailure.Reason
        let message: String
        switch outcome {
        case .navigated: return
        case .ignored(let verdict):
            reason = .verdict(verdict)
            message = text(of: verdict, on: step, at: place)
        case .refused(let error):
            reason = .error(error.code)
            message = error.message
        }
        turn.effects.append(
            .emitNavigationFailed(
                NavigationFailure(
                    flow: place, cause: step.cause, client: step.client, step: name, reason: reason,
                    message: message, isTimed: step.isTimed)))
    }

    /// A verdict as a text for people.
    func text(of verdict: Verdict, on step: WaitingStep, at place: String) -> String {
        let name = definitions.steps[step.step.index].name
        return switch verdict {
        case .hidden: "'\(place)' is not presented, and ignores step '\(name)' then"
        case .rejected: "the guard of '\(place)' refused step '\(name)'"
        case .unhandled, .navigated, .deferred, .pending: unhandled(step.step, at: step.flow)
        }
    }

    /// Reports a waiting step that was dropped.
    mutating func reportDropped(_ deferred: DeferredStep, _ error: FlowError, at path: String, _ turn: inout Turn) {
        reportDropped(deferred, .error(error.code), error.message, at: path, &turn)
    }

    /// Reports a deferred step that a newer one replaced (S-15, S-19).
    mutating func reportReplaced(_ deferred: DeferredStep, at path: String, _ turn: inout Turn) {
        let name = definitions.steps[deferred.step.index].name
        reportDropped(
            deferred, .verdict(.hidden),
            "step '\(name)' waited for its presentable to be presented, until a newer one took its place", at: path,
            &turn)
    }

    /// Reports a deferred step that its client took back (S-16).
    mutating func reportCancelled(_ deferred: DeferredStep, at path: String, _ turn: inout Turn) {
        let name = definitions.steps[deferred.step.index].name
        reportDropped(
            deferred, .verdict(.hidden),
            "step '\(name)' waited for its turn, until its client took it back (CancelStep)",
            at: path, &turn)
    }

    private mutating func reportDropped(
        _ deferred: DeferredStep, _ reason: NavigationFailure.Reason, _ message: String, at path: String,
        _ turn: inout Turn
    ) {
        turn.effects.append(
            .emitNavigationFailed(
                NavigationFailure(
                    flow: path, cause: deferred.cause, client: deferred.client,
                    step: definitions.steps[deferred.step.index].name,
                    reason: reason, message: message)))
        // The step of an ask; initial steps, which have a cause, are not waited for.
        if asks.isFollowing, deferred.cause == 0 { endAskedStep(deferred.origin, &turn) }
    }

    /// Reports a step for the parent of a root, which has none (S-20, S-21).
    mutating func reportOrphaned(_ planned: Plan.Step, of step: WaitingStep, at path: String, _ turn: inout Turn) {
        let name = definitions.steps[planned.step.index].name
        turn.effects.append(
            .emitNavigationFailed(
                NavigationFailure(
                    flow: path, cause: serial, client: step.client, step: name, reason: .verdict(.unhandled),
                    message: "'\(path)' is a root: it has no parent that could take step '\(name)'")))
    }
}
