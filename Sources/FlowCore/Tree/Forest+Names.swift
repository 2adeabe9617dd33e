// The names of live presentables (S-28, S-35), which rules and paths look up among very many.

extension Forest {
    /// Whether a presentable that is meant is live in the same tree as this one, or as a root (S-35).
    func isAlive(_ sought: Sought, near slot: NodeSlot) -> Bool {
        guard let counts else { return false }
        let root = self[slot].root
        let isInTree = counts[NameInTree(name: sought.name, root: root)] != nil
        let isRoot = counts[NameInTree(name: sought.name, root: nil)] != nil
        if sought.keyNames.isEmpty, sought.isFlow == nil { return isInTree || isRoot }
        return isRoot && roots.contains { isMeant($0, sought) }
            || isInTree && postorder(root).contains { isMeant($0, sought) }
    }

    /// Whether a presentable is meant by a name.
    func isMeant(_ slot: NodeSlot, _ sought: Sought) -> Bool {
        sought.means(self[slot].name, isFlow: self[slot].flow != nil, self[slot].arguments)
    }

    /// Sets whether names are counted: only where rules ask which of them are live.
    mutating func setCountsNames(_ isWanted: Bool) {
        if isWanted == (counts != nil) { return }
        counts = isWanted ? [:] : nil
        if isWanted { for slot in preorder() { countName(1, of: self[slot].name, self[slot].root, self[slot].parent) } }
    }

    /// Counts the name of a presentable that is new (1) or gone (-1): in its tree, and among the roots if it is one.
    mutating func countName(_ change: Int, of name: String, _ root: NodeSlot, _ parent: NodeSlot?) {
        if counts == nil { return }
        count(change, NameInTree(name: name, root: root))
        if parent == nil { count(change, NameInTree(name: name, root: nil)) }
    }

    /// The newest flow that is meant below a presentable; among the roots for nil (S-28).
    func newestFlow(_ sought: Sought, below slot: NodeSlot?) -> NodeSlot? {
        guard let named = named[sought.name] else { return nil }
        var search = slot.map { Descent(from: $0, in: self) }
        var newest: NodeSlot?
        for candidate in named {
            if let newest, self[newest].order > self[candidate].order { continue }
            guard isMeant(candidate, sought) else { continue }
            let isBelow = search?.contains(candidate, in: self) ?? (self[candidate].parent == nil)
            if isBelow { newest = candidate }
        }
        return newest
    }

    /// Finds out whether presentables are below another one. From each it goes up only to the first one that is known, so
    /// it visits no presentable twice.
    struct Descent {
        private let top: NodeSlot
        /// By place: the known results.
        private var known: [Bool?]
        /// How many presentables it has visited.
        private(set) var visits = 0

        init(from top: NodeSlot, in forest: Forest) {
            self.top = top
            known = Array(repeating: nil, count: forest.slotCount)
        }

        mutating func contains(_ slot: NodeSlot, in forest: Forest) -> Bool {
            if slot == top || forest[slot].root != forest[top].root { return false }
            var (way, place, isBelow) = ([NodeSlot](), slot, false)
            while true {
                if let answer = known[place.index] {
                    isBelow = answer
                    break
                }
                way.append(place)
                guard let parent = forest[place].parent else { break }
                if parent == top {
                    isBelow = true
                    break
                }
                place = parent
            }
            visits += way.count
            for place in way { known[place.index] = isBelow }
            return isBelow
        }
    }

    /// A name among the children of a flow.
    struct NameInFlow: Hashable {
        let name: String
        let flow: NodeSlot?
    }

    func nameInFlow(of slot: NodeSlot) -> NameInFlow { NameInFlow(name: self[slot].name, flow: self[slot].parent) }

    /// A name in the tree of this root; among the roots for nil.
    struct NameInTree: Hashable {
        let name: String
        let root: NodeSlot?
    }

    private mutating func count(_ change: Int, _ place: NameInTree) {
        let count = (counts?[place] ?? 0) + change
        counts?[place] = count == 0 ? nil : count
    }
}

// MARK: - Ids of new presentables

extension Forest {
    /// The id of a new node: the requested one, or one made from its name (S-1).
    ///
    /// - Throws: the error if there can't be a node with that id at that place.
    func newID(
        _ wanted: String?, for name: String, below parent: NodeSlot?, besides planned: SiblingIDs.PlannedIDs
    ) throws(FlowError) -> String {
        let id: String
        if let wanted {
            id = wanted
            try check(wanted, below: parent, besides: planned)
        } else {
            id = freeID(for: name, below: parent, besides: planned)
            guard id.utf8.count <= Limits.nameLength else {
                throw FlowError(
                    .limitExceeded,
                    "the id '\(id)' would have \(id.utf8.count) bytes of at most \(Limits.nameLength); "
                        + "where a name is that long, a second one of it needs an id of its own")
            }
        }
        guard id != "root" else { throw Self.invalid(id) }
        // Not the path itself, which is only copied for a message.
        let lengthAbove = parent.map { self[$0].path.utf8.count } ?? base?.utf8.count ?? 0
        let length = lengthAbove + 1 + id.utf8.count
        let (maxLength, maxDepth) = (accounting.quotas.pathLength, accounting.quotas.depth)
        guard length <= maxLength else {
            throw FlowError(
                .limitExceeded,
                "the object path '\(path(of: id, below: parent))' would have \(length) bytes of at most \(maxLength)")
        }
        if let parent, self[parent].depth >= maxDepth {
            throw FlowError(
                .limitExceeded,
                "'\(path(of: id, below: parent))' would be deeper in the tree than \(maxDepth) presentables")
        }
        return id
    }

    /// Refuses a requested id that is not valid, or taken. One that is made from a name is neither.
    private func check(
        _ id: String, below parent: NodeSlot?, besides planned: SiblingIDs.PlannedIDs
    ) throws(FlowError) {
        guard Names.isPresentableName(id), id != "root" else { throw Self.invalid(id) }
        guard !isTaken(id, below: parent, besides: planned) else {
            let place = parent.map { "below '\(self[$0].path)'" } ?? "among the roots"
            throw FlowError(.idTaken, "the id '\(id)' is taken \(place)")
        }
    }

    private static func invalid(_ id: String) -> FlowError {
        FlowError(.invalidName, "'\(Names.escaped(id))' can't be an id: \(Names.presentableNameRule), and not 'root'")
    }
}
