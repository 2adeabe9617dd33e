// Input that is no step: flows that it reaches are not idle (S-34).

extension Machine {
    /// A client reports input that is no step: it reaches the flow of a presented presentable, as a step would (S-34).
    mutating func touch(_ node: NodeID, by client: Client, _ request: RequestID, _ turn: inout Turn) {
        guard let slot = forest.slot(of: node) else { return refuseGone(request, &turn) }
        let flow = flow(for: slot)
        let place = slot == flow ? nil : slot
        do throws(FlowError) {
            try checkEmitter(client, of: flow, on: place, waits: false)
        } catch {
            turn.answer = .fail(request, error)
            return
        }
        if forest[slot].isPresented { touch(flow, &turn) }
        turn.answer = .reply(request, .done)
    }

    /// Input that is no step reached a flow, and so all flows above it. It is recorded only if the flow was idle.
    mutating func touch(_ flow: NodeSlot, _ turn: inout Turn) {
        guard definitions.haveIdleFlows else { return }
        var place: NodeSlot? = flow
        while let slot = place {
            if let state = forest[slot].flow, let reached = state.lastReached {
                if state.isIdle {
                    beginIdleTimes(of: slot, &turn)
                } else if reached.advanced(by: Limits.touchPause) <= turn.now {
                    let now = turn.now
                    forest.update(slot) { $0.flow?.touched = now }
                }
            }
            place = forest[slot].parent
        }
    }
}
