// Steps and callers that wait: whether they may, and steps that are deferred (S-15, S-32, S-33).

extension Machine {
    /// A client waits until a flow is ready (S-26).
    mutating func awaitReadiness(of node: NodeID, by client: Client, _ request: RequestID, _ turn: inout Turn) {
        guard let slot = forest.slot(of: node), let flow = forest[slot].flow else { return refuseGone(request, &turn) }
        if flow.isReady {
            turn.answer = .reply(request, .done)
            return
        }
        let call = Call(client: client, kind: .readiness(node), usage: Accounting.Usage(steps: 1))
        do throws(FlowError) {
            try checkReadiness(of: slot, for: client)
            try reserve(call.usage, for: client, sparing: slot, &turn)
        } catch {
            turn.answer = .fail(request, error)
            return
        }
        // Reclaiming can have removed what the flow waited for.
        if forest[slot].flow?.isReady == true {
            turn.answer = .reply(request, .done)
            return
        }
        suspend(request, call, &turn)
        calls.wait(request, for: node)
    }

    /// Refuses a client that the flow's `emitters` do not include, or whose answer the flow waits for (S-32), unless the
    /// client does not wait for the flow.
    ///
    /// - Parameter screen: the screen of the flow on which it emits; nil for the flow itself.
    func checkEmitter(
        _ client: Client, of flow: NodeSlot, on screen: NodeSlot? = nil, waits: Bool = true
    ) throws(FlowError) {
        if waits, isWaiting(flow) { try checkDeadlock(client, at: flow) }
        let definition = definition(of: flow)
        if definitions.flows[definition.index].isRestricted {
            try checkEmitter(client, of: flow, definition, on: screen)
        }
    }

    private func checkEmitter(
        _ client: Client, of flow: NodeSlot, _ definition: FlowID, on screen: NodeSlot?
    ) throws(FlowError) {
        if definitions.flows[definition.index].ownersMayEmit {
            if mayEmitAsOwner(client, on: screen ?? flow) { return }
            // Without other emitters, the error speaks of owners alone.
            if definitions[definition].emitters.isEmpty {
                throw FlowError(
                    .accessDenied,
                    "flow '\(definitions[definition].name)' takes steps and Back only from the owners of its presentables, of "
                        + "which '\(client.name)' is none here")
            }
        }
        try checkEmitter(client, of: definition, orOwners: definitions.flows[definition.index].ownersMayEmit) {
            "takes steps and Back only from"
        }
    }

    /// Whether a client may emit as an owner (S-43): on a screen as its owner, or as its presenter while that is called; on a
    /// flow as its owner, or as that of a presented screen directly below it.
    func mayEmitAsOwner(_ client: Client, on place: NodeSlot) -> Bool {
        if isOwner(client, of: place) { return true }
        return forest.children(of: place).contains {
            forest[$0].flow == nil && forest[$0].isPresented && forest[$0].owner == client
        }
    }

    /// Defers a step until its presentable is presented.
    mutating func deferStep(
        _ step: WaitingStep, at slot: NodeSlot, for flow: NodeSlot, onlyLatest: Bool, _ turn: inout Turn
    ) -> Outcome {
        var deferred = DeferredStep(
            step: step.step, arguments: step.arguments, origin: step.origin, cause: 0, client: step.client)
        do throws(FlowError) {
            try checkWaiting(
                for: deferred, besides: onlyLatest ? forest[slot].deferredSteps : [], at: slot, for: flow, &turn)
        } catch {
            return .refused(error)
        }
        // Reclaiming may have released them.
        let outdated = onlyLatest ? forest[slot].deferredSteps : []
        for outdated in outdated {
            reportReplaced(outdated, at: forest[flow].path, &turn)
            unrecord(outdated)
        }
        if onlyLatest { forest.setDeferredSteps([], of: slot) }
        record(&deferred, at: slot, isInitial: false)
        forest.deferStep(deferred, at: slot)
        // Reclaiming may have removed the child that covered the presentable.
        if forest[slot].isPresented {
            forest.notePresented(slot)
            triggerPresented(&turn)
        }
        return .ignored(.deferred)
    }

