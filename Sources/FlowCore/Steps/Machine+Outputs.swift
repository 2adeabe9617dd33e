// Outputs come and go, and roots with them (S-53).

extension Machine {
    private func whenOutputGone(_ root: NodeSlot) -> WhenOutputGone {
        autostartPlace(of: root).map { definitions.autostart[$0].whenOutputGone } ?? .keep
    }

    /// The outputs on which roots stand that don't stay without them.
    func outputsOfMovableRoots() -> [String] {
        if definitions.autostart.allSatisfy({ $0.whenOutputGone == .keep }) { return [] }
        var names: [String] = []
        for root in forest.roots where !forest[root].output.isEmpty && whenOutputGone(root) != .keep {
            if !names.contains(forest[root].output) { names.append(forest[root].output) }
        }
        return names
    }

    /// Whether a root of `autostart` starts with the service: not while its output is gone, if it ends with that.
    func startsNow(_ root: Autostart) -> Bool {
        root.whenOutputGone != .end || outputs.names.isEmpty || outputs.isPresent(root.output)
    }

    // MARK: Outputs that go

    /// Sets the alarm for the next output that is missing.
    mutating func watchOutputs() {
        if let due = outputs.takeAlarm() { schedule(.outputs, due: due) }
    }

    /// The time has come for outputs that are missing.
    mutating func outputsAreDue(at due: Instant, _ turn: inout Turn) {
        outputs.endAlarm()
        endOutputs(at: due, &turn)
        watchOutputs()
    }

    /// What becomes of the roots of outputs that are gone.
    mutating func endOutputs(at due: Instant, _ turn: inout Turn) {
        for output in outputs.takeGone(at: due) {
            for root in forest.roots(on: output).map({ forest.id(of: $0) }) {
                guard let slot = forest.slot(of: root) else { continue }
                switch whenOutputGone(slot) {
                case .keep: break
                case .move: moveAway(slot, &turn)
                case .end:
                    dismiss(slot, Dismissal(.dismissed), origin: origins.next(), cause: 0, .daemon, &turn)
                    runToEnd(&turn)
                }
            }
        }
    }

    /// A root moves to the first output, below the roots there: nobody has chosen it. Its own place among all roots stays.
    private mutating func moveAway(_ root: NodeSlot, _ turn: inout Turn) {
        guard let target = outputs.names.first else { return }
        let (order, home) = (forest[root].order, forest[root].flow?.kept.away?.output ?? forest[root].output)
        // Those that came from the same output keep their order.
        let others = forest.roots(on: target).filter { forest[$0].flow?.kept.away?.output != home }
        forest.touch(root: root)
        forest.update(root) { node in
            let away = Node.Away(output: node.output, raised: node.raised)
            if node.flow?.kept.away == nil { node.flow?.kept.away = Boxed(away) }
            node.kept.output = target
        }
        if let lower = others.firstIndex(where: { forest[$0].order < order }) {
            for other in others[lower...] { forest.raise(other) }
        }
        showMoved(root)
        reportChanges(&turn)
        triggerPresented(&turn)
    }

    // MARK: Outputs that come

    /// An output is there, or there again: the roots that stood on it go back to their places, and others start.
    mutating func outputCame(_ output: String, _ turn: inout Turn) {
        for root in forest.roots where forest[root].flow?.kept.away?.output == output { goBack(root, &turn) }
        for entry in definitions.autostart where entry.isPerOutput || entry.whenOutputGone == .end {
            if entry.isFor(output) { start(entry, on: output, &turn) }
        }
    }

    private mutating func goBack(_ root: NodeSlot, _ turn: inout Turn) {
        guard let away = forest[root].flow?.kept.away else { return }
        forest.touch(root: root)
        forest.update(root) { node in
            node.kept.output = away.output
            node.flow?.kept.away = nil
        }
        forest.putBack(root, raised: away.raised)
        showMoved(root)
        reportChanges(&turn)
        triggerPresented(&turn)
    }

    /// Starts a root of `autostart` on an output, unless it lives.
    mutating func start(_ entry: Autostart, on output: String, _ turn: inout Turn) {
        let id = definitions.id(of: entry, on: entry.isPerOutput ? output : nil)
        let live = forest.node(at: forest.path(of: id, below: nil)).flatMap { forest.slot(of: $0) }
        if let live, forest[live].flow?.definition == entry.flow { return }
        start(entry, id: entry.isPerOutput ? id : entry.id, on: output, &turn)
    }

    /// Starts a root of `autostart`, and ends its cascade before the next one.
    mutating func start(_ root: Autostart, id: String?, on output: String, _ turn: inout Turn) {
        do throws(FlowError) {
            _ = try begin(
                FlowRequest(
                    root.flow, id: id, arguments: root.arguments, step: root.step,
                    stepArguments: root.stepArguments, by: .daemon, output: output), &turn)
        } catch {
            let path = forest.path(of: id ?? definitions.id(of: root), below: nil)
            turn.effects.append(.reportUnstarted(path: path, error))
        }
        runToEnd(&turn)
    }
}
