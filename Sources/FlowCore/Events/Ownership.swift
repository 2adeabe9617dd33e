// A client claims a presentable, or releases it (S-29).

extension Machine {
    /// A client claims a presentable.
    mutating func claim(_ node: NodeID, by client: Client, _ request: RequestID, _ turn: inout Turn) {
        guard let slot = forest.slot(of: node) else { return refuseGone(request, &turn) }
        do throws(FlowError) {
            try checkClaim(slot, client)
        } catch {
            turn.answer = .fail(request, error)
            return
        }
        forest.update(slot) { $0.presenting?.value.becomeClaimed() }
        if forest[slot].owner != client {
            own(slot, client, &turn)
            forest.update(slot) { $0.told = nil }
            tellAnswers(for: slot, all: true, &turn)
        }
        reportChanges(&turn)
        tellContext(of: slot, &turn)
        triggerPresented(&turn)
        turn.answer = .reply(request, .done)
    }

    /// Refuses a client that may not become the owner of a presentable.
    private func checkClaim(_ slot: NodeSlot, _ client: Client) throws(FlowError) {
        guard mayHandle(slot, client) else {
            let node = forest[slot]
            throw FlowError(
                .alreadyClaimed,
                node.owner.map { "'\(node.path)' is claimed by '\($0.name)', which has to release it first" }
                    ?? "'\(node.path)' is being presented by '\(node.presenting?.presenter.service.name ?? "")'")
        }
        try checkEmitters(of: slot, client)
    }

    /// A client releases a presentable: from then on any client may show, hide and dismiss it.
    mutating func release(_ node: NodeID, by client: Client, _ request: RequestID, _ turn: inout Turn) {
        guard let slot = forest.slot(of: node) else { return refuseGone(request, &turn) }
        guard forest[slot].owner == client else {
            turn.answer = .fail(request, notOwner(slot, client))
            return
        }
        leave(slot, &turn)
        turn.answer = .reply(request, .done)
    }
}
