// Where Back ends (S-24, S-39): the same for Back, for PeekBack and for BackChanged.

extension Machine {
    /// Where Back ends.
    enum BackTarget: Equatable {
        /// A stack dismisses its current child.
        case dismissal(of: NodeSlot, in: NodeSlot)
        /// A flow takes a step, which is its own (`onBack`) or that of a screen (`SetBackStep`).
        case step(StepID, at: NodeSlot, on: NodeSlot?)
        case hidden
        case unhandled
    }

    /// Finds out where Back ends, and the flow in which it begins.
    ///
    /// - Parameter client: who goes back; nil for one that may do so everywhere.
    /// - Throws: why the client may not go back at one of the flows on the way.
    func backTarget(
        from slot: NodeSlot, for client: Client?
    ) throws(FlowError) -> (target: BackTarget, beginning: NodeSlot) {
        if forest[slot].flow == nil { return try backTarget(fromScreen: slot, for: client) }
        // Down to the innermost flow. Of what lies above that and covers nothing, the highest comes first.
        var innermost = slot
        while true {
            try admitBack(by: client, at: innermost)
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
        fromScreen screen: NodeSlot, for client: Client?
    ) throws(FlowError) -> (target: BackTarget, beginning: NodeSlot) {
        let innermost = flow(for: screen)
        try admitBack(by: client, at: innermost, on: screen)
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
            try admitBack(by: client, at: place)
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
        above flow: NodeSlot, for client: Client?
    ) -> (step: StepID, flow: NodeSlot, screen: NodeSlot?)? {
        var way = [flow]
        while let next = front(of: way[way.count - 1]), forest[next].flow != nil { way.append(next) }
        for place in way where (try? admitBack(by: client, at: place)) == nil { return nil }
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

    private func admitBack(by client: Client?, at flow: NodeSlot, on screen: NodeSlot? = nil) throws(FlowError) {
        if let client { try checkEmitter(client, of: flow, on: screen) }
    }

    func preview(of target: BackTarget) -> BackPreview {
        switch target {
        case .dismissal(let child, let flow):
            let revealed = forest.children(of: flow).last { $0 != child }
            return .dismiss(instance: forest[child].instance, reveals: forest[revealed ?? flow].path)
        case .step(let step, _, _): return .step(definitions[step].name)
        case .hidden: return .hidden
        case .unhandled: return .unhandled
        }
    }
}
