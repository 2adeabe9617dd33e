// The roots of `autostart` begin (S-2).

extension Machine {
    /// The service has started: the roots begin, one after the other.
    mutating func start(_ turn: inout Turn) {
        awaitFirstValues(turn)
        for root in definitions.autostart {
            if root.isPerOutput {
                for output in outputs.present where root.isFor(output) { start(root, on: output, &turn) }
            } else if !restoredRoots.contains(definitions.id(of: root)), startsNow(root) {
                start(root, id: root.id, on: root.output, &turn)
            }
        }
        restoredRoots = []
        earlyPresenters = definitions.earlyPresenters
    }
}
