// What the owner of a screen sets: the step for Back, a title, the state that its next process gets (S-39, S-44). How it
// answers (S-45).

extension Machine {
    /// The slot of a screen that a client owns. The call is not for flows.
    private func ownedScreen(
        _ node: NodeID, by client: Client, _ purpose: String
    ) throws(FlowError) -> NodeSlot {
        guard let slot = forest.slot(of: node) else { throw Self.gone }
        guard forest[slot].flow == nil else {
            throw FlowError(.notSupported, "'\(forest[slot].path)' is a flow; only a screen can \(purpose)")
        }
        guard forest[slot].owner == client else { throw notOwner(slot, client) }
        return slot
    }

    /// The owner of a screen sets the step that Back takes on it; nil for none (S-39).
    mutating func setBackStep(
        of node: NodeID, _ step: StepID?, by client: Client, _ request: RequestID, _ turn: inout Turn
    ) {
        do throws(FlowError) {
            let slot = try ownedScreen(node, by: client, "have a step for Back")
            if let step, let parameter = definitions[step].requiredParameter {
                throw FlowError(
                    .invalidArguments,
                    "step '\(definitions[step].name)' needs the argument '\(parameter.name)', but Back gives none; it has "
                        + "to be a step that needs no arguments")
            }
            let name = step.map { definitions[$0].name }
            forest.update(slot) { $0.backStep = name }
            turn.answer = .reply(request, .done)
        } catch {
            turn.answer = .fail(request, error)
        }
    }

    /// The owner of a screen gives it a title; empty for none (S-44).
    mutating func setTitle(
        of node: NodeID, _ title: String, by client: Client, _ request: RequestID, _ turn: inout Turn
    ) {
        do throws(FlowError) {
            let slot = try ownedScreen(node, by: client, "have a title")
            let count = title.utf8.count
            guard count <= Limits.titleLength else {
                throw FlowError(
                    .limitExceeded, "the title has \(count) bytes; it can have at most \(Limits.titleLength)")
            }
            forest.update(slot) { $0.title = title }
            reportChanges(&turn)
            turn.answer = .reply(request, .done)
        } catch {
            turn.answer = .fail(request, error)
        }
    }

    /// The owner of a screen saves what the next process that presents it needs to go on; empty for nothing (S-44).
    mutating func saveState(
        _ state: Arguments, of node: NodeID, by client: Client, _ request: RequestID, _ turn: inout Turn
    ) {
        do throws(FlowError) {
            let slot = try ownedScreen(node, by: client, "have a saved state")
            guard state.byteCount <= Limits.argumentBytes else {
                throw FlowError(
                    .limitExceeded,
                    "the state takes \(state.byteCount) bytes; it can take at most \(Limits.argumentBytes)")
            }
            // It counts for the client that the screen's arguments count for, which may be another one.
            let more = Accounting.Usage(bytes: state.byteCount - forest[slot].savedState.byteCount)
            try reserve(more, for: forest[slot].client, sparing: slot, &turn)
            forest.setSavedState(state, of: slot)
            turn.answer = .reply(request, .done)
        } catch {
            turn.answer = .fail(request, error)
        }
    }

    /// The owner of a screen answers: the screen goes with a result (S-45).
    mutating func finish(
        _ node: NodeID, _ result: Arguments, by client: Client, _ request: RequestID, _ turn: inout Turn
    ) {
        do throws(FlowError) {
            let slot = try ownedScreen(node, by: client, "be finished; a flow answers by an 'end' with 'result'")
            let name = forest[slot].name
            guard let declared = definitions.screen(named: name).flatMap({ definitions[$0].result }) else {
                throw FlowError(
                    .notSupported, "screen '\(name)' declares no 'result', so it can't be finished with one")
            }
            let admitted = try Declaration.admit(
                result, as: declared, of: "the result of screen '\(name)'", isPrivate: true)
            removeOwner(slot, &turn)
            remove(slot, .answer(admitted), origin: origins.next(), cause: 0, client, &turn)
            turn.answer = .reply(request, .done)
        } catch {
            turn.answer = .fail(request, error)
        }
    }
}
