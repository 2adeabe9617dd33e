// Room for who is there: before anybody is refused for a total, what clients that are gone left behind goes, the oldest
// first, as far as it is needed (S-33).
//
// The search for what may go looks at each presentable once. It is remembered until something changed that it would find
// otherwise (``Forest/roomChanges``): so thousands of presentables go in time linear to their number, and whoever is refused
// again and again makes nobody search again and again.

/// What may go to make room, as it was found last: subtrees, by their tops.
struct EvictionCandidates: Sendable {
    /// Some of them, and what they hold.
    struct Subtrees: Sendable {
        /// Those that hold some of a resource, the oldest last.
        var tops: [Accounting.Resource: [NodeID]] = [:]
        var usage = Accounting.Usage()
    }

    /// The state of the tree that this is true of (``Forest/roomChanges``).
    var changes: UInt64?
    /// The presentable that was not to go.
    var spared: NodeID?
    /// Those in which nothing is presented.
    var unseen = Subtrees()
    /// All, each as large as it may be.
    var all = Subtrees()
}

extension Machine {
    /// Makes sure that so much more may be held for a client; in total, where that comes to something else. Where it may not
    /// in total, others go.
    ///
    /// - Parameter spared: stays, with what it is in.
    /// - Throws: ``FlowError/Code/limitExceeded`` with the limit that is in the way.
    mutating func reserve(
        _ more: Accounting.Usage, inTotal: Accounting.Usage? = nil, for client: Client, sparing spared: NodeSlot? = nil,
        _ turn: inout Turn
    ) throws(FlowError) {
        try makeRoom(for: inTotal ?? more, by: client, more, sparing: spared, &turn)
        try accounting.check(more, inTotal: inTotal, for: client)
    }

    /// Makes room for so much more, where it is wanting; not for a client that reached its own limits.
    ///
    /// - Returns: whether something went.
    @discardableResult
    mutating func makeRoom(
        for more: Accounting.Usage, by client: Client, _ own: Accounting.Usage, sparing spared: NodeSlot?,
        _ turn: inout Turn
    ) throws(FlowError) -> Bool {
        let wanting = accounting.shortage(more)
        if wanting == Accounting.Usage() || accounting.pool == Accounting.Usage() { return false }
        try accounting.checkShare(own, for: client)
        searchEvictable(sparing: spared.map(forest.id(of:)))
        // All that is needed, or nothing: a refusal changes nothing.
        guard Accounting.Resource.allCases.allSatisfy({ canEvict(wanting[$0], of: $0) }) else { return false }
        var hasGone = false
        for resource in Accounting.Resource.allCases {
            while accounting.shortage(more)[resource] > 0 {
                // What went may have uncovered what is presented now.
                searchEvictable(sparing: spared.map(forest.id(of:)))
                guard let top = takeEvictable(resource) else {
                    // There is less than was found.
                    evictionCandidates.changes = nil
                    break
                }
                evict(top, &turn)
                hasGone = true
            }
        }
        return hasGone
    }

    /// Whether so much can go. What is presented goes only where clients that are gone hold more than their share.
    private func canEvict(_ wanting: Int, of resource: Accounting.Resource) -> Bool {
        if wanting <= evictionCandidates.unseen.usage[resource] { return true }
        let excess = accounting.pool[resource] - accounting.quotas[resource].share
        return wanting <= min(evictionCandidates.all.usage[resource], excess)
    }

    /// The oldest subtree that holds some of a resource; what is presented comes last.
    private mutating func takeEvictable(_ resource: Accounting.Resource) -> NodeSlot? {
        while let top = evictionCandidates.unseen.tops[resource]?.popLast() {
            if let slot = forest.slot(of: top) { return slot }
        }
        while let top = evictionCandidates.all.tops[resource]?.popLast() {
            if let slot = forest.slot(of: top) { return slot }
        }
        return nil
    }

    /// Dismisses a subtree that may go, as the daemon's own doing.
    private mutating func evict(_ top: NodeSlot, _ turn: inout Turn) {
        for slot in forest.postorder(top) {
            let held = forest[slot].holding
            evictionCandidates.all.usage += -held
            if forest[slot].isUnseen { evictionCandidates.unseen.usage += -held }
        }
        // Nothing of it belongs to the chain at hand.
        let origin = turn.origin
        turn.origin = 0
        forest.isMakingRoom = true
        dismiss(top, .dismissed, origin: origins.next(), cause: 0, .daemon, &turn)
        forest.isMakingRoom = false
        turn.origin = origin
    }

    // MARK: What may go

    private mutating func searchEvictable(sparing spared: NodeID?) {
        let isCurrent = evictionCandidates.changes == forest.roomChanges
        if isCurrent, evictionCandidates.spared == spared { return }
        if !isCurrent || evictionCandidates.spared != nil { search(sparing: nil) }
        // It makes no difference where it could not go anyway.
        if let spared, forest[spared.slot].isEvictable { search(sparing: spared) }
    }

    private mutating func search(sparing spared: NodeID?) {
        let order = forest.preorder()
        for slot in order {
            forest.update(slot) { node in
                node.isEvictable = node.isLeft && node.owner == nil && slot != spared?.slot
                // A flow shows nothing by itself.
                node.isUnseen = node.isEvictable && !(node.flow == nil && node.isPresented)
            }
        }
        for slot in order.reversed() {
            guard let parent = forest[slot].parent else { continue }
            if !forest[slot].isEvictable { forest.update(parent) { $0.isEvictable = false } }
            if !forest[slot].isUnseen { forest.update(parent) { $0.isUnseen = false } }
        }
        evictionCandidates = EvictionCandidates(changes: forest.roomChanges, spared: spared)
        evictionCandidates.all = subtrees(among: order) { $0.isEvictable }
        evictionCandidates.unseen = subtrees(among: order) { $0.isUnseen }
    }

    /// The subtrees of presentables with a flag that all below them have, too.
    private func subtrees(among order: [NodeSlot], where isIn: (Node) -> Bool) -> EvictionCandidates.Subtrees {
        var found = EvictionCandidates.Subtrees()
        var sums: [NodeSlot: Accounting.Usage] = [:]
        var tops: [NodeSlot] = []
        // By place: the top that it is below.
        var above: [NodeSlot: NodeSlot] = [:]
        for slot in order where isIn(forest[slot]) {
            let top = forest[slot].parent.flatMap { above[$0] } ?? slot
            if top == slot { tops.append(slot) }
            above[slot] = top
            let held = forest[slot].holding
            sums[top, default: Accounting.Usage()] += held
            found.usage += held
        }
        tops.sort { forest[$0].instance > forest[$1].instance }
        for resource in Accounting.Resource.allCases {
            found.tops[resource] = tops.filter { sums[$0]?[resource] ?? 0 > 0 }.map(forest.id(of:))
        }
        return found
    }
}
