/// The clients whose connection matters: owners of presentables, and clients with registrations.
struct ClientWatches: Equatable, Sendable {
    /// How many presentables and registrations each client has; none of clients that are gone.
    private(set) var counts: [Client: Int] = [:]

    var isEmpty: Bool { counts.isEmpty }

    /// Whether a client is watched.
    func contains(_ client: Client) -> Bool { counts[client] != nil }

    /// Counts one more for a client.
    mutating func add(_ client: Client) { counts[client, default: 0] += 1 }

    /// Counts one less for a client. For a client that is gone, nothing is counted.
    mutating func remove(_ client: Client) {
        guard let count = counts[client] else { return }
        counts[client] = count == 1 ? nil : count - 1
    }

    /// A client is gone.
    ///
    /// - Returns: whether it was watched.
    mutating func removeAll(of client: Client) -> Bool { counts.removeValue(forKey: client) != nil }
}
