// Work is done in slices: a call can lead to seconds of work, and others have to be answered in between. A slice ends
// between two cascades, so nobody sees half a navigation. The rest continues as if it had not been interrupted: another
// event that changes the tree finishes it first (S-7).

extension Machine {
    /// Whether the latest event has work left, which ``Event/continued`` continues.
    var hasMore: Bool {
        !queue.isEmpty || calls.hasNext || alarms.hasDue
    }

    /// Continues with the rest, within the slice: with each call when the cascade of the step that it waited for has ended
    /// or waits.
    mutating func continueWork(_ turn: inout Turn) {
        while run(&turn), !turn.isOver, takeNext(&turn) {}
    }

    /// Handles the next item of the rest; returns false if there is none.
    private mutating func takeNext(_ turn: inout Turn) -> Bool {
        if let request = calls.takeNext() {
            resumeCall(request, &turn)
        } else if alarms.hasDue {
            takeNextDue(&turn)
        } else {
            return false
        }
        return true
    }

    /// Continues a call whose step has ended, or that was interrupted at the end of a slice.
    private mutating func resumeCall(_ request: RequestID, _ turn: inout Turn) {
        guard let call = calls[request] else { return }
        switch call.kind {
        case .step: break
        case .list(let list): emitRest(of: list, call, request, &turn)
        case .deepLink(let link):
            // If no flow is left, the call waits for the outcomes alone.
            if call.next < link.flows.count || call.undecided > 0 { return takeRest(of: request, &turn) }
            drop(request)
            let outcomes = calls.takeOutcomes(of: request)
            if !call.isAnswered { finishCall(request, .reply(request, .outcomes(outcomes)), &turn) }
        case .path(let walk): walkOn(walk, call, request, &turn)
        case .readiness(let flow):
            if let slot = forest.slot(of: flow) {
                guard forest[slot].flow?.isReady == true else { return }
                finishCall(request, .reply(request, .done), &turn)
            } else {
                finishCall(request, .fail(request, FlowError(.flowEnded, "the flow ended before it was ready")), &turn)
            }
            drop(request)
        }
    }

    /// While there is a rest: any event but `continued` finishes it first. With `continued`, callers that have waited long
    /// enough are answered, because the timer does not do it.
    mutating func handleRest(before event: Event, _ turn: inout Turn) {
        if case .continued = event {
            // The timer handles what was due before.
            if turn.now > begun { takeDueCalls(&turn) }
            return
        }
        handleRest(&turn)
    }

    /// Finishes the rest.
    mutating func handleRest(_ turn: inout Turn) {
        let size = turn.size
        turn.size = .max
        continueWork(&turn)
        turn.sendLateAnswers()
        (turn.size, turn.taken) = (size, 0)
    }

    /// Answers callers that have waited long enough. Idle flows, steppers and screens have to wait for the cascade.
    private mutating func takeDueCalls(_ turn: inout Turn) {
        if let request = calls.parkedCall(dueBy: turn.now) { replyTimedOut(request, &turn) }
        var others: [Alarms.Entry] = []
        while let next = alarms.takeNext(dueBy: turn.now) {
            switch next.subject {
            case .flow, .stepper, .screen, .beginning, .context, .outputs: others.append(next)
            case .call(let request): replyTimedOut(request, &turn)
            }
        }
        for entry in others { alarms.insert(entry.subject, due: entry.due) }
    }

    /// Calls and steps that continue later get records.
    mutating func recordRest(_ turn: inout Turn) {
        for step in queue.takeUnrecorded() { record(step, .queued, &turn) }
        calls.noteProgress()
    }
}
