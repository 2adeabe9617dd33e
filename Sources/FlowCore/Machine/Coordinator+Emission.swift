// A step from outside: who may emit it, the gate, and what is kept at the gate (S-4, S-15).

extension Coordinator {
    /// A client emits a step on a presentable.
    mutating func emit(
        _ step: StepID, _ arguments: Arguments, on node: NodeID, by client: Client, _ options: EmissionOptions?,
        _ request: RequestID
    ) {
        if let options, let token = options.token {
            let key = Tokens.Key(client: client, kind: .emission, token: token)
            if answerAgain(key, request) { return }
        }
        if let wanted = options?.instance, wanted != node.instance {
            let error = FlowError(
                .staleInstance,
                "instance '\(wanted)' is meant, but the presentable at this path is instance '\(node.instance)'")
            answer = .fail(request, error)
            return
        }
        calledPath = options?.calledAt
        switch emit(step, arguments, on: node, by: client, options, .emitted(request)) {
        case .ended(let outcome): answer = Self.answer(request, outcome)
        case .taken: break
        case .waiting:
            let path = calledPath ?? forest[node.slot].path
            suspend(request, Call(client: client, kind: .step(path: path, token)))
            if options?.waits == false { replyTimedOut(request) }
        }
    }

    /// A client emits steps on a presentable, each when the one before has ended with all that it set off (S-7).
    mutating func emit(
        _ steps: [EmittedStep], on node: NodeID, by client: Client, calledAt calledPath: String?, _ request: RequestID
    ) {
        guard steps.count <= Limits.waitingStepsPerFlow else {
            let error = FlowError(
                .limitExceeded, "\(steps.count) steps in one call, of at most \(Limits.waitingStepsPerFlow)")
            answer = .fail(request, error)
            return
        }
        // Where it is gone, each step is refused.
        let path = calledPath ?? forest.slot(of: node).map { forest[$0].path } ?? ""
        let list = StepList(node: node, path: path, steps: steps)
        var call = Call(client: client, kind: .list(list))
        do throws(FlowError) {
            if definitions.askOthers { call.usage = try usage(of: steps, on: node, for: client) }
        } catch {
            answer = .fail(request, error)
            return
        }
        emitRest(of: list, call, request)
    }

    /// What steps count for that may have to wait.
    private mutating func usage(
        of steps: [EmittedStep], on node: NodeID, for client: Client
    ) throws(FlowError) -> Accounting.Usage {
        var usage = Accounting.Usage(steps: steps.count)
        for case .step(_, let arguments) in steps { usage.bytes += arguments.byteCount }
        try reserve(usage, for: client, sparing: forest.slot(of: node))
        return usage
    }

    /// Emits the steps that were not emitted yet, as far as none has to wait.
    mutating func emitRest(of list: StepList, _ call: Call, _ request: RequestID) {
        var (list, call) = (list, call)
        drop(request)
        while list.outcomes.count < list.steps.count {
            let outcome: Outcome
            switch list.steps[list.outcomes.count] {
            case .refused(let error): outcome = .refused(error)
            case .step(let step, let arguments):
                switch emit(
                    step, arguments, on: list.node, by: call.client, nil,
                    .listed(request, place: list.outcomes.count))
                {
                case .ended(let ended), .taken(let ended): outcome = ended
                case .waiting:
                    call.kind = .list(list)
                    return suspend(request, call)
                }
            }
            list.outcomes.append(outcome)
            if call.isAnswered { reportConclusion(outcome, of: call, at: list.path) }
            if !run() || (isSliceOver && list.outcomes.count < list.steps.count) {
                call.kind = .list(list)
                return park(request, call)
            }
        }
        if !call.isAnswered { finish(request, .reply(request, .verdicts(list.outcomes))) }
    }

    /// What became of a step at the gate.
    enum Admission {
        /// It was taken by its flow, and ended; who waits for it was told.
        case taken(Outcome)
        /// It waits for a guard or navigator of its flow; who waits for it will be told.
        case waiting
        /// It did not come so far.
        case ended(Outcome)
    }

