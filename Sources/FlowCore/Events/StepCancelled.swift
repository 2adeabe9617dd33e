// A client takes back a step that waits at a presentable (S-16).

extension Machine {
    /// A client takes back a step that it emitted on a presentable and that still waits there.
    mutating func cancelStep(
        _ token: String, on node: NodeID, by client: Client, _ request: RequestID, _ turn: inout Turn
    ) {
        guard let slot = forest.slot(of: node) else { return refuseGone(request, &turn) }
        tokens.expire(at: turn.now)
        expireAsks(at: turn.now)
        let key = Tokens.Key(client: client, kind: .emission, token: token)
        let ask = knownAsk(token, on: node, by: client)
        let origin = ask.flatMap { asks[$0]?.origin }
        let steps = forest[slot].deferredSteps.filter { step in
            origin.map { step.origin == $0 } ?? (step.client == client && step.token == token && !token.isEmpty)
        }
        guard !steps.isEmpty else {
            // A repeated call succeeds as the first one did.
            let isCancelled =
                ask.map { asks[$0]?.verdict == .hidden }
                ?? (tokens.outcome(of: key) == .reply(.verdict(.hidden, serial: 0)))
            turn.answer =
                isCancelled ? .reply(request, .done) : .fail(request, notWaiting(token, at: slot, for: client))
            return
        }
        if let ask {
            asks.setVerdict(.hidden, of: ask)
        } else {
            do throws(FlowError) {
                try rememberCancelled(key, at: turn.now)
            } catch {
                turn.answer = .fail(request, error)
                return
            }
        }
        for step in steps { takeBack(step, at: slot, &turn) }
        turn.answer = .reply(request, .done)
    }

    /// A call with the token of the step is not to bring it again. The first one may be forgotten by now, or have been made so long ago that
    /// another call has its token.
    private mutating func rememberCancelled(_ key: Tokens.Key, at now: Instant) throws(FlowError) {
        switch tokens.outcome(of: key) {
        case nil: try tokens.check(key, in: accounting, besides: asks)
        case .reply(.verdict(.deferred, _)): break
        case .reply, .fail, .waiting: return
        }
        tokens.renew(.reply(.verdict(.hidden, serial: 0)), of: key, at: now)
        accounting.open(key.client)
    }

    private mutating func takeBack(_ step: DeferredStep, at slot: NodeSlot, _ turn: inout Turn) {
        let flow = flow(for: slot)
        forest.updateUsage(slot) { $0.deferredSteps.removeAll { $0.origin == step.origin } }
        unrecord(step)
        reportCancelled(step, at: forest[flow].path, &turn)
        touchEmpty(forest.id(of: flow))
    }

    private func notWaiting(_ token: String, at slot: NodeSlot, for client: Client) -> FlowError {
        FlowError(
            .invalidArguments,
            "no step of '\(client.name)' with the token '\(Names.escaped(token))' waits at '\(forest[slot].path)'; it has to be "
                + "that of a call of EmitStepWithOptions with the verdict 'deferred', whose step was not taken yet")
    }
}
