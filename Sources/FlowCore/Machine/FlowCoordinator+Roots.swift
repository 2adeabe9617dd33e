// Flows that begin at the root.

extension FlowCoordinator {
    /// A client asks for a root.
    mutating func coordinate(_ wish: FlowRequest, _ request: RequestID) {
        if let token = wish.token {
            let key = Tokens.Key(client: wish.client, kind: .coordination, token: token)
            if answerAgain(key, request) { return }
        }
        do throws(FlowError) {
            answer = .reply(request, .flow(path: try begin(wish)))
        } catch {
            answer = .fail(request, error)
        }
    }

    /// The id that a root of `autostart` has, if it is free.
    func id(of root: Autostart) -> String { root.id ?? definitions.flows[root.flow.index].name }

    /// Starts a root of `autostart`, and takes its chain to the end before the next.
    mutating func start(_ root: Autostart) {
        do throws(FlowError) {
            _ = try begin(
                FlowRequest(
                    root.flow, id: root.id, arguments: root.arguments, step: root.step,
                    stepArguments: root.stepArguments, by: .daemon))
        } catch {
            let path = forest.path(of: id(of: root), below: nil)
            effects.append(.reportUnstarted(path: path, error))
        }
        runToEnd()
    }

    /// Makes the root that is wished for and sets off its initial step; gives its path. A unique flow that is live
    /// stays as it is, and is given (S-2); what is asked for has to be right all the same.
    mutating func begin(_ wish: FlowRequest) throws(FlowError) -> String {
        try checkActivationToken(wish.activationToken)
        if wish.client != .daemon {
            try checkEmitter(wish.client, of: wish.definition) { "is started, or found where it is live, only for" }
        }
        let definition = definitions.flows[wish.definition.index]
        let arguments = try Declaration.admit(
            wish.arguments, as: definition.parameters, of: "flow '\(definition.name)'")
        let initial = wish.step ?? definition.initial
        var stepArguments: Arguments = []
        if let initial {
            stepArguments = try admit(wish.stepArguments, of: initial)
        } else if let argument = wish.stepArguments.first {
            throw FlowError(
                .invalidArguments,
                "flow '\(definition.name)' has no initial step that could take the argument '\(argument.name)'")
        }
        if definition.isUnique,
            let live = forest.roots.first(where: { forest.nodes[$0].flow?.definition == wish.definition })
        {
            reach(live)
            return forest.nodes[live].path
        }
        // What is wrong is said before anything goes; what goes may leave a better id.
        _ = try newID(wish.id, for: definition.name, below: nil, besides: SiblingIDs.PlannedIDs())
        let held = Ledger.Tally(nodes: 1, bytes: arguments.byteCount)
        try reserve(held, for: wish.client)
        let id = try newID(wish.id, for: definition.name, below: nil, besides: SiblingIDs.PlannedIDs())

        let slot = forest.insert(
            Forest.Birth(
                name: definition.name, id: id,
                flow: newState(of: wish.definition, hasInitial: initial != nil), style: "", arguments: arguments,
                client: wish.client),
            below: nil)
        ledger.count(held, for: wish.client)
        leave(slot, by: wish.client)
        watch(slot)
        forest.settle(nil, touching: slot)
        tellChanges()
        if let initial {
            let origin = nextOrigin()
            if let token = wish.activationToken {
                activationTokens.insert(token, for: origin, of: RequestID(0))
            }
            setOff(
                WaitingStep(
                    origin: origin, client: wish.client, flow: forest.id(of: slot),
                    step: initial, arguments: stepArguments, cause: 0, purpose: .initial))
        }
        return forest.nodes[slot].path
    }
}
