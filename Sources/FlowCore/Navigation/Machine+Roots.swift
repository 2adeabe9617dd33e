// Roots begin: by `Coordinate`, and those of `autostart` (S-2).

extension Machine {
    /// A client requests a root.
    mutating func coordinate(_ flowRequest: FlowRequest, _ request: RequestID, _ turn: inout Turn) {
        if let token = flowRequest.token {
            let key = Tokens.Key(client: flowRequest.client, kind: .coordination, token: token)
            if answerAgain(key, request, &turn) { return }
        }
        do throws(FlowError) {
            turn.answer = .reply(request, .flow(path: try begin(flowRequest, &turn)))
        } catch {
            turn.answer = .fail(request, error)
        }
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

    /// Creates the requested root, triggers its initial step, and returns its path. If a unique flow is live already,
    /// returns that (S-2); the request is checked anyway.
    ///
    /// - Parameter path: the call whose path of flows begins with the root; its activation token goes on with the root's steps.
    mutating func begin(
        _ flowRequest: FlowRequest, along path: RequestID? = nil, _ turn: inout Turn
    ) throws(FlowError) -> String {
        try Self.checkActivationToken(flowRequest.activationToken)
        if flowRequest.client != .daemon {
            try checkEmitter(flowRequest.client, of: flowRequest.definition) {
                "is started, or found where it is live, only for"
            }
        }
        try checkOutput(flowRequest.output)
        let definition = definitions.flows[flowRequest.definition.index]
        let arguments = try Declaration.admit(
            flowRequest.arguments, as: definition.parameters, of: "flow '\(definition.name)'")
        let initial = flowRequest.step ?? definition.initial
        var stepArguments: Arguments = []
        if let initial {
            stepArguments = try definitions.admit(flowRequest.stepArguments, of: initial)
        } else if let argument = flowRequest.stepArguments.first {
            throw FlowError(
                .invalidArguments,
                "flow '\(definition.name)' has no initial step that could take the argument '\(argument.name)'")
        }
        if definition.isUnique,
            let live = forest.roots.first(where: { forest[$0].flow?.definition == flowRequest.definition })
        {
            reach(live, &turn)
            raise(live, for: flowRequest.client, isNew: false)
            forest.updateVisibility(below: nil, changed: [live])
            reportChanges(&turn)
            triggerPresented(&turn)
            return forest[live].path
        }
        // The request is checked before anything is reclaimed; reclaiming may free a better id.
        _ = try forest.newID(flowRequest.id, for: definition.name, below: nil, besides: SiblingIDs.PlannedIDs())
        let usage = Accounting.Usage(nodes: 1, bytes: arguments.byteCount)
        try reserve(usage, for: flowRequest.client, &turn)
        let id = try forest.newID(
            flowRequest.id, for: definition.name, below: nil, besides: SiblingIDs.PlannedIDs())

        let origin = initial == nil ? 0 : origins.next()
        let slot = forest.insert(
            Forest.Birth(
                traits: NodeTraits(
                    name: definition.name, id: id, arguments: arguments, isVisible: true,
                    whenHidden: flowRequest.whenHidden ?? whenHidden(ofRoot: definition.name, by: flowRequest.client),
                    client: flowRequest.client, output: flowRequest.output),
                flow: definitions.newState(
                    of: flowRequest.definition, hasInitial: initial != nil, birth: origin, turn.now)),
            below: nil)
        scheduleIdleStep(of: slot)
        raise(slot, for: flowRequest.client, isNew: true)
        forest.updateVisibility(below: nil, changed: [slot])
        reportChanges(&turn)
        if let initial {
            if let time = flowRequest.inputTime { timings.note(input: time, of: origin, at: turn.now) }
            if let token = flowRequest.activationToken {
                activationTokens.insert(token, for: origin, of: RequestID(0))
            }
            if let path { moveActivationToken(of: path, to: origin) }
            trigger(
                WaitingStep(
                    origin: origin, client: flowRequest.client, flow: forest.id(of: slot),
                    step: initial, arguments: stepArguments, cause: 0, purpose: .initial), &turn)
        }
        emitProperties(at: slot, &turn)
        return forest[slot].path
    }

    /// A flow's own stepper is never paused (S-15): a client starts its own flow, and shows it.
    private func whenHidden(ofRoot flow: String, by client: Client) -> WhenHidden? {
        registrations[flow]?.client == client ? .allow : nil
    }

    // MARK: Outputs

    /// A client moves a root to another output (S-41).
    mutating func moveRoot(
        _ node: NodeID, to output: String, by client: Client, _ request: RequestID, _ turn: inout Turn
    ) {
        guard let slot = forest.slot(of: node) else { return refuseGone(request, &turn) }
        do throws(FlowError) {
            guard let flow = forest[slot].flow, forest[slot].parent == nil else {
                throw FlowError(
                    .invalidArguments, "'\(forest[slot].path)' is no root; only a root stands on an output")
            }
            try checkEmitter(client, of: flow.definition) { "is moved to another output only by" }
            try checkOutput(output)
        } catch {
            turn.answer = .fail(request, error)
            return
        }
        turn.answer = .reply(request, .done)
        let isNew = forest[slot].output != output
        forest.update(slot) { $0.output = output }
        raise(slot, for: client, isNew: isNew)
        forest.updateVisibility(below: nil, changed: [slot])
        reportChanges(&turn)
        if isNew { for screen in forest.screensInSight(below: slot) { presentAnew(screen) } }
        triggerPresented(&turn)
    }

    /// A root comes to its output, or is raised there: as high as this client may raise it, which is below the lowest root that takes
    /// no steps from it.
    ///
    /// - Parameter isNew: whether it was not on this output before; else it is never lowered.
    private mutating func raise(_ root: NodeSlot, for client: Client, isNew: Bool) {
        let output = forest[root].output
        if output.isEmpty { return }
        let former = forest.roots(on: output)
        var roots = former.filter { $0 != root }
        let place = roots.firstIndex { !mayCover($0, with: root, client) } ?? roots.count
        if !isNew, let present = former.firstIndex(of: root), present >= place { return }
        roots.insert(root, at: place)
        if roots == former { return }
        for higher in roots[place...] { forest.raise(higher) }
    }

    /// Whether a client may put a root above another one. The files may, in the order of their roots.
    private func mayCover(_ lower: NodeSlot, with root: NodeSlot, _ client: Client) -> Bool {
        guard client == .daemon else { return (try? checkEmitter(client, of: lower, waits: false)) != nil }
        guard definitions[definition(of: lower)].isRestricted else { return true }
        let ids = definitions.autostart.map { id(of: $0) }
        guard let own = ids.firstIndex(of: forest[root].id), let other = ids.firstIndex(of: forest[lower].id) else {
            return false
        }
        return other < own
    }

    func checkOutput(_ output: String) throws(FlowError) {
        guard output.isEmpty || Names.isOutput(output) else {
            throw FlowError(
                .invalidArguments,
                "'\(Names.escaped(output))' can't be the name of an output: \(Names.outputRule), or empty for none")
        }
    }
}
