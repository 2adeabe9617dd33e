// Alarms of screens with an owner (S-44). A screen has one at most.

extension Machine {
    /// Sets the alarm of a screen, in place of an earlier one.
    mutating func setAlarm(_ purpose: Node.Presenting.Alarm.Purpose, of slot: NodeSlot, due: Instant) {
        let isSet = forest[slot].presenting?.alarm?.due == due
        forest.update(slot) { $0.presenting?.alarm = Node.Presenting.Alarm(due: due, purpose: purpose) }
        if isSet { return }
        schedule(.screen(forest.id(of: slot)), due: due)
    }
}
