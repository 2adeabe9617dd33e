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
        move(slot, to: output, for: client)
        reportChanges(&turn)
        triggerPresented(&turn)
    }
}
