/// The ids that are taken among siblings, and the next free one for a name (S-1).
struct SiblingIDs: Equatable, Sendable {
    private var taken: Set<String> = []
    /// For names that were given a number.
    private var numbers: [String: Numbers] = [:]

    /// The numbers of one name. They keep the search for the smallest free one short where thousands of siblings have the
    /// same name, and some of them go.
    private struct Numbers: Equatable {
        /// All smaller ones are taken, but for the gaps.
        var next = 2
        /// In ascending order.
        var gaps: [Int] = []

        /// The first of the gaps that is not less than this.
        func firstGap(from number: Int) -> Int {
            var (low, high) = (0, gaps.count)
            while low < high {
                let middle = (low + high) / 2
                if gaps[middle] < number { low = middle + 1 } else { high = middle }
            }
            return low
        }
    }

    func contains(_ id: String) -> Bool { taken.contains(id) }

    /// The id for a name: the name, or `NAME_2`, `NAME_3`, …, the smallest that is free here and among the ids which are
    /// about to be taken.
    func free(for name: String, besides planned: PlannedIDs = PlannedIDs()) -> String {
        guard isTaken(name, besides: planned) else { return name }
        let least = planned.floor[name] ?? 2
        // Where ids are given back, smaller ones than those known to be taken may be free.
        if planned.freed.isEmpty, let numbers = numbers[name] {
            for gap in numbers.gaps[numbers.firstGap(from: least)...] where !planned.contains("\(name)_\(gap)") {
                return "\(name)_\(gap)"
            }
        }
        var number = max(planned.freed.isEmpty ? numbers[name]?.next ?? 2 : 2, least)
        while isTaken("\(name)_\(number)", besides: planned) { number += 1 }
        return "\(name)_\(number)"
    }

    /// Whether an id will be taken when those that are about to go are gone, and those that are planned are there.
    func isTaken(_ id: String, besides planned: PlannedIDs) -> Bool {
        planned.contains(id) || (taken.contains(id) && !planned.freed.contains(id))
    }

    mutating func insert(_ id: String, name: String) {
        taken.insert(id)
        guard let (base, number) = Self.numbered(id), base == name || numbers[base] != nil else { return }
        var known = numbers.removeValue(forKey: base) ?? Numbers()
        let gap = known.firstGap(from: number)
        if gap < known.gaps.count, known.gaps[gap] == number { known.gaps.remove(at: gap) }
        // An id that was asked for may have left a gap: then those above it are passed when it is filled.
        while taken.contains("\(base)_\(known.next)") { known.next += 1 }
        numbers[base] = known
    }

    mutating func remove(_ id: String) {
        taken.remove(id)
        guard let (base, number) = Self.numbered(id), var known = numbers.removeValue(forKey: base) else { return }
        if number < known.next { known.gaps.insert(number, at: known.firstGap(from: number)) }
        // The last one gone takes its note along.
        if known.gaps.count < known.next - 2 { numbers[base] = known }
    }

    /// The ids that the children of one plan are going to take, and those that it gives back.
    struct PlannedIDs: Sendable {
        private var taken: Set<String> = []
        /// Of siblings that are live and about to go.
        fileprivate var freed: Set<String> = []
        /// For a name that was given a number: no smaller number is free, here or among those that are taken already.
        fileprivate var floor: [String: Int] = [:]

        func contains(_ id: String) -> Bool { taken.contains(id) }

        /// Gives an id back: of a live sibling, or of a planned one.
        mutating func remove(_ id: String) {
            if taken.remove(id) == nil { freed.insert(id) }
            floor = [:]
        }

        /// Plans an id: one that was asked for, or the one that ``SiblingIDs/free(for:besides:)`` gave for a name.
        mutating func insert(_ id: String, givenFor name: String?) {
            taken.insert(id)
            if let name, let (base, number) = numbered(id), base == name { floor[name] = number + 1 }
        }
    }

    /// `NAME_7` as its two parts; nil for what ``free(for:)`` would not write so, as `NAME_07`.
    private static func numbered(_ id: String) -> (base: String, number: Int)? {
        guard let bar = id.utf8.lastIndex(of: UInt8(ascii: "_")), let number = Int(id[id.index(after: bar)...]),
            number >= 2, id.hasSuffix("_\(number)")
        else { return nil }
        return (String(id[..<bar]), number)
    }
}
