// Flows that clients implement (S-32). Their definitions exist as long as the client is connected, or the bus can start it
// again.

extension Machine {
    /// A client registers a flow, or changes its registration: then live flows continue with the new one, as after Reload.
    mutating func register(_ candidate: Registration, _ request: RequestID, _ turn: inout Turn) {
        // A client may repeat a registration when it is not sure.
        if registrations.all.contains(candidate) {
            turn.answer = .reply(request, .done)
            return
        }
        let former = registrations[candidate.flow].flatMap {
            $0.client == candidate.client || isLeft($0, to: candidate.client) ? $0 : nil
        }
        // The registration may be one that its client left behind, and then is not watched.
        let isWatched = former?.client == candidate.client && watches.contains(candidate.client)
        do throws(FlowError) {
            try registrations.check(candidate, inPlaceOf: former, definitions, accounting)
        } catch {
            turn.answer = .fail(request, error)
            return
        }
        registrations.register(candidate)
        if !isWatched { watchClient(candidate.client) }
        let new = registrations.definitions
        if new != definitions {
            exchange(new, &turn)
            turn.effects.append(.emitDefinitionsChanged)
        }
        turn.answer = .reply(request, .done)
    }

    /// A client unregisters a flow; live flows of it are dismissed.
    mutating func unregister(_ flow: String, by client: Client, _ request: RequestID, _ turn: inout Turn) {
        guard let registration = registrations[flow] else {
            let isDefined = definitions.flow(named: flow) != nil
            let error =
                isDefined
                ? FlowError(.notOwner, "flow '\(flow)' is defined by a file; nobody can unregister it")
                : FlowError(
                    .unknownFlow,
                    "no flow '\(Names.escaped(flow))' is registered"
                        + Names.suggestion(for: flow, among: registrations.all.lazy.map(\.flow)))
            turn.answer = .fail(request, error)
            return
        }
        let owner = registration.client
        guard owner == client || isLeft(registration, to: client) else {
            let text = "flow '\(flow)' is registered by '\(owner.name)', not by '\(client.name)'"
            turn.answer = .fail(request, FlowError(.notOwner, text))
            return
        }
        removeRegistrations(&turn) { $0.flow == flow }
        watches.remove(owner)
        turn.answer = .reply(request, .done)
    }

    /// Removes the registrations of a client that is gone, except those that the bus can start again.
    mutating func leaveRegistrations(of client: Client, _ turn: inout Turn) {
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

    /// Whether a registration was left behind by a client that is gone, and this client has its bus name: the same program,
    /// started again.
    private func isLeft(_ registration: Registration, to client: Client) -> Bool {
        !watches.contains(registration.client) && nameOwners.owns(client, registration.service.name)
    }

    private mutating func removeRegistrations(_ turn: inout Turn, where isOver: (Registration) -> Bool) {
        if registrations.remove(where: isOver).isEmpty { return }
        exchange(registrations.definitions, &turn)
        turn.effects.append(.emitDefinitionsChanged)
    }
}
