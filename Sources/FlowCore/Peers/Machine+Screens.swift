// What the owner of a screen sets: the step for Back, a title, the state that its next process gets (S-39, S-44).

extension Machine {
    /// The slot of a screen that a client owns. Flows don't have what the call sets.
    private func ownedScreen(
        _ node: NodeID, by client: Client, setting what: String
    ) throws(FlowError) -> NodeSlot {
        guard let slot = forest.slot(of: node) else { throw Self.gone }
        guard forest[slot].flow == nil else {
            throw FlowError(.notSupported, "'\(forest[slot].path)' is a flow; only a screen can have \(what)")
        }
        guard forest[slot].owner == client else { throw notOwner(slot, client) }
        return slot
    }

    /// The owner of a screen sets the step that Back takes on it; nil for none (S-39).
    mutating func setBackStep(
        of node: NodeID, _ step: StepID?, by client: Client, _ request: RequestID, _ turn: inout Turn
    ) {
        do throws(FlowError) {
            let slot = try ownedScreen(node, by: client, setting: "a step for Back")
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
            let slot = try ownedScreen(node, by: client, setting: "a title")
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
            let slot = try ownedScreen(node, by: client, setting: "a saved state")
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
}
