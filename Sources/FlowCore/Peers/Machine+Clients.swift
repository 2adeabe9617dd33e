// Clients that have left the bus (S-30).

extension Machine {
    /// A client has left the bus.
    mutating func clientDisconnected(_ client: Client, _ turn: inout Turn) {
        tokens.forget(client)
        forest.abandonAll(client)
        // Only watched clients have presentables, which are searched among all.
        guard watches.removeAll(of: client) else { return }
        // A program may have many screens of one name: it crashed once, after it had shown the first of them (S-36).
        let owned = forest.preorder().filter { forest[$0].owner == client }
        for slot in owned { endOwnership(of: slot, turn.now) }
        var crashes: [Forest.NameInFlow: Bool] = [:]
        for id in owned.map(forest.id(of:)) {
            // It may be gone with its parent.
            guard let slot = forest.slot(of: id) else { continue }
            removeOwner(slot, &turn)
            if isCrashedTooOften(slot, &crashes, turn.now) {
                dismiss(
                    slot, Dismissal(.presentFailed, tooManyLosses), origin: origins.next(), cause: 0, client, &turn)
                continue
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
                dismiss(slot, Dismissal(.ownerGone), origin: origins.next(), cause: 0, client, &turn)
                continue
            }
            reportChanges(&turn)
            triggerPresented(&turn)
        }
        leaveRegistrations(of: client, &turn)
    }

    /// Whether the screens of this name in its flow lost their owners too often.
    private mutating func isCrashedTooOften(
        _ slot: NodeSlot, _ crashes: inout [Forest.NameInFlow: Bool], _ now: Instant
    ) -> Bool {
        // A flow can have the name of a screen.
        guard forest[slot].presenting != nil else { return false }
        let key = forest.nameInFlow(of: slot)
        let isTooMany = crashes[key] ?? noteLoss(of: slot, now)
        crashes[key] = isTooMany
        return isTooMany
    }

    private var tooManyLosses: Fault {
        Fault(
            "org.freedesktop.DBus.Error.Disconnected",
            "its program was lost, or failed to show it, \(Limits.losses) times within \(Limits.lossTime / 1_000_000) s"
        )
    }
}
