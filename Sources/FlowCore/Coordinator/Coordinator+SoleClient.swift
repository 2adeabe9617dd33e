extension Coordinator {
    /// The only client could not show a screen that an effect has it show: the screen goes, as when a presenter fails (S-31).
    ///
    /// - Parameters:
    ///   - screen: the screen; nothing happens if it is gone.
    ///   - fault: why it could not.
    ///   - now: the time.
    ///   - effects: gets the effects.
    public mutating func failPresentation(
        of screen: NodeID, _ fault: Fault, at now: Instant, into effects: inout [Effect]
    ) {
        var turn = Turn(at: now, after: effects)
        effects = []
        machine.forest.origin = 0
        machine.failPresentation(of: screen, fault, &turn)
        machine.endEvent(&turn)
        swap(&effects, &turn.effects)
    }
}
