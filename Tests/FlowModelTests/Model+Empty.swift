import FlowCore

/// Empty flows (S-36).
extension Model {
    /// What emptied a flow.
    struct Emptying {
        let origin: Int
        let cause: UInt64
        let client: Client
        var error = ""
    }

    /// Notes what emptied a flow, if it has no child and nothing emptied it before.
    func noteEmpty(_ flow: ModelNode?, _ emptying: Emptying) {
        guard let flow, flow.isLive, flow.isFlow, flow.children.isEmpty, flow.mayBeEmpty, whenEmpty(flow) != .stay
        else { return }
        if flow.emptiedBy == nil { flow.emptiedBy = emptying }
    }

    /// A step that was not navigated; its flow may have been made by the same origin and have had no child yet.
    func noteFailedCreation(_ step: ModelStep, _ error: String) {
        let flow = step.flow
        noteFutility(step, error)
        guard flow.isLive, flow.birth == step.origin, !flow.mayBeEmpty else { return }
        flow.mayBeEmpty = true
        noteEmpty(flow, Emptying(origin: step.origin, cause: step.cause, client: step.client, error: error))
    }

    /// A flow took its initial step again. If it has no child nevertheless, it is empty.
    func noteFutility(_ step: ModelStep, _ error: String) {
        guard step.purpose == .initial, step.flow.mayBeEmpty else { return }
        noteEmpty(step.flow, Emptying(origin: step.origin, cause: step.cause, client: step.client, error: error))
    }

    func isEmpty(_ flow: ModelNode) -> Bool {
        guard flow.isFlow, flow.children.isEmpty, flow.mayBeEmpty, flow.deferred.isEmpty,
            !waiting.contains(where: { $0.flow === flow })
        else { return false }
        return whenEmpty(flow) != .stay
    }

    private func whenEmpty(_ flow: ModelNode) -> WhenEmpty {
        let byOrigin: WhenEmpty = flow.parent != nil ? .go : flow.client == .daemon ? .again : .stay
        let whenEmpty = definitions.flows[flow.definition].whenEmpty ?? byOrigin
        return whenEmpty == .again && stepAgain(flow) == nil ? .stay : whenEmpty
    }

    /// Dismisses all empty flows, or lets them begin again: the deepest first, and of those the newest.
    func dismissEmpty() {
        func isDue(_ flow: ModelNode) -> Bool {
            if case .paused = flow.beginning, whenEmpty(flow) == .again { return false }
            return isEmpty(flow)
        }
        while let flow = nodes.filter(isDue).max(by: { ($0.depth, $0.order) < ($1.depth, $1.order) }) {
            if whenEmpty(flow) == .again {
                beginAgain(flow)
                continue
            }
            let by = flow.emptiedBy ?? Emptying(origin: newOrigin(), cause: 0, client: .daemon)
            var lost: [ModelStep] = []
            remove(flow, .empty, &lost)
            reportChanges()
            reportLost(lost)
            reportParent(of: flow, .empty, origin: by.origin, cause: by.cause, by.client, error: by.error)
            release()
        }
    }
}

/// Empty flows that take their initial step again (S-48).
extension Model {
    /// How often a flow was empty in a row, beginning with 0, and when that was last.
    struct Emptiness {
        var count = 0
        var since: UInt64

        /// When the pause is over that follows: none, then 0.5, 1, 2, … 30 s.
        var end: UInt64 { count == 0 ? since : since + min(500_000 << UInt64(min(count - 1, 16)), 30_000_000) }
    }

    /// From `paused` to `due` when the pause is over.
    enum Beginning {
        case paused(until: UInt64)
        case due
    }

    /// The step of `autostart`, or the flow's own; nil if that can't be taken without arguments.
    fileprivate func stepAgain(_ flow: ModelNode) -> (step: StepID, arguments: Arguments)? {
        if flow.parent == nil, flow.client == .daemon {
            if let root = autostart(of: flow).map({ definitions.autostart[$0] }),
                root.isPerOutput || (root.id ?? flow.name) == flow.id, let step = root.step
            {
                return (step, root.stepArguments)
            }
        }
        guard let step = definitions.flows[flow.definition].initial,
            definitions[step].parameters.allSatisfy(\.isOptional)
        else { return nil }
        return (step, [])
    }

    /// The first time at once; after that it waits, and says so.
    fileprivate func beginAgain(_ flow: ModelNode) {
        if flow.beginning == nil {
            var emptiness = flow.emptiness
            if let known = emptiness, known.end + 60_000_000 <= now { emptiness = nil }
            if let known = emptiness, known.end <= now { emptiness = Emptiness(count: known.count + 1, since: now) }
            let counted = emptiness ?? Emptiness(since: now)
            flow.emptiness = counted
            if now < counted.end {
                (flow.beginning, flow.isWaiting) = (.paused(until: counted.end), true)
                return reportChanges()
            }
        }
        guard let initial = stepAgain(flow) else { return }
        let hasPaused = flow.beginning != nil
        flow.beginning = nil
        let by = flow.emptiedBy ?? Emptying(origin: newOrigin(), cause: 0, client: .daemon)
        var step = ModelStep(
            step: initial.step, arguments: initial.arguments, flow: flow, origin: hasPaused ? newOrigin() : by.origin,
            cause: by.cause, client: .daemon, purpose: .initial)
        step.isHead = true
        guard mayTrigger(step) else { return }
        queue(step)
        flow.emptiedBy = nil
    }

    /// The next flow whose pause is over at a time.
    var nextBeginning: (flow: ModelNode, due: UInt64)? {
        nodes.compactMap { node -> (flow: ModelNode, due: UInt64)? in
            if case .paused(let due) = node.beginning { (node, due) } else { nil }
        }.min { ($0.due, $0.flow.instance) < ($1.due, $1.flow.instance) }
    }

    /// New definitions: those that do not begin again any more do not wait for it.
    func endBeginnings() {
        for node in nodes where node.beginning != nil && whenEmpty(node) != .again {
            (node.beginning, node.isWaiting, node.emptiedBy) = (nil, false, nil)
        }
    }
}
