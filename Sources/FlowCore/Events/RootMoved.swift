// A client moves a root to another output (S-41).

extension Machine {
    /// A client moves a root to another output (S-41).
    mutating func moveRoot(
        _ node: NodeID, to output: String, by client: Client, _ request: RequestID, _ turn: inout Turn
    ) {
        guard let slot = forest.slot(of: node) else { return refuseGone(request, &turn) }
        do throws(FlowError) {
            guard let flow = forest[slot].flow, forest[slot].parent == nil else {
                throw FlowError(
                    .invalidArguments, "'\(forest[slot].path)' is no root; only a root stands on an output")
            }
            try checkEmitter(client, of: flow.definition) { "is moved to another output only by" }
            try checkOutput(output)
        } catch {
            turn.answer = .fail(request, error)
            return
        }
        turn.answer = .reply(request, .done)
        let isNew = forest[slot].output != output
        if isNew { forest.touch(root: slot) }
        forest.update(slot) { $0.kept.output = output }
        raise(slot, for: client, isNew: isNew)
        forest.updateVisibility(below: nil, changed: [slot])
        reportChanges(&turn)
        if isNew { for screen in forest.screensInSight(below: slot) { presentAnew(screen) } }
        triggerPresented(&turn)
    }

    /// The presenter of a screen in sight is called again, because something else than the arguments is new (S-41). A program
    /// with an action would only do that again.
    private mutating func presentAnew(_ slot: NodeSlot) {
        guard case .service? = forest[slot].presenting?.presenter else { return }
        presentAgain(slot)
    }
}
