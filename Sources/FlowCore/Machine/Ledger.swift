/// What live nodes hold, for each client that made them and in total; so that no client can fill the memory, nor keep
/// another from its share (S-33).
///
/// What the daemon began by itself counts in total alone.
struct Ledger: Equatable, Sendable {
    /// What is held.
    struct Tally: Equatable, Sendable {
        var nodes = 0
        /// Of arguments: the nodes' own, those of initial steps that wait, those of latest navigations.
        var bytes = 0
    }

    private(set) var total = Tally()
    private(set) var clients: [Client: Tally] = [:]

    /// Whether so much more may be held for a client; in total, where that comes to something else.
    ///
    /// - Throws: ``FlowError/Code/limitExceeded`` with the limit that is in the way.
    func check(_ more: Tally, inTotal: Tally? = nil, for client: Client) throws(FlowError) {
        let inTotal = inTotal ?? more
        if inTotal.nodes > 0 {
            guard total.nodes + inTotal.nodes <= Limits.nodes else {
                throw FlowError(.limitExceeded, "there are \(total.nodes) live presentables of at most \(Limits.nodes)")
            }
        }
        if inTotal.bytes > 0 {
            guard total.bytes + inTotal.bytes <= Limits.heldBytes else {
                throw FlowError(
                    .limitExceeded,
                    "arguments of live presentables take \(total.bytes) of at most \(Limits.heldBytes) bytes")
            }
        }
        guard client != .daemon else { return }
        let own = clients[client] ?? Tally()
        if more.nodes > 0 {
            guard own.nodes + more.nodes <= Limits.nodesPerClient else {
                throw FlowError(
                    .limitExceeded,
                    "'\(client.name)' has made \(own.nodes) live presentables of at most \(Limits.nodesPerClient)")
            }
        }
        if more.bytes > 0 {
            guard own.bytes + more.bytes <= Limits.heldBytesPerClient else {
                throw FlowError(
                    .limitExceeded,
                    "arguments of live presentables that '\(client.name)' has made take \(own.bytes) "
                        + "of at most \(Limits.heldBytesPerClient) bytes")
            }
        }
    }

    /// Counts more, or less where the numbers are negative.
    mutating func count(_ change: Tally, for client: Client) {
        if change == Tally() { return }
        total.nodes += change.nodes
        total.bytes += change.bytes
        guard client != .daemon else { return }
        var own = clients[client] ?? Tally()
        own.nodes += change.nodes
        own.bytes += change.bytes
        clients[client] = own == Tally() ? nil : own
    }

    /// Counts a node that is gone.
    mutating func release(_ node: Node) {
        let held = node.arguments.byteCount + (node.initialStep?.arguments.byteCount ?? 0)
        count(Tally(nodes: -1, bytes: -held), for: node.client)
        if let last = node.flow?.last { count(Tally(bytes: -last.byteCount), for: last.client) }
    }
}
