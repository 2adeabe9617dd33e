// The owner of a presentable has taken the answer to an ask (S-45).

extension Machine {
    /// The owner of a presentable has taken an answer, or does not want it any more.
    mutating func acknowledge(
        _ token: String, of node: NodeID, by client: Client, _ request: RequestID, _ turn: inout Turn
    ) {
        guard let slot = forest.slot(of: node) else { return refuseGone(request, &turn) }
        guard isOwner(client, of: slot) else {
            turn.answer = .fail(request, notOwner(slot, client))
            return
        }
        guard let number = asks.find(Asks.Key(asker: .presentable(node.instance), token: token)) else {
            turn.answer = .fail(
                request,
                FlowError(
                    .invalidArguments,
                    "'\(forest[slot].path)' has no ask with the token '\(Names.escaped(token))'; it has to be that of a call "
                        + "with the option 'ask'"))
            return
        }
        if asks[number]?.isClosed == false { closeAsk(number, at: turn.now) }
        turn.answer = .reply(request, .done)
    }
}
