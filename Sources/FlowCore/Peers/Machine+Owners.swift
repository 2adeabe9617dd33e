// Owners of presentables: which clients can become owners, and which calls need them (S-29).

extension Machine {
    /// A client claims a presentable.
    mutating func claim(_ node: NodeID, by client: Client, _ request: RequestID, _ turn: inout Turn) {
        guard let slot = forest.slot(of: node) else { return refuseGone(request, &turn) }
        do throws(FlowError) {
            try checkClaim(slot, client)
        } catch {
            turn.answer = .fail(request, error)
            return
        }
        forest.update(slot) { $0.presenting?.value.becomeClaimed() }
        if forest[slot].owner != client {
            own(slot, client, &turn)
            tellAnswers(for: slot, all: true, &turn)
        }
        reportChanges(&turn)
        triggerPresented(&turn)
        turn.answer = .reply(request, .done)
    }

    /// A client releases a presentable: from then on any client may show, hide and dismiss it.
    mutating func release(_ node: NodeID, by client: Client, _ request: RequestID, _ turn: inout Turn) {
        guard let slot = forest.slot(of: node) else { return refuseGone(request, &turn) }
        guard forest[slot].owner == client else {
            turn.answer = .fail(request, notOwner(slot, client))
            return
        }
        leave(slot, &turn)
        turn.answer = .reply(request, .done)
    }

    /// The owner gives up a presentable, which stays.
    private mutating func leave(_ slot: NodeSlot, _ turn: inout Turn) {
        if forest[slot].presenting?.eviction == .underWay { return endEviction(of: slot, &turn) }
        let isLate = forest[slot].presenting.map { $0.leftBy != nil && $0.leftBy == forest[slot].owner } ?? false
        removeOwner(slot, &turn)
        // Its presenter is called when the pause is over.
        let isPaused = pause(of: slot, turn.now).map { turn.now < $0.end } ?? false
        forest.update(slot) { node in
            if isPaused { node.presenting?.state = .due }
            node.presenting?.leftBy = nil
        }
        if isPaused, forest[slot].isInSight { forest.noteSighting(slot) }
        if isLate {
            // It left a second time what it was called for again in between.
            hide(slot)
            if forest[slot].isInSight { forest.noteSighting(slot) }
        }
        reportChanges(&turn)
        triggerPresented(&turn)
    }

    /// Whether a client left a screen that was evicted, and is not its owner again: what it says of its window is out of date.
    private func hasLeft(_ slot: NodeSlot, _ client: Client) -> Bool {
        forest[slot].presenting?.leftBy == client && forest[slot].owner != client
    }

    /// Refuses a client that may not show, hide and dismiss a presentable.
    func checkHandling(_ slot: NodeSlot, _ client: Client) throws(FlowError) {
        guard mayHandle(slot, client) else { throw notOwner(slot, client) }
        try checkEmitters(of: slot, client)
    }

    /// Refuses a client that may not dismiss a presentable. A program that knows nothing of flowbus can't do that itself, so
    /// the `emitters` alone decide who else may (S-40).
    func checkDismissal(_ slot: NodeSlot, _ client: Client) throws(FlowError) {
        guard forest[slot].presenting?.presenter.application != nil, forest[slot].owner != client else {
            return try checkHandling(slot, client)
        }
        try checkEmittersAlone(of: slot, client)
    }

    /// Refuses a client that may not become the owner of a presentable.
    private func checkClaim(_ slot: NodeSlot, _ client: Client) throws(FlowError) {
        guard mayHandle(slot, client) else {
            let node = forest[slot]
            throw FlowError(
                .alreadyClaimed,
                node.owner.map { "'\(node.path)' is claimed by '\($0.name)', which has to release it first" }
                    ?? "'\(node.path)' is being presented by '\(node.presenting?.presenter.service.name ?? "")'")
        }
        try checkEmitters(of: slot, client)
    }

    /// Whether a client is the owner of a presentable, or its presenter while it is being presented; true if there is
    /// neither (S-29).
    private func mayHandle(_ slot: NodeSlot, _ client: Client) -> Bool {
        if forest[slot].owner == nil, presenter(calledFor: slot) == nil { return true }
        return isOwner(client, of: slot)
    }

    /// Refuses a client that `emitters` of the flow, or of the flow around it, do not name, if the presentable has no owner
    /// and no presenter is called for it (S-5).
    private func checkEmitters(of slot: NodeSlot, _ client: Client) throws(FlowError) {
        guard forest[slot].owner == nil, presenter(calledFor: slot) == nil else { return }
        try checkEmittersAlone(of: slot, client)
    }

    private func checkEmittersAlone(of slot: NodeSlot, _ client: Client) throws(FlowError) {
        for place in [slot, forest[slot].parent] {
            guard let flow = place.flatMap({ forest[$0].flow?.definition }),
                !definitions.flows[flow.index].emitters.isEmpty
            else { continue }
            // Not `forest[slot].path` in the closure: that would copy the machine.
            let path = forest[slot].path
            try checkEmitter(client, of: flow) {
                "lets '\(path)', which nobody owns, be claimed, shown, hidden and dismissed only by"
            }
        }
    }

    /// The error for a client that is not the owner of a presentable.
    func notOwner(_ slot: NodeSlot, _ client: Client) -> FlowError {
        let node = forest[slot]
        let who: String
        if let owner = node.owner {
            who = "it is owned by '\(owner.name)'"
        } else if let presenter = presenter(calledFor: slot) {
            who = "it is being presented by '\(presenter)'"
        } else {
            who = "nobody does"
        }
        return FlowError(.notOwner, "'\(client.name)' does not own '\(node.path)': \(who)")
    }

