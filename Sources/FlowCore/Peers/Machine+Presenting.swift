// Presenters are called, and owners noted (S-29, S-31).

extension Machine {
    /// Calls the presenters of screens that came in sight and still are: those that are due, and the owners of those that
    /// returned (S-31, S-38).
    mutating func callPresenters(_ turn: inout Turn) {
        var calls: [PresenterCall] = []
        for (slot, sighting) in forest.takeSightings() {
            guard let known = forest[slot].presenting.map(KnownPresenting.init) else { continue }
            let isInSight = forest[slot].isInSight
            if known.wasInSight != isInSight {
                forest.update(slot) { $0.presenting?.value.noteSight(isInSight, at: turn.now) }
            }
            guard isInSight else {
                timings.forget(forest.id(of: slot))
                awaitEviction(of: slot, turn.now)
                if known.isReturnDue { forest.update(slot) { $0.presenting?.comeback.drop() } }
                continue
            }
            stopAwaitingEviction(of: slot)
            // Its owner leaves it first.
            if known.isLeaving { continue }
            switch known.state {
            case .due:
                if !isHeld(slot), !isDelayed(slot, &turn) {
                    calls.append(PresenterCall(slot, sighting, isReturn: false))
                }
            case .asked, .queued, .shown:
                let isReturn = known.isReturnDue || !known.wasInSight
                if isReturn, mayReturn(slot) { calls.append(PresenterCall(slot, sighting, isReturn: true)) }
            }
        }
        giveActivationTokens(to: &calls)
        activationTokens.endCurrent()
        for call in calls {
            if call.isReturn { presentReturned(call, &turn) } else { present(call, &turn) }
        }
        for (origin, isDeferred) in origins.takePostponed() { releaseOrigin(origin, isDeferred: isDeferred) }
    }

    /// Of several screens, the highest gets the token of the cascade at hand. A screen whose own cascade has one gets that.
    private mutating func giveActivationTokens(to calls: inout [PresenterCall]) {
        if activationTokens.isEmpty || calls.isEmpty { return }
        let highest = forest.highest(of: calls.map(\.screen))
        let order = calls.indices.sorted { calls[$0].screen == highest && calls[$1].screen != highest }
        for place in order {
            let origin = forest[calls[place].screen].presenting?.origin ?? 0
            calls[place].token =
                (calls[place].isReturn ? nil : activationTokens.take(for: origin)) ?? activationTokens.takeCurrent()
        }
    }

    /// Calls a presenter that is due.
    private mutating func present(_ call: PresenterCall, _ turn: inout Turn) {
        let slot = call.screen
        guard let presenting = forest[slot].presenting else { return }
        guard presenting.underWay.count < Limits.callsPerScreen else {
            forest.update(slot) { $0.presenting?.state = .queued }
            return
        }
        let id = questions.ask(.presenter(asked(slot, presenting)))
        let token = call.token ?? presenting.value.keptToken(at: turn.now)
        forest.update(slot) { $0.presenting?.value.becomeAsked(id, call.token, at: turn.now) }
        origins.wait(presenting.origin)
        if presenting.reason == .launch { beginTiming(slot, origin: call.origin, turn) }
        let (reason, direction) = (presenting.reason, presenting.reason.launchDirection(replaces: presenting.replaces))
        var presentation = presentation(id, of: slot, reason, direction, token)
        if let presenter = hurriedPresenter(of: slot, turn.now) { presentation.presenter = presenter }
        turn.effects.append(.present(presentation))
        asks.notePresented(forest[slot].instance)
    }

    /// Calls the owner of a screen that returned to sight, or notes that as long as other calls are under way.
    private mutating func presentReturned(_ call: PresenterCall, _ turn: inout Turn) {
        let slot = call.screen
        guard let presenting = forest[slot].presenting else { return }
        var comeback = presenting.comeback
        if let token = call.token { comeback.token = token }
        if !comeback.isDue || call.former != nil { comeback.former = call.former }
        comeback.isDue = presenting.state != .shown || comeback.underWay != nil
        if !comeback.isDue, let owner = forest[slot].owner {
            var asked = asked(slot, presenting)
            asked.isReturn = true
            let id = questions.ask(.presenter(asked))
            let direction = comeback.former.map { forest.slot(of: $0) == nil ? PresentDirection.pop : .switch }
            var presentation = presentation(id, of: slot, .return, direction, comeback.token)
            presentation.owner = owner
            turn.effects.append(.present(presentation))
            asks.notePresented(forest[slot].instance)
            comeback = Node.Presenting.Comeback(underWay: id)
        }
        forest.update(slot) { [comeback] in $0.presenting?.comeback = comeback }
    }

