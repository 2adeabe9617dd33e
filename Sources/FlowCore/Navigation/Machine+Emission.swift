// Steps from outside: emitters, the gate, and deferred steps (S-4, S-15).

extension Machine {
    /// A client emits a step on a presentable.
    mutating func emit(
        _ step: StepID, _ arguments: Arguments, on node: NodeID, by client: Client, _ options: EmissionOptions?,
        _ request: RequestID, _ turn: inout Turn
    ) {
        let waits = options?.waits ?? true
        if let options {
            guard begin(options, on: node, by: client, request, &turn) else { return }
            turn.call.path = options.calledAt
        }
        switch emit(step, arguments, on: node, by: client, options, waits: waits, .emitted(request), &turn) {
        case .ended(let outcome):
            turn.answer = Self.answer(request, outcome)
            if let options, options.asks { decideAsk(of: request, outcome, &turn) }
        case .taken: break
        case .waiting:
            let path = turn.call.path ?? forest[node.slot].path
            suspend(request, Call(client: client, kind: .step(path: path, turn.call.token)), &turn)
            if !waits { replyTimedOut(request, &turn) }
        }
    }

    /// Returns whether the step can be emitted with these options; otherwise the call has its answer, or gets it with that of an
    /// earlier one.
    private mutating func begin(
        _ options: EmissionOptions, on node: NodeID, by client: Client, _ request: RequestID, _ turn: inout Turn
    ) -> Bool {
        if answerAgain(options, on: node, by: client, request, &turn) { return false }
        if let wanted = options.instance, wanted != node.instance {
            let error = FlowError(
                .staleInstance,
                "instance '\(wanted)' is meant, but the presentable at this path is instance '\(node.instance)'")
            turn.answer = .fail(request, error)
            return false
        }
        guard options.asks, let token = options.token else { return true }
        do throws(FlowError) {
            try checkAsk(token, on: node, by: client, &turn)
        } catch {
            // Nothing is remembered: the same call can be made when there is room.
            turn.call.token = nil
            turn.answer = .fail(request, error)
            return false
        }
        return true
    }

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

    /// A client reports input that is no step: it reaches the flow of a presented presentable, as a step would (S-34).
    mutating func touch(_ node: NodeID, by client: Client, _ request: RequestID, _ turn: inout Turn) {
        guard let slot = forest.slot(of: node) else { return refuseGone(request, &turn) }
        let flow = flow(for: slot)
        let place = slot == flow ? nil : slot
        do throws(FlowError) {
            try checkEmitter(client, of: flow, on: place, waits: false)
        } catch {
            turn.answer = .fail(request, error)
            return
        }
        if forest[slot].isPresented { touch(flow, &turn) }
        turn.answer = .reply(request, .done)
    }

    /// The result of an emission.
    enum EmissionResult {
        /// The flow took the step, it has ended, and callers have their answers.
        case taken(Outcome)
        /// The step waits for a guard or navigator of its flow, and is answered later.
        case waiting
        /// The step did not reach its flow.
        case ended(Outcome)
    }

    /// Emits a step on a presentable.
    ///
    /// - Parameter isAdmitted: whether the client may emit there, whatever the flow's `emitters` are.
    mutating func emit(
        _ step: StepID, _ arguments: Arguments, on node: NodeID, by client: Client, _ options: EmissionOptions?,
        waits: Bool = true, isAdmitted: Bool = false, _ purpose: WaitingStep.Purpose, _ turn: inout Turn
    ) -> EmissionResult {
        guard let slot = forest.slot(of: node) else { return .ended(.refused(Self.gone)) }
        let flow = flow(for: slot)
        let place = slot == flow ? nil : slot
        let admitted: Arguments
        do throws(FlowError) {
            if let options { try Self.checkActivationToken(options.activationToken) }
            if !isAdmitted { try checkEmitter(client, of: flow, on: place, waits: waits) }
            admitted = try definitions.admit(arguments, of: step)
        } catch {
            return .ended(.refused(error))
        }
        let origin = origins.next()
        if let options, case .emitted(let request) = purpose {
            note(options, of: request, on: slot, by: client, origin, &turn)
        }
        return pass(
            WaitingStep(
                origin: origin, client: client, flow: forest.id(of: flow), step: step,
                arguments: admitted, cause: 0, purpose: purpose, screen: slot == flow ? nil : node,
                isInteractive: options?.isInteractive ?? false),
            at: slot, for: flow, &turn)
    }

    /// Notes what the options say of all that comes of the step.
    private mutating func note(
        _ options: EmissionOptions, of request: RequestID, on slot: NodeSlot, by client: Client, _ origin: UInt64,
        _ turn: inout Turn
    ) {
        if let time = options.inputTime { timings.note(input: time, of: origin, at: turn.now) }
        if options.asks, let token = options.token {
            beginAsk(token, on: slot, by: client, options, origin: origin, request)
        }
        if let token = options.activationToken { activationTokens.insert(token, for: origin, of: request) }
    }

    /// The gate of a presentable lets a step through, defers or drops it (S-15).
    ///
    /// - Parameters:
    ///   - step: the step.
    ///   - slot: the presentable.
    ///   - flow: the flow that takes the step.
    ///   - ownSetting: the step's own `whenHidden`, in place of the presentable's.
    ///   - turn: gets the effects.
    mutating func pass(
        _ step: WaitingStep, at slot: NodeSlot, for flow: NodeSlot, whenHidden ownSetting: WhenHidden? = nil,
        _ turn: inout Turn
    ) -> EmissionResult {
        let whenHidden = forest[slot].isPresented ? .allow : ownSetting ?? whenHidden(slot)
        if whenHidden == .ignore { return .ended(.ignored(.hidden)) }
        let isFromOutside = !step.isIdle
        guard whenHidden == .allow else {
            let outcome = deferStep(step, at: slot, for: flow, onlyLatest: whenHidden == .latest, &turn)
            if isFromOutside, outcome == .ignored(.deferred) { reach(flow, &turn) }
            return .ended(outcome)
        }
        do throws(FlowError) {
            try checkWait(step, for: flow, &turn)
        } catch {
            return .ended(.refused(error))
        }
        if isFromOutside { reach(flow, &turn) }
        return take(step, &turn).map { .taken($0) } ?? .waiting
    }
}
