// A client emits a step on a presentable (S-4, S-9), asks by it, or repeats such a call by its token (S-45).

extension Machine {
    /// A client emits a step on a presentable.
    mutating func emit(
        _ step: StepID, _ arguments: Arguments, on node: NodeID, by client: Client, _ options: EmissionOptions?,
        _ request: RequestID, _ turn: inout Turn
    ) {
        let waits = options?.waits ?? true
        if let options {
            guard begin(options, on: node, by: client, request, &turn) else { return }
            turn.call.path = options.calledAt
        }
        switch emit(step, arguments, on: node, by: client, options, waits: waits, .emitted(request), &turn) {
        case .ended(let outcome):
            turn.answer = Self.answer(request, outcome)
            if let options, options.asks { decideAsk(of: request, outcome, &turn) }
        case .taken: break
        case .waiting:
            let path = turn.call.path ?? forest[node.slot].path
            suspend(request, Call(client: client, kind: .step(path: path, turn.call.token)), &turn)
            if !waits { replyTimedOut(request, &turn) }
        }
    }

    /// Returns whether the step can be emitted with these options; otherwise the call has its answer, or gets it with that of an
    /// earlier one.
    private mutating func begin(
        _ options: EmissionOptions, on node: NodeID, by client: Client, _ request: RequestID, _ turn: inout Turn
    ) -> Bool {
        if answerAgain(options, on: node, by: client, request, &turn) { return false }
        if let wanted = options.instance, wanted != node.instance {
            let error = FlowError(
                .staleInstance,
                "instance '\(wanted)' is meant, but the presentable at this path is instance '\(node.instance)'")
            turn.answer = .fail(request, error)
            return false
        }
        guard options.asks, let token = options.token else { return true }
        do throws(FlowError) {
            try checkAsk(token, on: node, by: client, &turn)
        } catch {
            // Nothing is remembered: the same call can be made when there is room.
            turn.call.token = nil
            turn.answer = .fail(request, error)
            return false
        }
        return true
    }

    /// Answers a repeated call: by its ask if it has one, or by its token. Otherwise the call goes on, and is remembered.
    private mutating func answerAgain(
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

    /// A client repeats a call whose presentable or step is gone.
    mutating func repeatEmission(
        _ token: String, on node: NodeID?, by client: Client, _ request: RequestID, _ turn: inout Turn
    ) {
        if answerAgain(EmissionOptions(token: token), on: node, by: client, request, &turn) { return }
        turn.call.token = nil
        refuseGone(request, &turn)
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

    /// Refuses an ask beyond a limit, before anything changes.
    private mutating func checkAsk(
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
}
