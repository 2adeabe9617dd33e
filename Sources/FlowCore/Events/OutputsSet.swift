// A client says which outputs there are (S-53).

extension Machine {
    /// The setter of the outputs lists them. An empty list changes nothing: a compositor that restarts has none for a moment.
    mutating func setOutputs(
        _ given: [String], _ sizes: [OutputSize], by client: Client, _ request: RequestID, _ turn: inout Turn
    ) {
        do throws(FlowError) {
            try checkSetter(client)
            try Self.checkOutputs(given)
            try Self.check(sizes, of: given)
        } catch {
            turn.answer = .fail(request, error)
            return
        }
        if !given.isEmpty { exchangeOutputs(for: given, sizes, &turn) }
        turn.answer = .reply(request, .done)
    }

    private mutating func exchangeOutputs(for list: [String], _ sizes: [OutputSize], _ turn: inout Turn) {
        let new = list.filter { !outputs.isPresent($0) }
        outputs.set(list, sizes, missing: outputsOfMovableRoots(), at: turn.now)
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

    private static func check(_ sizes: [OutputSize], of given: [String]) throws(FlowError) {
        for (place, size) in sizes.enumerated() {
            let name = "'\(Names.escaped(size.output))'"
            guard given.contains(size.output) else {
                throw FlowError(
                    .invalidArguments, "there is a size for \(name), which is none of the outputs that are given")
            }
            guard !sizes[..<place].contains(where: { $0.output == size.output }) else {
                throw FlowError(.invalidArguments, "there are two sizes for the output \(name)")
            }
            guard OutputSize.sides.contains(size.width), OutputSize.sides.contains(size.height) else {
                throw FlowError(
                    .invalidArguments,
                    "the output \(name) can't be '\(size.width)x\(size.height)' pixels large: each side has to be from "
                        + "\(OutputSize.sides.lowerBound) to \(OutputSize.sides.upperBound)")
            }
        }
    }
}
