/// The clients that have something which does not outlive them: presentables that they own, and registrations.
struct ClientWatches: Equatable, Sendable {
    /// How many of those each client has; none of clients that are gone.
    private(set) var counts: [Client: Int] = [:]

    var isEmpty: Bool { counts.isEmpty }

    /// Whether a client has something, and so is there.
    func contains(_ client: Client) -> Bool { counts[client] != nil }

    /// A client has one thing more.
    mutating func add(_ client: Client) { counts[client, default: 0] += 1 }

    /// A client has one thing less. A client that is gone has nothing any more.
    mutating func remove(_ client: Client) {
        guard let count = counts[client] else { return }
        counts[client] = count == 1 ? nil : count - 1
    }

    /// A client is gone.
    ///
    /// - Returns: whether it had something.
    mutating func removeAll(of client: Client) -> Bool { counts.removeValue(forKey: client) != nil }
}
