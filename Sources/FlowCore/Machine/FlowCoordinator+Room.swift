// Room for who is there: before anybody is refused for a total, what clients that are gone left behind goes, the oldest
// first, as far as it is needed (S-33).
//
// The search for what may go looks at each presentable once. It is remembered until something changed that it would find
// otherwise (``Forest/noteRoom()``): so thousands of presentables go in time linear to their number, and whoever is refused
// again and again makes nobody search again and again.

/// What may go to make room, as it was found last: subtrees, by their tops.
struct Spares: Sendable {
    /// Some of them, and what they hold.
    struct Subtrees: Sendable {
        /// Those that hold some of a resource, the oldest last.
        var tops: [Ledger.Resource: [NodeID]] = [:]
        var tally = Ledger.Tally()
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

extension FlowCoordinator {
    /// Makes sure that so much more may be held for a client; in total, where that comes to something else. Where it may not
    /// in total, others go.
    ///
    /// - Parameter spared: stays, with what it is in.
    /// - Throws: ``FlowError/Code/limitExceeded`` with the limit that is in the way.
    mutating func reserve(
        _ more: Ledger.Tally, inTotal: Ledger.Tally? = nil, for client: Client, sparing spared: Int? = nil
    ) throws(FlowError) {
        try makeRoom(for: inTotal ?? more, by: client, more, sparing: spared)
        try ledger.check(more, inTotal: inTotal, for: client)
    }

    /// Makes room for so much more, where it is wanting; not for a client that reached its own limits.
    ///
    /// - Returns: whether something went.
    @discardableResult
    mutating func makeRoom(
        for more: Ledger.Tally, by client: Client, _ own: Ledger.Tally, sparing spared: Int?
    ) throws(FlowError) -> Bool {
        let wanting = ledger.shortage(more)
        if wanting == Ledger.Tally() || ledger.pool == Ledger.Tally() { return false }
        try ledger.checkShare(own, for: client)
        searchSpares(sparing: spared.map(forest.id(of:)))
        // All that is needed, or nothing: a refusal changes nothing.
        guard Ledger.Resource.allCases.allSatisfy({ canSpare(wanting[$0], of: $0) }) else { return false }
        var hasGone = false
        for resource in Ledger.Resource.allCases {
            while ledger.shortage(more)[resource] > 0 {
                // What went may have uncovered what is presented now.
                searchSpares(sparing: spared.map(forest.id(of:)))
                guard let top = takeSpare(resource) else {
                    // There is less than was found.
                    spares.changes = nil
                    break
                }
                evict(top)
                hasGone = true
            }
        }
        return hasGone
    }

    /// Whether so much can go. What is presented goes only where clients that are gone hold more than their share.
    private func canSpare(_ wanting: Int, of resource: Ledger.Resource) -> Bool {
        if wanting <= spares.unseen.tally[resource] { return true }
        let excess = ledger.pool[resource] - ledger.quotas[resource].share
        return wanting <= min(spares.all.tally[resource], excess)
    }

    /// The oldest subtree that holds some of a resource; what is presented comes last.
    private mutating func takeSpare(_ resource: Ledger.Resource) -> Int? {
        while let top = spares.unseen.tops[resource]?.popLast() {
            if let slot = forest.slot(of: top) { return slot }
        }
        while let top = spares.all.tops[resource]?.popLast() {
            if let slot = forest.slot(of: top) { return slot }
        }
        return nil
    }

    /// Dismisses a subtree that may go, as the daemon's own doing.
    private mutating func evict(_ top: Int) {
        for slot in forest.leavesFirst(top) {
            let held = forest.nodes[slot].holding
            spares.all.tally += -held
            if forest.nodes[slot].isUnseen { spares.unseen.tally += -held }
        }
        // Nothing of it belongs to the chain at hand.
        let origin = originAtHand
        originAtHand = 0
        forest.isMakingRoom = true
        dismiss(top, .dismissed, origin: nextOrigin(), cause: 0, .daemon)
        forest.isMakingRoom = false
        originAtHand = origin
    }

    // MARK: What may go

    private mutating func searchSpares(sparing spared: NodeID?) {
        let isCurrent = spares.changes == forest.roomChanges
        if isCurrent, spares.spared == spared { return }
        if !isCurrent || spares.spared != nil { search(sparing: nil) }
        // It makes no difference where it could not go anyway.
        if let spared, forest.nodes[spared.slot].isSpare { search(sparing: spared) }
    }

    private mutating func search(sparing spared: NodeID?) {
        let order = forest.preorder()
        for slot in order {
            let isSpare =
                forest.nodes[slot].isLeft && forest.nodes[slot].owner == nil && slot != spared?.slot
            forest.nodes[slot].isSpare = isSpare
            // A flow shows nothing by itself.
            forest.nodes[slot].isUnseen =
                isSpare && !(forest.nodes[slot].flow == nil && forest.nodes[slot].isPresented)
        }
        for slot in order.reversed() {
            guard let parent = forest.nodes[slot].parent else { continue }
            if !forest.nodes[slot].isSpare { forest.nodes[parent].isSpare = false }
            if !forest.nodes[slot].isUnseen { forest.nodes[parent].isUnseen = false }
        }
        spares = Spares(changes: forest.roomChanges, spared: spared)
        spares.all = subtrees(among: order) { $0.isSpare }
        spares.unseen = subtrees(among: order) { $0.isUnseen }
    }

    /// The subtrees of presentables with a flag that all below them have, too.
    private func subtrees(among order: [Int], where isIn: (Node) -> Bool) -> Spares.Subtrees {
        var found = Spares.Subtrees()
        var sums: [Int: Ledger.Tally] = [:]
        var tops: [Int] = []
        // By place: the top that it is below.
        var above: [Int: Int] = [:]
        for slot in order where isIn(forest.nodes[slot]) {
            let top = forest.nodes[slot].parent.flatMap { above[$0] } ?? slot
            if top == slot { tops.append(slot) }
            above[slot] = top
            let held = forest.nodes[slot].holding
            sums[top, default: Ledger.Tally()] += held
            found.tally += held
        }
        tops.sort { forest.nodes[$0].instance > forest.nodes[$1].instance }
        for resource in Ledger.Resource.allCases {
            found.tops[resource] = tops.filter { sums[$0]?[resource] ?? 0 > 0 }.map(forest.id(of:))
        }
        return found
    }

    // MARK: Clients that are gone

    /// A client is gone: what it made may go from now on.
    mutating func leaveBehind(_ client: Client) {
        guard ledger.close(client) != Ledger.Tally() else { return }
        for slot in forest.nodes.indices where forest.nodes[slot].instance != 0 && forest.nodes[slot].client == client {
            forest.nodes[slot].isLeft = true
        }
        forest.noteRoom()
    }

    /// A presentable is there for a client, which may be gone since it began the chain.
    mutating func leave(_ slot: Int, by client: Client) {
        let isLeft = ledger.isGone(client)
        guard forest.nodes[slot].isLeft != isLeft || isLeft else { return }
        forest.nodes[slot].isLeft = isLeft
        forest.noteRoom()
    }
}
