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

    /// Whether a registration was left behind by a client that is gone, and this client has its bus name: the same program,
    /// started again.
    private func isLeft(_ registration: Registration, to client: Client) -> Bool {
        !watches.contains(registration.client) && nameOwners.owns(client, registration.service.name)
    }
}
