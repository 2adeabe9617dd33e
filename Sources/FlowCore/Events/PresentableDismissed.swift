// A client dismisses a presentable (S-22), and may say what failed.

extension Machine {
    /// A client dismisses a presentable, and says what failed if there is a fault.
    mutating func dismiss(
        _ node: NodeID, _ fault: Fault?, by client: Client, _ request: RequestID, _ turn: inout Turn
    ) {
        guard let slot = forest.slot(of: node) else { return refuseGone(request, &turn) }
        if hasLeft(slot, client) { return turn.answer = .reply(request, .done) }
        do throws(FlowError) {
            try checkDismissal(slot, client)
            // Anyone else can't know what failed.
            if fault != nil, !isOwner(client, of: slot) { throw notOwner(slot, client) }
        } catch {
            turn.answer = .fail(request, error)
            return
        }
        if forest[slot].owner == client, forest[slot].presenting?.kept.eviction == .underWay {
            // It was told to take its window away, which many programs report as if the user had closed it (S-44).
            leave(slot, &turn)
            turn.answer = .reply(request, .done)
            return
        }
        // An owner that dismisses its presentable gets no `Withdraw`.
        let origin = origins.next()
        if isOwner(client, of: slot) { noteHastyDismissal(of: slot, fault, origin: origin, turn.now) }
        if forest[slot].owner == client { removeOwner(slot, &turn) }
        let why = fault.map { Dismissal(.failed, $0) } ?? Dismissal(.dismissed)
        dismiss(slot, why, origin: origin, cause: 0, client, &turn)
        turn.answer = .reply(request, .done)
    }

    /// Refuses a client that may not dismiss a presentable. A program that knows nothing of flowbus can't do that itself, so
    /// the `emitters` alone decide who else may (S-40).
    private func checkDismissal(_ slot: NodeSlot, _ client: Client) throws(FlowError) {
        guard forest[slot].presenting?.presenter.application != nil, forest[slot].owner != client else {
            return try checkHandling(slot, client)
        }
        try checkEmittersAlone(of: slot, client)
    }

    /// A program dismisses its own screen soon after it was called, as if it refused it.
    ///
    /// - Parameter origin: that of the dismissal.
    private mutating func noteHastyDismissal(of slot: NodeSlot, _ fault: Fault?, origin: UInt64, _ now: Instant) {
        guard let presenting = forest[slot].presenting, let called = presenting.called,
            now < called.advanced(by: Limits.hastyTime)
        else { return }
        let name = presenting.presenter.service.name
        noteHaste(
            of: slot, fault ?? Fault(Fault.refusal, "'\(name)' dismissed it at once"), origin: origin, now)
    }
}
