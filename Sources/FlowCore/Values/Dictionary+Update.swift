extension Dictionary {
    /// Changes the value of a key, if it has one, where it is.
    mutating func update(_ key: Key, _ change: (inout Value) -> Void) {
        guard let place = index(forKey: key) else { return }
        change(&values[place])
    }
}
