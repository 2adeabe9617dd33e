// Back is not a step: no guard is asked about it, it is not checked at the gate, and it waits in no queue (S-24, S-39).

/// What Back at a presentable would do (`PeekBack`, S-39).
public enum BackPreview: Equatable, Sendable {
    /// It dismisses the presentable with this instance, which uncovers the one at this path.
    case dismiss(instance: UInt64, reveals: String)
    /// A flow takes this step.
    case step(String)
    /// Nothing, because it was called on a screen that is not presented.
    case hidden
    /// Nothing, because no flow can go back.
    case unhandled

    /// Its name on the bus.
    public var kind: String {
        switch self {
        case .dismiss: "dismiss"
        case .step: "step"
        case .hidden: "hidden"
        case .unhandled: "unhandled"
        }
    }
}

extension Coordinator {
    /// What Back by this client would do now. Nothing changes.
    ///
    /// - Throws: the error that Back would fail with.
    public func peekBack(at node: NodeID, by client: Client) throws(FlowError) -> BackPreview {
        guard let slot = machine.forest.slot(of: node) else { throw Machine.gone }
        return machine.preview(of: try machine.backTarget(from: slot, for: client).target)
    }
}

extension Machine {
    /// Where Back ends.
    fileprivate enum BackTarget: Equatable {
        /// A stack dismisses its current child.
        case dismissal(of: NodeSlot, in: NodeSlot)
        /// A flow takes a step, which is its own (`onBack`) or that of a screen (`SetBackStep`).
        case step(StepID, at: NodeSlot, on: NodeSlot?)
        case hidden
        case unhandled
    }

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

    // MARK: Where Back ends

    /// Finds out where Back ends, and the flow in which it begins.
    ///
    /// - Throws: why the client may not go back at one of the flows on the way.
    fileprivate func backTarget(
        from slot: NodeSlot, for client: Client
    ) throws(FlowError) -> (target: BackTarget, beginning: NodeSlot) {
        if forest[slot].flow == nil { return try backTarget(fromScreen: slot, for: client) }
        // Down to the innermost flow. Of what lies above that and covers nothing, the highest comes first.
        var innermost = slot
        while true {
            try checkEmitter(client, of: innermost)
            for above in forest.uncoveringFlows(of: innermost) {
                if let (step, flow, screen) = backStep(above: above, for: client) {
                    return (.step(step, at: flow, on: screen), flow)
                }
            }
            guard let next = front(of: innermost), forest[next].flow != nil else { break }
            innermost = next
        }
        if let screen = front(of: innermost), let step = backStep(of: screen) {
            return (.step(step, at: innermost, on: screen), innermost)
        }
        // And up again.
        var place = innermost
        while true {
            if let target = ownTarget(of: place) { return (target, innermost) }
            guard place != slot, let parent = forest[place].parent else { return (.unhandled, innermost) }
            place = parent
        }
    }

    /// The same for Back on a screen, which goes up alone, as far as the root.
    private func backTarget(
        fromScreen screen: NodeSlot, for client: Client
    ) throws(FlowError) -> (target: BackTarget, beginning: NodeSlot) {
        let innermost = flow(for: screen)
        try checkEmitter(client, of: innermost, on: screen)
        guard forest[screen].isPresented else { return (.hidden, innermost) }
        for screen in [screen, front(of: innermost)] {
            if let screen, let step = backStep(of: screen) {
                return (.step(step, at: innermost, on: screen), innermost)
            }
        }
        var place = innermost
        while true {
            if let target = ownTarget(of: place) { return (target, innermost) }
            guard let parent = forest[place].parent else { return (.unhandled, innermost) }
            place = parent
            try checkEmitter(client, of: place)
        }
    }

    /// Where Back ends at a flow that it comes to; nil if it goes on.
    private func ownTarget(of flow: NodeSlot) -> BackTarget? {
        if let step = onBack(of: flow) { return .step(step, at: flow, on: nil) }
        if forest[flow].flow?.covering == .stack, forest.children(of: flow).count > 1,
            let current = forest.slot(of: forest[flow].flow?.current)
        {
            return .dismissal(of: current, in: flow)
        }
        // What is beneath a layer is out of its reach.
        return forest[flow].flow?.covering == .layers ? .unhandled : nil
    }

    /// The step that a flow above the current one takes for Back: that of its screen, or of the flow itself; nil if it has none, or if
    /// the client may not go back there.
    private func backStep(
        above flow: NodeSlot, for client: Client
    ) -> (step: StepID, flow: NodeSlot, screen: NodeSlot?)? {
        var way = [flow]
        while let next = front(of: way[way.count - 1]), forest[next].flow != nil { way.append(next) }
        for place in way where (try? checkEmitter(client, of: place)) == nil { return nil }
        let innermost = way[way.count - 1]
        if let screen = front(of: innermost), let step = backStep(of: screen) { return (step, innermost, screen) }
        for place in way.reversed() {
            if let step = onBack(of: place) { return (step, place, nil) }
        }
        return nil
    }

    /// The step of a flow for Back (`onBack`); nil if its rules do not take that now. What a guard or a navigator says of it is known
    /// only when it is asked, and counts.
    private func onBack(of flow: NodeSlot) -> StepID? {
        let definition = definitions[self.definition(of: flow)]
        guard let step = definition.onBack else { return nil }
        let isDecidedElsewhere = definition.navigator != nil || definition.guard?.watches(step) == true
        return isDecidedElsewhere || takes(step, at: flow) ? step : nil
    }

    /// The child that Back is tried at first: the current one, or with `free` the newest presented one.
    private func front(of flow: NodeSlot) -> NodeSlot? {
        switch forest[flow].flow?.covering {
        case .stack, .tabs, .layers: forest.slot(of: forest[flow].flow?.current)
        case .free: forest.children(of: flow).last { forest[$0].isPresented }
        case nil: nil
        }
    }

    /// The step that the owner of a presented screen has set for Back, if the definitions still have it.
    private func backStep(of screen: NodeSlot) -> StepID? {
        guard forest[screen].flow == nil, forest[screen].isPresented, let name = forest[screen].backStep,
            let step = definitions.step(named: name), definitions[step].requiredParameter == nil
        else { return nil }
        return step
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

    fileprivate func preview(of target: BackTarget) -> BackPreview {
        switch target {
        case .dismissal(let child, let flow):
            let revealed = forest.children(of: flow).last { $0 != child }
            return .dismiss(instance: forest[child].instance, reveals: forest[revealed ?? flow].path)
        case .step(let step, _, _): return .step(definitions[step].name)
        case .hidden: return .hidden
        case .unhandled: return .unhandled
        }
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
