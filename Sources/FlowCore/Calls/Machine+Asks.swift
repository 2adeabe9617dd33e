// Asks: what their chains lead to, and what becomes of that (S-45).

extension Machine {
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

    /// A step has ended: it may decide the call of an ask, and be the last one of a chain.
    mutating func endStep(_ step: WaitingStep, ofAskBy outcome: Outcome, _ turn: inout Turn) {
        if case .emitted(let request) = step.purpose { decideAsk(of: request, outcome, &turn) }
        endAskedStep(step.origin, &turn)
    }

    /// The verdict on the step of a call is known. Without one that can lead to an answer, nothing is asked, unless the caller
    /// was told that the step is pending.
    mutating func decideAsk(of request: RequestID, _ outcome: Outcome, _ turn: inout Turn) {
        guard let number = asks.takeUndecided(request) else { return }
        switch outcome {
        case .navigated(let serial): asks.setVerdict(.navigated, serial: serial, of: number)
        case .ignored(.deferred): asks.setVerdict(.deferred, of: number)
        case .ignored, .refused: if asks[number]?.verdict == nil { return forgetAsk(number) }
        }
        // From now on the ask remembers the token.
        if turn.call.request == request { turn.call.token = nil }
    }

    /// A step of a chain has ended. The ask of a chain that ends without a presentable with a result is answered.
    mutating func endAskedStep(_ origin: UInt64, _ turn: inout Turn) {
        guard let number = asks.endStep(origin), asks[number]?.state == .open(about: nil) else { return }
        answer(number, .nothing, &turn)
    }

    /// A step made or reused a presentable: whoever asked about it before is not answered by it any more, and the ask whose
    /// chain it is may be about it.
    mutating func noteContributed(_ slot: NodeSlot, by origin: UInt64, _ turn: inout Turn) {
        let instance = forest[slot].instance
        for number in asks.about(instance) where asks[number]?.origin != origin { answer(number, .replaced, &turn) }
        guard let number = asks.searching(origin), declaredResult(of: slot) != nil else { return }
        asks.setSubject(instance, of: number)
    }

    /// The values that a presentable answers with; nil if it does not answer.
    private func declaredResult(of slot: NodeSlot) -> [Parameter]? {
        let name = forest[slot].name
        if forest[slot].flow != nil { return definitions.flow(named: name).flatMap { definitions[$0].result } }
        return definitions.screen(named: name).flatMap { definitions[$0].result }
    }

    /// Presentables are gone, the last one for this reason, and the others with it.
    mutating func noteGone(_ gone: [Node], _ outcome: AskOutcome, with result: Arguments = [], _ turn: inout Turn) {
        if asks.isEmpty { return }
        for node in gone { endAsks(of: node.instance, turn.now) }
        for (place, node) in gone.enumerated() {
            let isLast = place == gone.count - 1
            for number in asks.about(node.instance) {
                answer(number, isLast ? outcome : .parent, with: isLast ? result : [], &turn)
            }
        }
    }

    /// A presentable that asked is gone, and its answers with it. Others are for its last owner, if that is connected.
    mutating func endAsks(of instance: UInt64, _ now: Instant) {
        for number in asks.asks(of: instance) {
            guard let ask = asks[number] else { continue }
            guard !ask.isLeft, asks.moveToClient(number) else {
                forgetAsk(number)
                continue
            }
            if ask.answer != nil { closeAsk(number, at: now) }
        }
    }

    /// New definitions: what can't answer any more is `undeclared`.
    mutating func endUndeclaredAsks(_ turn: inout Turn) {
        for instance in asks.asked {
            guard let node = forest.node(instance: instance), declaredResult(of: node.slot) == nil else { continue }
            for number in asks.about(instance) { answer(number, .undeclared, &turn) }
        }
    }

    /// Forgets what was answered long enough ago.
    mutating func expireAsks(at now: Instant) {
        if !asks.isEmpty { forgetExpiredAsks(at: now) }
    }

    private mutating func forgetExpiredAsks(at now: Instant) {
        for number in asks.takeExpired(at: now) { forgetAsk(number) }
    }

    // MARK: Answers

    /// Answers an open ask.
    mutating func answer(_ number: UInt64, _ outcome: AskOutcome, with result: Arguments = [], _ turn: inout Turn) {
        guard let ask = asks[number], ask.isOpen else { return }
        asks.answer(number, outcome, result, at: turn.now)
        recount(number, before: ask)
        tell(number, &turn)
    }

    /// Sends an answer to the asker: a client, or the owner of a presentable. Without an owner, the next one gets it.
    mutating func tell(_ number: UInt64, _ turn: inout Turn) {
        guard let ask = asks[number], let answer = ask.answer else { return }
        var client: Client?
        switch ask.key.asker {
        case .client(let asker): client = asker
        case .presentable(let instance): client = forest.node(instance: instance).flatMap { forest[$0.slot].owner }
        }
        asks.setTold(client != nil, number)
        guard let client else { return }
        turn.answerAsk(Answered(client: client, path: ask.path, answer: answer))
    }

    /// Sends the answers for a presentable to its new owner.
    ///
    /// - Parameter all: whether those are sent, too, that its latest `Present` had.
    mutating func tellAnswers(for slot: NodeSlot, all: Bool, _ turn: inout Turn) {
        if asks.isEmpty { return }
        for number in asks.pending(of: forest[slot].instance) where all || asks[number]?.isTold == false {
            tell(number, &turn)
        }
    }

    // MARK: The end of an ask

    /// Forgets an ask.
    mutating func forgetAsk(_ number: UInt64) {
        guard let ask = asks.forget(number) else { return }
        accounting.count(-ask.usage, for: ask.client)
        // Reclaiming counts itself what it removes.
        if ask.isLeft, !forest.isReclaiming { forest.noteReclaimChange() }
        if !ask.isClosed { countAsks(of: ask.key) }
    }

    /// Remembers no more of an ask than the verdict, for a time.
    mutating func closeAsk(_ number: UInt64, at now: Instant) {
        guard let ask = asks[number] else { return }
        asks.close(number, at: now)
        recount(number, before: ask)
        countAsks(of: ask.key)
    }

    /// The usage of an ask has changed.
    private mutating func recount(_ number: UInt64, before: Asks.Ask) {
        accounting.count(-before.usage, for: before.client)
        if before.isLeft { forest.noteReclaimChange() }
        if let ask = asks[number] { accounting.count(ask.usage, for: ask.client) }
    }

    /// The property of the presentable that an ask belongs to.
    mutating func countAsks(of key: Asks.Key) {
        guard case .presentable(let instance) = key.asker, let node = forest.node(instance: instance) else { return }
        let count = asks.pendingCount(of: instance)
        forest.update(node.slot) { $0.askCount = count }
    }
}
