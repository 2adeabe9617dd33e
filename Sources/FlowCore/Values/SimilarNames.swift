/// Names among which a mistyped one is searched.
///
/// A program with a typo in a loop searches with each of its calls, and a file can have as many mistakes as names. So a search
/// has a limit: of many names it looks at those around the place of the mistyped one, and of these it compares few in full.
public struct SimilarNames: Sendable {
    private let names: [String]
    private let letters: [Letters]

    /// Of more names, only those are looked at that stand around the place of the mistyped one.
    static let mostLookedAt = 1_024
    /// The sum, over the names that are compared in full, of their lengths times that of the mistyped one.
    static let mostWork = 65_536

    /// Creates a set of names. If there are many, they should be in order.
    public init(_ names: some Sequence<String>) {
        self.names = Array(names)
        letters = self.names.map(Letters.init)
    }

    /// Returns the name that a mistyped one most likely meant, or nil if none is near. The nearest has the fewest insertions,
    /// removals, replacements and swaps of neighbors, without regard to case, and at most a third of the name's length of them. Of
    /// equals, the first wins.
    public func nearest(to name: String) -> String? { search(for: name).found.map { names[$0] } }

    /// Returns `; did you mean 'NAME'?`, or nothing if no name is near, as the end of a message.
    public func suggestion(for name: String) -> String {
        nearest(to: name).map { "; did you mean '\($0)'?" } ?? ""
    }

    /// What a search found, and what it cost.
    struct Search {
        fileprivate(set) var found: Int?
        fileprivate(set) var lookedAt = 0
        fileprivate(set) var work = 0
    }

    func search(for name: String) -> Search {
        var search = Search()
        // No valid name is longer.
        guard name.utf8.count <= 2 * Limits.stepNameLength else { return search }
        let typed = Letters(name)
        let places = places(around: name).filter { typed.mayBeNear(letters[$0]) && names[$0] != name }
        search.lookedAt = places.count
        let (bytes, candidates) = (Self.folded(name), places.map { (place: $0, bytes: Self.folded(names[$0])) })
        // Most mistakes are a single change, which is seen at once.
        search.found =
            (candidates.first { $0.bytes == bytes } ?? candidates.first { Self.isOneChange(bytes, $0.bytes) })?.place
        if search.found != nil { return search }
        var nearest = Int.max
        for (place, meant) in candidates {
            search.work += bytes.count * meant.count
            guard search.work <= Self.mostWork else {
                search.work = Self.mostWork
                break
            }
            let distance = Self.distance(bytes, meant)
            if distance < nearest, distance <= typed.mostChanges(to: letters[place]) {
                (search.found, nearest) = (place, distance)
            }
        }
        return search
    }

    /// The places of the names that a search looks at.
    private func places(around name: String) -> Range<Int> {
        guard names.count > Self.mostLookedAt else { return names.indices }
        var (low, high) = (0, names.count)
        while low < high {
            let middle = (low + high) / 2
            if names[middle] < name { low = middle + 1 } else { high = middle }
        }
        let first = min(max(0, low - Self.mostLookedAt / 2), names.count - Self.mostLookedAt)
        return first..<first + Self.mostLookedAt
    }

    // MARK: Comparison, without regard to the case of Latin letters

    fileprivate static func folded(_ byte: UInt8) -> UInt8 { byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte }

    private static func folded(_ name: String) -> [UInt8] { name.utf8.map { folded($0) } }

    /// Whether one letter is replaced, added or missing, or two neighbors are swapped.
    private static func isOneChange(_ a: [UInt8], _ b: [UInt8]) -> Bool {
        let shorter = min(a.count, b.count)
        guard max(a.count, b.count) > 1, max(a.count, b.count) - shorter <= 1 else { return false }
        var begin = 0
        while begin < shorter, a[begin] == b[begin] { begin += 1 }
        var end = 0
        while end < shorter - begin, a[a.count - 1 - end] == b[b.count - 1 - end] { end += 1 }
        let (left, right) = (a[begin..<a.count - end], b[begin..<b.count - end])
        return max(left.count, right.count) == 1 || (left.count == 2 && Array(left.reversed()) == Array(right))
    }

    /// The optimal string alignment distance.
    private static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...b.count)
        for i in a.indices {
            var row = [i + 1]
            row.reserveCapacity(b.count + 1)
            for j in b.indices {
                var cost = min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, beforeLast[j - 1] + 1) }
                row.append(cost)
            }
            (beforeLast, last) = (last, row)
        }
        return last[b.count]
    }
}

/// Which letters a name has, and how many bytes: names that differ in too many of them need no comparison.
private struct Letters: Sendable {
    private let count: Int
    /// A bit for each letter, digit and sign; other bytes share some of them.
    private let bits: UInt64

    init(_ name: String) {
        count = name.utf8.count
        bits = name.utf8.reduce(0) { $0 | 1 &<< UInt64(SimilarNames.folded($1) & 63) }
    }

    /// How many changes apart the names may be. Any letter is one replacement away from any other, so a single letter has to match.
    func mostChanges(to other: Self) -> Int {
        let longer = max(count, other.count)
        return longer < 2 ? 0 : max(1, longer / 3)
    }

    /// Returns false for names that are more changes apart than they may be: each adds a letter, takes one away, or both.
    func mayBeNear(_ other: Self) -> Bool {
        let most = mostChanges(to: other)
        return abs(count - other.count) <= most && (bits ^ other.bits).nonzeroBitCount <= 2 * most
    }
}
