// How a client asks, repeats its call, and acknowledges the answer (S-45).

extension Machine {
    /// Answers a repeated call: by its ask if it has one, or by its token. Otherwise the call goes on, and is remembered.
    mutating func answerAgain(
        _ options: EmissionOptions, on node: NodeID?, by client: Client, _ request: RequestID, _ turn: inout Turn
    ) -> Bool {
        guard let token = options.token else {
            if !options.asks { return false }
            turn.answer = .fail(
                request,
                FlowError(
                    .invalidArguments,
                    "the option 'ask' is given without 'token'; it needs one, by which Answered names the call"))
            return true
        }
        expireAsks(at: turn.now)
        if let number = knownAsk(token, on: node, by: client),
            repeatAsk(number, options, on: node, by: client, request, &turn)
        {
            return true
        }
        return answerAgain(Tokens.Key(client: client, kind: .emission, token: token), request, &turn)
    }

    /// The ask of a client, or of the presentable if the client owns that or did so when it called.
    func knownAsk(_ token: String, on node: NodeID?, by client: Client) -> UInt64? {
        if asks.isEmpty { return nil }
        if let slot = forest.slot(of: node), isOwner(client, of: slot),
            let number = asks.find(Asks.Key(asker: .presentable(forest[slot].instance), token: token))
        {
            return number
        }
        if let number = asks.find(Asks.Key(asker: .client(client), token: token)) { return number }
        // Only the ask remembers the token, so its caller needs it also without the presentable (S-9).
        guard let node, let number = asks.find(Asks.Key(asker: .presentable(node.instance), token: token)),
            let ask = asks[number], ask.client == client, !ask.isLeft
        else { return nil }
        return number
    }

    /// Answers a repeated call with the verdict, and with the answer if there is one.
    ///
    /// - Returns: false if the call waits for the verdict with the first one.
    private mutating func repeatAsk(
        _ number: UInt64, _ options: EmissionOptions, on node: NodeID?, by client: Client, _ request: RequestID,
        _ turn: inout Turn
    ) -> Bool {
        guard let ask = asks[number] else { return false }
        let key = Tokens.Key(client: client, kind: .emission, token: ask.key.token)
        if ask.verdict == nil, tokens.outcome(of: key) != nil { return false }
        if ask.verdict == nil { asks.setVerdict(.pending, of: number) }
        if ask.client != client || ask.isLeft {
            accounting.count(-ask.usage, for: ask.client)
            accounting.count(ask.usage, for: client)
            accounting.open(client)
            if ask.isLeft { forest.noteReclaimChange() }
            // The owner at that time called another path, perhaps.
            let path = options.calledAt ?? forest.slot(of: node).map { forest[$0].path } ?? ask.path
            asks.setClient(client, at: path, of: number)
        }
        turn.answer = .reply(request, .verdict(ask.verdict ?? .pending, serial: ask.serial))
        tell(number, &turn)
        return true
    }

    /// A client repeats a call whose presentable or step is gone.
    mutating func repeatEmission(
        _ token: String, on node: NodeID?, by client: Client, _ request: RequestID, _ turn: inout Turn
    ) {
        if answerAgain(EmissionOptions(token: token), on: node, by: client, request, &turn) { return }
        turn.call.token = nil
        refuseGone(request, &turn)
    }

    /// Refuses an ask beyond a limit, before anything changes.
    mutating func checkAsk(
        _ token: String, on node: NodeID, by client: Client, _ turn: inout Turn
    ) throws(FlowError) {
        guard let slot = forest.slot(of: node) else { return }
        if isOwner(client, of: slot) {
            let count = asks.pendingCount(of: node.instance)
            let most = accounting.quotas.asksPerPresentable
            guard count < most else {
                throw FlowError(
                    .limitExceeded,
                    "'\(forest[slot].path)' has \(count) asks that are not acknowledged, of at most "
                        + "\(most); AcknowledgeAnswer ends one")
            }
        }
        let usage = Accounting.Usage(bytes: token.utf8.count + Limits.argumentBytes)
        try reserve(usage, for: client, sparing: slot, &turn)
    }

    /// A client asks by a step that begins now.
    mutating func beginAsk(
        _ token: String, on slot: NodeSlot, by client: Client, _ options: EmissionOptions, origin: UInt64,
        _ request: RequestID
    ) {
        let asker: Asks.Asker = isOwner(client, of: slot) ? .presentable(forest[slot].instance) : .client(client)
        let key = Asks.Key(asker: asker, token: token)
        let number = asks.begin(
            key, by: client, at: options.calledAt ?? forest[slot].path, origin: origin, of: request)
        accounting.count(asks[number]?.usage ?? Accounting.Usage(), for: client)
        countAsks(of: key)
    }

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
