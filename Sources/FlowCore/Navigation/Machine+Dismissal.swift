// The removal of presentables, and what is reported about it (S-12, S-22, S-23).

extension Machine {
    /// A client dismisses a presentable.
    mutating func dismiss(_ node: NodeID, by client: Client, _ request: RequestID, _ turn: inout Turn) {
        guard let slot = forest.slot(of: node) else { return refuseGone(request, &turn) }
        do throws(FlowError) {
            try checkHandling(slot, client)
        } catch {
            turn.answer = .fail(request, error)
            return
        }
        // An owner that dismisses its presentable gets no `Withdraw`.
        if forest[slot].owner == client { removeOwner(slot) }
        dismiss(slot, .dismissed, origin: origins.next(), cause: 0, client, &turn)
        turn.answer = .reply(request, .done)
    }

    /// Dismisses a presentable, not by a rule of its flow; the flow can have `onDismissed` for it (S-23).
    mutating func dismiss(
        _ slot: NodeSlot, _ reason: DismissalReason, origin: UInt64, cause: UInt64, _ client: Client, _ turn: inout Turn
    ) {
        let parent = forest[slot].parent
        let gone = takeOut(slot, below: parent, .dismissal(reason), &turn)
        if let parent { forest.updateVisibility(parent) }
        reportChanges(&turn)
        dropSteps(of: gone, nearestLiveAncestor: parent, &turn)
        if let parent { reportParent(parent, of: gone.last, reason, origin: origin, cause: cause, client, &turn) }
        triggerPresented(&turn)
    }

    /// Removes a presentable and all below it, newest leaf first, and reports it (S-22). The caller updates the rest of the
    /// tree when it has made all its changes.
    mutating func takeOut(_ slot: NodeSlot, below parent: NodeSlot?, _ reason: Withdrawal.Reason, _ turn: inout Turn)
        -> [Node]
    {
        let gone = forest.remove(slot)
        reportRemoved(gone, reason, &turn)
        concludeRemoval(gone, below: parent)
        return gone
    }

    /// Reports removed presentables. The reason is that of the last one, which took the others with it.
    mutating func reportRemoved(_ gone: [Node], _ reason: Withdrawal.Reason, _ turn: inout Turn) {
        for (place, node) in gone.enumerated() {
            turn.effects.append(.removePresentable(path: node.path, isFlow: node.flow != nil))
            unrecordSteps(of: node)
            if node.owner != nil || node.presenting != nil {
                withdraw(node, place == gone.count - 1 ? reason : .parent, &turn)
            }
        }
    }

    /// A presentable was removed with all below it, as the last of these; its parent no longer waits for it (S-26).
    mutating func concludeRemoval(_ gone: [Node], below parent: NodeSlot?) {
        guard let parent, let flow = gone.last?.flow else { return }
        if flow.isAwaitedByParent, !flow.isReady { awaitedChildEnded(of: parent) }
    }

    /// Triggers the step that a flow has for the dismissal of this child (S-23).
    mutating func reportParent(
        _ flow: NodeSlot, of gone: Node?, _ reason: DismissalReason, origin: UInt64, cause: UInt64, _ client: Client,
        _ turn: inout Turn
    ) {
        guard let gone, let template = gone.onDismissed else { return }
        let scope = Planner.Scope(
            arguments: gone.arguments, flow: flow, now: turn.now, dismissal: (gone.name, reason))
        var step = WaitingStep(
            origin: origin, client: client, flow: forest.id(of: flow),
            step: template.step, arguments: [], cause: cause, purpose: .triggered)
        do throws(FlowError) {
            step.arguments = try Planner.resolve(template, scope, forest, definitions).arguments
            // It begins a cascade, or continues one after a wait: there can be thousands, and a slice may end before each.
            if mayTrigger(step, &turn) { queue.insert(contentsOf: [step]) }
        } catch {
            reportFailure(of: step, .refused(error), &turn)
        }
    }

    /// Ends the steps that wait for removed presentables. Steps that waited at them end now, and are reported (S-12). Steps
    /// that were triggered on their flows end when their turn comes (S-22), and are reported at the nearest live ancestor.
    mutating func dropSteps(of gone: [Node], nearestLiveAncestor: NodeSlot?, _ turn: inout Turn) {
        for node in gone {
            guard let flow = node.flow else { continue }
            let id = NodeID(slot: node.slot, instance: node.instance)
            if let question = flow.question { withdrawQuestion(question, &turn) }
            unblock(id)
            calls.resume(waitingFor: id)
        }
        queue.leave(
            gone.lazy.filter { $0.flow != nil }.map { (NodeID(slot: $0.slot, instance: $0.instance), $0.path) },
            to: nearestLiveAncestor.map(forest.id(of:)))
        let nearestLiveAncestor = nearestLiveAncestor.map { forest[$0].path }
        // Only for the last one can the flow still be live that would have taken its steps.
        let last = gone.last.flatMap { $0.flow == nil ? $0.instance : nil }
        for node in gone {
            // Without a live ancestor, it is reported at the path of the flow that would have taken it.
            let place = nearestLiveAncestor ?? (node.flow == nil ? node.parentPath : node.path)
            if let deferred = node.initialStep {
                reportDropped(
                    deferred, lost(deferred, with: node, flowLives: node.instance == last, isInitial: true), at: place,
                    &turn)
                release(origin: deferred.origin, isDeferred: true)
            }
            for deferred in node.deferredSteps {
                reportDropped(
                    deferred, lost(deferred, with: node, flowLives: node.instance == last, isInitial: false), at: place,
                    &turn)
            }
        }
    }

