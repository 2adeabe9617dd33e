// Back is not a step: no guard is asked about it, it is not checked at the gate, and it waits in no queue (S-24, S-39).

extension Machine {
    /// Goes back at the innermost flow that can.
    mutating func goBack(
        _ node: NodeID, by client: Client, _ options: BackOptions?, _ request: RequestID, _ turn: inout Turn
    ) {
        if let token = options?.token {
            if answerAgain(Tokens.Key(client: client, kind: .back, token: token), request, &turn) { return }
        }
        guard let slot = forest.slot(of: node) else { return refuseGone(request, &turn) }
        // The flow that goes back may be another one; the caller knows the presentable that it called.
        turn.call.path = options?.calledAt ?? forest[slot].path
        do throws(FlowError) {
            try Self.checkActivationToken(options?.activationToken)
            let (target, beginning) = try backTarget(from: slot, for: client)
            if let wanted = options?.goes { try check(target, dismisses: wanted) }
            if target != .hidden { reach(beginning, &turn) }
            switch target {
            case .dismissal(let child, let flow):
                let origin = beginBack(options, request, &turn)
                dismissCurrent(child, of: flow, by: client, origin: origin, &turn)
                turn.answer = .reply(request, .verdict(.navigated, serial: serial))
            case .step(let step, let flow, let screen):
                try takeBackStep(step, at: flow, on: screen, by: client, options, request, &turn)
            case .hidden: turn.answer = .reply(request, .verdict(.hidden, serial: 0))
            case .unhandled: turn.answer = .reply(request, .verdict(.unhandled, serial: 0))
            }
        } catch {
            turn.answer = .fail(request, error)
        }
    }

    /// Begins the origin of a Back, to which the activation token belongs.
    private mutating func beginBack(_ options: BackOptions?, _ request: RequestID, _ turn: inout Turn) -> UInt64 {
        let origin = origins.next()
        if let token = options?.activationToken {
            activationTokens.insert(token, for: origin, of: request)
            activationTokens.begin(origin)
        }
        return origin
    }

    /// Refuses a Back that would not dismiss the presentable that the caller expects to go.
    private func check(_ target: BackTarget, dismisses wanted: UInt64) throws(FlowError) {
        let happens: String
        switch target {
        case .dismissal(let child, _):
            let instance = forest[child].instance
            if instance == wanted { return }
            happens = "Back would dismiss instance '\(instance)', '\(forest[child].path)'"
        case .step(let step, let flow, _):
            happens = "'\(forest[flow].path)' would take step '\(definitions[step].name)' for Back"
        case .hidden: happens = "the screen is not presented"
        case .unhandled: happens = "nothing can go back"
        }
        throw FlowError(.staleInstance, "instance '\(wanted)' is to go, but \(happens)")
    }

    // MARK: What it does

    /// A flow takes a step in place of going back.
    private mutating func takeBackStep(
        _ step: StepID, at flow: NodeSlot, on screen: NodeSlot?, by client: Client, _ options: BackOptions?,
        _ request: RequestID, _ turn: inout Turn
    ) throws(FlowError) {
        let path = turn.call.path ?? forest[flow].path
        let token = turn.call.token
        let waiting = WaitingStep(
            origin: beginBack(options, request, &turn), client: client, flow: forest.id(of: flow), step: step,
            arguments: [], cause: 0, purpose: .emitted(request), screen: screen.map { forest.id(of: $0) })
        try checkWait(waiting, for: flow, &turn)
        if take(waiting, &turn) == nil {
            suspend(request, Call(client: client, kind: .step(path: path, token)), &turn)
        }
    }

    /// A navigation without a step.
    private mutating func dismissCurrent(
        _ child: NodeSlot, of flow: NodeSlot, by client: Client, origin: UInt64, _ turn: inout Turn
    ) {
        serial += 1
        let contribution = Contribution(
            kind: .back, name: forest[child].name, path: forest[child].path)
        let gone = takeOut(child, below: flow, .dismissal(.back), &turn)
        setLastNavigation([], of: "", flow, for: client)
        forest.updateVisibility(below: flow, changed: [])
        reportChanges(&turn)
        turn.effects.append(
            .emitNavigationOccurred(
                Navigation(
                    flow: forest[flow].path, definition: forest[flow].name, serial: serial, cause: 0,
                    client: client, step: "", arguments: [], contributions: [contribution], isDeepLink: false)))
        dropSteps(of: gone, nearestLiveAncestor: flow, &turn)
        reportParent(flow, of: gone.last, .dismissal(Dismissal(.back)), origin: origin, cause: serial, client, &turn)
        triggerPresented(&turn)
    }
}