    /// Lets a step through to its flow, or not.
    mutating func emit(
        _ step: StepID, _ arguments: Arguments, on node: NodeID, by client: Client, _ options: EmissionOptions?,
        _ purpose: WaitingStep.Purpose
    ) -> Admission {
        guard let slot = forest.slot(of: node) else { return .ended(.refused(Self.gone)) }
        let flow = flow(for: slot)
        let admitted: Arguments
        do throws(FlowError) {
            try checkActivationToken(options?.activationToken)
            try checkEmitter(client, of: flow, waits: options?.waits ?? true)
            admitted = try admit(arguments, of: step)
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
            at: slot, for: flow)
    }

    /// The gate of a presentable: what it lets through is taken, or kept (S-15).
    mutating func pass(_ step: WaitingStep, at slot: NodeSlot, for flow: NodeSlot) -> Admission {
        let whenHidden = forest[slot].isPresented ? .allow : whenHidden(slot)
        if whenHidden == .ignore { return .ended(.ignored(.hidden)) }
        let isFromOutside = step.purpose != .idle
        guard whenHidden == .allow else {
            let outcome = keep(step, at: slot, for: flow, onlyLatest: whenHidden == .latest)
            if isFromOutside, outcome == .ignored(.deferred) { reach(flow) }
            return .ended(outcome)
        }
        do throws(FlowError) {
            try checkWait(step, for: flow)
        } catch {
            return .ended(.refused(error))
        }
        if isFromOutside { reach(flow) }
        return take(step).map { .taken($0) } ?? .waiting
    }

    /// Refuses a client that owns none of the names which a flow wants of those that emit (`emitters`), or that the flow
    /// waits for (S-32), unless the client does not wait for the flow.
    func checkEmitter(_ client: Client, of flow: NodeSlot, waits: Bool = true) throws(FlowError) {
        if waits, isWaiting(flow) { try checkDeadlock(client, at: flow) }
        try checkEmitter(client, of: definition(of: flow)) { "takes steps and Back only from" }
    }

    /// Refuses a client that owns none of the names in a definition's `emitters` (S-5).
    ///
    /// - Parameter allowance: what the flow allows their owners alone.
    func checkEmitter(_ client: Client, of flow: FlowID, _ allowance: () -> String) throws(FlowError) {
        if definitions.flows[flow.index].emitters.isEmpty { return }
        let definition = definitions.flows[flow.index]
        guard !definition.emitters.contains(where: { nameOwners[$0] == client }) else { return }
        let owners = definition.emitters.map { "'\($0)'" }.joined(separator: " or ")
        throw FlowError(
            .accessDenied,
            "flow '\(definition.name)' \(allowance()) who owns \(owners) on the bus; '\(client.name)' does not")
    }

    /// What happens to a step on this presentable while it is not presented; only its own setting counts (S-15).
    func whenHidden(_ slot: NodeSlot) -> WhenHidden {
        forest[slot].whenHidden
            ?? forest[slot].flow.map { definitions.flows[$0.definition.index].whenHidden } ?? .ignore
    }

    mutating func setVisible(_ node: NodeID, _ isVisible: Bool, by client: Client, _ request: RequestID) {
        guard let slot = forest.slot(of: node) else { return refuseGone(request) }
        do throws(FlowError) {
            try checkHandling(slot, client)
        } catch {
            answer = .fail(request, error)
            return
        }
        forest.setVisible(slot, isVisible)
        reportChanges()
        triggerPresented()
        answer = .reply(request, .done)
    }
}

// MARK: - Steps that are kept

extension Coordinator {
    /// Keeps a step at a presentable until that is presented.
    private mutating func keep(_ step: WaitingStep, at slot: NodeSlot, for flow: NodeSlot, onlyLatest: Bool) -> Outcome
    {
        var kept = DeferredStep(
            step: step.step, arguments: step.arguments, origin: step.origin, cause: 0, client: step.client)
        do throws(FlowError) {
            try checkRoom(
                for: kept, besides: onlyLatest ? forest[slot].deferredSteps : [], at: slot, for: flow)
        } catch {
            return .refused(error)
        }
        // What went to make room may have released them.
        let outdated = onlyLatest ? forest[slot].deferredSteps : []
        for outdated in outdated {
            countDeferred(outdated, -1, for: flow)
            reportReplaced(outdated, at: forest[flow].path)
            unrecord(outdated)
        }
        if onlyLatest { forest[slot].deferredSteps = [] }
        forest.noteRoom(of: slot)
        record(&kept, at: slot, isInitial: false)
        forest[slot].deferredSteps.append(kept)
        countDeferred(kept, 1, for: flow)
        // What went to make room for the step may have been what covered the presentable.
        if forest[slot].isPresented {
            forest.notePresented(slot)
            triggerPresented()
        }
        return .ignored(.deferred)
    }

