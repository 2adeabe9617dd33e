// Which names are live, and where (S-28, S-35): asked by rules and paths, about as many presentables as there may be.

extension Forest {
    /// Whether a presentable of this name is live in the same tree as this one, or as a root (S-35).
    func isAlive(_ name: String, near slot: Int) -> Bool {
        counts[NameInTree(name: name, root: nodes[slot].root)] != nil
            || counts[NameInTree(name: name, root: nil)] != nil
    }

    /// The newest flow of this name below a presentable; among the roots for nil (S-28).
    func newestFlow(named name: String, below slot: Int?) -> Int? {
        guard let named = named[name] else { return nil }
        var search = slot.map { Descent(from: $0, in: self) }
        var newest: Int?
        for candidate in named where nodes[candidate].flow != nil {
            if let newest, nodes[newest].instance > nodes[candidate].instance { continue }
            let isBelow = search?.contains(candidate, in: self) ?? (nodes[candidate].parent == nil)
            if isBelow { newest = candidate }
        }
        return newest
    }

    /// Finds out for many presentables whether they are below one. It goes up from each no further than it has been: all in
    /// all it visits no presentable twice.
    struct Descent {
        private let top: Int
        /// By place: what is known already.
        private var known: [Bool?]
        /// How many presentables it has visited.
        private(set) var visits = 0

        init(from top: Int, in forest: Forest) {
            self.top = top
            known = Array(repeating: nil, count: forest.nodes.count)
        }

        mutating func contains(_ slot: Int, in forest: Forest) -> Bool {
            if slot == top || forest.nodes[slot].root != forest.nodes[top].root { return false }
            var (way, place, isBelow) = ([Int](), slot, false)
            while true {
                if let answer = known[place] {
                    isBelow = answer
                    break
                }
                way.append(place)
                guard let parent = forest.nodes[place].parent else { break }
                if parent == top {
                    isBelow = true
                    break
                }
                place = parent
            }
            visits += way.count
            for place in way { known[place] = isBelow }
            return isBelow
        }
    }

    /// A name, as it stands in the tree of this root; among the roots for nil.
    struct NameInTree: Hashable {
        let name: String
        let root: Int?
    }

    mutating func count(_ change: Int, _ name: String, in root: Int?) {
        let place = NameInTree(name: name, root: root)
        let sum = (counts[place] ?? 0) + change
        counts[place] = sum == 0 ? nil : sum
    }
}
