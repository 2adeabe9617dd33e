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
    mutating func goOn(_ turn: inout Turn) {
        while run(&turn), !turn.isOver, takeNext(&turn) {}
    }

    /// Handles the next item of the rest; returns false if there is none.
    private mutating func takeNext(_ turn: inout Turn) -> Bool {
        if let request = calls.takeNext() {
            goOn(with: request, &turn)
        } else if alarms.hasDue {
            takeNextDue(&turn)
        } else {
            return false
        }
        return true
    }

    /// Ends the current cascades, and all that waits behind them, because the next action requires that.
    mutating func runToEnd(_ turn: inout Turn) {
        let size = turn.size
        turn.size = .max
        run(&turn)
        turn.size = size
    }

    /// A call continues in the next slice, or in this one.
    mutating func park(_ request: RequestID, _ call: Call, until due: Instant? = nil, _ turn: inout Turn) {
        accounting.count(call.usage, for: call.client)
        calls.park(request, call, until: due ?? turn.now.advanced(by: Limits.replyTimeout))
    }

    /// While there is a rest: any event but `continued` finishes it first. With `continued`, callers that have waited long
    /// enough are answered, because the timer does not do it.
    mutating func handleRest(before event: Event, _ turn: inout Turn) {
        if case .continued = event {
            // The timer handles what was due before.
            if turn.now > begun { takeDueCalls(&turn) }
            return
        }
        let size = turn.size
        turn.size = .max
        goOn(&turn)
        turn.sendLateAnswers()
        (turn.size, turn.taken) = (size, 0)
    }

    /// Answers callers that have waited long enough; ignores idle flows.
    private mutating func takeDueCalls(_ turn: inout Turn) {
        if let request = calls.parkedCall(dueBy: turn.now) { replyTimedOut(request, &turn) }
        var idle: [Alarms.Entry] = []
        while let next = alarms.takeNext(dueBy: turn.now) {
            switch next.subject {
            case .flow: idle.append(next)
            case .call(let request): replyTimedOut(request, &turn)
            }
        }
        for entry in idle { alarms.insert(entry.subject, due: entry.due) }
    }

    /// Calls and steps that continue later get records.
    mutating func recordRest(_ turn: inout Turn) {
        for step in queue.takeUnrecorded() { record(step, .queued, &turn) }
        calls.noteProgress()
    }
}
