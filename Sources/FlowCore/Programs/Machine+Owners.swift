// Owners of presentables: who they are, what only they may do (S-29, S-43), whether they are alive (S-44), and how they learn that they
// are none any more.

extension Machine {
    /// Whether a client is the owner of a presentable, or its presenter while it is being presented (S-29).
    func isOwner(_ client: Client, of slot: NodeSlot) -> Bool {
        if forest[slot].owner == client { return true }
        return presenter(calledFor: slot).map { nameOwners.owns(client, $0) } ?? false
    }

    /// The bus name of a screen's presenter, while its latest call is under way.
    func presenter(calledFor slot: NodeSlot) -> String? {
        guard let presenting = forest[slot].presenting, presenting.kept.state != .shown, !presenting.underWay.isEmpty
        else { return nil }
        return presenting.presenter.service.name
    }

    /// A client becomes the owner; the former owner gets `Withdraw`.
    mutating func own(_ slot: NodeSlot, _ client: Client, _ turn: inout Turn) {
        let former = forest[slot].owner
        guard former != client else { return }
        removeOwner(slot, &turn)
        forest.update(slot) { node in
            node.kept.owner = client
            node.presenting?.kept.eviction = .none
            if node.presenting?.kept.leftBy != client { node.presenting?.kept.leftBy = nil }
        }
        watchClient(client)
        if definitions.haveWatchdogs { awaitChecks(of: slot) }
        awaitEviction(of: slot, turn.now)
        if let former { withdraw(forest[slot], from: former, .replaced, &turn) }
    }

    /// Removes the owner.
    mutating func removeOwner(_ slot: NodeSlot, _ turn: inout Turn) {
        guard let owner = forest[slot].owner else { return }
        if let question = forest[slot].presenting?.comeback.underWay { dropReturn(question, &turn) }
        endChecks(of: slot, &turn)
        forest.update(slot) { node in
            node.kept.owner = nil
            node.presenting?.kept.isExpected = false
            node.presenting?.comeback = Node.Presenting.Comeback()
            node.presenting?.check = Node.Presenting.Check()
            node.presenting?.alarm = nil
        }
        watches.remove(owner)
    }

    /// Watches a client that owns something or registers a flow.
    mutating func watchClient(_ client: Client) {
        watches.add(client)
        accounting.open(client)
    }

    /// Hides a screen that has lost its owner, until its presenter is called again.
    mutating func hide(_ slot: NodeSlot) {
        forest.update(slot) { $0.presenting?.value.becomeDue(.recover, isOwned: true) }
        forest.setVisible(slot, false)
    }

    /// Whether a client left a screen that was evicted, and is not its owner again: what it says of its window is out of date.
    func hasLeft(_ slot: NodeSlot, _ client: Client) -> Bool {
        forest[slot].presenting?.kept.leftBy == client && forest[slot].owner != client
    }

    // MARK: What a client may do

    /// Refuses a client that may not show, hide and dismiss a presentable.
    func checkHandling(_ slot: NodeSlot, _ client: Client) throws(FlowError) {
        guard mayHandle(slot, client) else { throw notOwner(slot, client) }
        try checkEmitters(of: slot, client)
    }

    /// Whether a client is the owner of a presentable, or its presenter while it is being presented; true if there is
    /// neither (S-29).
    func mayHandle(_ slot: NodeSlot, _ client: Client) -> Bool {
        if forest[slot].owner == nil, presenter(calledFor: slot) == nil { return true }
        return isOwner(client, of: slot)
    }

    /// Refuses a client that `emitters` of the flow, or of the flow around it, do not name, if the presentable has no owner
    /// and no presenter is called for it (S-5).
    func checkEmitters(of slot: NodeSlot, _ client: Client) throws(FlowError) {
        guard forest[slot].owner == nil, presenter(calledFor: slot) == nil else { return }
        try checkEmittersAlone(of: slot, client)
    }

