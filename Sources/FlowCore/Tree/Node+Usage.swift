// What a node counts for, and for whom (S-33).

extension Node {
    /// The bytes of arguments that count for the client that contributed the node: its own, those of its `onDismissed` and
    /// `onResult`, and the state that its owner saved.
    var byteCount: Int { kept.byteCount + savedState.byteCount }

    /// Calls a closure with each part of the node's usage, and its client.
    func forEachHolding(_ body: (Client, Accounting.Usage) -> Void) {
        body(client, Accounting.Usage(nodes: 1, bytes: byteCount))
        if let step = initialStep { body(step.client, Accounting.Usage(bytes: step.arguments.byteCount)) }
        for step in deferredSteps { body(step.client, Accounting.Usage(steps: 1, bytes: step.arguments.byteCount)) }
        if let last = flow?.activity.last { body(last.client, last.usage) }
    }

    /// The node's usage, for all clients.
    var holding: Accounting.Usage {
        var all = Accounting.Usage()
        forEachHolding { all += $1 }
        return all
    }

    /// The node's usage for one client, and in total.
    func holding(for client: Client) -> (own: Accounting.Usage, total: Accounting.Usage) {
        var (own, total) = (Accounting.Usage(), Accounting.Usage())
        forEachHolding { holder, usage in
            total += usage
            if holder == client { own += usage }
        }
        return (own, total)
    }
}

extension Forest {
    /// When a flow navigates, its former latest navigation no longer counts, whichever client it counted for.
    func subtractLast(
        of flow: NodeSlot, from own: inout Accounting.Usage, _ total: inout Accounting.Usage, for client: Client
    ) {
        guard let last = self[flow].flow?.activity.last else { return }
        total += -last.usage
        if last.client == client { own += -last.usage }
    }

    /// A node's usage for one client, and in total.
    func holding(of slot: NodeSlot, for client: Client) -> (own: Accounting.Usage, total: Accounting.Usage) {
        // Most nodes are screens for which nothing waits.
        guard self[slot].flow == nil, !self[slot].hasWaitingSteps else { return self[slot].holding(for: client) }
        let usage = Accounting.Usage(nodes: 1, bytes: self[slot].byteCount)
        return (self[slot].client == client ? usage : Accounting.Usage(), usage)
    }
}
