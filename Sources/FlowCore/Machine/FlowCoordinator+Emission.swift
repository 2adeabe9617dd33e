// A step from outside: who may emit it, the gate, and what is kept at the gate (S-4, S-15).

extension FlowCoordinator {
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
        switch emit(step, arguments, on: node, by: client, .emitted(request)) {
        case .taken: break
        case .ended(.refused(let error)): answer = .fail(request, error)
        case .ended(.ignored(let verdict)): answer = .reply(request, .verdict(verdict, serial: 0))
        case .ended(.navigated(let serial)): answer = .reply(request, .verdict(.navigated, serial: serial))
        }
    }

    /// A client emits steps on a presentable, each when the one before has ended with all that it set off (S-7).
    mutating func emit(_ steps: [EmittedStep], on node: NodeID, by client: Client, _ request: RequestID) {
        guard steps.count <= Limits.waitingStepsPerFlow else {
            let error = FlowError(
                .limitExceeded, "\(steps.count) steps in one call, of at most \(Limits.waitingStepsPerFlow)")
            answer = .fail(request, error)
            return
        }
        var outcomes: [Outcome] = []
        for step in steps {
            switch step {
            case .refused(let error): outcomes.append(.refused(error))
            case .step(let step, let arguments):
                switch emit(step, arguments, on: node, by: client, .listed) {
                case .ended(let outcome): outcomes.append(outcome)
                case .taken: outcomes.append(takeOutcome())
                }
                run()
            }
        }
        answer = .reply(request, .verdicts(outcomes))
    }

    /// How the step ended that was just taken.
    mutating func takeOutcome() -> Outcome {
        guard let outcome else { preconditionFailure("a step was taken and did not end") }
        self.outcome = nil
        return outcome
    }

    /// What became of a step at the gate.
    enum Admission {
        /// It was taken by its flow; who waits for it was told.
        case taken
        /// It did not come so far.
        case ended(Outcome)
    }

    /// Lets a step through to its flow, or not.
    mutating func emit(
        _ step: StepID, _ arguments: Arguments, on node: NodeID, by client: Client, _ purpose: WaitingStep.Purpose
    ) -> Admission {
        guard let slot = forest.slot(of: node) else { return .ended(.refused(Self.gone)) }
        let flow = flow(for: slot)
        let admitted: Arguments
        do throws(FlowError) {
            try checkEmitter(client, of: flow)
            admitted = try admit(arguments, of: step)
        } catch {
            return .ended(.refused(error))
        }
        return pass(
            WaitingStep(
                origin: nextOrigin(), client: client, flow: forest.id(of: flow), tellAt: forest.nodes[flow].path,
                step: step, arguments: admitted, cause: 0, purpose: purpose),
            at: slot, for: flow)
    }

    /// The gate of a presentable: what it lets through is taken, or kept (S-15).
    mutating func pass(_ step: WaitingStep, at slot: Int, for flow: Int) -> Admission {
        let whenHidden = forest.nodes[slot].isPresented ? .allow : whenHidden(slot)
        if whenHidden == .ignore { return .ended(.ignored(.hidden)) }
        let isFromOutside = step.purpose != .idle
        guard whenHidden == .allow else {
            let outcome = keep(step, at: slot, for: flow, onlyLatest: whenHidden == .latest)
            if isFromOutside, outcome == .ignored(.deferred) { reach(flow) }
            return .ended(outcome)
        }
        if isFromOutside { reach(flow) }
        take(step)
        return .taken
    }

    /// Refuses a client that owns none of the names which a flow wants of those that emit (`emitters`).
    func checkEmitter(_ client: Client, of flow: Int) throws(FlowError) {
        let definition = definition(of: flow).index
        if definitions.flows[definition].emitters.isEmpty { return }
        let names = definitions.flows[definition].emitters
        guard !names.contains(where: { nameOwners[$0] == client }) else { return }
        let owners = names.map { "'\($0)'" }.joined(separator: " or ")
        throw FlowError(
            .accessDenied,
            "flow '\(forest.nodes[flow].name)' takes steps and Back only from who owns \(owners) on the bus; "
                + "'\(client.name)' does not")
    }

    /// What happens to a step on this presentable while it is not presented; only its own setting counts (S-15).
    private func whenHidden(_ slot: Int) -> WhenHidden {
        forest.nodes[slot].whenHidden
            ?? forest.nodes[slot].flow.map { definitions.flows[$0.definition.index].whenHidden } ?? .ignore
    }

    mutating func setVisible(_ node: NodeID, _ isVisible: Bool, _ request: RequestID) {
        guard let slot = forest.slot(of: node) else { return refuseGone(request) }
        forest.setVisible(slot, isVisible)
        tellChanges()
        setOffPresented()
        answer = .reply(request, .done)
    }
}

