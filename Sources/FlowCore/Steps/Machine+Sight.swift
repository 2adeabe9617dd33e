// What is reported of what a person sees and can do: once, at the end of a cascade, and only what is other than before (S-10).

extension Machine {
    /// Reports the screens in sight of each output, and what Back would do on each root, where that is another one.
    mutating func reportSight(_ turn: inout Turn) {
        for change in takeSightChanges() { turn.effects.append(change) }
    }

    /// After a restart nothing is reported: a client reads it anew.
    mutating func noteSight() { _ = takeSightChanges() }

    private mutating func takeSightChanges() -> [Effect] {
        var changes: [Effect] = []
        let touched = forest.takeTouched()
        for output in touched.outputs {
            let stack = forest.stack(of: output, atMost: Limits.reportedStack)
            if stack == reportedSight.stacks[output] ?? [] { continue }
            reportedSight.stacks[output] = stack.isEmpty ? nil : stack
            changes.append(.emitStackChanged(output: output, stack))
        }
        for root in touched.gone { reportedSight.backs[root] = nil }
        for root in touched.live {
            let back = (try? backTarget(from: root, for: nil)).map { preview(of: $0.target) } ?? .unhandled
            let id = forest.id(of: root)
            if back == reportedSight.backs[id] ?? .unhandled { continue }
            reportedSight.backs[id] = back
            changes.append(.emitBackChanged(path: forest[root].path, back))
        }
        return changes
    }
}
