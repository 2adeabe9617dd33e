// Clients that have left the bus (S-30).

extension Machine {
    /// A client has left the bus.
    mutating func clientDisconnected(_ client: Client, _ turn: inout Turn) {
        tokens.forget(client)
        if !asks.isEmpty { endAsks(of: client) }
        forest.abandonAll(client)
        // Only watched clients have presentables, which are searched among all.
        guard watches.removeAll(of: client) else { return }
        // A program may have many screens of one name: it crashed once, after it had shown the first of them (S-36).
        let owned = forest.preorder().filter { forest[$0].owner == client }
        for slot in owned { endOwnership(of: slot, turn.now) }
        for id in owned.map({ forest.id(of: $0) }) {
            // It may be gone with its parent.
            guard let slot = forest.slot(of: id) else { continue }
            if forest[slot].presenting?.eviction == .underWay {
                endEviction(of: slot, &turn)
                continue
            }
            removeOwner(slot, &turn)
            let isTooMany = isLostTooOften(slot, by: client, turn.now)
            loseOwner(slot, .ownerGone, isTooMany: isTooMany, by: client, &turn)
        }
        _ = countedLosses.forget(client)
        leaveRegistrations(of: client, &turn)
    }

    /// A presentable has lost its owner: it goes, or its presenter is called again, now or later (S-30). A screen that lost too
    /// many goes in any case (S-36).
    private mutating func loseOwner(
        _ slot: NodeSlot, _ reason: DismissalReason, isTooMany: Bool, by client: Client, _ turn: inout Turn
    ) {
        if isTooMany {
            let why = Dismissal(.presentFailed, tooManyLosses)
            return dismiss(slot, why, origin: origins.next(), cause: 0, client, &turn)
        }
        let whenGone = definitions.screen(named: forest[slot].name)
            .flatMap { forest[slot].flow == nil ? definitions[$0].whenOwnerGone : nil }
        switch whenGone {
        case .keep?:
            hide(slot)
            forest.update(slot) { $0.presenting?.isKept = $0.isInSight }
        case .present? where forest[slot].presenting != nil:
            hide(slot)
            if forest[slot].isInSight { forest.noteSighting(slot) }
        case .present?, .dismiss?, nil:
            return dismiss(slot, Dismissal(reason), origin: origins.next(), cause: 0, client, &turn)
        }
        reportChanges(&turn)
        triggerPresented(&turn)
    }

    /// Whether the screens of this name in its flow lost their owners too often. That a client hangs or leaves counts once for all
    /// of its screens.
    private mutating func isLostTooOften(_ slot: NodeSlot, by client: Client, _ now: Instant) -> Bool {
        // A flow can have the name of a screen.
        guard forest[slot].presenting != nil else { return false }
        let place = CountedLosses.Place(name: forest[slot].name, flow: forest[slot].parent.map { forest.id(of: $0) })
        if let known = countedLosses.isTooMany(client, at: place) { return known }
        let isTooMany = noteLoss(of: slot, now)
        countedLosses.note(client, at: place, isTooMany: isTooMany)
        return isTooMany
    }

    private var tooManyLosses: Fault {
        Fault(
            "org.freedesktop.DBus.Error.Disconnected",
            "its program was lost, or failed to show it, \(Limits.losses) times within \(Limits.lossTime / 1_000_000) s"
        )
    }
}

// MARK: - Owners that hang

extension Machine {
    /// An owner answered whether it is alive, or did not (S-44).
    mutating func takeAnswer(_ answer: AliveAnswer, to question: QuestionID, _ turn: inout Turn) {
        guard let asked = questions.closeOwner(question), let slot = forest.slot(of: asked.screen) else { return }
        forest.update(slot) { $0.presenting?.check.underWay = nil }
        // If the screen is covered by now, nothing follows.
        guard let interval = checkInterval(of: slot) else { return }
        switch answer {
        case .alive:
            noteLife(of: asked.client)
            setAlarm(.check, of: slot, due: turn.now.advanced(by: interval))
        case .unsupported: forest.update(slot) { $0.presenting?.check.isOff = true }
        case .silent: loseHangingOwner(of: slot, asked, &turn)
        }
    }

    /// A screen loses its owner, which hangs, as if its connection had ended.
    private mutating func loseHangingOwner(of slot: NodeSlot, _ asked: AskedOwner, _ turn: inout Turn) {
        withdraw(forest[slot], from: asked.client, .dismissal(.ownerHangs), &turn)
        removeOwner(slot, &turn)
        // It is watched until it answers, or leaves.
        if !countedLosses.contains(asked.client) { watchClient(asked.client) }
        let isTooMany = isLostTooOften(slot, by: asked.client, turn.now)
        forest.update(slot) { $0.presenting?.isRetried = true }
        loseOwner(slot, .ownerHangs, isTooMany: isTooMany, by: asked.client, &turn)
    }
}
