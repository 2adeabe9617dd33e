// The removal of presentables, and what is reported about it (S-12, S-22, S-23).

extension Machine {
    /// Dismisses a presentable, not by a rule of its flow; the flow can have `onDismissed` for it (S-23).
    mutating func dismiss(
        _ slot: NodeSlot, _ why: Dismissal, origin: UInt64, cause: UInt64, _ client: Client, _ turn: inout Turn
    ) {
        remove(slot, .dismissal(why), origin: origin, cause: cause, client, &turn)
    }

    /// Removes a presentable, not by a rule of its flow, and triggers the step that the flow has for it.
    mutating func remove(
        _ slot: NodeSlot, _ how: Departure, origin: UInt64, cause: UInt64, _ client: Client, _ turn: inout Turn
    ) {
        let parent = forest[slot].parent
        let gone = takeOut(slot, below: parent, how.withdrawal, answer: how.result.map { (.result, $0) }, &turn)
        forest.updateVisibility(below: parent, changed: [])
        reportChanges(&turn)
        dropSteps(of: gone, nearestLiveAncestor: parent, &turn)
        if let parent {
            reportParent(parent, of: gone.last, how, origin: origin, cause: cause, client, &turn)
            noteEmpty(
                parent,
                EmptyFlows.Cause(origin: origin, cause: cause, client: client, fault: how.fault, isClosed: how.isClosed)
            )
        }
        triggerPresented(&turn)
    }

    /// Removes a presentable and all below it, newest leaf first, and reports it (S-22). The caller updates the rest of the
    /// tree when it has made all its changes.
    mutating func takeOut(
        _ slot: NodeSlot, below parent: NodeSlot?, _ reason: Withdrawal.Reason,
        answer: (AskOutcome, Arguments)? = nil, _ turn: inout Turn
    ) -> [Node] {
        let gone = forest.remove(slot)
        reportRemoved(gone, reason, answer: answer, &turn)
        concludeRemoval(gone, below: parent)
        return gone
    }

    /// Reports removed presentables. The reason is that of the last one, which took the others with it.
    ///
    /// - Parameter answer: what those learn who asked about the last one (S-45); nil if the reason says all.
    mutating func reportRemoved(
        _ gone: [Node], _ reason: Withdrawal.Reason, answer: (outcome: AskOutcome, result: Arguments)? = nil,
        _ turn: inout Turn
    ) {
        if !asks.isEmpty { noteGone(gone, answer?.outcome ?? AskOutcome(reason), with: answer?.result ?? [], &turn) }
        for place in gone.indices {
            turn.effects.append(.removePresentable(path: gone[place].path, isFlow: gone[place].flow != nil))
            if gone[place].hasWaitingSteps { unrecordSteps(of: gone[place]) }
            if gone[place].owner != nil || gone[place].presenting != nil {
                withdraw(gone[place], place == gone.count - 1 ? reason : .parent, &turn)
            }
        }
    }

    /// A presentable was removed with all below it, as the last of these; its parent no longer waits for it (S-26).
    mutating func concludeRemoval(_ gone: [Node], below parent: NodeSlot?) {
        guard let parent, let last = gone.indices.last, let flow = gone[last].flow else { return }
        if flow.kept.isAwaitedByParent, !flow.isReady { awaitedChildEnded(of: parent) }
    }

    /// Triggers the step that a flow has for this child that is gone (S-23, S-45).
    ///
    /// - Parameter isInteractive: nil if no step removed the child.
    mutating func reportParent(
        _ flow: NodeSlot, of gone: Node?, _ how: Departure, origin: UInt64, cause: UInt64, _ client: Client,
        isInteractive: Bool? = nil, _ turn: inout Turn
    ) {
        guard let gone, let kept = how.result == nil ? gone.onDismissed?.value : gone.onResult?.template,
            let template = kept.template(definitions)
        else { return }
        let scope = Planner.Scope(
            arguments: gone.arguments, flow: flow, origin: origin, now: turn.now, departure: (gone.name, how),
            asked: gone.onResult?.asked ?? [])
        var step = WaitingStep(
            origin: origin, client: client, flow: forest.id(of: flow),
            step: template.step, arguments: [], cause: cause, purpose: .triggered,
            isInteractive: isInteractive ?? false)
        do throws(FlowError) {
            step.arguments = try Planner.resolve(template, scope, forest, definitions).arguments
            if isInteractive != nil { return trigger(step, &turn) }
            // It begins a cascade, or continues one after a wait: there can be thousands, and a slice may end before each.
            if mayTrigger(step, &turn) { queue.insert(contentsOf: [step]) }
        } catch {
            reportFailure(of: step, .refused(error), &turn)
        }
    }

    /// Ends the steps that wait for removed presentables. Steps that waited at them end now, and are reported (S-12). Steps
    /// that were triggered on their flows end when their turn comes (S-22), and are reported at the nearest live ancestor.
    mutating func dropSteps(of gone: [Node], nearestLiveAncestor: NodeSlot?, _ turn: inout Turn) {
        if !steppers.isEmpty {
            for node in gone where node.parent == nil { steppers.forget(root: node.instance) }
        }
        for place in gone.indices where gone[place].flow != nil {
            let id = NodeID(slot: gone[place].slot, instance: gone[place].instance)
            if let question = gone[place].flow?.question { withdrawQuestion(question, &turn) }
            unblock(id, at: turn.now)
            if let cause = gone[place].flow?.kept.emptiedBy { releaseOrigin(cause.origin, isDeferred: true) }
            calls.resume(waitingFor: id)
        }
        queue.leave(
            gone.lazy.filter { $0.flow != nil }.map { (NodeID(slot: $0.slot, instance: $0.instance), $0.path) },
            to: nearestLiveAncestor.map { forest.id(of: $0) })
        guard gone.indices.contains(where: { gone[$0].hasWaitingSteps }) else { return }
        let nearestLiveAncestor = nearestLiveAncestor.map { forest[$0].path }
        // The flow that would have taken the steps of a node is live only for the last node, and only if that is a screen.
        let last = gone.last.flatMap { $0.flow == nil ? $0.instance : nil }
        for node in gone {
            // Without a live ancestor, it is reported at the path of the flow that would have taken it.
            let place = nearestLiveAncestor ?? (node.flow == nil ? node.parentPath : node.path)
            if let deferred = node.initialStep {
                reportDropped(
                    deferred, lost(deferred, with: node, flowLives: node.instance == last, isInitial: true), at: place,
                    &turn)
                releaseOrigin(deferred.origin, isDeferred: true)
            }
            for deferred in node.deferredSteps {
                reportDropped(
                    deferred, lost(deferred, with: node, flowLives: node.instance == last, isInitial: false), at: place,
                    &turn)
            }
        }
    }
}

extension Departure {
    fileprivate var isClosed: Bool { if case .dismissal(let why) = self { why.isClosed } else { false } }

    fileprivate var withdrawal: Withdrawal.Reason {
        switch self {
        case .dismissal(let why): .dismissal(why.reason)
        case .answer: .result
        }
    }
}