    private func lost(_ deferred: DeferredStep, with node: Node, flowLives: Bool, isInitial: Bool) -> FlowError {
        let name = definitions.steps[deferred.step.index].name
        guard flowLives else {
            return FlowError(.flowEnded, "the flow that was to take step '\(name)' has ended")
        }
        let what = isInitial ? "its initial step '\(name)'" : "step '\(name)', which was deferred"
        return FlowError(
            .presentableDismissed, "screen '\(node.name)' was dismissed before it was presented, with \(what)")
    }
}

// MARK: - Reports of steps that no call waits for

extension Machine {
    /// Reports a step that no call waits for, unless it was navigated (S-12).
    mutating func reportFailure(of step: WaitingStep, _ outcome: Outcome, _ turn: inout Turn) {
        let name = definitions.steps[step.step.index].name
        if case .navigated = outcome { return }
        let place = failurePath(of: step.flow)
        let reason: NavigationFailure.Reason
        let message: String
        switch outcome {
        case .navigated: return
        case .ignored(let verdict):
            reason = .verdict(verdict)
            message =
                switch verdict {
                case .hidden: "'\(place)' is not presented, and ignores step '\(name)' then"
                case .rejected: "the guard of '\(place)' refused step '\(name)'"
                case .unhandled, .navigated, .deferred, .pending: unhandled(step.step, at: step.flow)
                }
        case .refused(let error):
            reason = .error(error.code)
            message = error.message
        }
        turn.effects.append(
            .emitNavigationFailed(
                NavigationFailure(
                    flow: place, cause: step.cause, client: step.client, step: name, reason: reason,
                    message: message, isIdle: step.purpose == .idle)))
    }

    /// Reports a waiting step that was dropped.
    mutating func reportDropped(_ deferred: DeferredStep, _ error: FlowError, at path: String, _ turn: inout Turn) {
        reportDropped(deferred, .error(error.code), error.message, at: path, &turn)
    }

    /// Reports a deferred step that a newer one replaced (S-15, S-19).
    mutating func reportReplaced(_ deferred: DeferredStep, at path: String, _ turn: inout Turn) {
        let name = definitions.steps[deferred.step.index].name
        reportDropped(
            deferred, .verdict(.hidden),
            "step '\(name)' waited for its presentable to be presented, until a newer one took its place", at: path,
            &turn)
    }

    private mutating func reportDropped(
        _ deferred: DeferredStep, _ reason: NavigationFailure.Reason, _ message: String, at path: String,
        _ turn: inout Turn
    ) {
        turn.effects.append(
            .emitNavigationFailed(
                NavigationFailure(
                    flow: path, cause: deferred.cause, client: deferred.client,
                    step: definitions.steps[deferred.step.index].name,
                    reason: reason, message: message)))
    }

    /// Reports a step for the parent of a root, which has none (S-20, S-21).
    mutating func reportOrphaned(_ planned: Plan.Step, of step: WaitingStep, at path: String, _ turn: inout Turn) {
        let name = definitions.steps[planned.step.index].name
        turn.effects.append(
            .emitNavigationFailed(
                NavigationFailure(
                    flow: path, cause: serial, client: step.client, step: name, reason: .verdict(.unhandled),
                    message: "'\(path)' is a root: it has no parent that could take step '\(name)'")))
    }

    /// Where failures of steps for a flow are reported: at the flow, or its nearest live ancestor, or else at the path that
    /// it had (S-12).
    func failurePath(of flow: NodeID) -> String {
        if let slot = forest.slot(of: flow) { return forest[slot].path }
        switch queue.nearestLiveAncestor(of: flow, isLive: { forest.slot(of: $0) != nil }) {
        case .below(let nearestLiveAncestor)?:
            return forest.slot(of: nearestLiveAncestor).map { forest[$0].path } ?? forest.base
        case .alone(let path)?: return path
        case nil: return forest.base
        }
    }

    func unhandled(_ step: StepID, at flow: NodeID?) -> String {
        guard let flow = flow.flatMap(forest.slot(of:)) else { return "the flow has ended" }
        let definition = definitions[definition(of: flow)]
        let name = definitions[step].name
        if let navigator = definition.navigator {
            return "the navigator '\(navigator.service.name)' of flow '\(definition.name)' does not take step '\(name)'"
        }
        return definition.rule(for: step) == nil
            ? "flow '\(definition.name)' has no rule for step '\(name)'"
            : "no alternative of flow '\(definition.name)' for step '\(name)' matches"
    }
}
