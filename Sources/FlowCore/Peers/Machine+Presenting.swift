// Presenters are called, and owners noted (S-29, S-31).

extension Machine {
    /// Calls the presenters of screens that came in sight.
    mutating func callPresenters(_ turn: inout Turn) {
        for slot in forest.takeInSight() {
            guard let presenting = forest[slot].presenting, let flow = forest[slot].parent else { continue }
            guard presenting.underWay.count < Limits.callsPerScreen else {
                forest.update(slot) { $0.presenting?.state = .queued }
                continue
            }
            let node = forest[slot]
            let id = questions.ask(
                .presenter(
                    AskedPresenter(
                        screen: forest.id(of: slot), path: node.path, object: presenting.presenter.service.path,
                        origin: presenting.origin)))
            forest.update(slot) { node in
                node.presenting?.state = .asked
                node.presenting?.underWay.append(id)
                node.presenting?.isAgain = true
            }
            origins.wait(presenting.origin)
            if !presenting.isAgain { beginTiming(slot, &turn) }
            // The first `Present` that the cascade causes takes the token, even if its screen is older.
            let token =
                activationTokens.isEmpty
                ? nil
                : activationTokens.take(for: presenting.origin) ?? activationTokens.take(for: turn.origin)
            turn.effects.append(
                .present(
                    Presentation(
                        id: id, presenter: presenting.presenter, path: node.path, name: node.name,
                        arguments: node.arguments, instance: node.instance, style: node.style,
                        flow: forest[flow].path, serial: presenting.serial, isAgain: presenting.isAgain,
                        activationToken: token)))
        }
    }

    // MARK: Timings

    /// The presenter of a screen is called for the first time: from now on the screen is timed (S-46).
    private mutating func beginTiming(_ slot: NodeSlot, _ turn: inout Turn) {
        guard let name = forest[slot].presenting?.presenter.service.name else { return }
        // Screens that are gone were not visible in time.
        if timings.pendingCount > forest.screenCount { timings.forget { forest.slot(of: $0) == nil } }
        let isRunning = name.hasPrefix(":") || nameOwners[name] != nil
        timings.begin(forest.id(of: slot), isRunning ? .warm : .cold, origin: turn.origin, at: turn.now)
    }

    /// A screen has become visible. One that is covered by then is not timed.
    mutating func endTiming(_ slot: NodeSlot, _ turn: inout Turn) {
        if timings.isIdle { return }
        let timing = timings.end(
            forest.id(of: slot), path: forest[slot].path, name: forest[slot].name, isShown: forest[slot].isPresented,
            at: turn.now)
        if let timing { turn.effects.append(.reportTiming(timing)) }
    }

    /// A screen has new arguments: its presenter is called when the screen is in sight (S-19).
    mutating func presentAgain(_ slot: NodeSlot, _ step: WaitingStep) {
        forest.update(slot) { [serial] node in
            node.presenting?.state = .due
            node.presenting?.origin = step.origin
            node.presenting?.serial = serial
        }
        if forest[slot].isInSight { forest.noteInSight(slot) }
    }

    /// The presenter of a screen in sight is called again, because something else than the arguments is new (S-41). A program
    /// with an action would only do that again.
    mutating func presentAnew(_ slot: NodeSlot) {
        guard case .service? = forest[slot].presenting?.presenter else { return }
        forest.update(slot) { $0.presenting?.state = .due }
        forest.noteInSight(slot)
    }

    /// Sends `Withdraw` to a client that shows a screen without being allowed to.
    mutating func withdraw(
        _ client: Client, _ asked: AskedPresenter, _ reason: Withdrawal.Reason, _ turn: inout Turn
    ) {
        turn.effects.append(
            .withdraw(
                Withdrawal(
                    client: client, object: asked.object, path: asked.path, instance: asked.screen.instance,
                    reason: reason)))
    }

    /// Sends `Withdraw` to the owner of a removed presentable, or to its presenter when that answers.
    mutating func withdraw(_ node: Node, _ reason: Withdrawal.Reason, _ turn: inout Turn) {
        // A client that is gone is no longer watched, and gets no signal.
        if let owner = node.owner, watches.contains(owner) {
            watches.remove(owner)
            turn.effects.append(
                .withdraw(
                    Withdrawal(
                        client: owner, object: node.presenting?.presenter.service.path ?? "/", path: node.path,
                        instance: node.instance, reason: reason)))
        }
        for question in node.presenting?.underWay ?? [] {
            if questions.withdraw(question, because: reason) { turn.effects.append(.dropQuestion(question)) }
        }
    }
}

// MARK: - Owners

extension Machine {
    /// The bus name of a screen's presenter, while its latest call is under way.
    func presenter(calledFor slot: NodeSlot) -> String? {
        guard let presenting = forest[slot].presenting, presenting.state != .shown, !presenting.underWay.isEmpty
        else { return nil }
        return presenting.presenter.service.name
    }

    /// Whether a client is the owner of a presentable, or its presenter while it is being presented (S-29).
    func isOwner(_ client: Client, of slot: NodeSlot) -> Bool {
        if forest[slot].owner == client { return true }
        return presenter(calledFor: slot).map { nameOwners.owns(client, $0) } ?? false
    }

    /// A client becomes the owner; the former owner gets `Withdraw`.
    mutating func own(_ slot: NodeSlot, _ client: Client, _ turn: inout Turn) {
        let former = forest[slot].owner
        guard former != client else { return }
        removeOwner(slot)
        forest.update(slot) { $0.owner = client }
        watchClient(client)
        if let former { withdraw(slot, from: former, &turn) }
    }

    /// Sends `Withdraw` to a client, because another one owns the presentable now and both would show it.
    mutating func withdraw(_ slot: NodeSlot, from client: Client, _ turn: inout Turn) {
        let node = forest[slot]
        turn.effects.append(
            .withdraw(
                Withdrawal(
                    client: client, object: node.presenting?.presenter.service.path ?? "/", path: node.path,
                    instance: node.instance, reason: .replaced)))
    }

    /// Removes the owner.
    mutating func removeOwner(_ slot: NodeSlot) {
        guard let owner = forest[slot].owner else { return }
        forest.update(slot) { $0.owner = nil }
        watches.remove(owner)
    }

    /// Watches a client that owns something or registers a flow.
    mutating func watchClient(_ client: Client) {
        watches.add(client)
        accounting.open(client)
    }

    /// Hides a screen that has lost its owner, until its presenter is called again.
    mutating func hide(_ slot: NodeSlot) {
        forest.update(slot) { $0.presenting?.state = .due }
        forest.setVisible(slot, false)
    }
}
