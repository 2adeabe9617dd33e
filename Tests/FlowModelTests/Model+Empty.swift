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
        guard let flow, flow.isLive, flow.isFlow, flow.children.isEmpty, flow.mayBeEmpty, goes(flow) else { return }
        if flow.emptiedBy == nil { flow.emptiedBy = emptying }
    }

    /// A step that was not navigated; its flow may have been made by the same origin and have had no child yet.
    func noteStillbirth(_ step: ModelStep, _ error: String) {
        let flow = step.flow
        guard flow.isLive, flow.birth == step.origin, !flow.mayBeEmpty else { return }
        flow.mayBeEmpty = true
        noteEmpty(flow, Emptying(origin: step.origin, cause: step.cause, client: step.client, error: error))
    }

    func isEmpty(_ flow: ModelNode) -> Bool {
        guard flow.isFlow, flow.children.isEmpty, flow.mayBeEmpty, flow.deferred.isEmpty,
            !waiting.contains(where: { $0.flow === flow })
        else { return false }
        return goes(flow)
    }

    private func goes(_ flow: ModelNode) -> Bool {
        (definitions.flows[flow.definition].whenEmpty ?? (flow.parent == nil ? .stay : .go)) == .go
    }

    /// Dismisses all empty flows, the deepest first, and of those the newest.
    func dismissEmpty() {
        while let flow = nodes.filter(isEmpty).max(by: { ($0.depth, $0.order) < ($1.depth, $1.order) }) {
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
