/// The ids of siblings, and the next free one for a name (S-1).
struct SiblingIDs: Equatable, Sendable {
    private var taken: Set<String> = []
    /// For names with numbers.
    private var numbers: [String: Numbers] = [:]

    /// The numbers of a name. They make the search for the smallest free one short if thousands of siblings have the same
    /// name, and some are removed.
    private struct Numbers: Equatable {
        /// All smaller ones are taken, except for the gaps.
        var next = 2
        /// In ascending order.
        var gaps: [Int] = []
        /// Whether smaller ids of the name were looked for: requested ones count from the first numbered one on.
        private var isKnown = false

        /// Takes a number.
        mutating func insert(_ number: Int, isTaken: (Int) -> Bool) {
            let gap = firstGap(from: number)
            if gap < gaps.count, gaps[gap] == number { gaps.remove(at: gap) }
            // The next one was free. A requested id may be above it; when that is reached, it is skipped.
            guard number == next || !isKnown else { return }
            isKnown = true
            if number == next { next += 1 }
            while isTaken(next) { next += 1 }
        }

        /// The first gap that is not less than a number.
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

    /// The id for a name: the name, or `NAME_2`, `NAME_3`, …, the smallest that is free here and not planned.
    func free(for name: String, besides planned: PlannedIDs = PlannedIDs()) -> String {
        guard isTaken(name, besides: planned) else { return name }
        let least = planned.floor[name] ?? 2
        // If planned removals free ids, smaller ones than those known may be free.
        if planned.freed.isEmpty, let numbers = numbers[name] {
            for gap in numbers.gaps[numbers.firstGap(from: least)...] where !planned.contains("\(name)_\(gap)") {
                return "\(name)_\(gap)"
            }
        }
        var number = max(planned.freed.isEmpty ? numbers[name]?.next ?? 2 : 2, least)
        while isTaken("\(name)_\(number)", besides: planned) { number += 1 }
        return "\(name)_\(number)"
    }

    /// Whether an id will be taken after the planned removals and additions.
    func isTaken(_ id: String, besides planned: PlannedIDs) -> Bool {
        planned.contains(id) || (taken.contains(id) && !planned.freed.contains(id))
    }

    mutating func insert(_ id: String, name: String) {
        taken.insert(id)
        guard let (base, number) = Self.numbered(id), base == name || numbers[base] != nil else { return }
        numbers[base, default: Numbers()].insert(number) { taken.contains("\(base)_\($0)") }
    }

    mutating func remove(_ id: String) {
        taken.remove(id)
        guard let (base, number) = Self.numbered(id), var known = numbers.removeValue(forKey: base) else { return }
        if number < known.next { known.gaps.insert(number, at: known.firstGap(from: number)) }
        // The entry is removed with its last id.
        if known.gaps.count < known.next - 2 { numbers[base] = known }
    }

    /// The ids that the children of a plan take, and those that it frees.
    struct PlannedIDs: Sendable {
        private var taken: Set<String> = []
        /// The ids of live siblings that will be removed.
        fileprivate var freed: Set<String> = []
        /// For a name with numbers: no smaller number is free, here or among those that are taken.
        fileprivate var floor: [String: Int] = [:]

        func contains(_ id: String) -> Bool { taken.contains(id) }

        /// Frees an id of a live or planned sibling.
        mutating func remove(_ id: String) {
            if taken.remove(id) == nil { freed.insert(id) }
            floor = [:]
        }

        /// Plans an id: a requested one, or the one that ``SiblingIDs/free(for:besides:)`` returned for a name.
        mutating func insert(_ id: String, givenFor name: String?) {
            taken.insert(id)
            if let name, let (base, number) = numbered(id), base == name { floor[name] = number + 1 }
        }
    }

    /// `NAME_7` as its two parts; nil for an id that ``free(for:)`` would not return, such as `NAME_07`.
    private static func numbered(_ id: String) -> (base: String, number: Int)? {
        guard let bar = id.utf8.lastIndex(of: UInt8(ascii: "_")) else { return nil }
        let digits = id[id.index(after: bar)...]
        // No sign and no zero in front.
        guard let first = digits.utf8.first, first > UInt8(ascii: "0"), first <= UInt8(ascii: "9"),
            let number = Int(digits), number >= 2
        else { return nil }
        return (String(id[..<bar]), number)
    }
}
