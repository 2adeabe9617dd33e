// Work goes on in slices: what one call leads to can take seconds, and others are to be answered meanwhile. A slice ends
// between two chains, so nobody sees a navigation that is half done, and what is left goes on as if it had not ended: who has
// another event handled has the rest done first (S-7).

extension Coordinator {
    /// How far the event at hand goes.
    struct Slice: Sendable {
        /// How many effects and steps make a slice.
        var size = Int.max
        /// When the event was that goes on in slices.
        var begun = Instant(microseconds: 0)
        /// Steps that were taken in this one.
        var taken = 0
    }

    /// Whether the latest event has led to more than was done; ``Event/continued`` goes on with it.
    public var hasMore: Bool {
        !queue.isEmpty || calls.hasNext || alarms.hasDue
    }

    /// Whether so much was done that the rest goes on later.
    var isSliceOver: Bool { slice.taken + effects.count >= slice.size }

    /// Goes on with what is left, as far as the slice goes: each call when the chain of the step that it waited for is done,
    /// or waits.
    mutating func goOn() {
        while run(), !isSliceOver, takeNext() {}
    }

    /// Goes on with the next thing that is left; false: there is none.
    private mutating func takeNext() -> Bool {
        if let request = calls.takeNext() {
            goOn(with: request)
        } else if alarms.hasDue {
            takeNextDue()
        } else {
            return false
        }
        return true
    }

    /// Takes the chains that are under way to their end, and all that waits behind them: where what follows needs that.
    mutating func runToEnd() {
        let size = slice.size
        slice.size = .max
        run()
        slice.size = size
    }

    /// A call goes on with the next slice, or with this one.
    mutating func park(_ request: RequestID, _ call: Call, until due: Instant? = nil) {
        accounting.count(call.usage, for: call.client)
        calls.park(request, call, until: due ?? now.advanced(by: Limits.replyTimeout))
    }

    /// Before an event, while there is more: another one than `continued` has all of it done first. Else callers that have
    /// waited long enough are told, as the timer is not.
    mutating func prepareRest(for event: Event) {
        if case .continued = event {
            // What was due before is the timer's affair.
            if now > slice.begun { takeDueCalls() }
            return
        }
        slice.size = .max
        goOn()
        sendLateAnswers()
    }

    /// Tells callers whose patience has ended, and leaves flows that are idle alone.
    private mutating func takeDueCalls() {
        if let request = calls.parkedCall(dueBy: now) { replyTimedOut(request) }
        var idle: [Alarms.Entry] = []
        while let next = alarms.takeNext(dueBy: now) {
            switch next.subject {
            case .flow: idle.append(next)
            case .call(let request): replyTimedOut(request)
            }
        }
        for entry in idle { alarms.insert(entry.subject, due: entry.due) }
    }

    /// What goes on later has records from now on.
    mutating func recordRest() {
        for step in queue.takeUnrecorded() { record(step, .queued) }
        calls.noteProgress()
    }
}
