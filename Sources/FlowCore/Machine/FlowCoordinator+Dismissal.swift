// Presentables that go, and what is told of it (S-12, S-22).

extension FlowCoordinator {
    /// A client dismisses a presentable.
    mutating func dismiss(_ node: NodeID, _ request: RequestID) {
        guard let slot = forest.slot(of: node) else { return refuseGone(request) }
        remove(slot)
        setOffPresented()
        answer = .reply(request, .done)
    }

    /// Removes a presentable and all below it, newest leaf first, and tells so (S-22).
    mutating func remove(_ slot: Int) {
        let parent = forest.nodes[slot].parent
        let gone = forest.remove(slot)
        tellRemoved(gone)
        settleAfterRemoval(gone, below: parent)
        tellChanges()
        dropSteps(of: gone, heir: parent)
    }

    /// Tells that presentables are gone, and gives back what they held.
    mutating func tellRemoved(_ gone: [Node]) {
        for node in gone {
            effects.append(.removePresentable(path: node.path, isFlow: node.flow != nil))
            ledger.release(node)
        }
    }

    /// Brings the rest of the tree up to date after a presentable went with all below it; it is the last of those.
    mutating func settleAfterRemoval(_ gone: [Node], below parent: Int?) {
        guard let parent else { return }
        if let flow = gone.last?.flow, flow.isAwaitedByParent, !flow.isReady { awaitedChildEnded(of: parent) }
        forest.settle(parent)
    }

    /// Steps that wait for presentables that are gone: those of their screens end with it, and are told (S-12); those
    /// that were set off on their flows end when their turn comes (S-22), and are told at the heir, the nearest
    /// ancestor that is live.
    mutating func dropSteps(of gone: [Node], heir: Int?) {
        let heir = heir.map { forest.nodes[$0].path }
        if let heir {
            queue.retarget(from: Set(gone.lazy.filter { $0.flow != nil }.map(\.path)), to: heir)
        }
        // Only the last one can have left its flow behind.
        let last = gone.last?.instance
        for node in gone {
            guard let held = node.initialStep else { continue }
            let name = definitions.steps[held.step.index].name
            let error =
                node.instance == last
                ? FlowError(
                    .presentableDismissed,
                    "screen '\(node.name)' was dismissed before it was presented, with its initial step '\(name)'")
                : FlowError(.flowEnded, "the flow that was to take step '\(name)' has ended")
            tellDropped(held, error, at: heir ?? node.parentPath)
            release(origin: held.origin)
        }
    }
}

// MARK: - What is told of steps that nobody waits for

extension FlowCoordinator {
    /// Tells of a step that nobody waits for, if it ended otherwise than navigated (S-12).
    mutating func tellFailure(of step: WaitingStep, _ outcome: Outcome) {
        let name = definitions.steps[step.step.index].name
        let reason: NavigationFailure.Reason
        let message: String
        switch outcome {
        case .navigated: return
        case .ignored(let verdict):
            reason = .verdict(verdict)
            message = unhandled(name, by: step)
        case .refused(let error):
            reason = .error(error.code)
            message = error.message
        }
        effects.append(
            .tellFailure(
                NavigationFailure(
                    flow: step.tellAt, cause: step.cause, client: step.client, step: name, reason: reason,
                    message: message)))
    }

    /// Tells of a screen's initial step that was lost before its turn.
    mutating func tellDropped(_ held: HeldStep, _ error: FlowError, at path: String) {
        effects.append(
            .tellFailure(
                NavigationFailure(
                    flow: path, cause: held.cause, client: held.client, step: definitions.steps[held.step.index].name,
                    reason: .error(error.code), message: error.message)))
    }

    /// Tells that a root has no parent which could take a step (S-20, S-21).
    mutating func tellHomeless(_ planned: Plan.Step, of step: WaitingStep, at path: String) {
        let name = definitions.steps[planned.step.index].name
        effects.append(
            .tellFailure(
                NavigationFailure(
                    flow: path, cause: serial, client: step.client, step: name, reason: .verdict(.unhandled),
                    message: "'\(path)' is a root: it has no parent that could take step '\(name)'")))
    }

    private func unhandled(_ step: String, by waiting: WaitingStep) -> String {
        guard let flow = forest.slot(of: waiting.flow) else { return "the flow has ended" }
        let hasRule = definitions.flows[definition(of: flow).index].rule(for: waiting.step) != nil
        return hasRule
            ? "no alternative of flow '\(forest.nodes[flow].name)' for step '\(step)' matches its arguments"
            : "flow '\(forest.nodes[flow].name)' has no rule for step '\(step)'"
    }
}