    /// Whether the owner of a screen is called when the screen returns to sight. A program with an action would do that
    /// action again.
    private func mayReturn(_ slot: NodeSlot) -> Bool {
        guard case .service? = forest[slot].presenting?.presenter else { return false }
        // While a call is under way, its answer can make an owner.
        if forest[slot].presenting?.state == .shown, forest[slot].owner == nil { return false }
        return definitions.screen(named: forest[slot].name).map { definitions[$0].isPresentedOnReturn } ?? true
    }

    private func asked(_ slot: NodeSlot, _ presenting: Boxed<Node.Presenting>) -> AskedPresenter {
        AskedPresenter(
            screen: forest.id(of: slot), path: forest[slot].path, object: presenting.presenter.service.path,
            application: presenting.presenter.application, origin: presenting.origin)
    }

    private func presentation(
        _ id: QuestionID, of slot: NodeSlot, _ reason: PresentReason, _ direction: PresentDirection?, _ token: String?
    ) -> Presentation {
        let node = forest[slot]
        var styles: [String] = []
        var place: NodeSlot? = slot
        while let at = place {
            if !forest[at].style.isEmpty { styles.append(forest[at].style) }
            place = forest[at].parent
        }
        return Presentation(
            id: id, presenter: node.presenting?.presenter ?? .service(Service("", path: "/", timeout: 0)),
            path: node.path, name: node.name, arguments: node.arguments, instance: node.instance, style: node.style,
            styles: styles, flow: node.parentPath, root: forest[node.root].path, output: forest[node.root].output,
            serial: node.presenting?.serial ?? 0, reason: reason, direction: direction, activationToken: token,
            state: node.savedState, answers: asks.answers(for: node.instance))
    }

    /// Whether a screen that is reused with these arguments only returns to sight, in this cascade, and has nothing new for its owner
    /// (S-38).
    func willReturn(_ slot: NodeSlot, with arguments: Arguments) -> Bool {
        guard let presenting = forest[slot].presenting, case .service = presenting.presenter,
            !presenting.wasInSight, forest[slot].arguments.hasSameValues(as: arguments)
        else { return false }
        return switch presenting.state {
        case .due: false
        case .asked, .queued: true
        case .shown: forest[slot].owner != nil
        }
    }

    /// A screen has new arguments, or something else that its presenter has to know: it is called when the screen is in
    /// sight (S-19).
    mutating func presentAgain(_ slot: NodeSlot) {
        guard forest[slot].presenting != nil else { return }
        let isOwned = forest[slot].owner != nil
        forest.update(slot) { node in
            node.presenting?.value.becomeDue(.update, isOwned: isOwned)
            // Its owner has to know, and does not wait.
            if isOwned { node.presenting?.fault = nil }
        }
        if forest[slot].isInSight { forest.noteSighting(slot) }
    }

    /// The presenter of a screen in sight is called again, because something else than the arguments is new (S-41). A program
    /// with an action would only do that again.
    mutating func presentAnew(_ slot: NodeSlot) {
        guard case .service? = forest[slot].presenting?.presenter else { return }
        presentAgain(slot)
    }

    // MARK: Programs that start early

    /// Has the bus start the programs of presenters that are wanted early and do not run. The screens of the roots have called
    /// theirs by now, so those that the user waits for start first.
    mutating func startEarlyPresenters(_ turn: inout Turn) {
        for name in earlyPresenters where nameOwners[name] == nil { turn.effects.append(.startService(name)) }
        earlyPresenters = []
    }

    // MARK: Timings

    /// The presenter of a screen is called for the first time: from now on the screen is timed (S-46).
    private mutating func beginTiming(_ slot: NodeSlot, origin: UInt64, _ turn: borrowing Turn) {
        guard let name = forest[slot].presenting?.presenter.service.name else { return }
        let isRunning = name.hasPrefix(":") || nameOwners[name] != nil
        timings.begin(forest.id(of: slot), isRunning ? .warm : .cold, origin: origin, at: turn.now)
    }

    /// A screen has become visible. One that is covered by then is not timed.
    mutating func endTiming(_ slot: NodeSlot, _ turn: inout Turn) {
        if timings.isIdle { return }
        let timing = timings.end(
            forest.id(of: slot), path: forest[slot].path, name: forest[slot].name, isShown: forest[slot].isPresented,
            at: turn.now)
        if let timing { turn.effects.append(.reportTiming(timing)) }
    }
}

// MARK: - Withdrawals

extension Machine {
    /// Sends `Withdraw` to a client that shows a screen without being allowed to.
    func withdraw(_ client: Client, _ asked: AskedPresenter, _ reason: Withdrawal.Reason, _ turn: inout Turn) {
        withdraw(
            Withdrawal(
                client: client, object: asked.object, path: asked.path, instance: asked.screen.instance,
                reason: reason), asked.application, &turn)
    }

