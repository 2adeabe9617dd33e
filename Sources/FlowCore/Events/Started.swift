// The roots of `autostart` begin (S-2).

extension Machine {
    /// The service has started: the roots begin, one after the other.
    mutating func start(_ turn: inout Turn) {
        awaitFirstValues(turn)
        for root in definitions.autostart where !restoredRoots.contains(id(of: root)) { start(root, &turn) }
        restoredRoots = []
        earlyPresenters = definitions.earlyPresenters
    }

    /// Starts a root of `autostart`, and ends its cascade before the next one.
    mutating func start(_ root: Autostart, _ turn: inout Turn) {
        do throws(FlowError) {
            _ = try begin(
                FlowRequest(
                    root.flow, id: root.id, arguments: root.arguments, step: root.step,
                    stepArguments: root.stepArguments, by: .daemon, output: root.output), &turn)
        } catch {
            let path = forest.path(of: id(of: root), below: nil)
            turn.effects.append(.reportUnstarted(path: path, error))
        }
        runToEnd(&turn)
    }
}
