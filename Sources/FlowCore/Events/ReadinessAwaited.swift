// A client waits until a flow is ready (S-26).

extension Machine {
    /// A client waits until a flow is ready (S-26).
    mutating func awaitReadiness(of node: NodeID, by client: Client, _ request: RequestID, _ turn: inout Turn) {
        guard let slot = forest.slot(of: node), let flow = forest[slot].flow else { return refuseGone(request, &turn) }
        if flow.isReady {
            turn.answer = .reply(request, .done)
            return
        }
        let call = Call(client: client, kind: .readiness(node), usage: Accounting.Usage(steps: 1))
        do throws(FlowError) {
            try checkReadiness(of: slot, for: client)
            try reserve(call.usage, for: client, sparing: slot, &turn)
        } catch {
            turn.answer = .fail(request, error)
            return
        }
        // Reclaiming can have removed what the flow waited for.
        if forest[slot].flow?.isReady == true {
            turn.answer = .reply(request, .done)
            return
        }
        suspend(request, call, &turn)
        calls.wait(request, for: node)
    }
}
