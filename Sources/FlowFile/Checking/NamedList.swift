/// Values with unique names: in order of insertion, then by name.
struct NamedList<Value> {
    private(set) var entries: [(name: String, value: Value)] = []
    private var places: [String: Int] = [:]

    var count: Int { entries.count }

    /// The names, in the order of the values.
    var names: some Collection<String> { entries.lazy.map(\.name) }

    /// The values, in order.
    var values: some Collection<Value> { entries.lazy.map(\.value) }

    subscript(name: String) -> Value? { places[name].map { entries[$0].value } }

    /// Returns the place of a name in the order.
    func place(of name: String) -> Int? { places[name] }

    /// Inserts a value. If there is one of that name, it stays, and is returned.
    mutating func insert(_ name: String, _ value: @autoclosure () -> Value) -> Value? {
        let next = entries.count
        // Most names are new, so that one search is enough.
        if let place = places.updateValue(next, forKey: name) {
            places[name] = place
            return entries[place].value
        }
        entries.append((name: name, value: value()))
        return nil
    }

    /// Sorts the values by name.
    mutating func sort() {
        let order = entries.indices.sorted { Text.precedes(entries[$0].name, entries[$1].name) }
        var moved = Array(repeating: 0, count: order.count)
        for (place, old) in order.enumerated() { moved[old] = place }
        entries = order.map { entries[$0] }
        places = places.mapValues { moved[$0] }
    }
}
