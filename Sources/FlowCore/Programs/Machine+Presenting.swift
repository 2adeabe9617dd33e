// Presenters are called for screens in sight (S-31, S-38).

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
            let origin = forest[calls[place].screen].presenting?.kept.origin ?? 0
            calls[place].token =
                (calls[place].isReturn ? nil : activationTokens.take(for: origin)) ?? activationTokens.takeCurrent()
        }
    }

    /// Calls a presenter that is due.
    private mutating func present(_ call: PresenterCall, _ turn: inout Turn) {
        let slot = call.screen
        guard let presenting = forest[slot].presenting else { return }
        guard presenting.underWay.count < Limits.callsPerScreen else {
            forest.update(slot) { $0.presenting?.kept.state = .queued }
            return
        }
        let id = questions.ask(.presenter(asked(slot, presenting)))
        let token = call.token ?? presenting.value.keptToken(at: turn.now)
        forest.update(slot) { $0.presenting?.value.becomeAsked(id, call.token, at: turn.now) }
        origins.wait(presenting.kept.origin)
        if presenting.kept.reason == .launch { beginTiming(slot, origin: call.origin, turn) }
        let (reason, direction) = (
            presenting.kept.reason, presenting.kept.reason.launchDirection(replaces: presenting.replaces)
        )
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
        comeback.isDue = presenting.kept.state != .shown || comeback.underWay != nil
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
        if forest[slot].presenting?.kept.state == .shown, forest[slot].owner == nil { return false }
        return definitions.screen(named: forest[slot].name).map { definitions[$0].isPresentedOnReturn } ?? true
    }

    private func asked(_ slot: NodeSlot, _ presenting: Boxed<Node.Presenting>) -> AskedPresenter {
        AskedPresenter(
            screen: forest.id(of: slot), path: forest[slot].path, object: presenting.presenter.service.path,
            application: presenting.presenter.application, origin: presenting.kept.origin,
            context: contextValues(of: slot))
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
            size: outputs.size(for: forest[node.root].output), serial: node.presenting?.kept.serial ?? 0,
            reason: reason, direction: direction, activationToken: token,
            state: node.savedState, isVisible: node.isVisible, title: node.title,
            answers: asks.answers(for: node.instance), context: contextValues(of: slot),
            run: definitions.screen(named: node.name).map { definitions[$0].run } ?? [])
    }

    /// Whether a screen that is reused with these arguments only returns to sight, in this cascade, and has nothing new for its owner
    /// (S-38).
    func willReturn(_ slot: NodeSlot, with arguments: Arguments) -> Bool {
        guard let presenting = forest[slot].presenting, case .service = presenting.presenter,
            !presenting.wasInSight, forest[slot].arguments.hasSameValues(as: arguments)
        else { return false }
        return switch presenting.kept.state {
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
            if isOwned { node.presenting?.kept.fault = nil }
        }
        if forest[slot].isInSight { forest.noteSighting(slot) }
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

/// What is read of a screen before it changes: to hold all of it would copy it then.
private struct KnownPresenting {
    let state: Node.Presenting.State
    let wasInSight: Bool
    /// Whether its owner is to be called because it returned to sight.
    let isReturnDue: Bool
    /// Whether its owner was told to leave it.
    let isLeaving: Bool

    init(_ presenting: Boxed<Node.Presenting>) {
        state = presenting.kept.state
        wasInSight = presenting.wasInSight
        isReturnDue = presenting.comeback.isDue
        isLeaving = presenting.kept.eviction == .underWay
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