// MARK: - Steps that are kept

extension FlowCoordinator {
    /// Keeps a step at a presentable until that is presented.
    private mutating func keep(_ step: WaitingStep, at slot: Int, for flow: Int, onlyLatest: Bool) -> Outcome {
        let kept = HeldStep(
            step: step.step, arguments: step.arguments, origin: step.origin, cause: 0, client: step.client)
        let outdated = onlyLatest ? forest.nodes[slot].keptSteps : []
        do throws(FlowError) {
            try checkRoom(for: kept, besides: outdated, at: slot, for: flow)
        } catch {
            return .refused(error)
        }
        for outdated in outdated {
            countKept(outdated, -1, for: flow)
            tellReplaced(outdated, at: forest.nodes[flow].path)
        }
        if onlyLatest { forest.nodes[slot].keptSteps = [] }
        forest.nodes[slot].keptSteps.append(kept)
        countKept(kept, 1, for: flow)
        return .ignored(.deferred)
    }

    private func checkRoom(
        for kept: HeldStep, besides outdated: [HeldStep], at slot: Int, for flow: Int
    ) throws(FlowError) {
        let here = forest.nodes[slot].keptSteps.count - outdated.count
        guard here < Limits.keptSteps else {
            throw FlowError(
                .limitExceeded,
                "\(here) steps are kept for '\(forest.nodes[slot].path)' of at most \(Limits.keptSteps)")
        }
        let all = (forest.nodes[flow].flow?.keptCount ?? 0) - outdated.count
        guard all < Limits.waitingStepsPerFlow else {
            throw FlowError(
                .limitExceeded,
                "\(all) steps wait for '\(forest.nodes[flow].path)' of at most \(Limits.waitingStepsPerFlow)")
        }
        var own = Ledger.Tally(steps: 1, bytes: kept.arguments.byteCount)
        var total = own
        for outdated in outdated {
            total += Ledger.Tally(steps: -1, bytes: -outdated.arguments.byteCount)
            if outdated.client == kept.client {
                own += Ledger.Tally(steps: -1, bytes: -outdated.arguments.byteCount)
            }
        }
        try ledger.check(own, inTotal: total, for: kept.client)
    }

    /// Counts a kept step that comes (1) or goes (-1).
    mutating func countKept(_ kept: HeldStep, _ sign: Int, for flow: Int) {
        forest.nodes[flow].flow?.keptCount += sign
        ledger.count(Ledger.Tally(steps: sign, bytes: sign * kept.arguments.byteCount), for: kept.client)
    }
}

// MARK: - Tokens

extension FlowCoordinator {
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
        case nil: break
        }
        do throws(FlowError) {
            try tokens.check(key)
        } catch {
            answer = .fail(request, error)
            return true
        }
        token = key
        return false
    }

    /// What a client's emission by this token came to first, as the answer to a call of no number; nil: it is not known, or
    /// not any more.
    ///
    /// For calls that can't be emissions now, as their presentable is gone or their step no longer declared.
    public mutating func firstOutcome(ofEmission token: String, by client: Client, at now: Instant) -> Effect? {
        tokens.expire(at: now)
        return switch tokens.outcome(of: Tokens.Key(client: client, kind: .emission, token: token)) {
        case .reply(let answer): .reply(RequestID(0), answer)
        case .fail(let error): .fail(RequestID(0), error)
        case nil: nil
        }
    }

    mutating func remember(_ answer: Effect, by key: Tokens.Key) {
        switch answer {
        case .reply(_, let known): tokens.remember(.reply(known), of: key, at: now)
        case .fail(_, let error): tokens.remember(.fail(error), of: key, at: now)
        case .announceNavigation, .removePresentable, .addPresentable, .changeProperties, .tellNavigation,
            .tellFailure, .startTimer, .reportUnstarted:
            preconditionFailure("a call was answered with \(answer)")
        }
    }
}
