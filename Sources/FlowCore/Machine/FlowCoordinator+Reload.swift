// New definitions for live flows.

extension FlowCoordinator {
    /// Live flows follow the new rules from their next step. Presentables that no definition declares any more are
    /// dismissed; initial steps that wait and are no longer declared, or whose arguments no longer fit, are dropped and
    /// told (S-12).
    mutating func reload(_ new: Definitions) {
        // What goes is named by the old definitions, so it goes before the new ones are in force.
        removeUndeclared(in: new)
        renewHeldSteps(for: new)
        definitions = new
        for slot in forest.preorder() where forest.nodes[slot].flow != nil {
            guard let flow = new.flow(named: forest.nodes[slot].name) else {
                preconditionFailure("'\(forest.nodes[slot].path)' outlived its definition")
            }
            forest.nodes[slot].flow?.definition = flow
            forest.nodes[slot].flow?.covering = new.flows[flow.index].children
        }
        forest.settleAll()
        tellChanges()
        setOffPresented()
    }

    private mutating func removeUndeclared(in new: Definitions) {
        for id in forest.preorder().map(forest.id(of:)) {
            // It may have gone with its parent already.
            guard let slot = forest.slot(of: id) else { continue }
            let isDeclared =
                forest.nodes[slot].flow != nil
                ? new.flow(named: forest.nodes[slot].name) != nil : new.screen(named: forest.nodes[slot].name) != nil
            if !isDeclared { remove(slot) }
        }
    }

    private mutating func renewHeldSteps(for new: Definitions) {
        for slot in forest.preorder() {
            guard let held = forest.nodes[slot].initialStep else { continue }
            let before = held.arguments.byteCount
            do throws(FlowError) {
                let renewed = try renew(held, for: new)
                forest.nodes[slot].initialStep = renewed
                ledger.count(Ledger.Tally(bytes: renewed.arguments.byteCount - before), for: forest.nodes[slot].client)
            } catch {
                forest.nodes[slot].initialStep = nil
                ledger.count(Ledger.Tally(bytes: -before), for: forest.nodes[slot].client)
                tellDropped(held, error, at: forest.nodes[slot].parentPath)
                release(origin: held.origin)
            }
        }
    }

    /// The same step as the new definitions declare it.
    private func renew(_ held: HeldStep, for new: Definitions) throws(FlowError) -> HeldStep {
        let name = definitions.steps[held.step.index].name
        guard let step = new.step(named: name) else { throw new.unknownStep(name) }
        let declaration = new.steps[step.index]
        var renewed = held
        renewed.step = step
        renewed.arguments = try Declaration.admit(
            held.arguments, as: declaration.parameters, of: "step '\(name)'", isPrivate: declaration.isPrivate)
        return renewed
    }
}
