// What follows from changes of the tree: signals, the steps that waited until a presentable is presented (S-16), and readiness
// (S-26).

extension Machine {
    /// Triggers the steps that wait at presentables which are presented now, parents first and in order (S-16).
    mutating func triggerPresented(_ turn: inout Turn) {
        if forest.hasPresented { triggerWaiting(&turn) }
    }

    private mutating func triggerWaiting(_ turn: inout Turn) {
        let presented = forest.takePresented()
        if definitions.haveWatchdogs { for slot in presented { beginChecks(of: slot, &turn) } }
        release(at: presented)
    }

    /// Triggers the steps that wait at presentables: the initial step, then the deferred ones. With `turn` only the first of them, and none
    /// while another one has its turn (S-16). An initial step was counted when it was contributed.
    mutating func release(at presented: [NodeSlot]) {
        var released: [WaitingStep] = []
        for slot in presented {
            let (initial, deferred) = (forest[slot].initialStep, forest[slot].deferredSteps)
            if initial == nil, deferred.isEmpty { continue }
            let isInTurn = whenHidden(slot) == .turn
            if isInTurn, forest[slot].kept.stepInTurn != 0 { continue }
            let flow = self.flow(for: slot)
            let count = !isInTurn ? deferred.count : initial == nil ? 1 : 0
            let next = isInTurn ? initial?.origin ?? deferred[0].origin : 0
            forest.updateUsage(slot) { node in
                (node.initialStep, node.deferredSteps) = (nil, Array(deferred.dropFirst(count)))
                node.kept.stepInTurn = next
            }
            if isInTurn { inTurn.begin(next, at: forest.id(of: slot)) }
            if let deferred = initial {
                origins.removeDeferred(deferred.origin)
                if asks.isFollowing { asks.addStep(deferred.origin) }
                unrecord(deferred)
                released.append(waiting(deferred, at: slot, for: flow, .triggered))
            }
            for deferred in deferred.prefix(count) {
                unrecord(deferred)
                released.append(waiting(deferred, at: slot, for: flow, .deferred))
            }
        }
        if !released.isEmpty { queue.insert(contentsOf: released) }
    }

    /// Where the cascade of the step that had its turn has ended, the next one has it (S-16).
    mutating func endTurns() {
        var free: [NodeSlot] = []
        for origin in inTurn.takeDue() {
            let isUnderWay = isUnderWay(origin..<origin + 1)
            for node in inTurn.nodes(of: origin) {
                guard let slot = forest.slot(of: node) else { continue }
                // A step that did not wait at the gate is noted only now, as most cascades end at once.
                forest.update(slot) { $0.kept.stepInTurn = isUnderWay ? origin : 0 }
                if !isUnderWay, forest[slot].isPresented { free.append(slot) }
            }
            if !isUnderWay { inTurn.end(origin) }
        }
        if free.isEmpty { return }
        release(at: free.count == 1 ? free : forest.preorder().filter { free.contains($0) })
    }

    private func waiting(
        _ deferred: DeferredStep, at slot: NodeSlot, for flow: NodeSlot, _ purpose: WaitingStep.Purpose
    ) -> WaitingStep {
        WaitingStep(
            origin: deferred.origin, client: deferred.client, flow: forest.id(of: flow),
            step: deferred.step, arguments: deferred.arguments, cause: deferred.cause, purpose: purpose,
            screen: slot == flow ? nil : forest.id(of: slot) as NodeID)
    }

    /// Reports changed properties, and new presentables before them.
    mutating func reportChanges(_ turn: inout Turn) {
        if forest.hasChanges { reportAll(&turn) }
    }

    private mutating func reportAll(_ turn: inout Turn) {
        var areAllBorn = true
        forest.touchChanged()
        for place in forest.changedPlaces {
            if let slot = forest.takeBorn(at: place) {
                turn.effects.append(.addPresentable(forest.state(of: slot)))
            } else {
                areAllBorn = false
            }
        }
        if !areAllBorn {
            for place in forest.changedPlaces {
                if let changes = forest.takeChanges(at: place) { report(changes, &turn) }
            }
        }
        forest.forgetChanges()
    }

    private func report(_ changes: PropertyChanges, _ turn: inout Turn) {
        turn.effects.append(.changeProperties(changes))
        guard let isInSight = changes.properties.flag(.inSight), let slot = forest.node(at: changes.path)?.slot,
            forest[slot].kept.wantsSight, let owner = forest[slot].owner
        else { return }
        turn.effects.append(.emitSightChanged(path: changes.path, isInSight: isInSight, owner: owner))
    }

    /// The initial step of a flow has ended, whatever its outcome. The flow is ready when the child flows that the step
    /// contributed are ready or gone (S-26).
    mutating func initialStepEnded(of flow: NodeSlot) {
        guard forest[flow].flow?.kept.readiness == .awaitingStep else { return }
        let awaited = forest.children(of: flow).count { child in
            forest[child].flow.map { $0.kept.isAwaitedByParent && !$0.isReady } ?? false
        }
        forest.update(flow) { $0.flow?.kept.readiness = .awaitingChildren(awaited) }
        if awaited == 0 { becomeReady(flow) }
    }

    /// A child flow that the initial step contributed is ready or gone.
    mutating func awaitedChildEnded(of flow: NodeSlot) {
        guard case .awaitingChildren(let count) = forest[flow].flow?.kept.readiness else { return }
        forest.update(flow) { $0.flow?.kept.readiness = .awaitingChildren(count - 1) }
        if count == 1 { becomeReady(flow) }
    }

    private mutating func becomeReady(_ flow: NodeSlot) {
        forest.update(flow) { $0.flow?.kept.readiness = .ready }
        calls.resume(waitingFor: forest.id(of: flow))
        if forest[flow].flow?.kept.isAwaitedByParent == true, let parent = forest[flow].parent {
            awaitedChildEnded(of: parent)
        }
    }
}
