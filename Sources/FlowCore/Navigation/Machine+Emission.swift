// Steps from outside: emitters, the gate, and deferred steps (S-4, S-15).

extension Machine {
    /// A client emits a step on a presentable.
    mutating func emit(
        _ step: StepID, _ arguments: Arguments, on node: NodeID, by client: Client, _ options: EmissionOptions?,
        _ request: RequestID, _ turn: inout Turn
    ) {
        if let options, let token = options.token {
            let key = Tokens.Key(client: client, kind: .emission, token: token)
            if answerAgain(key, request, &turn) { return }
        }
        if let wanted = options?.instance, wanted != node.instance {
            let error = FlowError(
                .staleInstance,
                "instance '\(wanted)' is meant, but the presentable at this path is instance '\(node.instance)'")
            turn.answer = .fail(request, error)
            return
        }
        turn.call.path = options?.calledAt
        switch emit(step, arguments, on: node, by: client, options, .emitted(request), &turn) {
        case .ended(let outcome): turn.answer = Self.answer(request, outcome)
        case .taken: break
        case .waiting:
            let path = turn.call.path ?? forest[node.slot].path
            suspend(request, Call(client: client, kind: .step(path: path, turn.call.token)), &turn)
            if options?.waits == false { replyTimedOut(request, &turn) }
        }
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
        if !call.isAnswered { finish(request, .reply(request, .verdicts(list.outcomes)), &turn) }
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
    mutating func emit(
        _ step: StepID, _ arguments: Arguments, on node: NodeID, by client: Client, _ options: EmissionOptions?,
        _ purpose: WaitingStep.Purpose, _ turn: inout Turn
    ) -> EmissionResult {
        guard let slot = forest.slot(of: node) else { return .ended(.refused(Self.gone)) }
        let flow = flow(for: slot)
        let admitted: Arguments
        do throws(FlowError) {
            try checkActivationToken(options?.activationToken)
            try checkEmitter(client, of: flow, waits: options?.waits ?? true)
            admitted = try definitions.admit(arguments, of: step)
        } catch {
            return .ended(.refused(error))
        }
        let origin = origins.next()
        if let options, let token = options.activationToken, case .emitted(let request) = purpose {
            activationTokens.insert(token, for: origin, of: request)
        }
        return pass(
            WaitingStep(
                origin: origin, client: client, flow: forest.id(of: flow), step: step,
                arguments: admitted, cause: 0, purpose: purpose, screen: slot == flow ? nil : node,
                isInteractive: options?.isInteractive ?? false),
            at: slot, for: flow, &turn)
    }

    /// The gate of a presentable: a step passes, is deferred or ignored (S-15).
    mutating func pass(_ step: WaitingStep, at slot: NodeSlot, for flow: NodeSlot, _ turn: inout Turn) -> EmissionResult
    {
        let whenHidden = forest[slot].isPresented ? .allow : whenHidden(slot)
        if whenHidden == .ignore { return .ended(.ignored(.hidden)) }
        let isFromOutside = step.purpose != .idle
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

    /// Refuses a client that owns none of the flow's `emitters`, or whose answer the flow waits for (S-32), unless the
    /// client does not wait for the flow.
    func checkEmitter(_ client: Client, of flow: NodeSlot, waits: Bool = true) throws(FlowError) {
        if waits, isWaiting(flow) { try checkDeadlock(client, at: flow) }
        try checkEmitter(client, of: definition(of: flow)) { "takes steps and Back only from" }
    }

    /// Refuses a client that owns none of a definition's `emitters` (S-5).
    ///
    /// - Parameter allowance: what only the owners may do, for the text of the error.
    func checkEmitter(_ client: Client, of flow: FlowID, _ allowance: () -> String) throws(FlowError) {
        if definitions.flows[flow.index].emitters.isEmpty { return }
        let definition = definitions.flows[flow.index]
        guard !definition.emitters.contains(where: { nameOwners[$0] == client }) else { return }
        let owners = definition.emitters.map { "'\($0)'" }.joined(separator: " or ")
        throw FlowError(
            .accessDenied,
            "flow '\(definition.name)' \(allowance()) who owns \(owners) on the bus; '\(client.name)' does not")
    }

    /// What happens to a step on a presentable that is not presented; by its own setting alone (S-15).
    func whenHidden(_ slot: NodeSlot) -> WhenHidden {
        forest[slot].whenHidden
            ?? forest[slot].flow.map { definitions.flows[$0.definition.index].whenHidden } ?? .ignore
    }

    mutating func setVisible(
        _ node: NodeID, _ isVisible: Bool, by client: Client, _ request: RequestID, _ turn: inout Turn
    ) {
        guard let slot = forest.slot(of: node) else { return refuseGone(request, &turn) }
        do throws(FlowError) {
            try checkHandling(slot, client)
        } catch {
            turn.answer = .fail(request, error)
            return
        }
        forest.setVisible(slot, isVisible)
        reportChanges(&turn)
        triggerPresented(&turn)
        turn.answer = .reply(request, .done)
    }
}

// MARK: - Deferred steps

extension Machine {
    /// Defers a step until its presentable is presented.
    private mutating func deferStep(
        _ step: WaitingStep, at slot: NodeSlot, for flow: NodeSlot, onlyLatest: Bool, _ turn: inout Turn
    ) -> Outcome {
        var deferred = DeferredStep(
            step: step.step, arguments: step.arguments, origin: step.origin, cause: 0, client: step.client)
        do throws(FlowError) {
            try checkRoom(
                for: deferred, besides: onlyLatest ? forest[slot].deferredSteps : [], at: slot, for: flow, &turn)
        } catch {
            return .refused(error)
        }
        // Eviction may have released them.
        let outdated = onlyLatest ? forest[slot].deferredSteps : []
        for outdated in outdated {
            reportReplaced(outdated, at: forest[flow].path, &turn)
            unrecord(outdated)
        }
        if onlyLatest { forest.setDeferredSteps([], of: slot) }
        record(&deferred, at: slot, isInitial: false)
        forest.deferStep(deferred, at: slot)
        // Eviction may have removed the child that covered the presentable.
        if forest[slot].isPresented {
            forest.notePresented(slot)
            triggerPresented(&turn)
        }
        return .ignored(.deferred)
    }

    private mutating func checkRoom(
        for deferred: DeferredStep, besides outdated: [DeferredStep], at slot: NodeSlot, for flow: NodeSlot,
        _ turn: inout Turn
    ) throws(FlowError) {
        let quota = accounting.quotas.deferredSteps
        // A step that replaces another needs no room.
        if outdated.isEmpty {
            let here = forest[slot].deferredSteps.count
            if !accounting.isFree(deferred.client), here >= quota.perClient {
                let own = forest[slot].deferredSteps.count { $0.client == deferred.client }
                guard own < quota.perClient else {
                    throw FlowError(
                        .limitExceeded,
                        "\(own) steps of '\(deferred.client.name)' are deferred for '\(forest[slot].path)' of at most "
                            + "\(quota.perClient)")
                }
            }
            guard here < quota.total else {
                throw FlowError(
                    .limitExceeded,
                    "\(here) steps are deferred for '\(forest[slot].path)' of at most \(quota.total) in total")
            }
        }
        try checkRoom(at: flow, for: deferred.client, besides: outdated)
        var own = Accounting.Usage(steps: 1, bytes: deferred.arguments.byteCount)
        var total = own
        for outdated in outdated {
            total += Accounting.Usage(steps: -1, bytes: -outdated.arguments.byteCount)
            if outdated.client == deferred.client {
                own += Accounting.Usage(steps: -1, bytes: -outdated.arguments.byteCount)
            }
        }
        try reserve(own, inTotal: total, for: deferred.client, sparing: slot, &turn)
    }

    /// Checks whether one more step of this client may wait for a flow.
    func checkRoom(at flow: NodeSlot, for client: Client, besides outdated: [DeferredStep] = []) throws(FlowError) {
        guard let waiting = forest[flow].flow?.waiting else { return }
        let quota = accounting.quotas.stepsPerFlow
        if !accounting.isFree(client), waiting.count >= quota.perClient {
            let own = waiting[client] - outdated.count { $0.client == client }
            guard own < quota.perClient else {
                throw FlowError(
                    .limitExceeded,
                    "\(own) steps of '\(client.name)' wait for '\(forest[flow].path)' of at most "
                        + "\(quota.perClient)")
            }
        }
        let all = waiting.count - outdated.count
        guard all < quota.total else {
            throw FlowError(
                .limitExceeded,
                "\(all) steps wait for '\(forest[flow].path)' of at most \(quota.total) in total")
        }
    }
}

// MARK: - Tokens

extension Machine {
    /// Answers a repeated call, or makes it wait for the first one; otherwise remembers the call and returns false.
    mutating func answerAgain(_ key: Tokens.Key, _ request: RequestID, _ turn: inout Turn) -> Bool {
        tokens.expire(at: turn.now)
        switch tokens.outcome(of: key) {
        case .reply(let known):
            turn.answer = .reply(request, known)
            return true
        case .fail(let error):
            turn.answer = .fail(request, error)
            return true
        case .waiting:
            do throws(FlowError) {
                let usage = Accounting.Usage(steps: 1)
                try reserve(usage, for: key.client, &turn)
                try tokens.wait(request, with: key)
                accounting.count(usage, for: key.client)
            } catch {
                turn.answer = .fail(request, error)
            }
            return true
        case nil: break
        }
        do throws(FlowError) {
            try tokens.check(key, in: accounting)
        } catch {
            turn.answer = .fail(request, error)
            return true
        }
        accounting.open(key.client)
        turn.call.token = key
        return false
    }

    /// Answers a repeated emission with the outcome of the first one, now or when that has ended.
    mutating func repeatEmission(_ token: String, by client: Client, _ request: RequestID, _ turn: inout Turn) {
        if answerAgain(Tokens.Key(client: client, kind: .emission, token: token), request, &turn) { return }
        turn.call.token = nil
        refuseGone(request, &turn)
    }

    mutating func remember(_ answer: Effect, by key: Tokens.Key, at now: Instant) {
        switch answer {
        case .reply(_, let known): tokens.remember(.reply(known), of: key, at: now)
        case .fail(_, let error): tokens.remember(.fail(error), of: key, at: now)
        case .emitNavigationWillOccur, .removePresentable, .addPresentable, .changeProperties, .emitNavigationOccurred,
            .emitNavigationFailed, .startTimer, .reportUnstarted, .askGuard, .askNavigator, .present, .withdraw,
            .emitStepConcluded, .watchClient, .emitDefinitionsChanged, .dropQuestion, .reportUnrestored:
            preconditionFailure("a call was answered with \(answer)")
        }
    }
}
