/// The ids of siblings, and the next free one for a name (S-1).
///
/// An id is a name, or a name with a number from 2: `item`, `item_2`, `item_3`, …. So the ids are kept as the numbers that each name
/// has, which is less than a text for each, and tells the smallest free number at once.
struct SiblingIDs: Equatable, Sendable {
    /// Sorted by name.
    private var names: [Numbers] = []

    /// The numbers that a name has.
    private struct Numbers: Equatable {
        let name: String
        /// Whether the name itself is an id, unless it looks numbered: `item_2` is the second of `item`.
        var hasName = false
        /// All smaller ones from 2 are taken, except for the gaps; this one and the one before it are no exceptions.
        var next = 2
        /// In ascending order.
        var gaps: [Int] = []
        /// Those that are taken beyond the next one, by requested ids.
        var beyond: Set<Int> = []

        init(_ name: String) { self.name = name }

        var isEmpty: Bool { !hasName && next == 2 && beyond.isEmpty }

        func contains(_ number: Int) -> Bool {
            if number == 1 { return hasName }
            if number >= next { return beyond.contains(number) }
            let gap = firstGap(from: number)
            return gap == gaps.count || gaps[gap] != number
        }

        mutating func insert(_ number: Int) {
            if number == 1 {
                hasName = true
            } else if number == next {
                repeat { next += 1 } while !beyond.isEmpty && beyond.remove(next) != nil
            } else if number > next {
                beyond.insert(number)
            } else {
                let gap = firstGap(from: number)
                if gap < gaps.count, gaps[gap] == number { gaps.remove(at: gap) }
            }
        }

        mutating func remove(_ number: Int) {
            if number == 1 {
                hasName = false
            } else if number >= next {
                beyond.remove(number)
            } else if number < next - 1 {
                let gap = firstGap(from: number)
                if gap == gaps.count || gaps[gap] != number { gaps.insert(number, at: gap) }
            } else {
                next -= 1
                while let last = gaps.last, last == next - 1 {
                    gaps.removeLast()
                    next -= 1
                }
            }
        }

        /// The place of the first gap that is not less than a number.
        func firstGap(from number: Int) -> Int {
            var (low, high) = (0, gaps.count)
            while low < high {
                let middle = (low + high) / 2
                if gaps[middle] < number { low = middle + 1 } else { high = middle }
            }
            return low
        }
    }

    func contains(_ id: String) -> Bool {
        let (name, number) = Self.parts(of: id)
        return place(of: name).map { names[$0].contains(number) } ?? false
    }

    /// The id for a name: the name, or `NAME_2`, `NAME_3`, …, the smallest that is free here and not planned; and its number, if
    /// that is known.
    func free(for name: String, besides planned: PlannedIDs = PlannedIDs()) -> (id: String, number: Int?) {
        if planned.isEmpty, !Self.endsWithDigit(name) {
            // Nearly always. What follows would find the same.
            guard let place = place(of: name), names[place].hasName else { return (name, 1) }
            let number = names[place].gaps.first ?? names[place].next
            return (Self.id(name, number), number)
        }
        return (searchFree(for: name, besides: planned), nil)
    }

    private func searchFree(for name: String, besides planned: PlannedIDs) -> String {
        guard isTaken(name, besides: planned) else { return name }
        let place = place(of: name)
        var number = planned.floor(of: name)
        // If planned removals free ids, smaller ones than those known may be free.
        if planned.freed.isEmpty, let place {
            let gap = names[place].firstGap(from: number)
            for gap in names[place].gaps[gap...] where !planned.contains(Self.id(name, gap)) {
                return Self.id(name, gap)
            }
            number = max(number, names[place].next)
        }
        while true {
            let id = Self.id(name, number)
            if !isTaken(id, besides: planned) { return id }
            number += 1
        }
    }

    /// Whether an id will be taken after the planned removals and additions.
    func isTaken(_ id: String, besides planned: PlannedIDs) -> Bool {
        planned.contains(id) || (contains(id) && !planned.freed.contains(id))
    }

    /// Adds an id.
    ///
    /// - Parameters:
    ///   - name: the name of the presentable, from which most ids are made.
    ///   - number: its number, if it is known to be made from that name.
    mutating func insert(_ id: String, madeOf name: String = "", _ number: Int? = nil) {
        if let number { return insert(number, of: name) }
        let (name, number) = Self.parts(of: id, madeOf: name)
        insert(number, of: name)
    }

