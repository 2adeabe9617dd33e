// A client sets values of the context (S-57).

extension Machine {
    /// A client sets values that a flow sees, or with nil those of the coordinator: all of them, or none.
    mutating func setContext(
        _ given: Arguments, of node: NodeID?, by client: Client, _ request: RequestID, _ turn: inout Turn
    ) {
        let flow = forest.slot(of: node)
        if node != nil, flow == nil { return refuseGone(request, &turn) }
        let settings: [Plan.ContextSetting]
        do throws(FlowError) {
            for argument in given { try checkSetter(client, of: argument.name, from: flow) }
            settings = try Planner.settings(given, from: flow, forest, definitions)
            try Planner.checkContext(settings, forest)
        } catch {
            turn.answer = .fail(request, error)
            return
        }
        let changed = setContext(settings, &turn)
        reportChanges(&turn)
        tellContext(of: changed, &turn)
        triggerChanged(changed, by: client, &turn)
        turn.answer = .reply(request, .done)
    }

    /// Refuses a client that owns none of the bus names that may set a value.
    private func checkSetter(_ client: Client, of name: String, from flow: NodeSlot?) throws(FlowError) {
        let (_, declared) = try Planner.context(name, from: flow, forest, definitions)
        guard !declared.setters.contains(where: { nameOwners[$0] == client }) else { return }
        let others =
            declared.setters.isEmpty ? "" : " and the owner of \(Names.list(declared.setters, "or")) on the bus"
        throw FlowError(
            .accessDenied,
            "the value '\(name)' of the context is set only by rules\(others), which '\(client.name)' is not")
    }

    /// Triggers the steps that follow from other values: all of one origin.
    private mutating func triggerChanged(
        _ changed: [Plan.ContextSetting], by client: Client, _ turn: inout Turn
    ) {
        let steps = stepsAfter(changed)
        if steps.isEmpty { return }
        let origin = origins.next()
        for (flow, next) in steps {
            let step = WaitingStep(
                origin: origin, client: client, flow: forest.id(of: flow), step: next, arguments: [], cause: 0,
                purpose: .triggered)
            if mayTrigger(step, &turn) { queue.insert(contentsOf: [step]) }
        }
    }
}