    func checkEmittersAlone(of slot: NodeSlot, _ client: Client) throws(FlowError) {
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

    /// Refuses a client that does not own a screen, and a flow.
    ///
    /// - Parameter what: what only a screen can.
    func checkIsOwned(_ slot: NodeSlot, by client: Client, to what: String) throws(FlowError) {
        if forest[slot].flow != nil {
            let path = forest[slot].path
            throw FlowError(.notSupported, "'\(path)' is a flow; only a screen can \(what)")
        }
        if forest[slot].owner != client { throw notOwner(slot, client) }
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

    // MARK: Whether owners are alive

    /// A screen is presented, has another owner or another interval: its owner is asked at once. What it was asked before
    /// decides nothing.
    mutating func beginChecks(of slot: NodeSlot, _ turn: inout Turn) {
        endChecks(of: slot, &turn)
        checkOwner(of: slot, &turn)
    }

    /// A screen has another owner. That is asked when the signals have told of it, like the owner of a screen that is presented.
    private mutating func awaitChecks(of slot: NodeSlot) {
        if checkInterval(of: slot) != nil { forest.notePresented(slot) }
    }

    /// The owner of a screen has answered another call, so it is alive.
    mutating func postponeChecks(of slot: NodeSlot, _ turn: inout Turn) {
        guard let interval = checkInterval(of: slot) else { return }
        dropCheck(of: slot, &turn)
        setAlarm(.check, of: slot, due: turn.now.advanced(by: interval))
    }

    /// The owner of a screen is not asked any more.
    private mutating func endChecks(of slot: NodeSlot, _ turn: inout Turn) {
        dropCheck(of: slot, &turn)
        if forest[slot].presenting?.alarm?.purpose == .check { forest.update(slot) { $0.presenting?.alarm = nil } }
    }

    private mutating func dropCheck(of slot: NodeSlot, _ turn: inout Turn) {
        guard let question = forest[slot].presenting?.check.underWay else { return }
        dropCheck(question, &turn)
        forest.update(slot) { $0.presenting?.check.underWay = nil }
    }

    /// The answer of an owner no longer matters.
    private mutating func dropCheck(_ question: QuestionID, _ turn: inout Turn) {
        questions.closeOwner(question)
        turn.effects.append(.dropQuestion(question))
    }

    /// How often the owner of a screen is asked now; nil if it is not.
    func checkInterval(of slot: NodeSlot) -> UInt64? {
        guard forest[slot].isPresented, forest[slot].owner != nil, let presenting = forest[slot].presenting,
            case .service = presenting.presenter, presenting.kept.eviction == .none, presenting.kept.fault == nil,
            !presenting.check.isOff, !questions.programs.silent.contains(presenting.presenter.service.name)
        else { return nil }
        return watchdog(of: slot, in: definitions)
    }

    /// The interval by these definitions.
    func watchdog(of slot: NodeSlot, in definitions: Definitions) -> UInt64? {
        definitions.screen(named: forest[slot].name).flatMap { definitions[$0].watchdog }
    }

    /// Asks the owner of a screen, unless that is not presented any more.
    mutating func checkOwner(of slot: NodeSlot, _ turn: inout Turn) {
        guard let interval = checkInterval(of: slot), let owner = forest[slot].owner,
            let object = forest[slot].presenting?.presenter.service.path
        else { return }
        let asked = AskedOwner(screen: forest.id(of: slot), client: owner)
        let id = questions.ask(.owner(asked))
        forest.update(slot) { $0.presenting?.check.underWay = id }
        turn.effects.append(
            .askAlive(
                AliveCheck(
                    id: id, client: owner, object: object, path: forest[slot].path, name: forest[slot].name,
                    timeout: interval)))
    }

    // MARK: Withdrawals

    /// Sends `Withdraw` to the owner of a removed presentable, or to its presenter when that answers.
    mutating func withdraw(_ node: Node, _ reason: Withdrawal.Reason, _ turn: inout Turn) {
        // A client that is gone is no longer watched, and gets no signal.
        if let owner = node.owner, watches.contains(owner) {
            watches.remove(owner)
            withdraw(node, from: owner, reason, &turn)
        }
        guard let presenting = node.presenting else { return }
        timings.forget(NodeID(slot: node.slot, instance: node.instance))
        if let question = presenting.comeback.underWay { dropReturn(question, &turn) }
        if let question = presenting.check.underWay { dropCheck(question, &turn) }
        for question in presenting.underWay {
            if questions.withdraw(question, because: reason) { turn.effects.append(.dropQuestion(question)) }
        }
    }

    /// Sends `Withdraw` to a client that shows a presentable.
    func withdraw(_ node: Node, from client: Client, _ reason: Withdrawal.Reason, _ turn: inout Turn) {
        let presenter = node.presenting?.presenter
        withdraw(
            Withdrawal(
                client: client, object: presenter?.service.path ?? "/", path: node.path, instance: node.instance,
                reason: reason), presenter?.application, &turn)
    }

    /// Sends `Withdraw`, or calls the action by which a program that knows nothing of flowbus closes its window (S-40).
    func withdraw(_ withdrawal: Withdrawal, _ application: ApplicationCall?, _ turn: inout Turn) {
        guard let application else { return turn.effects.append(.withdraw(withdrawal)) }
        // Another process of the program shows a screen that is still live.
        guard withdrawal.reason != .replaced, let action = application.closingAction else { return }
        var withdrawal = withdrawal
        withdrawal.closingAction = action
        turn.effects.append(.withdraw(withdrawal))
    }

    /// The answer to a call because a screen returned to sight no longer matters.
    private mutating func dropReturn(_ question: QuestionID, _ turn: inout Turn) {
        _ = questions.withdraw(question)
        turn.effects.append(.dropQuestion(question))
    }
}
