// Alarms of screens: in sight, its owner is asked whether it is alive (S-44), or its presenter is called again (S-47); out of sight it
// is evicted (S-44). A screen has one at most.

extension Machine {
    /// Sets the alarm of a screen, in place of an earlier one.
    mutating func setAlarm(_ purpose: Node.Presenting.Alarm.Purpose, of slot: NodeSlot, due: Instant) {
        let isSet = forest[slot].presenting?.alarm?.due == due
        forest.update(slot) { $0.presenting?.alarm = Node.Presenting.Alarm(due: due, purpose: purpose) }
        if isSet { return }
        schedule(.screen(forest.id(of: slot)), due: due)
    }

    /// A screen with an owner that is out of sight is evicted some time later, by its declaration.
    mutating func awaitEviction(of slot: NodeSlot, _ now: Instant) {
        guard definitions.haveEvictedScreens, !forest[slot].isInSight, forest[slot].owner != nil,
            let presenting = forest[slot].presenting, presenting.eviction == .none, let time = evictionTime(of: slot)
        else { return }
        // Out of sight, its owner is not asked whether it is alive, and no presenter is called.
        guard [nil, .check, .pause].contains(presenting.alarm?.purpose) else { return }
        setAlarm(.eviction, of: slot, due: now.advanced(by: time))
    }

    /// A screen is in sight, or has no owner.
    mutating func stopAwaitingEviction(of slot: NodeSlot) {
        guard forest[slot].presenting?.alarm?.purpose == .eviction else { return }
        forest.update(slot) { $0.presenting?.alarm = nil }
    }

    /// How long a screen can be out of sight until it is evicted, by these definitions or those in force, in µs; nil for ever.
    func evictionTime(of slot: NodeSlot, in definitions: Definitions? = nil) -> UInt64? {
        guard case .service? = forest[slot].presenting?.presenter else { return nil }
        let definitions = definitions ?? self.definitions
        return definitions.screen(named: forest[slot].name).flatMap { definitions[$0].evictAfter }
    }
}
