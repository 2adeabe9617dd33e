// Steps from outside: whether a call is a repeated one (S-9), the gate, deferred steps (S-15), and whether a step may wait (S-32, S-33).

extension Machine {
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
            at: slot, for: flow,
            isInput: (options?.isInput ?? true) && definitions.steps[step.index].isInput,
            &turn)
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
    ///   - isInput: whether it reaches the flow: neither the step of a timer does, nor one that is no input (S-56).
    ///   - turn: gets the effects.
    mutating func pass(
        _ step: WaitingStep, at slot: NodeSlot, for flow: NodeSlot, whenHidden ownSetting: WhenHidden? = nil,
        isInput: Bool, _ turn: inout Turn
    ) -> EmissionResult {
        let setting = ownSetting ?? whenHidden(slot)
        let whenHidden = isOpen(slot, setting) ? .allow : setting
        if whenHidden == .ignore { return .ended(.ignored(.hidden)) }
        guard whenHidden == .allow else {
            let outcome = deferStep(step, at: slot, for: flow, onlyLatest: whenHidden == .latest, &turn)
            if isInput, outcome == .ignored(.deferred) { reach(flow, &turn) }
            return .ended(outcome)
        }
        do throws(FlowError) {
            try checkWait(step, for: flow, &turn)
        } catch {
            return .ended(.refused(error))
        }
        if isInput { reach(flow, &turn) }
        if setting == .turn { inTurn.begin(step.origin, at: forest.id(of: slot)) }
        return take(step, &turn).map { .taken($0) } ?? .waiting
    }

    /// Whether a gate lets all steps through: its presentable is presented, and no step that came before has its turn (S-16).
    private func isOpen(_ slot: NodeSlot, _ whenHidden: WhenHidden) -> Bool {
        forest[slot].isPresented && (whenHidden != .turn || forest[slot].kept.stepInTurn == 0)
    }

    /// Defers a step until its presentable is presented.
    mutating func deferStep(
        _ step: WaitingStep, at slot: NodeSlot, for flow: NodeSlot, onlyLatest: Bool, _ turn: inout Turn
    ) -> Outcome {
        var deferred = DeferredStep(
            step: step.step, arguments: step.arguments, origin: step.origin, cause: 0, client: step.client,
            token: step.request == turn.call.request ? turn.call.token?.token ?? "" : "")
        do throws(FlowError) {
            try checkWaiting(
                for: deferred, besides: onlyLatest ? forest[slot].deferredSteps : [], at: slot, for: flow, &turn)
        } catch {
            return .refused(error)
        }
        // Reclaiming may have released them.
        let outdated = onlyLatest ? forest[slot].deferredSteps : []
        for outdated in outdated {
            reportReplaced(outdated, at: forest[flow].path, &turn)
            unrecord(outdated)
        }
        if onlyLatest { forest.updateUsage(slot) { $0.deferredSteps = [] } }
        record(&deferred, at: slot, isInitial: false)
        forest.updateUsage(slot) { [deferred] in $0.deferredSteps.append(deferred) }
        // Reclaiming may have removed the child that covered the presentable.
        if forest[slot].isPresented { release(at: [slot]) }
        return .ignored(.deferred)
    }

    private mutating func checkWaiting(
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
        try checkWaiting(at: flow, for: deferred.client, besides: outdated)
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
    func checkWaiting(at flow: NodeSlot, for client: Client, besides outdated: [DeferredStep] = []) throws(FlowError) {
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

    /// Checks whether a step from outside may wait for a guard or navigator, if it has to, together with others of the same
    /// call. Returns how many may wait (S-33).
    @discardableResult
    mutating func checkWait(
        _ step: WaitingStep, for flow: NodeSlot, besides others: Accounting.Usage? = nil, _ turn: inout Turn
    ) throws(FlowError) -> Accounting.Usage {
        guard mayWait(step.step, at: flow) else { return others ?? Accounting.Usage() }
        return try reserveWait(of: step, for: flow, besides: others, &turn)
    }

    private mutating func reserveWait(
        of step: WaitingStep, for flow: NodeSlot, besides others: Accounting.Usage?, _ turn: inout Turn
    ) throws(FlowError) -> Accounting.Usage {
        try checkWaiting(at: flow, for: step.client)
        var all = others ?? Accounting.Usage()
        all += Accounting.Usage(steps: 1, bytes: step.arguments.byteCount)
        // A deep link has made room before.
        if others == nil {
            try reserve(all, for: step.client, sparing: flow, &turn)
        } else {
            try accounting.check(all, for: step.client)
        }
        return all
    }

    /// Whether a step may have to wait for a guard or navigator of a flow.
    func mayWait(_ step: StepID, at flow: NodeSlot) -> Bool {
        if isWaiting(flow) { return true }
        let definition = definition(of: flow).index
        guard definitions.flows[definition].asksOthers else { return false }
        return definitions.flows[definition].navigator != nil
            || definitions.flows[definition].guard?.watches(step) == true
    }

    /// Refuses a client that waits until a flow is ready, if that depends on an answer of the client: for the flow's
    /// initial step, or for that of a flow below that it waits for (S-26, S-32).
    func checkReadiness(of flow: NodeSlot, for client: Client) throws(FlowError) {
        if questions.isEmpty { return }
        try checkReadiness(of: flow, from: flow, for: client)
    }

    private func checkReadiness(of flow: NodeSlot, from place: NodeSlot, for client: Client) throws(FlowError) {
        switch forest[place].flow?.kept.readiness {
        case .awaitingStep?:
            try checkDeadlock(client, at: place, "waits until '\(forest[flow].path)' is ready")
        case .awaitingChildren?:
            for child in forest.children(of: place) {
                guard let state = forest[child].flow, state.kept.isAwaitedByParent, !state.isReady else { continue }
                try checkReadiness(of: flow, from: child, for: client)
            }
        case .ready?, nil: return
        }
    }

    // MARK: Calls with a token

    /// Answers a repeated call, or makes it wait for the first one; otherwise remembers the call and returns false.
    mutating func answerAgain(_ key: Tokens.Key, _ request: RequestID, _ turn: inout Turn) -> Bool {
        tokens.expire(at: turn.now)
        expireAsks(at: turn.now)
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
            try tokens.check(key, in: accounting, besides: asks)
        } catch {
            turn.answer = .fail(request, error)
            return true
        }
        accounting.open(key.client)
        turn.call.token = key
        return false
    }

    /// Answers a repeated call with the outcome of the first one, now or when that has ended.
    mutating func repeatCall(_ key: Tokens.Key, _ request: RequestID, _ turn: inout Turn) {
        if answerAgain(key, request, &turn) { return }
        turn.call.token = nil
        refuseGone(request, &turn)
    }

    mutating func remember(_ answer: CallAnswer, by key: Tokens.Key, at now: Instant) {
        switch answer {
        case .reply(_, let known): tokens.remember(.reply(known), of: key, at: now)
        case .fail(_, let error): tokens.remember(.fail(error), of: key, at: now)
        }
    }
}
