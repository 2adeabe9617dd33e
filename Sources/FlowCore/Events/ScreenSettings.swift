// What the owner of a screen sets: the step for Back, a title, the state that its next process gets (S-39, S-44). How it
// answers (S-45).

/// What only the owner of a screen can do with it.
enum ScreenChange {
    /// Sets the step that Back takes on it; nil for none (S-39).
    case backStep(StepID?)
    /// Gives it a title; empty for none (S-44).
    case title(String)
    /// Saves what the next process that presents it needs to go on; empty for nothing (S-44).
    case state(Arguments)
    /// Answers: the screen goes with a result (S-45).
    case result(Arguments)

    /// What only a screen can.
    fileprivate var purpose: String {
        switch self {
        case .backStep: "have a step for Back"
        case .title: "have a title"
        case .state: "have a saved state"
        case .result: "be finished; a flow answers by an 'end' with 'result'"
        }
    }
}

extension Machine {
    /// A client changes a screen, which it has to own.
    mutating func changeScreen(
        _ node: NodeID, _ change: ScreenChange, by client: Client, _ request: RequestID, _ turn: inout Turn
    ) {
        do throws(FlowError) {
            guard let slot = forest.slot(of: node) else { throw Self.gone }
            try checkIsOwned(slot, by: client, to: change.purpose)
            switch change {
            case .backStep(let step):
                try checkBackStep(step)
                setBackStep(step, of: slot)
            case .title(let title):
                try check(title: title)
                forest.update(slot) { $0.kept.title = title }
            case .state(let state): try saveState(state, of: slot, &turn)
            case .result(let result): try finishScreen(slot, result, by: client, &turn)
            }
            reportChanges(&turn)
            turn.answer = .reply(request, .done)
        } catch {
            turn.answer = .fail(request, error)
        }
    }

    /// Refuses what belongs to arguments that the screen does not have any more. Its owner can't know, as the call of `Present` that
    /// tells it was not answered yet.
    private func checkArgumentsAreKnown(_ slot: NodeSlot) throws(FlowError) {
        guard forest[slot].presenting?.kept.isOutdated == true else { return }
        throw FlowError(
            .staleArguments,
            "'\(forest[slot].path)' was reused with other arguments, of which 'Present' tells its owner; that call has to be "
                + "answered first")
    }

    private mutating func saveState(_ state: Arguments, of slot: NodeSlot, _ turn: inout Turn) throws(FlowError) {
        try checkArgumentsAreKnown(slot)
        guard state.byteCount <= Limits.argumentBytes else {
            throw FlowError(
                .limitExceeded,
                "the state takes \(state.byteCount) bytes; it can take at most \(Limits.argumentBytes)")
        }
        // It counts for the client that the screen's arguments count for, which may be another one.
        let more = Accounting.Usage(bytes: state.byteCount - forest[slot].savedState.byteCount)
        try reserve(more, for: forest[slot].client, sparing: slot, &turn)
        forest.updateUsage(slot) { $0.savedState = state }
    }

    private mutating func finishScreen(
        _ slot: NodeSlot, _ result: Arguments, by client: Client, _ turn: inout Turn
    ) throws(FlowError) {
        let name = forest[slot].name
        guard forest[slot].flow == nil, let declaration = definitions.screen(named: name).map({ definitions[$0] }),
            let declared = declaration.result
        else {
            throw FlowError(
                .notSupported, "screen '\(name)' declares no 'result', so it can't be finished with one")
        }
        try checkArgumentsAreKnown(slot)
        let admitted = try Declaration.admit(
            result, as: declared, of: "the result of screen '\(name)'", isPrivate: !declaration.isResultPublic)
        removeOwner(slot, &turn)
        remove(slot, .answer(admitted), origin: origins.next(), cause: 0, client, &turn)
    }
}
