// The definitions of live flows: which flow takes a step, which alternative matches it, which clients may emit it, and its
// policy while a presentable is not presented.

extension Machine {
    /// The flow that handles steps emitted on a presentable (S-4).
    func flow(for slot: NodeSlot) -> NodeSlot {
        if forest[slot].flow == nil, let parent = forest[slot].parent { return parent }
        return slot
    }

    /// The place in the files of the root of `autostart` that a root is; nil if it is none.
    func autostartPlace(of root: NodeSlot) -> Int? {
        let node = forest[root]
        let home = node.flow?.kept.away?.output ?? node.output
        let places = definitions.autostart.indices.filter { place in
            let entry = definitions.autostart[place]
            guard entry.flow == node.flow?.definition else { return false }
            let id = definitions.id(of: entry)
            if !entry.isPerOutput, node.id == id { return true }
            // Roots of a client can have an id like theirs.
            return node.client == .daemon
                && (entry.isPerOutput ? node.id.hasPrefix(id + "_") : entry.id == nil)
        }
        return places.first { definitions.id(of: definitions.autostart[$0]) == node.id }
            ?? places.first { definitions.autostart[$0].isFor(home) } ?? places.first
    }

    func unhandled(_ step: StepID, at flow: NodeID?) -> String {
        guard let flow = forest.slot(of: flow) else { return "the flow has ended" }
        let definition = definitions[definition(of: flow)]
        let name = definitions[step].name
        if let navigator = definition.navigator {
            return "the navigator '\(navigator.service.name)' of flow '\(definition.name)' does not take step '\(name)'"
        }
        return definition.rule(for: step) == nil
            ? "flow '\(definition.name)' has no rule for step '\(name)'"
            : "no alternative of flow '\(definition.name)' for step '\(name)' matches"
    }

    /// The contributors of the first alternative that matches a step; nil if none does.
    func contributors(for step: WaitingStep, at flow: NodeSlot) -> [FlowContributor]? {
        rule(for: step.step, at: flow)?.alternatives.first { matches($0, step.arguments, flow) }?.contributors
    }

    /// Whether the rules of a flow take a step without arguments now.
    func takes(_ step: StepID, at flow: NodeSlot) -> Bool {
        rule(for: step, at: flow)?.alternatives.contains { matches($0, [], flow) } ?? false
    }

    private func rule(for step: StepID, at flow: NodeSlot) -> Rule? {
        let flow = definition(of: flow).index
        return definitions.flows[flow].rule(for: step).map { definitions.flows[flow].rules[$0] }
    }

    /// Whether an alternative matches a step with these arguments.
    func matches(_ alternative: Alternative, _ arguments: Arguments, _ flow: NodeSlot) -> Bool {
        (alternative.when.isEmpty || alternative.when.allSatisfy { isMet($0, arguments, flow) })
            && (alternative.unless.isEmpty || !alternative.unless.allSatisfy { isMet($0, arguments, flow) })
    }

    func isMet(_ condition: Condition, _ arguments: Arguments, _ flow: NodeSlot) -> Bool {
        switch condition {
        case .argument(let name, let value): arguments[name]?.value == value
        case .alive(let name): forest.isAlive(sought(name, arguments, flow), near: flow)
        case .context(let name, let value): forest.contextValue(name, from: flow)?.value == value
        case .same(let one, let other): areSame(one, other, arguments, flow)
        }
    }

    private func areSame(
        _ one: Binding.Source, _ other: Binding.Source, _ arguments: Arguments, _ flow: NodeSlot
    ) -> Bool {
        guard let (one, other) = compared(one, other, arguments, flow) else { return false }
        return [one].have([other], of: [""])
    }

    /// The values that a condition compares; nil if one is absent.
    func compared(
        _ one: Binding.Source, _ other: Binding.Source, _ arguments: Arguments, _ flow: NodeSlot
    ) -> (Argument, Argument)? {
        let scope = Planner.Scope(arguments: arguments, flow: flow, origin: 0, now: begun)
        guard let one = Planner.value(of: Binding("", one), scope, forest),
            let other = Planner.value(of: Binding("", other), scope, forest)
        else { return nil }
        return (one, other)
    }

    /// What a condition means by a name.
    func sought(_ name: KeyedName, _ arguments: Arguments, _ flow: NodeSlot) -> Sought {
        let scope = Planner.Scope(arguments: arguments, flow: flow, origin: 0, now: begun)
        return Planner.sought(name, scope, forest)
    }

    func definition(of flow: NodeSlot) -> FlowID {
        guard let state = forest[flow].flow else {
            preconditionFailure("a step was sent to '\(forest[flow].path)', which is a screen")
        }
        return state.definition
    }

    /// Refuses a client that owns none of a definition's `emitters` (S-5).
    ///
    /// - Parameters:
    ///   - namesOwners: whether the owners of presentables may do it, too, for the text of the error.
    ///   - allowance: what only the owners may do, for the text of the error.
    func checkEmitter(
        _ client: Client, of flow: FlowID, orOwners namesOwners: Bool = false, _ allowance: () -> String
    ) throws(FlowError) {
        if definitions.flows[flow.index].emitters.isEmpty { return }
        let definition = definitions.flows[flow.index]
        guard !definition.emitters.contains(where: { nameOwners[$0] == client }) else { return }
        let owners = definition.emitters.map { "'\($0)'" }.joined(separator: " or ")
        throw FlowError(
            .accessDenied,
            "flow '\(definition.name)' \(allowance()) the owner of \(owners) on the bus"
                + (namesOwners
                    ? ", or from the owners of its presentables; '\(client.name)' is none of them"
                    : ", which '\(client.name)' is not"))
    }

    /// What happens to a step on a presentable that is not presented; by its own setting alone (S-15).
    func whenHidden(_ slot: NodeSlot) -> WhenHidden {
        if let own = forest[slot].whenHidden { return own }
        guard let definition = forest[slot].flow?.definition else { return .ignore }
        return definitions.flows[definition.index].whenHidden
    }
}
