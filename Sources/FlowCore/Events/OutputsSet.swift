// A client says which outputs there are (S-53).

extension Machine {
    /// The setter of the outputs lists them. An empty list changes nothing: a compositor that restarts has none for a moment.
    mutating func setOutputs(
        _ given: [String], by client: Client, _ request: RequestID, _ turn: inout Turn
    ) {
        do throws(FlowError) {
            try checkSetter(client)
            try Self.checkOutputs(given)
        } catch {
            turn.answer = .fail(request, error)
            return
        }
        if !given.isEmpty { exchangeOutputs(for: given, &turn) }
        turn.answer = .reply(request, .done)
    }

    private mutating func exchangeOutputs(for list: [String], _ turn: inout Turn) {
        let new = list.filter { !outputs.isPresent($0) }
        outputs.set(list, missing: outputsOfMovableRoots(), at: turn.now)
        endOutputs(at: turn.now, &turn)
        for name in new { outputCame(name, &turn) }
        watchOutputs()
    }

    private func checkSetter(_ client: Client) throws(FlowError) {
        guard let setter = definitions.outputSetter else {
            throw FlowError(
                .accessDenied,
                "the definition files name nobody who sets the outputs: [outputs] setter = \"NAME\"")
        }
        guard nameOwners[setter] == client else {
            throw FlowError(
                .accessDenied,
                "the outputs are set only by the owner of '\(setter)' on the bus, which '\(client.name)' is not")
        }
    }

    private static func checkOutputs(_ given: [String]) throws(FlowError) {
        guard given.count <= Limits.outputs else {
            throw FlowError(.limitExceeded, "there are \(given.count) outputs of at most \(Limits.outputs)")
        }
        for (place, name) in given.enumerated() {
            if let problem = Names.problem(output: name, canBeNone: false) {
                throw FlowError(.invalidArguments, problem)
            }
            guard !given[..<place].contains(name) else {
                throw FlowError(
                    .invalidArguments,
                    "the output '\(Names.escaped(name))' is given twice; each stands in the list once")
            }
        }
    }
}
