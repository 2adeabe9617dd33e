// Screens lose the programs that show them, and flows their navigators: an owner gives its screen up, is gone or hangs (S-30), a presenter
// failed (S-47), a screen is evicted (S-44).

extension Machine {
    /// A presentable has lost its owner: it goes, or its presenter is called again, now or later (S-30).
    ///
    /// - Parameter counts: whether no other screen of its name in the flow was lost by that (S-47).
    mutating func loseOwner(
        _ slot: NodeSlot, _ reason: DismissalReason, counts: Bool, by client: Client, _ turn: inout Turn
    ) {
        let fault = forest[slot].presenting.map { loss($0.presenter.service.name, reason) }
        if counts, let fault { noteFailure(of: slot, fault, isLoss: true, turn.now) }
        let whenGone = definitions.screen(named: forest[slot].name)
            .flatMap { forest[slot].flow == nil ? definitions[$0].whenOwnerGone : nil }
        switch whenGone {
        case .keep?:
            hide(slot)
            forest.update(slot) { $0.presenting?.kept.isSpared = $0.isInSight }
        case .present? where forest[slot].presenting != nil:
            hide(slot)
            forest.update(slot) { node in
                node.presenting?.kept.fault = fault
                node.presenting?.patience = .init(since: node.isInSight ? turn.now : nil)
            }
            if forest[slot].isInSight { forest.noteSighting(slot) }
        case .present?, .dismiss?, nil:
            let isClosed = reason == .ownerGone && forest[slot].presenting?.presenter.application != nil
            return dismiss(slot, Dismissal(reason, isClosed: isClosed), origin: origins.next(), cause: 0, client, &turn)
        }
        reportChanges(&turn)
        triggerPresented(&turn)
    }

    /// What failed when a program was lost.
    private func loss(_ program: String, _ reason: DismissalReason) -> Fault {
        reason == .ownerHangs
            ? Fault("org.freedesktop.DBus.Error.NoReply", "'\(program)' did not say in time that it is alive")
            : Fault("org.freedesktop.DBus.Error.Disconnected", "'\(program)', which showed it, has left the bus")
    }

    /// The owner gives up a presentable, which stays.
    mutating func leave(_ slot: NodeSlot, _ turn: inout Turn) {
        if forest[slot].presenting?.kept.eviction == .underWay { return endEviction(of: slot, &turn) }
        let isLate =
            forest[slot].presenting.map { $0.kept.leftBy != nil && $0.kept.leftBy == forest[slot].owner } ?? false
        removeOwner(slot, &turn)
        // Its presenter is called when the pause is over.
        let isPaused = pause(of: slot, turn.now).map { turn.now < $0.end } ?? false
        forest.update(slot) { node in
            if isPaused { node.presenting?.kept.state = .due }
            node.presenting?.kept.leftBy = nil
        }
        if isPaused, forest[slot].isInSight { forest.noteSighting(slot) }
        if isLate {
            // It left a second time what it was called for again in between.
            hide(slot)
            if forest[slot].isInSight { forest.noteSighting(slot) }
        }
        reportChanges(&turn)
        triggerPresented(&turn)
    }

    /// A screen goes because its presenter can't show it. As the next one has to wait, a rule that contributes it again is no busy
    /// loop, and begins an origin each time (S-11).
    mutating func dismissFailed(_ slot: NodeSlot, _ fault: Fault, _ turn: inout Turn) {
        let origin = origins.next()
        if isRefusal(slot, fault, isTimeout: false) { noteHaste(of: slot, fault, origin: origin, turn.now) }
        dismiss(
            slot, Dismissal(.presentFailed, fault), origin: origin, cause: forest[slot].presenting?.kept.serial ?? 0,
            forest[slot].sender, &turn)
    }

    /// Whether the presenter says that it will never show this screen.
    func isRefusal(_ slot: NodeSlot, _ fault: Fault, isTimeout: Bool) -> Bool {
        forest[slot].presenting?.presenter.application == nil && !isTimeout && fault.name == Fault.refusal
    }

    // MARK: Evictions

    /// Takes all screens of a tree that are out of sight and have the key from their processes.
    mutating func evictCovered(in root: NodeSlot, _ turn: inout Turn) {
        guard definitions.haveEvictedScreens else { return }
        for slot in forest.postorder(root) where isEvictable(slot) && evictionTime(of: slot) != nil {
            evict(slot, &turn)
        }
    }

