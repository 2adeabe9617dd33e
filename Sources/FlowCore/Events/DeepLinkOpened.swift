// A step for all flows (S-27). It skips the gate (S-15).

extension Machine {
    /// Emits a step on every live flow, each time as an origin of its own (S-27).
    mutating func openDeepLink(
        _ opened: DeepLink, by client: Client, _ activationToken: String?, _ request: RequestID, _ turn: inout Turn
    ) {
        var link = opened
        let step = link.step
        do throws(FlowError) {
            try Self.checkActivationToken(activationToken)
            link.arguments = try definitions.admit(link.arguments, of: step)
        } catch {
            turn.answer = .fail(request, error)
            return
        }
        if let activationToken { activationTokens.insert(activationToken, for: origins.next(), of: request) }
        reclaimForDeepLink(step, link.arguments.byteCount, client, &turn)
        var outcomes: [FlowOutcome] = []
        outcomes.reserveCapacity(forest.flowCount)
        link.flows.reserveCapacity(forest.flowCount)
        var undecided = 0
        var usage = Accounting.Usage()
        for flow in forest.preorder() where forest[flow].flow != nil {
            let waiting = WaitingStep(
                origin: 0, client: client, flow: forest.id(of: flow), step: step,
                arguments: link.arguments, cause: 0, purpose: .deepLink(request, place: outcomes.count))
            do throws(FlowError) {
                try checkEmitter(client, of: flow, waits: link.waits)
                usage = try checkWait(waiting, for: flow, besides: usage, &turn)
            } catch {
                outcomes.append(FlowOutcome(path: forest[flow].path, outcome: .refused(error)))
                link.flows.append(nil)
                continue
            }
            outcomes.append(FlowOutcome(path: forest[flow].path, outcome: nil))
            link.flows.append(waiting.flow)
            undecided += 1
            reach(flow, &turn)
        }
        guard undecided > 0 else {
            turn.answer = .reply(request, .outcomes(outcomes))
            return
        }
        var call = Call(client: client, kind: .deepLink(link))
        call.undecided = undecided
        call.due = turn.now.advanced(by: Limits.replyTimeout)
        calls.begin(request, call, outcomes)
        takeRest(of: request, &turn)
    }

    /// Makes room before the flows are listed, because reclaiming can remove some of them.
    private mutating func reclaimForDeepLink(_ step: StepID, _ bytes: Int, _ client: Client, _ turn: inout Turn) {
        guard definitions.askOthers, accounting.pool != Accounting.Usage() else { return }
        let count = forest.preorder().count { forest[$0].flow != nil && mayWait(step, at: $0) }
        // If there is no room for all, each is checked by itself.
        try? reserve(Accounting.Usage(steps: count, bytes: count * bytes), for: client, &turn)
    }

    /// Continues with the next flow when the cascade of the one before has ended or waits.
    mutating func takeRest(of request: RequestID, _ turn: inout Turn) {
        guard let rest = rest(of: request) else { return calls.endSlices(of: request) }
        var step = rest.step
        let flows = rest.flows
        for place in flows.indices.dropFirst(rest.next) {
            guard let flow = flows[place] else { continue }
            step.origin = origins.next()
            step.flow = flow
            step.purpose = .deepLink(request, place: place)
            moveActivationToken(of: request, to: step.origin)
            take(step, &turn)
            guard calls.contains(request) else { return }
            if !run(&turn) || (turn.isOver && place + 1 < flows.count) {
                return parkRest(of: request, from: place + 1, &turn)
            }
        }
        calls.setNext(flows.count, of: request)
        calls.endSlices(of: request)
        // Its caller does not wait for the rest.
        if let call = calls[request], call.undecided > 0, case .deepLink(let link) = call.kind, !link.waits {
            replyTimedOut(request, &turn)
        }
    }

    /// What is left of a deep link: its step, its flows, and the place of the next one. For each flow the step differs in origin,
    /// flow and place.
    private func rest(of request: RequestID) -> (step: WaitingStep, flows: [NodeID?], next: Int)? {
        guard let call = calls[request], case .deepLink(let link) = call.kind,
            let flow = link.flows.lazy.compactMap(\.self).first
        else { return nil }
        let step = WaitingStep(
            origin: 0, client: call.client, flow: flow, step: link.step, arguments: link.arguments, cause: 0,
            purpose: .deepLink(request, place: 0))
        return (step, link.flows, call.next)
    }

    /// The rest of a deep link continues in the next slice.
    private mutating func parkRest(of request: RequestID, from next: Int, _ turn: inout Turn) {
        guard var call = drop(request) else { return }
        call.next = next
        park(request, call, &turn)
    }
}
