// New definitions for live flows.

extension FlowCoordinator {
    /// Live flows follow the new rules from their next step. Presentables that no definition declares any more are
    /// dismissed; initial steps that wait and are no longer declared, or whose arguments no longer fit, are dropped and
    /// told (S-12).
    mutating func reload(_ new: Definitions) {
        let old = definitions
        // What goes is named by the old definitions, so it goes before the new ones are in force.
        removeUndeclared(in: new)
        renewSteps(for: new)
        definitions = new
        for slot in forest.preorder() where forest.nodes[slot].flow != nil {
            guard let flow = new.flow(named: forest.nodes[slot].name) else {
                preconditionFailure("'\(forest.nodes[slot].path)' outlived its definition")
            }
            forest.nodes[slot].flow?.definition = flow
            forest.nodes[slot].flow?.covering = new.flows[flow.index].children
            hideLastNavigation(of: slot)
        }
        watchAll(unlike: old)
        forest.settleAll()
        tellChanges()
        setOffPresented()
    }

    /// The arguments of a step that is private now are nobody's business any more.
    private mutating func hideLastNavigation(of slot: Int) {
        guard let last = forest.nodes[slot].flow?.last, !last.arguments.isEmpty,
            let step = definitions.step(named: last.step), definitions[step].isPrivate
        else { return }
        ledger.count(Ledger.Tally(bytes: -last.byteCount), for: last.client)
        forest.nodes[slot].flow?.last = LastNavigation(
            serial: last.serial, step: last.step, arguments: [], client: last.client, byteCount: 0)
    }

    private mutating func removeUndeclared(in new: Definitions) {
        for id in forest.preorder().map(forest.id(of:)) {
            // It may have gone with its parent already.
            guard let slot = forest.slot(of: id) else { continue }
            let isDeclared =
                forest.nodes[slot].flow != nil
                ? new.flow(named: forest.nodes[slot].name) != nil : new.screen(named: forest.nodes[slot].name) != nil
            if isDeclared { continue }
            let parent = forest.nodes[slot].parent
            // The tree is settled when all changes are made, so that nobody is told of a state that lasts for no time.
            dropSteps(of: takeOut(slot, below: parent), heir: parent)
        }
    }

    /// What waits at presentables goes on by the new definitions, or is dropped and told (S-12).
    private mutating func renewSteps(for new: Definitions) {
        for slot in forest.preorder() {
            let flow = flow(for: slot)
            if let held = forest.nodes[slot].initialStep {
                forest.nodes[slot].initialStep = renew(held, at: flow, for: new)
                if forest.nodes[slot].initialStep == nil { release(origin: held.origin) }
            }
            let kept = forest.nodes[slot].keptSteps
            if !kept.isEmpty {
                forest.nodes[slot].keptSteps = kept.compactMap { held in
                    let renewed = renew(held, at: flow, for: new)
                    if renewed == nil {
                        forest.nodes[flow].flow?.keptCount -= 1
                        ledger.count(Ledger.Tally(steps: -1), for: held.client)
                    }
                    return renewed
                }
            }
            if let onDismissed = forest.nodes[slot].onDismissed {
                // One that is declared no longer is nothing that anybody waits for.
                forest.nodes[slot].onDismissed = new.step(named: definitions[onDismissed.step].name).map {
                    StepTemplate($0, arguments: onDismissed.arguments)
                }
            }
        }
    }

    /// The same step as the new definitions declare it; nil where they don't, which is told.
    private mutating func renew(_ held: HeldStep, at flow: Int, for new: Definitions) -> HeldStep? {
        let before = held.arguments.byteCount
        do throws(FlowError) {
            let renewed = try renewed(held, for: new)
            ledger.count(Ledger.Tally(bytes: renewed.arguments.byteCount - before), for: held.client)
            return renewed
        } catch {
            ledger.count(Ledger.Tally(bytes: -before), for: held.client)
            tellDropped(held, error, at: forest.nodes[flow].path)
            return nil
        }
    }

    private func renewed(_ held: HeldStep, for new: Definitions) throws(FlowError) -> HeldStep {
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