    /// Whether a screen can be taken from its process now: not in the midst of a call of its presenter.
    func isEvictable(_ slot: NodeSlot) -> Bool {
        guard let presenting = forest[slot].presenting, forest[slot].owner != nil, !forest[slot].isInSight,
            presenting.kept.eviction == .none
        else { return false }
        return switch presenting.kept.state {
        case .due, .shown: true
        case .queued, .asked: false
        }
    }

    mutating func evict(_ slot: NodeSlot, _ turn: inout Turn) {
        guard let owner = forest[slot].owner else { return }
        forest.update(slot) { $0.presenting?.kept.eviction = .underWay }
        askToLeave(slot, owner, &turn)
    }

    /// Until the owner leaves the screen, or its time is over, it may save the state.
    mutating func askToLeave(_ slot: NodeSlot, _ owner: Client, _ turn: inout Turn) {
        setAlarm(.leave, of: slot, due: turn.now.advanced(by: Limits.leaveTime))
        withdraw(forest[slot], from: owner, .evicted, &turn)
    }

    /// The owner of a screen that is evicted has left it, or its time is over. In sight again meanwhile, the screen is presented.
    mutating func endEviction(of slot: NodeSlot, _ turn: inout Turn) {
        let owner = forest[slot].owner
        removeOwner(slot, &turn)
        forest.update(slot) { node in
            node.presenting?.kept.eviction = .done
            node.presenting?.kept.leftBy = owner
        }
        hide(slot)
        if forest[slot].isInSight { forest.noteSighting(slot) }
        reportChanges(&turn)
        triggerPresented(&turn)
    }

    // MARK: Navigators

    /// Dismisses the live flows whose navigator is gone; their waiting steps fail first.
    mutating func dismissFlows(_ client: Client, _ turn: inout Turn, where isLost: (FlowDefinition) -> Bool) {
        guard definitions.askOthers else { return }
        for id in forest.preorder().map({ forest.id(of: $0) }) {
            guard let slot = forest.slot(of: id), let flow = forest[slot].flow else { continue }
            let definition = definitions[flow.definition]
            guard let navigator = definition.navigator, isLost(definition) else { continue }
            let error = FlowError(
                .navigatorFailed, "the navigator '\(navigator.service.name)' of flow '\(definition.name)' is gone")
            failWaiting(at: slot, error, &turn)
            if forest.slot(of: id) == nil { continue }
            if whenEmpty(slot) == .again {
                removeChildren(of: slot, Fault(error), client, &turn)
                continue
            }
            dismiss(slot, Dismissal(.navigatorGone, Fault(error)), origin: origins.next(), cause: 0, client, &turn)
        }
    }

    /// The state of a navigator is lost, and all children of its flow with it. The flow begins again (S-48).
    private mutating func removeChildren(of slot: NodeSlot, _ fault: Fault, _ client: Client, _ turn: inout Turn) {
        for child in forest.children(of: slot).reversed() {
            let gone = takeOut(child, below: slot, .dismissal(.navigatorGone), &turn)
            dropSteps(of: gone, nearestLiveAncestor: slot, &turn)
        }
        forest.updateVisibility(below: slot, changed: [])
        forest.update(slot) { $0.flow?.mayBeEmpty = true }
        reportChanges(&turn)
        noteEmpty(slot, EmptyFlows.Cause(origin: origins.next(), cause: 0, client: client, fault: fault))
        triggerPresented(&turn)
    }

    /// Fails all steps that wait for a flow's guard or navigator.
    private mutating func failWaiting(at slot: NodeSlot, _ error: FlowError, _ turn: inout Turn) {
        let id = forest.id(of: slot)
        var steps = blocked.takeAll(for: id)
        if let question = forest[slot].flow?.question {
            forest.update(slot) { $0.flow?.question = nil }
            if let step = questions.withdraw(question) { steps.insert(step, at: 0) }
            turn.effects.append(.dropQuestion(question))
        }
        for step in steps {
            endWait(of: step, at: turn.now)
            end(step, .refused(error), &turn)
        }
    }
}
