/// Values with unique names: in order of insertion, then by name.
struct NamedList<Value> {
    private(set) var entries: [(name: String, value: Value)] = []
    /// The places of the names, once there are many: few are compared faster than hashed.
    private var places: [String: Int] = [:]
    private static var few: Int { 8 }

    var count: Int { entries.count }

    /// The names, in the order of the values.
    var names: some Collection<String> { entries.lazy.map { $0.name } }

    /// The values, in order.
    var values: some Collection<Value> { entries.lazy.map { $0.value } }

    subscript(name: String) -> Value? { place(of: name).map { entries[$0].value } }

    /// Returns the place of a name in the order.
    func place(of name: String) -> Int? {
        if !places.isEmpty { return places[name] }
        for place in entries.indices where entries[place].name == name { return place }
        return nil
    }

    /// Makes room for this many values.
    mutating func reserve(_ count: Int) {
        entries.reserveCapacity(count)
        if count > Self.few { places.reserveCapacity(count) }
    }

    /// Inserts a value. If there is one of that name, it stays, and is returned.
    mutating func insert(_ name: String, _ value: Value) -> Value? {
        let next = entries.count
        if next < Self.few {
            if let place = place(of: name) { return entries[place].value }
        } else {
            if places.isEmpty { for place in entries.indices { places[entries[place].name] = place } }
            // Most names are new, so that one search is enough.
            if let place = places.updateValue(next, forKey: name) {
                places[name] = place
                return entries[place].value
            }
        }
        entries.append((name: name, value: value))
        return nil
    }

    /// Sorts the values by name.
    mutating func sort() {
        // Few names have the same first bytes, and numbers are compared faster.
        var order = entries.indices.map { (first: Self.firstBytes(of: entries[$0].name), place: $0) }
        order.sort {
            $0.first == $1.first
                ? Text.precedes(entries[$0.place].name, entries[$1.place].name) : $0.first < $1.first
        }
        var moved = Array(repeating: 0, count: order.count)
        for (place, old) in order.enumerated() { moved[old.place] = place }
        entries = order.map { entries[$0.place] }
        places = places.mapValues { moved[$0] }
    }

    /// The first eight bytes as a number, in the order of the texts.
    private static func firstBytes(of name: String) -> UInt64 {
        var (number, count): (UInt64, UInt64) = (0, 0)
        for byte in name.utf8.prefix(8) {
            number = number << 8 | UInt64(byte)
            count += 1
        }
        return number << (8 * (8 - count))
    }
}