    // MARK: Clients that are gone

    /// A bus name has a new owner. The state of a navigator is lost with its former owner (S-32).
    mutating func changeOwner(of name: String, to owner: Client?, _ turn: inout Turn) {
        if owner != nil, nameOwners[name] == nil { cutPauses(of: name, turn.now) }
        questions.programs.exchange(name)
        guard let before = nameOwners.change(name, to: owner) else { return }
        dismissFlows(before, &turn) { $0.navigator?.service.name == name }
    }

    /// Dismisses the live flows whose navigator is gone; their waiting steps fail first.
    mutating func dismissFlows(_ client: Client, _ turn: inout Turn, where isLost: (FlowDefinition) -> Bool) {
        guard definitions.askOthers else { return }
        for id in forest.preorder().map({ forest.id(of: $0) }) {
            guard let slot = forest.slot(of: id), let flow = forest[slot].flow else { continue }
            let definition = definitions[flow.definition]
            guard let navigator = definition.navigator, isLost(definition) else { continue }
            let error = FlowError(
                .navigatorFailed, "the navigator '\(navigator.service.name)' of flow '\(definition.name)' is gone")
            failWaiting(at: slot, error, &turn)
            if forest.slot(of: id) == nil { continue }
            if whenEmpty(slot) == .again {
                removeChildren(of: slot, Fault(error), client, &turn)
                continue
            }
            dismiss(slot, Dismissal(.navigatorGone, Fault(error)), origin: origins.next(), cause: 0, client, &turn)
        }
    }

    /// The state of a navigator is lost, and all children of its flow with it. The flow begins again (S-48).
    private mutating func removeChildren(of slot: NodeSlot, _ fault: Fault, _ client: Client, _ turn: inout Turn) {
        for child in forest.children(of: slot).reversed() {
            let gone = takeOut(child, below: slot, .dismissal(.navigatorGone), &turn)
            dropSteps(of: gone, nearestLiveAncestor: slot, &turn)
        }
        forest.updateVisibility(below: slot, changed: [])
        forest.update(slot) { $0.flow?.mayBeEmpty = true }
        reportChanges(&turn)
        noteEmpty(slot, EmptyFlows.Cause(origin: origins.next(), cause: 0, client: client, fault: fault))
        triggerPresented(&turn)
    }

    /// Fails all steps that wait for a flow's guard or navigator.
    private mutating func failWaiting(at slot: NodeSlot, _ error: FlowError, _ turn: inout Turn) {
        let id = forest.id(of: slot)
        var steps = blocked.takeAll(for: id)
        if let question = forest[slot].flow?.question {
            forest.update(slot) { $0.flow?.question = nil }
            if let step = questions.withdraw(question) { steps.insert(step, at: 0) }
            turn.effects.append(.dropQuestion(question))
        }
        for step in steps {
            endWait(of: step, at: turn.now)
            end(step, .refused(error), &turn)
        }
    }
}

// MARK: - Calls of owners

extension Machine {
    /// The slot of a presentable that a client may show, hide and dismiss; nil if the call was refused.
    private mutating func slot(
        of node: NodeID, handledBy client: Client, _ request: RequestID, _ turn: inout Turn
    ) -> NodeSlot? {
        guard let slot = forest.slot(of: node) else {
            refuseGone(request, &turn)
            return nil
        }
        do throws(FlowError) {
            try checkHandling(slot, client)
        } catch {
            turn.answer = .fail(request, error)
            return nil
        }
        return slot
    }

    /// A client dismisses a presentable, and says what failed if there is a fault.
    mutating func dismiss(
        _ node: NodeID, _ fault: Fault?, by client: Client, _ request: RequestID, _ turn: inout Turn
    ) {
        guard let slot = forest.slot(of: node) else { return refuseGone(request, &turn) }
        if hasLeft(slot, client) { return turn.answer = .reply(request, .done) }
        do throws(FlowError) {
            try checkDismissal(slot, client)
            // Anyone else can't know what failed.
            if fault != nil, !isOwner(client, of: slot) { throw notOwner(slot, client) }
        } catch {
            turn.answer = .fail(request, error)
            return
        }
        if forest[slot].owner == client, forest[slot].presenting?.eviction == .underWay {
            // It was told to take its window away, which many programs report as if the user had closed it (S-44).
            leave(slot, &turn)
            turn.answer = .reply(request, .done)
            return
        }
        // An owner that dismisses its presentable gets no `Withdraw`.
        let origin = origins.next()
        if isOwner(client, of: slot) { noteHastyDismissal(of: slot, fault, origin: origin, turn.now) }
        if forest[slot].owner == client { removeOwner(slot, &turn) }
        let why = fault.map { Dismissal(.failed, $0) } ?? Dismissal(.dismissed)
        dismiss(slot, why, origin: origin, cause: 0, client, &turn)
        turn.answer = .reply(request, .done)
    }

    mutating func setVisible(
        _ node: NodeID, _ isVisible: Bool, by client: Client, _ request: RequestID, _ turn: inout Turn
    ) {
        guard let slot = slot(of: node, handledBy: client, request, &turn) else { return }
        if hasLeft(slot, client), presenter(calledFor: slot) == nil { return turn.answer = .reply(request, .done) }
        let isLate = forest[slot].presenting?.isExpected == true
        forest.setVisible(slot, isVisible, selects: !isLate)
        if isVisible {
            if isLate { forest.update(slot) { $0.presenting?.isExpected = false } }
            endTiming(slot, &turn)
        }
        reportChanges(&turn)
        triggerPresented(&turn)
        turn.answer = .reply(request, .done)
    }
}
