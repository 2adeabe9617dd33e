// Flows that begin at the root, and steps for all of them.

extension FlowCoordinator {
    /// A client asks for a root.
    mutating func coordinate(_ wish: FlowRequest, _ request: RequestID) {
        do throws(FlowError) {
            answer = .reply(request, .flow(path: try begin(wish)))
        } catch {
            answer = .fail(request, error)
        }
    }

    /// Starts a root of `autostart`, and takes its chain to the end before the next.
    mutating func start(_ root: Autostart) {
        do throws(FlowError) {
            _ = try begin(
                FlowRequest(
                    root.flow, id: root.id, arguments: root.arguments, step: root.step,
                    stepArguments: root.stepArguments, by: .daemon))
        } catch {
            effects.append(.reportUnstarted(flow: definitions.flows[root.flow.index].name, error))
        }
        run()
    }

    /// Makes the root that is wished for and sets off its initial step; gives its path. A unique flow that is live
    /// stays as it is, and is given (S-2); what is asked for has to be right all the same.
    private mutating func begin(_ wish: FlowRequest) throws(FlowError) -> String {
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
            return forest.nodes[live].path
        }
        let id = try newID(wish.id, for: definition.name, below: nil, besides: SiblingIDs.PlannedIDs())
        let held = Ledger.Tally(nodes: 1, bytes: arguments.byteCount)
        try ledger.check(held, for: wish.client)

        let slot = forest.insert(
            Forest.Birth(
                name: definition.name, id: id,
                flow: Node.FlowState(
                    definition: wish.definition, covering: definition.children,
                    readiness: initial == nil ? .ready : .awaitingStep),
                style: "", arguments: arguments, client: wish.client),
            below: nil)
        ledger.count(held, for: wish.client)
        forest.settle(nil, touching: slot)
        tellChanges()
        if let initial {
            setOff(
                WaitingStep(
                    origin: nextOrigin(), client: wish.client, flow: forest.id(of: slot),
                    tellAt: forest.nodes[slot].path,
                    step: initial, arguments: stepArguments, cause: 0, purpose: .initial))
        }
        return forest.nodes[slot].path
    }

    /// Sends a step to every flow that is live now, each an origin of its own (S-27).
    mutating func openDeepLink(_ step: StepID, _ arguments: Arguments, by client: Client, _ request: RequestID) {
        let admitted: Arguments
        do throws(FlowError) {
            admitted = try admit(arguments, of: step)
        } catch {
            answer = .fail(request, error)
            return
        }
        let flows = forest.preorder().filter { forest.nodes[$0].flow != nil }
        deepLink = flows.map { FlowOutcome(path: forest.nodes[$0].path, outcome: .ignored(.unhandled)) }
        var steps: [WaitingStep] = []
        steps.reserveCapacity(flows.count)
        for (place, flow) in flows.enumerated() {
            steps.append(
                WaitingStep(
                    origin: nextOrigin(), client: client, flow: forest.id(of: flow), tellAt: forest.nodes[flow].path,
                    step: step, arguments: admitted, cause: 0, purpose: .deepLink(place: place)))
        }
        queue.append(contentsOf: steps)
        run()
        answer = .reply(request, .outcomes(deepLink))
        deepLink = []
    }
}
