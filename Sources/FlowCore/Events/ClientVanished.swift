// A client has left the bus (S-30), and with it the flows that it had registered, unless the bus can start it again (S-32).

extension Machine {
    /// A client has left the bus.
    mutating func clientDisconnected(_ client: Client, _ turn: inout Turn) {
        tokens.forget(client)
        if !asks.isEmpty { endAsks(of: client) }
        forest.abandonAll(client)
        // Only watched clients have presentables, which are searched among all.
        guard watches.removeAll(of: client) else { return }
        // A program may have many screens of one name: it crashed once.
        var counted: Set<Forest.NameInFlow> = []
        let owned = forest.preorder().filter { forest[$0].owner == client }.map { forest.id(of: $0) }
        for id in owned {
            // It may be gone with its parent.
            guard let slot = forest.slot(of: id) else { continue }
            if forest[slot].presenting?.kept.eviction == .underWay {
                endEviction(of: slot, &turn)
                continue
            }
            removeOwner(slot, &turn)
            // A flow can have the name of a screen.
            let counts = forest[slot].presenting != nil && counted.insert(forest.nameInFlow(of: slot)).inserted
            loseOwner(slot, .ownerGone, counts: counts, by: client, &turn)
        }
        leaveRegistrations(of: client, &turn)
    }

    /// A client has left the bus: asks that belong to its connection are gone.
    private mutating func endAsks(of client: Client) {
        for number in asks.leave(client) { forgetAsk(number) }
        // Those of presentables can be reclaimed with these from now on.
        forest.noteReclaimChange()
    }

    /// Removes the registrations of a client that is gone, except those that the bus can start again.
    private mutating func leaveRegistrations(of client: Client, _ turn: inout Turn) {
        let flows = Set(registrations.all.lazy.filter { $0.client == client }.map(\.flow))
        if flows.isEmpty { return }
        // By flow: the bus name may belong to another client by now, which has flows of its own.
        dismissFlows(client, &turn) { flows.contains($0.name) }
        // Ends the cascades with the former definitions.
        run(&turn)
        let staying = stayingFlows(of: client)
        removeRegistrations(&turn) { $0.client == client && !staying.contains($0.flow) }
        registrations.leave(flows)
    }

    /// The flows that stay when their client is gone, because the bus can start it again; no more than clients that are
    /// gone may have together (S-33).
    private func stayingFlows(of client: Client) -> Set<String> {
        var (count, bytes) = (0, 0)
        for registration in registrations.all
        where !watches.contains(registration.client) && registration.client != client {
            count += 1
            bytes += registration.byteCount
        }
        var staying: Set<String> = []
        for registration in registrations.all where registration.client == client && registration.isActivatable {
            count += 1
            bytes += registration.byteCount
            guard count <= accounting.quotas.flows.share, bytes <= accounting.quotas.declarations.share else { break }
            staying.insert(registration.flow)
        }
        return staying
    }
}
