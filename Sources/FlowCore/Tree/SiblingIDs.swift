/// The ids of siblings, and the next free one for a name (S-1).
///
/// An id is a name, or a name with a number from 2: `item`, `item_2`, `item_3`, ….
struct SiblingIDs: Equatable, Sendable {
    private var taken: Set<String> = []
    /// By name: the smallest number that is free, if it is greater than 2.
    private var smallest: [String: Int] = [:]

    func contains(_ id: String) -> Bool { taken.contains(id) }

    /// The id for a name: the name, or `NAME_2`, `NAME_3`, …, the smallest that is free here and not planned.
    func free(for name: String, besides planned: PlannedIDs = PlannedIDs()) -> String {
        guard isTaken(name, besides: planned) else { return name }
        var number = planned.floors[name] ?? 2
        // If planned removals free ids, smaller ones than those known may be free.
        if planned.freed.isEmpty { number = max(number, smallest[name] ?? 2) }
        var id = Self.id(name, number)
        while isTaken(id, besides: planned) {
            number += 1
            id = Self.id(name, number)
        }
        return id
    }

    /// Whether an id will be taken after the planned removals and additions.
    func isTaken(_ id: String, besides planned: PlannedIDs) -> Bool {
        planned.taken.contains(id) || (taken.contains(id) && !planned.freed.contains(id))
    }

    /// Adds an id.
    mutating func insert(_ id: String) {
        taken.insert(id)
        guard let (name, number) = Self.parts(of: id), number == smallest[name] ?? 2 else { return }
        var next = number + 1
        while taken.contains(Self.id(name, next)) { next += 1 }
        smallest[name] = next
    }

    /// Removes an id.
    mutating func remove(_ id: String) {
        taken.remove(id)
        guard let (name, number) = Self.parts(of: id), number < smallest[name] ?? 2 else { return }
        smallest[name] = number == 2 ? nil : number
    }

    /// The ids that the children of a plan take, and those that it frees.
    struct PlannedIDs: Sendable {
        fileprivate var taken: Set<String> = []
        /// The ids of live siblings that will be removed.
        fileprivate var freed: Set<String> = []
        /// By name: no smaller number is free, here or among those that are taken.
        fileprivate var floors: [String: Int] = [:]

        /// Frees an id of a live or planned sibling.
        mutating func remove(_ id: String) {
            if taken.remove(id) == nil { freed.insert(id) }
            floors = [:]
        }

        /// Plans an id: a requested one, or the one that ``SiblingIDs/free(for:besides:)`` returned for a name.
        mutating func insert(_ id: String, givenFor name: String?) {
            taken.insert(id)
            if let name, let (_, number) = parts(of: id), id != name { floors[name] = number + 1 }
        }
    }

    /// The id with a number, which is at least 2.
    private static func id(_ name: String, _ number: Int) -> String { name + "_" + String(number) }

    /// The name and the number of an id that has both; nil for one that ``id(_:_:)`` would not return, such as `NAME_07`.
    private static func parts(of id: String) -> (name: String, number: Int)? {
        guard let sign = id.utf8.lastIndex(of: UInt8(ascii: "_")), sign > id.startIndex else { return nil }
        let digits = id[id.utf8.index(after: sign)...]
        // Neither a zero nor a plus sign in front.
        guard let first = digits.utf8.first, first > UInt8(ascii: "0"), let number = Int(digits), number >= 2,
            number < .max
        else { return nil }
        return (String(id[..<sign]), number)
    }
}
