// Work goes on in slices: what one call leads to can take seconds, and others are to be answered meanwhile. A slice ends
// between two chains, so nobody sees a navigation that is half done, and what is left goes on as if it had not ended: who has
// another event handled has the rest done first (S-7).

extension Machine {
    /// Whether the latest event has led to more than was done; ``Event/continued`` goes on with it.
    var hasMore: Bool {
        !queue.isEmpty || calls.hasNext || alarms.hasDue
    }

    /// Goes on with what is left, as far as the slice goes: each call when the chain of the step that it waited for is done,
    /// or waits.
    mutating func goOn(_ turn: inout Turn) {
        while run(&turn), !turn.isOver, takeNext(&turn) {}
    }

    /// Goes on with the next thing that is left; false: there is none.
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

    /// Takes the chains that are under way to their end, and all that waits behind them: where what follows needs that.
    mutating func runToEnd(_ turn: inout Turn) {
        let size = turn.size
        turn.size = .max
        run(&turn)
        turn.size = size
    }

    /// A call goes on with the next slice, or with this one.
    mutating func park(_ request: RequestID, _ call: Call, until due: Instant? = nil, _ turn: inout Turn) {
        accounting.count(call.usage, for: call.client)
        calls.park(request, call, until: due ?? turn.now.advanced(by: Limits.replyTimeout))
    }

    /// Before an event, while there is more: another one than `continued` has all of it done first. Else callers that have
    /// waited long enough are told, as the timer is not.
    mutating func handleRest(before event: Event, _ turn: inout Turn) {
        if case .continued = event {
            // What was due before is the timer's affair.
            if turn.now > begun { takeDueCalls(&turn) }
            return
        }
        let size = turn.size
        turn.size = .max
        goOn(&turn)
        turn.sendLateAnswers()
        (turn.size, turn.taken) = (size, 0)
    }

    /// Tells callers whose patience has ended, and leaves flows that are idle alone.
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

    /// What goes on later has records from now on.
    mutating func recordRest(_ turn: inout Turn) {
        for step in queue.takeUnrecorded() { record(step, .queued, &turn) }
        calls.noteProgress()
    }
}
