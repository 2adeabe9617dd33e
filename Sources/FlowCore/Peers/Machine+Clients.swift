// Clients that have left the bus (S-30).

extension Machine {
    /// A client has left the bus.
    mutating func clientDisconnected(_ client: Client, _ turn: inout Turn) {
        tokens.forget(client)
        if !asks.isEmpty { endAsks(of: client) }
        forest.abandonAll(client)
        // Only watched clients have presentables, which are searched among all.
        guard watches.removeAll(of: client) else { return }
        // A program may have many screens of one name: it crashed once.
        var counted: Set<Forest.NameInFlow> = []
        let owned = forest.preorder().filter { forest[$0].owner == client }.map { forest.id(of: $0) }
        for id in owned {
            // It may be gone with its parent.
            guard let slot = forest.slot(of: id) else { continue }
            if forest[slot].presenting?.eviction == .underWay {
                endEviction(of: slot, &turn)
                continue
            }
            removeOwner(slot, &turn)
            // A flow can have the name of a screen.
            let counts = forest[slot].presenting != nil && counted.insert(forest.nameInFlow(of: slot)).inserted
            loseOwner(slot, .ownerGone, counts: counts, by: client, &turn)
        }
        leaveRegistrations(of: client, &turn)
    }

    /// A presentable has lost its owner: it goes, or its presenter is called again, now or later (S-30).
    ///
    /// - Parameter counts: whether no other screen of its name in the flow was lost by that (S-47).
    private mutating func loseOwner(
        _ slot: NodeSlot, _ reason: DismissalReason, counts: Bool, by client: Client, _ turn: inout Turn
    ) {
        let fault = forest[slot].presenting.map { loss($0.presenter.service.name, reason) }
        if counts, let fault { noteFailure(of: slot, fault, isLoss: true, turn.now) }
        let whenGone = definitions.screen(named: forest[slot].name)
            .flatMap { forest[slot].flow == nil ? definitions[$0].whenOwnerGone : nil }
        switch whenGone {
        case .keep?:
            hide(slot)
            forest.update(slot) { $0.presenting?.isKept = $0.isInSight }
        case .present? where forest[slot].presenting != nil:
            hide(slot)
            forest.update(slot) { node in
                node.presenting?.fault = fault
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
}

// MARK: - Owners that hang

extension Machine {
    /// An owner answered whether it is alive, or did not (S-44).
    mutating func takeAnswer(_ answer: AliveAnswer, to question: QuestionID, _ turn: inout Turn) {
        guard case .owner(let asked)? = questions[question], let slot = forest.slot(of: asked.screen),
            let presenter = forest[slot].presenting?.presenter.service.name
        else {
            questions.closeOwner(question)
            return
        }
        if answer == .silent, !isExpectedToAnswer(slot), checkInterval(of: slot) != nil {
            // The question stays open: the program may only be slow to start.
            return questions.programs.noteSilence(of: presenter)
        }
        questions.closeOwner(question)
        forest.update(slot) { $0.presenting?.check.underWay = nil }
        if answer == .alive {
            questions.programs.noteAnswer(of: presenter)
            forest.update(slot) { $0.presenting?.hasAnsweredAlive = true }
        }
        // If the screen is covered by now, nothing follows.
        guard let interval = checkInterval(of: slot) else { return }
        switch answer {
        case .alive: setAlarm(.check, of: slot, due: turn.now.advanced(by: interval))
        case .unsupported: forest.update(slot) { $0.presenting?.check.isOff = true }
        case .silent: loseHangingOwner(of: slot, asked, &turn)
        }
    }

    /// A screen loses its owner, which hangs, as if its connection had ended.
    private mutating func loseHangingOwner(of slot: NodeSlot, _ asked: AskedOwner, _ turn: inout Turn) {
        withdraw(forest[slot], from: asked.client, .dismissal(.ownerHangs), &turn)
        if endsHungProcess(of: slot) { turn.effects.append(.endProcess(of: asked.client, screen: forest[slot].name)) }
        removeOwner(slot, &turn)
        loseOwner(slot, .ownerHangs, counts: true, by: asked.client, &turn)
    }
}
