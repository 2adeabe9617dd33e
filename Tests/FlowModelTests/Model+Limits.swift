import FlowCore

/// Limits and reclaiming (S-33). Everything is counted from scratch each time.
extension Model {
    /// The limited resources; arguments have no limit in these worlds.
    enum Resource: CaseIterable {
        case nodes
        case steps
    }

    /// A change of usage.
    struct Need {
        var nodes = 0
        var steps = 0

        subscript(resource: Resource) -> Int { resource == .nodes ? nodes : steps }
    }

    func isGone(_ client: Client) -> Bool { gone.contains(client) }

    /// Whether a client has no limits of its own: what a service with a stepper creates counts for nobody (S-42).
    func isFree(_ client: Client) -> Bool { !client.name.hasPrefix(":") || isGone(client) }

    private func quota(_ resource: Resource) -> Quotas.Quota { resource == .nodes ? quotas.nodes : quotas.steps }

    private func usage(_ resource: Resource, _ isCounted: (Client) -> Bool) -> Int {
        switch resource {
        case .nodes: nodes.count { isCounted($0.client) }
        case .steps: nodes.reduce(0) { $0 + $1.deferred.count { isCounted($0.client) } }
        }
    }

    /// The limits of the client and of its user.
    private func checkShare(_ more: Need, _ client: Client) throws(FlowError) {
        if isFree(client) { return }
        for resource in Resource.allCases where more[resource] > 0 {
            guard usage(resource, { $0 == client }) + more[resource] <= quota(resource).perClient else {
                throw FlowError(.limitExceeded)
            }
            guard let user = users[client] else { continue }
            let all = usage(resource) { self.users[$0] == user && !self.isGone($0) }
            guard all + more[resource] <= quota(resource).share else { throw FlowError(.limitExceeded) }
        }
    }

    private func shortage(_ more: Need, _ resource: Resource) -> Int {
        more[resource] > 0 ? max(0, usage(resource) { _ in true } + more[resource] - quota(resource).total) : 0
    }

    /// Admits a change of usage. Returns whether something was reclaimed for it.
    @discardableResult
    func reserve(
        _ own: Need, inTotal: Need, for client: Client, sparing spared: ModelNode?
    ) throws(FlowError) -> Bool {
        try checkShare(own, client)
        let hasReclaimed = reclaimIfNeeded(inTotal, sparing: spared)
        guard Resource.allCases.allSatisfy({ shortage(inTotal, $0) == 0 }) else { throw FlowError(.limitExceeded) }
        return hasReclaimed
    }

    private func reclaimIfNeeded(_ more: Need, sparing spared: ModelNode?) -> Bool {
        var isPossible = true
        for resource in Resource.allCases {
            let wanting = shortage(more, resource)
            let unseen = reclaimCandidates(spared, seen: false).reduce(0) { $0 + Self.sum($1, resource) }
            let all = reclaimCandidates(spared, seen: true).reduce(0) { $0 + Self.sum($1, resource) }
            let excess = usage(resource, isGone) - quota(resource).share
            if wanting > unseen, wanting > min(all, excess) { isPossible = false }
        }
        guard isPossible else { return false }
        var hasReclaimed = false
        for resource in Resource.allCases {
            while shortage(more, resource) > 0 {
                let unseen = reclaimCandidates(spared, seen: false).filter { Self.sum($0, resource) > 0 }
                let all = reclaimCandidates(spared, seen: true).filter { Self.sum($0, resource) > 0 }
                guard let oldest = (unseen.isEmpty ? all : unseen).min(by: { $0.instance < $1.instance }) else { break }
                reclaim(oldest)
                hasReclaimed = true
            }
        }
        return hasReclaimed
    }

