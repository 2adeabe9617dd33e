// A client emits several steps on a presentable: each when the one before has ended with its cascade (S-7).

extension Machine {
    /// A client emits steps on a presentable. Each is emitted when the one before has ended with its cascade (S-7).
    mutating func emit(
        _ steps: [EmittedStep], on node: NodeID, by client: Client, calledAt calledPath: String?, _ request: RequestID,
        _ turn: inout Turn
    ) {
        guard steps.count <= Limits.waitingStepsPerFlow else {
            let error = FlowError(
                .limitExceeded, "\(steps.count) steps in one call, of at most \(Limits.waitingStepsPerFlow)")
            turn.answer = .fail(request, error)
            return
        }
        // If the presentable is gone, each step is refused.
        let path = calledPath ?? forest.slot(of: node).map { forest[$0].path } ?? ""
        let list = StepList(node: node, path: path, steps: steps)
        var call = Call(client: client, kind: .list(list))
        do throws(FlowError) {
            if definitions.askOthers { call.usage = try usage(of: steps, on: node, for: client, &turn) }
        } catch {
            turn.answer = .fail(request, error)
            return
        }
        emitRest(of: list, call, request, &turn)
    }

    /// The usage of steps that may have to wait.
    private mutating func usage(
        of steps: [EmittedStep], on node: NodeID, for client: Client, _ turn: inout Turn
    ) throws(FlowError) -> Accounting.Usage {
        var usage = Accounting.Usage(steps: steps.count)
        for case .step(_, let arguments) in steps { usage.bytes += arguments.byteCount }
        try reserve(usage, for: client, sparing: forest.slot(of: node), &turn)
        return usage
    }

    /// Emits the remaining steps, as long as none has to wait.
    mutating func emitRest(of list: StepList, _ call: Call, _ request: RequestID, _ turn: inout Turn) {
        var (list, call) = (list, call)
        drop(request)
        while list.outcomes.count < list.steps.count {
            let outcome: Outcome
            switch list.steps[list.outcomes.count] {
            case .refused(let error): outcome = .refused(error)
            case .step(let step, let arguments):
                switch emit(
                    step, arguments, on: list.node, by: call.client, nil,
                    .listed(request, place: list.outcomes.count), &turn)
                {
                case .ended(let ended), .taken(let ended): outcome = ended
                case .waiting:
                    call.kind = .list(list)
                    return suspend(request, call, &turn)
                }
            }
            list.outcomes.append(outcome)
            if call.isAnswered { reportConclusion(outcome, of: call, at: list.path, &turn) }
            if !run(&turn) || (turn.isOver && list.outcomes.count < list.steps.count) {
                call.kind = .list(list)
                return park(request, call, &turn)
            }
        }
        if !call.isAnswered { finishCall(request, .reply(request, .verdicts(list.outcomes)), &turn) }
    }
}
