/// What live nodes hold, for each client that made them and in total; so that no client can fill the memory, nor keep
/// another from its share (S-33).
///
/// What the daemon began by itself counts in total alone.
struct Ledger: Equatable, Sendable {
    /// What is held.
    struct Tally: Equatable, Sendable {
        var nodes = 0
        /// Kept steps.
        var steps = 0
        /// Of arguments: the nodes' own, those of steps that wait at them or for their dismissal, those of latest
        /// navigations.
        var bytes = 0

        static func += (tally: inout Tally, more: Tally) {
            tally.nodes += more.nodes
            tally.steps += more.steps
            tally.bytes += more.bytes
        }

        static prefix func - (tally: Tally) -> Tally {
            Tally(nodes: -tally.nodes, steps: -tally.steps, bytes: -tally.bytes)
        }
    }

    /// How much may be held.
    let quotas: Quotas
    private(set) var total = Tally()
    private(set) var clients: [Client: Tally] = [:]

    /// A ledger in which nothing is held.
    init(_ quotas: Quotas = .service) { self.quotas = quotas }

    /// Whether so much more may be held for a client; in total, where that comes to something else.
    ///
    /// - Throws: ``FlowError/Code/limitExceeded`` with the limit that is in the way.
    func check(_ more: Tally, inTotal: Tally? = nil, for client: Client) throws(FlowError) {
        let inTotal = inTotal ?? more
        if inTotal.nodes > 0 {
            guard total.nodes + inTotal.nodes <= quotas.nodes.total else {
                throw FlowError(
                    .limitExceeded,
                    "there are \(total.nodes) live presentables of at most \(quotas.nodes.total)")
            }
        }
        if inTotal.steps > 0 {
            guard total.steps + inTotal.steps <= quotas.steps.total else {
                throw FlowError(
                    .limitExceeded, "there are \(total.steps) steps waiting of at most \(quotas.steps.total)")
            }
        }
        if inTotal.bytes > 0 {
            guard total.bytes + inTotal.bytes <= quotas.bytes.total else {
                throw FlowError(
                    .limitExceeded,
                    "arguments of live presentables take \(total.bytes) of at most \(quotas.bytes.total) bytes")
            }
        }
        guard client != .daemon else { return }
        let own = clients[client] ?? Tally()
        if more.nodes > 0 {
            guard own.nodes + more.nodes <= quotas.nodes.perClient else {
                throw FlowError(
                    .limitExceeded,
                    "'\(client.name)' has made \(own.nodes) live presentables of at most \(quotas.nodes.perClient)")
            }
        }
        if more.steps > 0 {
            guard own.steps + more.steps <= quotas.steps.perClient else {
                throw FlowError(
                    .limitExceeded,
                    "'\(client.name)' has \(own.steps) steps waiting of at most \(quotas.steps.perClient)")
            }
        }
        if more.bytes > 0 {
            guard own.bytes + more.bytes <= quotas.bytes.perClient else {
                throw FlowError(
                    .limitExceeded,
                    "arguments of live presentables that '\(client.name)' has made take \(own.bytes) "
                        + "of at most \(quotas.bytes.perClient) bytes")
            }
        }
    }

    /// Counts more, or less where the numbers are negative.
    mutating func count(_ change: Tally, for client: Client) {
        if change == Tally() { return }
        total += change
        guard client != .daemon else { return }
        var own = clients[client] ?? Tally()
        own += change
        clients[client] = own == Tally() ? nil : own
    }

    /// Counts a node that is gone.
    mutating func release(_ node: Node) {
        node.forEachHolding { count(-$1, for: $0) }
    }
}

extension Node {
    /// How many bytes of arguments it holds for who made it: its own, and those of the step that its dismissal sets off.
    var byteCount: Int { arguments.byteCount + (onDismissed?.byteCount ?? 0) }

    /// What the node holds, and for whom.
    func forEachHolding(_ body: (Client, Ledger.Tally) -> Void) {
        body(client, Ledger.Tally(nodes: 1, bytes: byteCount))
        if let held = initialStep { body(held.client, Ledger.Tally(bytes: held.arguments.byteCount)) }
        for held in keptSteps { body(held.client, Ledger.Tally(steps: 1, bytes: held.arguments.byteCount)) }
        if let last = flow?.last { body(last.client, Ledger.Tally(bytes: last.byteCount)) }
    }

    /// The same for one client, and in total.
    func holding(for client: Client) -> (own: Ledger.Tally, total: Ledger.Tally) {
        var (own, total) = (Ledger.Tally(), Ledger.Tally())
        forEachHolding { holder, tally in
            total += tally
            if holder == client { own += tally }
        }
        return (own, total)
    }
}
