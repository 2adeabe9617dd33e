import FlowCore

/// Idle flows (S-34).
extension Model {
    /// Records activity of the flow and its ancestors.
    func reach(_ flow: ModelNode) {
        beginIdleTimes(of: flow)
        if let parent = flow.parent { reach(parent) }
    }

    /// Reports input at a presentable that is no step.
    func touch(_ instance: UInt64, _ client: Client) -> Reply {
        guard let node = node(instance) else { return .failure(FlowError(.presentableDismissed)) }
        guard mayEmit(client, on: node.flow) else { return .failure(FlowError(.accessDenied)) }
        guard isPresented(node) else { return .success(.done) }
        var place: ModelNode? = node.flow
        while let flow = place {
            let isSurplus = now - flow.idleSince < 1_000_000 && !flow.idleRests && flow.idleStage == 0
            if !isSurplus { beginIdleTimes(of: flow) }
            place = flow.parent
        }
        return .success(.done)
    }

    func beginIdleTimes(of flow: ModelNode) { (flow.idleSince, flow.idleRests, flow.idleStage) = (now, false, 0) }

    /// Looks whether presented screens keep flows awake.
    func lookForWakingScreens() {
        guard definitions.screens.contains(where: \.keepsAwake) || nodes.contains(where: \.wasAwake) else { return }
        for flow in nodes where flow.isFlow {
            let isAwake = isAwake(flow)
            if flow.wasAwake, !isAwake { flow.dozes = true }
            flow.wasAwake = isAwake
        }
    }

    private func isAwake(_ flow: ModelNode) -> Bool {
        var isAwake = false
        flow.visit { node in
            guard !node.isFlow, let screen = definitions.screen(named: node.name) else { return }
            if definitions[screen].keepsAwake, isPresented(node) { isAwake = true }
        }
        return isAwake
    }

    /// The times of flows that nothing keeps awake any more begin anew.
    func restartDozing() {
        lookForWakingScreens()
        for flow in nodes where flow.dozes {
            flow.dozes = false
            if !flow.wasAwake { beginIdleTimes(of: flow) }
        }
    }

    /// When the flow's idle step is due.
    func deadline(_ flow: ModelNode) -> UInt64? {
        guard flow.isFlow, !flow.idleRests, !flow.wasAwake else { return nil }
        let stages = definitions.flows[flow.definition].idle
        return stages.isEmpty ? nil : flow.idleSince + stages[min(flow.idleStage, stages.count - 1)].after
    }

    /// The earliest of all, with those of steppers (S-42).
    var deadline: UInt64? {
        (nodes.compactMap(deadline)
            + [nextChange?.due, nextBeginning?.due, nextContext?.due, missing.map(\.due).min()]
            .compactMap(\.self)).min()
    }

    /// Takes all that is due, by its time.
    func fireTimers() {
        while true {
            let change = nextChange.flatMap { $0.due <= now ? $0 : nil }
            let beginning = nextBeginning.flatMap { $0.due <= now ? $0 : nil }
            let context = nextContext.flatMap { $0.due <= now ? $0 : nil }
            let gone = missing.map(\.due).filter { $0 <= now }.min()
            let later = min(beginning?.due ?? .max, context?.due ?? .max, gone ?? .max)
            if let next = nextIdle(), next.due <= min(change?.due ?? .max, later) {
                takeIdle(next.flow, next.idle, isLast: next.isLast)
            } else if let change, change.due <= later {
                takeChange(of: change.stepper)
            } else if let beginning, beginning.due <= min(context?.due ?? .max, gone ?? .max) {
                beginning.flow.beginning = .due
                finish()
            } else if let context, context.due <= gone ?? .max {
                takeContext(context.holder)
            } else if let gone {
                endOutputs(by: gone)
                finish()
            } else {
                return
            }
        }
    }

    private func takeIdle(_ flow: ModelNode, _ idle: Idle, isLast: Bool) {
        if isLast { flow.idleSince = now } else { flow.idleStage += 1 }
        let step = ModelStep(
            step: idle.step, arguments: [], flow: flow, origin: newOrigin(), cause: 0, client: .daemon,
            purpose: isLast ? .idle : .reported)
        do throws(FlowError) {
            switch try gate(flow, step, idle.whenHidden) {
            // It waits; another one would be useless.
            case .ignored(.deferred): if isLast { flow.idleRests = true }
            case .ignored(.hidden): reportFailure(step, .verdict(.hidden))
            default: break
            }
        } catch {
            reportFailure(step, .error(error.code))
        }
    }

    private func nextIdle() -> (flow: ModelNode, due: UInt64, idle: Idle, isLast: Bool)? {
        restartDozing()
        let due = nodes.filter { deadline($0).map { $0 <= now } == true }
        guard
            let flow = due.min(by: { (deadline($0) ?? 0, $0.instance) < (deadline($1) ?? 0, $1.instance) })
        else { return nil }
        let stages = definitions.flows[flow.definition].idle
        let stage = min(flow.idleStage, stages.count - 1)
        return (flow, deadline(flow) ?? 0, stages[stage], stage == stages.count - 1)
    }
}
