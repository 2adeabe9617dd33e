// Back is not a step: it passes no guard, no gate and no queue (S-24).

extension Machine {
    /// Goes back at the innermost flow that can.
    mutating func goBack(
        _ node: NodeID, by client: Client, calledAt path: String?, _ request: RequestID, _ turn: inout Turn
    ) {
        guard let slot = forest.slot(of: node), forest[slot].flow != nil else { return refuseGone(request, &turn) }
        var way = [slot]
        while let last = way.last, let next = innerFlow(of: last) { way.append(next) }
        do throws(FlowError) {
            for flow in way { try checkEmitter(client, of: flow) }
        } catch {
            turn.answer = .fail(request, error)
            return
        }
        if let last = way.last { reach(last, &turn) }
        // The flow that goes back may be further down; the caller knows the one that it called.
        turn.call.path = path ?? forest[slot].path
        for flow in way.reversed() where goBack(at: flow, by: client, request, &turn) { return }
        turn.answer = .reply(request, .verdict(.unhandled, serial: 0))
    }

    /// The child that Back is tried at first, if it is a flow: the current one, or with `free` the newest presented one.
    private func innerFlow(of flow: NodeSlot) -> NodeSlot? {
        let inSight: NodeSlot? =
            switch forest[flow].flow?.covering {
            case .stack, .tabs: forest[flow].flow?.current.flatMap(forest.slot(of:))
            case .free: forest.children(of: flow).last { forest[$0].isPresented }
            case nil: nil
            }
        return inSight.flatMap { forest[$0].flow == nil ? nil : $0 }
    }

    /// Goes back at this flow; returns false if it can't.
    private mutating func goBack(at flow: NodeSlot, by client: Client, _ request: RequestID, _ turn: inout Turn) -> Bool
    {
        if let onBack = definitions.flows[definition(of: flow).index].onBack {
            let step = WaitingStep(
                origin: origins.next(), client: client, flow: forest.id(of: flow),
                step: onBack, arguments: [], cause: 0, purpose: .emitted(request))
            do throws(FlowError) {
                try checkWait(step, for: flow, &turn)
            } catch {
                turn.answer = .fail(request, error)
                return true
            }
            let path = turn.call.path ?? forest[flow].path
            if take(step, &turn) == nil { suspend(request, Call(client: client, kind: .step(path: path, nil)), &turn) }
            return true
        }
        guard forest[flow].flow?.covering == .stack, forest.children(of: flow).count > 1,
            let current = forest[flow].flow?.current.flatMap(forest.slot(of:))
        else { return false }
        dismissCurrent(current, of: flow, by: client, &turn)
        turn.answer = .reply(request, .verdict(.navigated, serial: serial))
        return true
    }

    /// A navigation without a step.
    private mutating func dismissCurrent(_ child: NodeSlot, of flow: NodeSlot, by client: Client, _ turn: inout Turn) {
        serial += 1
        let contribution = Contribution(
            kind: .back, name: forest[child].name, path: forest[child].path)
        let gone = takeOut(child, below: flow, .dismissal(.back), &turn)
        setLastNavigation([], 0, of: "", flow, for: client)
        forest.updateVisibility(flow)
        reportChanges(&turn)
        turn.effects.append(
            .emitNavigationOccurred(
                Navigation(
                    flow: forest[flow].path, definition: forest[flow].name, serial: serial, cause: 0,
                    client: client, step: "", arguments: [], contributions: [contribution], isDeepLink: false)))
        dropSteps(of: gone, nearestLiveAncestor: flow, &turn)
        reportParent(flow, of: gone.last, .back, origin: origins.next(), cause: serial, client, &turn)
        triggerPresented(&turn)
    }
}