    /// Adds the id that is made from this name and number.
    mutating func insert(_ number: Int, of name: String) {
        let place = firstPlace(from: name)
        if place == names.count || names[place].name != name { names.insert(Numbers(name), at: place) }
        names[place].insert(number)
    }

    /// Removes an id.
    ///
    /// - Parameter name: the name of the presentable, from which most ids are made.
    mutating func remove(_ id: String, madeOf name: String = "") {
        let (name, number) = Self.parts(of: id, madeOf: name)
        guard let place = place(of: name) else { return }
        names[place].remove(number)
        if names[place].isEmpty { names.remove(at: place) }
    }

    private func place(of name: String) -> Int? {
        let place = firstPlace(from: name)
        return place < names.count && names[place].name == name ? place : nil
    }

    /// The place of the first name that is not less than this one.
    private func firstPlace(from name: String) -> Int {
        // Most often all have one name.
        if names.count == 1, names[0].name == name { return 0 }
        var (low, high) = (0, names.count)
        while low < high {
            let middle = (low + high) / 2
            if names[middle].name < name { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The ids that the children of a plan take, and those that it frees.
    struct PlannedIDs: Sendable {
        /// There are few, as a list has few new children.
        private var taken: [String] = []
        /// The ids of live siblings that will be removed.
        fileprivate var freed: Set<String> = []
        /// For a name with numbers: no smaller number is free, here or among those that are taken.
        private var floors: [(name: String, number: Int)] = []

        /// Whether nothing is planned.
        fileprivate var isEmpty: Bool { taken.isEmpty && freed.isEmpty }

        func contains(_ id: String) -> Bool { taken.contains(id) }

        fileprivate func floor(of name: String) -> Int { floors.last { $0.name == name }?.number ?? 2 }

        /// Frees an id of a live or planned sibling.
        mutating func remove(_ id: String) {
            if let place = taken.firstIndex(of: id) { taken.remove(at: place) } else { freed.insert(id) }
            floors = []
        }

        /// Plans an id: a requested one, or the one that ``SiblingIDs/free(for:besides:)`` returned for a name.
        mutating func insert(_ id: String, givenFor name: String?) {
            taken.append(id)
            // A few are compared faster than counted.
            guard let name, id != name, taken.count > 4 else { return }
            let floor = (name, parts(of: id).number + 1)
            if let place = floors.firstIndex(where: { $0.name == name }) {
                floors[place] = floor
            } else {
                floors.append(floor)
            }
        }
    }

    // MARK: Texts

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    /// Whether a name may look like an id with a number.
    private static func endsWithDigit(_ name: String) -> Bool {
        NameIndex.withBytes(of: name) { $0.last.map(isDigit) ?? false }
    }

    /// The id with a number, which is at least 2.
    private static func id(_ name: String, _ number: Int) -> String {
        var (digits, rest) = (1, number / 10)
        while rest > 0 { (rest, digits) = (rest / 10, digits + 1) }
        // As one piece of the right size; to append the parts takes four times as long.
        let count = name.utf8.count + 1 + digits
        return String(unsafeUninitializedCapacity: count) { id in
            NameIndex.withBytes(of: name) { UnsafeMutableRawBufferPointer(id).copyMemory(from: $0) }
            var (place, rest) = (count, number)
            while rest > 0 {
                place -= 1
                id[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            }
            id[place - 1] = UInt8(ascii: "_")
            return count
        }
    }

    /// `NAME_7` as its two parts; the whole text and 1 for an id that ``id(_:_:)`` would not return, such as `NAME_07`.
    ///
    /// - Parameter expected: what the name probably is; if so, no other text has to be made.
    private static func parts(of id: String, madeOf expected: String = "") -> (name: String, number: Int) {
        NameIndex.withBytes(of: id) { bytes in
            var (place, number, scale) = (bytes.count, 0, 1)
            while place > 0, case let digit = bytes[place - 1], isDigit(digit) {
                // So many digits are no number that was counted up to.
                if scale > 100_000_000 { return (id, 1) }
                number += Int(digit - UInt8(ascii: "0")) * scale
                scale *= 10
                place -= 1
            }
            guard number >= 2, place > 1, bytes[place] != UInt8(ascii: "0"), bytes[place - 1] == UInt8(ascii: "_")
            else {
                return (id, 1)
            }
            let name = UnsafeRawBufferPointer(rebasing: bytes[..<(place - 1)])
            return (NameIndex.isEqual(expected, name) ? expected : String(decoding: name, as: UTF8.self), number)
        }
    }
}