    /// Returns the largest subtrees of vanished clients, with or without presented screens.
    private func reclaimCandidates(_ spared: ModelNode?, seen: Bool) -> [ModelNode] {
        func isReclaimable(_ node: ModelNode) -> Bool {
            isGone(node.client) && node !== spared && (seen || node.isFlow || !isPresented(node))
                && node.children.allSatisfy(isReclaimable)
        }
        return nodes.filter { isReclaimable($0) && !($0.parent.map(isReclaimable) ?? false) }
    }

    private static func sum(_ node: ModelNode, _ resource: Resource) -> Int {
        (resource == .nodes ? 1 : node.deferred.count) + node.children.reduce(0) { $0 + sum($1, resource) }
    }

    /// Dismisses a node, as the daemon.
    private func reclaim(_ node: ModelNode) {
        let origin = newOrigin()
        var lost: [ModelStep] = []
        remove(node, .dismissed, &lost)
        reportChanges()
        reportLost(lost)
        reportParent(of: node, .dismissed, origin: origin, cause: 0, .daemon)
        release()
    }

    // MARK: - What asks for it

    /// Returns the change of usage by a plan. Reused children count for the client from then on.
    func need(of plan: ModelPlan, for client: Client) -> (own: Need, total: Need)? {
        if plan.ends { return nil }
        var (own, total) = (Need(), Need())
        var reused: [ModelNode] = []
        for part in plan.parts {
            switch part {
            case .made(let planned, _) where !planned.isDropped:
                own.nodes += 1
                total.nodes += 1
            case .reused(let it, _, _) where !reused.contains { $0 === it.node }:
                reused.append(it.node)
                let isGoing = plan.removed.contains { $0 === it.node }
                if it.node.client != client, !isGoing { own.nodes += 1 }
            default: break
            }
        }
        for top in plan.removed {
            top.visit { node in
                total.nodes -= 1
                total.steps -= node.deferred.count
                if node.client == client { own.nodes -= 1 }
                own.steps -= node.deferred.count { $0.client == client }
            }
        }
        return own.nodes > 0 ? (own, total) : nil
    }

    /// Checks whether a step can be deferred, in place of others.
    func checkWaiting(
        for client: Client, at node: ModelNode, besides replaced: [ModelStep]
    ) throws(FlowError) {
        let flow = node.flow
        let deferred = node.deferred.filter { old in
            !replaced.contains { $0.order == old.order && $0.origin == old.origin }
        }
        let waiting = ([flow] + flow.children.filter { !$0.isFlow }).flatMap(\.deferred).count - replaced.count
        let own =
            ([flow] + flow.children.filter { !$0.isFlow }).flatMap(\.deferred).count { $0.client == client }
            - replaced.count { $0.client == client }
        if replaced.isEmpty {
            guard isFree(client) || deferred.count(where: { $0.client == client }) < quotas.deferredSteps.perClient,
                deferred.count < quotas.deferredSteps.total
            else { throw FlowError(.limitExceeded) }
        }
        guard isFree(client) || own < quotas.stepsPerFlow.perClient, waiting < quotas.stepsPerFlow.total else {
            throw FlowError(.limitExceeded)
        }
        try reserve(
            Need(steps: 1 - replaced.count { $0.client == client }), inTotal: Need(steps: 1 - replaced.count),
            for: client, sparing: node)
    }

    /// Checks whether another token can be stored.
    func checkTokens(_ client: Client) throws(FlowError) {
        let known = tokens.filter { now - $0.time < Limits.tokenLifetime }
        forgetAsks()
        let clients = known.map(\.client) + asks.map(\.client)
        guard clients.count(where: { $0 == client }) < quotas.tokens.perClient, clients.count < quotas.tokens.total
        else { throw FlowError(.limitExceeded) }
        guard let user = users[client] else { return }
        guard clients.count(where: { users[$0] == user }) < quotas.tokens.share else {
            throw FlowError(.limitExceeded)
        }
    }

    /// The client's connection is gone.
    func vanish(_ client: Client) {
        gone.insert(client)
        users[client] = nil
        tokens.removeAll { $0.client == client }
        asks.removeAll { $0.client == client }
    }
}