    private mutating func checkWaiting(
        for deferred: DeferredStep, besides outdated: [DeferredStep], at slot: NodeSlot, for flow: NodeSlot,
        _ turn: inout Turn
    ) throws(FlowError) {
        let quota = accounting.quotas.deferredSteps
        // A step that replaces another needs no room.
        if outdated.isEmpty {
            let here = forest[slot].deferredSteps.count
            if !accounting.isFree(deferred.client), here >= quota.perClient {
                let own = forest[slot].deferredSteps.count { $0.client == deferred.client }
                guard own < quota.perClient else {
                    throw FlowError(
                        .limitExceeded,
                        "\(own) steps of '\(deferred.client.name)' are deferred for '\(forest[slot].path)' of at most "
                            + "\(quota.perClient)")
                }
            }
            guard here < quota.total else {
                throw FlowError(
                    .limitExceeded,
                    "\(here) steps are deferred for '\(forest[slot].path)' of at most \(quota.total) in total")
            }
        }
        try checkWaiting(at: flow, for: deferred.client, besides: outdated)
        var own = Accounting.Usage(steps: 1, bytes: deferred.arguments.byteCount)
        var total = own
        for outdated in outdated {
            total += Accounting.Usage(steps: -1, bytes: -outdated.arguments.byteCount)
            if outdated.client == deferred.client {
                own += Accounting.Usage(steps: -1, bytes: -outdated.arguments.byteCount)
            }
        }
        try reserve(own, inTotal: total, for: deferred.client, sparing: slot, &turn)
    }

    /// Checks whether one more step of this client may wait for a flow.
    func checkWaiting(at flow: NodeSlot, for client: Client, besides outdated: [DeferredStep] = []) throws(FlowError) {
        guard let waiting = forest[flow].flow?.waiting else { return }
        let quota = accounting.quotas.stepsPerFlow
        if !accounting.isFree(client), waiting.count >= quota.perClient {
            let own = waiting[client] - outdated.count { $0.client == client }
            guard own < quota.perClient else {
                throw FlowError(
                    .limitExceeded,
                    "\(own) steps of '\(client.name)' wait for '\(forest[flow].path)' of at most "
                        + "\(quota.perClient)")
            }
        }
        let all = waiting.count - outdated.count
        guard all < quota.total else {
            throw FlowError(
                .limitExceeded,
                "\(all) steps wait for '\(forest[flow].path)' of at most \(quota.total) in total")
        }
    }

    /// Checks whether a step from outside may wait for a guard or navigator, if it has to, together with others of the same
    /// call. Returns how many may wait (S-33).
    @discardableResult
    mutating func checkWait(
        _ step: WaitingStep, for flow: NodeSlot, besides others: Accounting.Usage? = nil, _ turn: inout Turn
    ) throws(FlowError) -> Accounting.Usage {
        guard mayWait(step.step, at: flow) else { return others ?? Accounting.Usage() }
        return try reserveWait(of: step, for: flow, besides: others, &turn)
    }

    private mutating func reserveWait(
        of step: WaitingStep, for flow: NodeSlot, besides others: Accounting.Usage?, _ turn: inout Turn
    ) throws(FlowError) -> Accounting.Usage {
        try checkWaiting(at: flow, for: step.client)
        var all = others ?? Accounting.Usage()
        all += Accounting.Usage(steps: 1, bytes: step.arguments.byteCount)
        // A deep link has made room before.
        if others == nil {
            try reserve(all, for: step.client, sparing: flow, &turn)
        } else {
            try accounting.check(all, for: step.client)
        }
        return all
    }

    /// Whether a step may have to wait for a guard or navigator of a flow.
    func mayWait(_ step: StepID, at flow: NodeSlot) -> Bool {
        if isWaiting(flow) { return true }
        let definition = definition(of: flow).index
        guard definitions.flows[definition].asksOthers else { return false }
        return definitions.flows[definition].navigator != nil
            || definitions.flows[definition].guard?.watches(step) == true
    }

    /// Refuses a client that waits until a flow is ready, if that depends on an answer of the client: for the flow's
    /// initial step, or for that of a flow below that it waits for (S-26, S-32).
    func checkReadiness(of flow: NodeSlot, for client: Client) throws(FlowError) {
        if questions.isEmpty { return }
        try checkReadiness(of: flow, from: flow, for: client)
    }

    private func checkReadiness(of flow: NodeSlot, from place: NodeSlot, for client: Client) throws(FlowError) {
        switch forest[place].flow?.readiness {
        case .awaitingStep?:
            try checkDeadlock(client, at: place, "waits until '\(forest[flow].path)' is ready")
        case .awaitingChildren?:
            for child in forest.children(of: place) {
                guard let state = forest[child].flow, state.isAwaitedByParent, !state.isReady else { continue }
                try checkReadiness(of: flow, from: child, for: client)
            }
        case .ready?, nil: return
        }
    }
}