    /// Sends `Withdraw` to a client that shows a presentable.
    func withdraw(_ node: Node, from client: Client, _ reason: Withdrawal.Reason, _ turn: inout Turn) {
        let presenter = node.presenting?.presenter
        withdraw(
            Withdrawal(
                client: client, object: presenter?.service.path ?? "/", path: node.path, instance: node.instance,
                reason: reason), presenter?.application, &turn)
    }

    /// Sends `Withdraw`, or calls the action by which a program that knows nothing of flowbus closes its window (S-40).
    func withdraw(_ withdrawal: Withdrawal, _ application: ApplicationCall?, _ turn: inout Turn) {
        guard let application else { return turn.effects.append(.withdraw(withdrawal)) }
        // Another process of the program shows a screen that is still live.
        guard withdrawal.reason != .replaced, let action = application.closingAction else { return }
        var withdrawal = withdrawal
        withdrawal.closingAction = action
        turn.effects.append(.withdraw(withdrawal))
    }

    /// Sends `Withdraw` to the owner of a removed presentable, or to its presenter when that answers.
    mutating func withdraw(_ node: Node, _ reason: Withdrawal.Reason, _ turn: inout Turn) {
        // A client that is gone is no longer watched, and gets no signal.
        if let owner = node.owner, watches.contains(owner) {
            watches.remove(owner)
            withdraw(node, from: owner, reason, &turn)
        }
        guard let presenting = node.presenting else { return }
        timings.forget(NodeID(slot: node.slot, instance: node.instance))
        if let question = presenting.comeback.underWay { dropReturn(question, &turn) }
        if let question = presenting.check.underWay { dropCheck(question, &turn) }
        for question in presenting.underWay {
            if questions.withdraw(question, because: reason) { turn.effects.append(.dropQuestion(question)) }
        }
    }

    /// The answer to a call because a screen returned to sight no longer matters.
    private mutating func dropReturn(_ question: QuestionID, _ turn: inout Turn) {
        _ = questions.withdraw(question)
        turn.effects.append(.dropQuestion(question))
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
        removeOwner(slot, &turn)
        forest.update(slot) { node in
            node.owner = client
            node.presenting?.eviction = .none
            if node.presenting?.leftBy != client { node.presenting?.leftBy = nil }
        }
        watchClient(client)
        if definitions.haveWatchdogs { awaitChecks(of: slot) }
        awaitEviction(of: slot, turn.now)
        if let former { withdraw(forest[slot], from: former, .replaced, &turn) }
    }

    /// Removes the owner.
    mutating func removeOwner(_ slot: NodeSlot, _ turn: inout Turn) {
        guard let owner = forest[slot].owner else { return }
        if let question = forest[slot].presenting?.comeback.underWay { dropReturn(question, &turn) }
        endChecks(of: slot, &turn)
        forest.update(slot) { node in
            node.owner = nil
            node.presenting?.isExpected = false
            node.presenting?.comeback = Node.Presenting.Comeback()
            node.presenting?.check = Node.Presenting.Check()
            node.presenting?.alarm = nil
        }
        watches.remove(owner)
    }

    /// Watches a client that owns something or registers a flow.
    mutating func watchClient(_ client: Client) {
        watches.add(client)
        accounting.open(client)
    }

    /// Hides a screen that has lost its owner, until its presenter is called again.
    mutating func hide(_ slot: NodeSlot) {
        forest.update(slot) { $0.presenting?.value.becomeDue(.recover, isOwned: true) }
        forest.setVisible(slot, false)
    }
}

/// What is read of a screen before it changes: to hold all of it would copy it then.
private struct KnownPresenting {
    let state: Node.Presenting.State
    let wasInSight: Bool
    /// Whether its owner is to be called because it returned to sight.
    let isReturnDue: Bool
    /// Whether its owner was told to leave it.
    let isLeaving: Bool

    init(_ presenting: Boxed<Node.Presenting>) {
        state = presenting.state
        wasInSight = presenting.wasInSight
        isReturnDue = presenting.comeback.isDue
        isLeaving = presenting.eviction == .underWay
    }
}

/// A screen whose presenter is to be called.
private struct PresenterCall {
    let screen: NodeSlot
    /// The sibling that covered it before.
    let former: NodeID?
    /// The origin of the step that brought it in sight; 0 if no step did.
    let origin: UInt64
    /// Whether the screen is owned and has returned to sight.
    let isReturn: Bool
    var token: String?

    init(_ screen: NodeSlot, _ sighting: Forest.Sighting, isReturn: Bool) {
        self.screen = screen
        former = sighting.former
        origin = sighting.origin
        self.isReturn = isReturn
    }
}