    private mutating func checkRoom(
        for kept: DeferredStep, besides outdated: [DeferredStep], at slot: NodeSlot, for flow: NodeSlot
    ) throws(FlowError) {
        let quota = accounting.quotas.deferredSteps
        // What takes the place of another needs none.
        if outdated.isEmpty {
            let here = forest[slot].deferredSteps.count
            if !accounting.isFree(kept.client), here >= quota.perClient {
                let own = forest[slot].deferredSteps.count { $0.client == kept.client }
                guard own < quota.perClient else {
                    throw FlowError(
                        .limitExceeded,
                        "\(own) steps of '\(kept.client.name)' are kept for '\(forest[slot].path)' of at most "
                            + "\(quota.perClient)")
                }
            }
            guard here < quota.total else {
                throw FlowError(
                    .limitExceeded,
                    "\(here) steps are kept for '\(forest[slot].path)' of at most \(quota.total) in total")
            }
        }
        try checkRoom(at: flow, for: kept.client, besides: outdated)
        var own = Accounting.Usage(steps: 1, bytes: kept.arguments.byteCount)
        var total = own
        for outdated in outdated {
            total += Accounting.Usage(steps: -1, bytes: -outdated.arguments.byteCount)
            if outdated.client == kept.client {
                own += Accounting.Usage(steps: -1, bytes: -outdated.arguments.byteCount)
            }
        }
        try reserve(own, inTotal: total, for: kept.client, sparing: slot)
    }

    /// Whether one more step of this client may wait for a flow.
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

    /// Counts a kept step that comes (1) or goes (-1).
    mutating func countDeferred(_ kept: DeferredStep, _ sign: Int, for flow: NodeSlot) {
        forest[flow].flow?.waiting.count(sign, for: kept.client)
        accounting.count(Accounting.Usage(steps: sign, bytes: sign * kept.arguments.byteCount), for: kept.client)
    }
}

// MARK: - Tokens

extension Coordinator {
    /// Gives a call its first outcome again, if it has one; else has it remembered. False: it is to be carried out.
    mutating func answerAgain(_ key: Tokens.Key, _ request: RequestID) -> Bool {
        tokens.expire(at: now)
        switch tokens.outcome(of: key) {
        case .reply(let known):
            answer = .reply(request, known)
            return true
        case .fail(let error):
            answer = .fail(request, error)
            return true
        case .waiting:
            do throws(FlowError) {
                let usage = Accounting.Usage(steps: 1)
                try reserve(usage, for: key.client)
                try tokens.wait(request, with: key)
                accounting.count(usage, for: key.client)
            } catch {
                answer = .fail(request, error)
            }
            return true
        case nil: break
        }
        do throws(FlowError) {
            try tokens.check(key, in: accounting)
        } catch {
            answer = .fail(request, error)
            return true
        }
        accounting.open(key.client)
        token = key
        return false
    }

    /// Whether the emission that a client made by this token is known still: its outcome, or that it has none yet.
    public mutating func remembersEmission(_ token: String, by client: Client, at now: Instant) -> Bool {
        tokens.expire(at: now)
        return tokens.outcome(of: Tokens.Key(client: client, kind: .emission, token: token)) != nil
    }

    /// Gives a call the outcome of the first one by its token, now or when that has one.
    mutating func repeatEmission(_ token: String, by client: Client, _ request: RequestID) {
        if answerAgain(Tokens.Key(client: client, kind: .emission, token: token), request) { return }
        self.token = nil
        refuseGone(request)
    }

    mutating func remember(_ answer: Effect, by key: Tokens.Key) {
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
