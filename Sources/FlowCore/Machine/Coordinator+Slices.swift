// Work goes on in slices: what one call leads to can take seconds, and others are to be answered meanwhile. A slice ends
// between two chains, so nobody sees a navigation that is half done, and what is left goes on as if it had not ended: who has
// another event handled has the rest done first (S-7).

extension Coordinator {
    /// How far the event at hand goes, and what goes on with the next one.
    struct Slice: Sendable {
        /// How many effects and steps make a slice.
        var size = Int.max
        /// When the event was that goes on in slices.
        var begun = Instant(microseconds: 0)
        /// Steps that were taken in this one.
        var taken = 0
        /// The call that goes on first.
        var parked: RequestID?
        /// How many of the calls in ``Coordinator/resumable`` have gone on.
        var resumed = 0
        /// Until when what is due is taken; nil: nothing is.
        var dueBy: Instant?
    }

    /// Whether the latest event has led to more than was done; ``Event/continued`` goes on with it.
    public var hasMore: Bool {
        !queue.isEmpty || slice.parked != nil || !resumable.isEmpty || slice.dueBy != nil
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
        if let request = slice.parked {
            slice.parked = nil
            goOn(with: request)
        } else if slice.resumed < resumable.count {
            let request = resumable[slice.resumed]
            slice.resumed += 1
            if slice.resumed == resumable.count { (resumable, slice.resumed) = ([], 0) }
            goOn(with: request)
        } else if slice.dueBy != nil {
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
        var call = call
        accounting.count(call.usage, for: call.client)
        if call.due == nil { call.due = due ?? now.advanced(by: Limits.replyTimeout) }
        calls[request] = call
        slice.parked = request
        switch call.kind {
        case .list, .deepLink: unsaved.lists.insert(request.number)
        case .step, .path, .readiness: break
        }
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
        if let request = slice.parked, let due = calls[request]?.due, due <= now { replyTimedOut(request) }
        var idle: [Alarms.Entry] = []
        while let next = alarms.next, next.due <= now {
            alarms.removeNext()
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
        unsaved.hasProgress = true
    }

    /// How far the calls are that go on with the next slice, by their numbers.
    var progress: [UInt64: ProgressRecord] {
        var progress: [UInt64: ProgressRecord] = [:]
        let requests = [slice.parked].compactMap { $0 } + resumable[slice.resumed...]
        for (rank, request) in requests.enumerated() where progress[request.number] == nil {
            guard let call = calls[request] else { continue }
            let done: Int
            switch call.kind {
            case .list(let list): done = list.outcomes.count
            case .deepLink(let link) where link.next < link.flows.count: done = link.next
            case .deepLink, .step, .path, .readiness: continue
            }
            progress[request.number] = ProgressRecord(rank: UInt64(rank), done: UInt64(done))
        }
        return progress
    }
}
