/// Values by numbers that are given in order, such as those of origins, calls and questions.
///
/// A dictionary hashes its keys so that nobody can choose them to be slow to find. Nobody chooses these numbers, so a
/// multiplication that scatters them is enough, which takes a tenth of the time.
///
/// An open-addressing table with linear probing; what is removed leaves no mark, as those behind it move up.
struct NumberTable<Value: Sendable>: Sendable {
    /// Marks a free place: no count comes that far.
    private static var free: UInt64 { .max }

    /// The number at each place. It is stored apart from the values, so that a search reads plain numbers only.
    private var places: [UInt64] = []
    private var stored: [Stored?] = []
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    func contains(_ number: UInt64) -> Bool { find(number) != nil }

    subscript(number: UInt64) -> Value? {
        get {
            guard let place = find(number) else { return nil }
            return stored[place]?.value
        }
        set {
            if let newValue { set(newValue, number) } else { removeValue(number) }
        }
    }

    /// Reads the value of a number, if it has one, where it is.
    @inline(__always)
    func read<Result>(_ number: UInt64, _ body: (Value?) -> Result?) -> Result? {
        guard let place = find(number) else { return nil }
        return body(stored[place]?.value)
    }

    /// Changes the value of a number, if it has one, in place.
    @inline(__always)
    mutating func update(_ number: UInt64, _ change: (inout Value) -> Void) {
        guard let place = find(number) else { return }
        // Without the coroutine by which an array has its elements changed.
        var all = stored.mutableSpan
        all[place]?.update(change)
    }

    /// A value that can be changed where it is stored.
    private struct Stored {
        var value: Value

        @inline(__always)
        mutating func update(_ change: (inout Value) -> Void) { change(&value) }
    }

    /// Removes the value of a number, and returns it.
    @discardableResult
    mutating func removeValue(_ number: UInt64) -> Value? {
        guard var hole = find(number) else { return nil }
        let removed = stored[hole].take()
        places[hole] = Self.free
        count -= 1
        // An entry that a search would no longer reach moves into the hole.
        var place = next(hole)
        while places[place] != Self.free {
            let wanted = home(of: places[place])
            if (place &- wanted) & mask >= (place &- hole) & mask {
                places.swapAt(hole, place)
                stored.swapAt(hole, place)
                hole = place
            }
            place = next(place)
        }
        return removed?.value
    }

    /// The numbers, in no order.
    var numbers: [UInt64] { places.filter { $0 != Self.free } }
    /// The same as a dictionary.
    var dictionary: [UInt64: Value] {
        var all: [UInt64: Value] = [:]
        for (number, value) in zip(places, stored) where number != Self.free { all[number] = value?.value }
        return all
    }

    private mutating func set(_ value: consuming Value, _ number: UInt64) {
        if let place = find(number) {
            stored[place]?.value = value
            return
        }
        if 4 * (count + 1) > 3 * places.count { grow() }
        put(Stored(value: value), number)
        count += 1
    }

    private mutating func put(_ value: consuming Stored?, _ number: UInt64) {
        var place = home(of: number)
        while places[place] != Self.free { place = next(place) }
        places[place] = number
        stored[place] = value
    }

    private func find(_ number: UInt64) -> Int? {
        if count == 0 { return nil }
        var place = home(of: number)
        while places[place] != Self.free {
            if places[place] == number { return place }
            place = next(place)
        }
        return nil
    }

    private var mask: Int { places.count - 1 }

    private func home(of number: UInt64) -> Int { Int(truncatingIfNeeded: number.scattered) & mask }

    private func next(_ place: Int) -> Int { (place + 1) & mask }

    private mutating func grow() {
        let (numbers, values) = (places, stored)
        let size = max(8, 2 * numbers.count)
        places = Array(repeating: Self.free, count: size)
        stored = Array(repeating: nil, count: size)
        for (number, value) in zip(numbers, values) where number != Self.free { put(value, number) }
    }
}

extension UInt64 {
    /// A hash for numbers that nobody chooses. Without it, consecutive numbers stand side by side in a table, and to remove one
    /// means to look at all behind it.
    @inline(__always)
    var scattered: UInt64 { (self &* 0x9e37_79b9_7f4a_7c15) >> 32 }
}
