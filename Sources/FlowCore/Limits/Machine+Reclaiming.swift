// Reclaiming: before a client is refused because a total is reached, presentables that clients left behind are removed, the
// oldest first, and no more than needed (S-33).
//
// The search looks at each presentable once. Its result is kept until a change could alter it (``Forest/reclaimChanges``). So
// the time to reclaim thousands of presentables is linear, and a client that is refused repeatedly does not cause repeated
// searches.

/// The presentables that can be reclaimed, as last searched: subtrees, by their tops.
struct ReclaimCandidates: Sendable {
    /// Some of these subtrees, and their usage.
    struct Subtrees: Sendable {
        /// Those that use a resource, the oldest last.
        var tops: [Accounting.Resource: [NodeID]] = [:]
        var usage = Accounting.Usage()
    }

    /// The state of the tree to which the result belongs (``Forest/reclaimChanges``).
    var changes: UInt64?
    /// The presentable that must stay.
    var spared: NodeID?
    /// Subtrees in which nothing is presented.
    var unseen = Subtrees()
    /// All subtrees, each as large as possible.
    var all = Subtrees()
}

extension Machine {
    /// Checks whether the limits allow more usage for a client; and in total, if that differs. If a total does not, reclaims
    /// others.
    ///
    /// - Parameter spared: a presentable that stays, with its ancestors.
    /// - Throws: ``FlowError/Code/limitExceeded`` with the limit that is reached.
    mutating func reserve(
        _ more: Accounting.Usage, inTotal: Accounting.Usage? = nil, for client: Client, sparing spared: NodeSlot? = nil,
        _ turn: inout Turn
    ) throws(FlowError) {
        try reclaimIfNeeded(for: inTotal ?? more, by: client, more, sparing: spared, &turn)
        try accounting.check(more, inTotal: inTotal, for: client)
    }

    /// Reclaims presentables if more usage needs it; not for a client that has reached its own limits.
    ///
    /// - Returns: whether any were reclaimed.
    @discardableResult
    mutating func reclaimIfNeeded(
        for more: Accounting.Usage, by client: Client, _ own: Accounting.Usage, sparing spared: NodeSlot?,
        _ turn: inout Turn
    ) throws(FlowError) -> Bool {
        let wanting = accounting.shortage(more)
        if wanting == Accounting.Usage() || accounting.pool == Accounting.Usage() { return false }
        try accounting.checkShare(own, for: client)
        searchReclaimable(sparing: spared.map { forest.id(of: $0) })
        // All that is needed or nothing, because a refused call changes nothing.
        guard Accounting.Resource.allCases.allSatisfy({ canReclaim(wanting[$0], of: $0) }) else { return false }
        var hasGone = false
        for resource in Accounting.Resource.allCases {
            while accounting.shortage(more)[resource] > 0 {
                // The reclaiming may have uncovered presentables.
                searchReclaimable(sparing: spared.map { forest.id(of: $0) })
                guard let top = takeReclaimable(resource) else {
                    // The result of the search is shorter now.
                    reclaimCandidates.changes = nil
                    break
                }
                reclaim(top, &turn)
                hasGone = true
            }
        }
        return hasGone
    }

    /// Whether this much can be reclaimed. Presented ones are reclaimed only if clients that are gone use more than their
    /// share.
    private func canReclaim(_ wanting: Int, of resource: Accounting.Resource) -> Bool {
        if wanting <= reclaimCandidates.unseen.usage[resource] { return true }
        let excess = accounting.pool[resource] - accounting.quotas[resource].share
        return wanting <= min(reclaimCandidates.all.usage[resource], excess)
    }

    /// Takes the oldest subtree that uses a resource; presented ones come last.
    private mutating func takeReclaimable(_ resource: Accounting.Resource) -> NodeSlot? {
        while let top = reclaimCandidates.unseen.tops[resource]?.popLast() {
            if let slot = forest.slot(of: top) { return slot }
        }
        while let top = reclaimCandidates.all.tops[resource]?.popLast() {
            if let slot = forest.slot(of: top) { return slot }
        }
        return nil
    }

    /// Dismisses a subtree, with the daemon as the client.
    private mutating func reclaim(_ top: NodeSlot, _ turn: inout Turn) {
        for slot in forest.postorder(top) {
            let usage = reclaimableUsage(of: slot)
            reclaimCandidates.all.usage += -usage
            if forest[slot].isUnseen { reclaimCandidates.unseen.usage += -usage }
        }
        forest.isReclaiming = true
        dismiss(top, Dismissal(.dismissed), origin: origins.next(), cause: 0, .daemon, &turn)
        forest.isReclaiming = false
    }

    /// What a presentable that can be reclaimed counts for, with the asks that go with it (S-45).
    private func reclaimableUsage(of slot: NodeSlot) -> Accounting.Usage {
        var usage = forest[slot].holding
        if !asks.isEmpty { usage += asks.leftUsage(of: forest[slot].instance) }
        return usage
    }

    // MARK: Search

    private mutating func searchReclaimable(sparing spared: NodeID?) {
        let isCurrent = reclaimCandidates.changes == forest.reclaimChanges
        if isCurrent, reclaimCandidates.spared == spared { return }
        if !isCurrent || reclaimCandidates.spared != nil { search(sparing: nil) }
        // There is no difference if it could not be reclaimed anyway.
        if let spared, forest[spared.slot].isReclaimable { search(sparing: spared) }
    }

    private mutating func search(sparing spared: NodeID?) {
        let order = forest.preorder()
        for slot in order {
            forest.update(slot) { node in
                node.isReclaimable = node.isLeft && node.owner == nil && slot != spared?.slot
                // A flow shows nothing itself.
                node.isUnseen = node.isReclaimable && !(node.flow == nil && node.isPresented)
            }
        }
        for slot in order.reversed() {
            guard let parent = forest[slot].parent else { continue }
            if !forest[slot].isReclaimable { forest.update(parent) { $0.isReclaimable = false } }
            if !forest[slot].isUnseen { forest.update(parent) { $0.isUnseen = false } }
        }
        reclaimCandidates = ReclaimCandidates(changes: forest.reclaimChanges, spared: spared)
        reclaimCandidates.all = subtrees(among: order) { $0.isReclaimable }
        reclaimCandidates.unseen = subtrees(among: order) { $0.isUnseen }
    }

    /// The subtrees whose presentables all have a property.
    private func subtrees(among order: [NodeSlot], where isIn: (Node) -> Bool) -> ReclaimCandidates.Subtrees {
        var found = ReclaimCandidates.Subtrees()
        var sums: [NodeSlot: Accounting.Usage] = [:]
        var tops: [NodeSlot] = []
        // By place: the top above it.
        var above: [NodeSlot: NodeSlot] = [:]
        for slot in order where isIn(forest[slot]) {
            let top = forest[slot].parent.flatMap { above[$0] } ?? slot
            if top == slot { tops.append(slot) }
            above[slot] = top
            let usage = reclaimableUsage(of: slot)
            sums[top, default: Accounting.Usage()] += usage
            found.usage += usage
        }
        tops.sort { forest[$0].instance > forest[$1].instance }
        for resource in Accounting.Resource.allCases {
            found.tops[resource] = tops.filter { sums[$0]?[resource] ?? 0 > 0 }.map { forest.id(of: $0) }
        }
        return found
    }
}
