// Guards and navigators: they are asked and answer later, and the machine goes on meanwhile. A flow that asked takes no
// other step until it is answered, so nothing is overtaken in it; other flows are not concerned (S-6).

extension Machine {
    /// Whether a flow waits for an answer, also of a guard that it has no more since definitions were read again.
    func isWaiting(_ flow: NodeSlot) -> Bool { !questions.isEmpty && forest[flow].flow?.question != nil }

    /// Whether a step can be taken now at a flow that asks others. False: it waits, for its turn or for an answer.
    mutating func mayProceed(_ step: WaitingStep, at flow: NodeSlot, _ definition: Int, _ turn: inout Turn) -> Bool {
        if forest[flow].flow?.question != nil {
            var step = step
            countWaiting(&step, for: flow)
            queue.number(&step)
            record(step, .blocked, &turn)
            blocked.insert(step)
            return false
        }
        if let `guard` = definitions.flows[definition].guard, `guard`.watches(step.step) {
            ask(`guard`.service, about: step, at: flow, isNavigator: false, &turn)
            return false
        }
        return mayNavigate(step, at: flow, definition, &turn)
    }

    /// The same behind the guard.
    private mutating func mayNavigate(_ step: WaitingStep, at flow: NodeSlot, _ definition: Int, _ turn: inout Turn)
        -> Bool
    {
        guard let navigator = definitions.flows[definition].navigator, navigator.steps.contains(step.step) else {
            return true
        }
        announce(step, at: flow, &turn)
        ask(navigator.service, about: step, at: flow, isNavigator: true, &turn)
        return false
    }

    mutating func ask(
        _ service: Service, about step: WaitingStep, at flow: NodeSlot, isNavigator: Bool, _ turn: inout Turn
    ) {
        var step = step
        countWaiting(&step, for: flow)
        queue.number(&step)
        let asked: Asked = isNavigator ? .navigator(step, of: service.name) : .guard(step, of: service.name)
        record(step, asked.stage, &turn)
        let id = questions.ask(asked)
        forest.update(flow) { $0.flow?.question = id }
        // The screen may have gone since the step was emitted on it.
        let place = step.screen.flatMap(forest.slot(of:)) ?? flow
        let question = Question(
            id: id, service: service, flow: forest[flow].path, step: definitions[step.step].name,
            arguments: step.arguments, client: step.client, presentable: forest[place].path,
            instance: forest[place].instance, cause: step.cause, isInteractive: step.isInteractive)
        turn.effects.append(isNavigator ? .askNavigator(question) : .askGuard(question))
    }

    // MARK: Answers

    /// The flow that waited for an answer about this step, and does no longer; nil: it has gone meanwhile, and the step has
    /// failed long since.
    private mutating func resume(_ step: WaitingStep, _ turn: inout Turn) -> NodeSlot? {
        unrecord(step)
        guard let flow = forest.slot(of: step.flow) else { return nil }
        turn.origin = step.origin
        forest.update(flow) { $0.flow?.question = nil }
        return flow
    }

    /// A guard answered.
    mutating func takeAnswer(_ answer: GuardAnswer, to question: QuestionID, _ turn: inout Turn) {
        guard let (asked, name) = questions.closeGuard(question), let flow = resume(asked, &turn) else { return }
        var step = asked
        do throws(FlowError) {
            try adapt(&step, answer, of: "the guard '\(name)'")
            let definition = definition(of: flow).index
            guard mayNavigate(step, at: flow, definition, &turn) else { return }
            carryOut(step, at: flow, &turn)
        } catch {
            end(step, error.code == .rejected ? .ignored(.rejected) : .refused(error), &turn)
        }
        unblock(step.flow)
    }

    /// The step as the guard wants it, checked anew (S-5).
    ///
    /// - Throws: ``FlowError/Code/rejected`` where it wants none.
    private func adapt(
        _ step: inout WaitingStep, _ answer: GuardAnswer, of guardName: @autoclosure () -> String
    ) throws(FlowError) {
        switch answer {
        case .step(let adapted, let arguments):
            do throws(FlowError) {
                step.arguments = try definitions.admit(arguments, of: adapted)
            } catch {
                throw FlowError(.guardFailed, "\(guardName()) answered what can't be: \(error.message)")
            }
            if adapted != step.step { step.adaptedFrom = step.step }
            step.step = adapted
        case .rejected:
            throw FlowError(.rejected, "\(guardName()) refused step '\(definitions[step.step].name)'")
        case .failed(let why): throw FlowError(.guardFailed, "\(guardName()) failed: \(why)")
        case .timedOut:
            throw FlowError(.guardTimeout, "\(guardName()) did not answer in time")
        }
    }

    /// A navigator answered.
    mutating func takeAnswer(_ answer: NavigatorAnswer, to question: QuestionID, _ turn: inout Turn) {
        guard let (step, name) = questions.closeNavigator(question), let flow = resume(step, &turn) else { return }
        switch answer {
        case .contributors(let contributors):
            let step = stopWaiting(step)
            end(step, apply(contributors, of: name, step, flow, &turn), &turn)
        case .failed(let why):
            end(step, .refused(FlowError(.navigatorFailed, "the navigator '\(name)' failed: \(why)")), &turn)
        case .timedOut:
            end(step, .refused(FlowError(.navigatorTimeout, "the navigator '\(name)' did not answer in time")), &turn)
        }
        unblock(step.flow)
    }

    private mutating func apply(
        _ contributors: [FlowContributor], of navigator: String, _ step: WaitingStep, _ flow: NodeSlot,
        _ turn: inout Turn
    ) -> Outcome {
        let outcome = apply(contributors, step, flow, &turn)
        guard case .refused(let error) = outcome, error.code == .invalidArguments else { return outcome }
        return .refused(
            FlowError(.navigatorFailed, "the navigator '\(navigator)' answered what can't be: \(error.message)"))
    }

    /// Of the steps behind a flow's question the first is taken in its turn, unless the flow waits for an answer. The others
    /// stay: mostly that one is asked about, and they had to wait again. If it is not, it is followed by the next.
    ///
    /// Where the flow is gone, all of them are.
    mutating func unblock(_ flow: NodeID) {
        if blocked.isEmpty { return }
        guard let slot = forest.slot(of: flow) else {
            let steps = blocked.takeAll(for: flow)
            for step in steps { unrecord(step) }
            queue.insert(contentsOf: steps)
            return
        }
        guard forest[slot].flow?.question == nil, let step = blocked.takeNext(for: flow) else { return }
        unrecord(step)
        // It waited: its chain goes on with it, and a slice may end before.
        queue.insert(contentsOf: [step])
    }

    /// The step that a flow asked about goes back to those that wait, as the flow is gone; it fails in its turn (S-22).
    mutating func withdrawQuestion(_ question: QuestionID, _ turn: inout Turn) {
        if let step = questions.withdraw(question) {
            unrecord(step)
            queue.insert(contentsOf: [step])
        }
        turn.effects.append(.dropQuestion(question))
    }

    // MARK: Limits

    /// Whether a step from outside may wait for a guard or navigator, if it has to, beside others of the same call; gives
    /// what may wait with it (S-33).
    @discardableResult
    mutating func checkWait(
        _ step: WaitingStep, for flow: NodeSlot, besides others: Accounting.Usage? = nil, _ turn: inout Turn
    ) throws(FlowError) -> Accounting.Usage {
        guard mayWait(step.step, at: flow) else { return others ?? Accounting.Usage() }
        try checkRoom(at: flow, for: step.client)
        var all = others ?? Accounting.Usage()
        all += Accounting.Usage(steps: 1, bytes: step.arguments.byteCount)
        // For many flows at once, room was made before.
        if others == nil {
            try reserve(all, for: step.client, sparing: flow, &turn)
        } else {
            try accounting.check(all, for: step.client)
        }
        return all
    }

    /// Whether a step can have to wait at a flow for a guard or navigator.
    func mayWait(_ step: StepID, at flow: NodeSlot) -> Bool {
        let definition = definitions[definition(of: flow)]
        let asksOthers = definition.guard?.watches(step) ?? false || definition.navigator != nil
        return asksOthers || isWaiting(flow)
    }

    /// Counts a step from outside that waits. What is triggered is bounded by its origin.
    private mutating func countWaiting(_ step: inout WaitingStep, for flow: NodeSlot) {
        guard !step.isTriggered, step.countedBytes == nil else { return }
        let bytes = step.arguments.byteCount
        step.countedBytes = bytes
        countWaiting(step, 1, bytes: bytes)
    }

    /// The step, no longer counted as one that waits.
    @discardableResult
    mutating func stopWaiting(_ step: WaitingStep) -> WaitingStep {
        guard let bytes = step.countedBytes else { return step }
        countWaiting(step, -1, bytes: bytes)
        var step = step
        step.countedBytes = nil
        return step
    }

    /// A step from outside waits (1), or no longer (-1).
    private mutating func countWaiting(_ step: WaitingStep, _ sign: Int, bytes: Int) {
        if let flow = forest.slot(of: step.flow) {
            forest.update(flow) { $0.flow?.waiting.count(sign, for: step.client) }
        }
        accounting.count(Accounting.Usage(steps: sign, bytes: sign * bytes), for: step.client)
    }

    /// Refuses the client whose answer the flow waits for: it would wait for itself (S-32).
    ///
    /// - Parameter deed: what the client does, in the text of the refusal.
    func checkDeadlock(
        _ client: Client, at flow: NodeSlot, _ deed: @autoclosure () -> String = "emits on it"
    ) throws(FlowError) {
        guard let question = forest[flow].flow?.question, let asked = questions.service(asked: question),
            nameOwners.owns(client, asked.name)
        else { return }
        throw FlowError(
            .wouldDeadlock,
            "flow '\(forest[flow].path)' waits for its \(asked.role) '\(asked.name)', which is the client that "
                + "\(deed()); it has to answer first")
    }

    /// Refuses a client that wants to wait until a flow is ready, where that needs an answer of its own: the flow's initial
    /// step, or that of one below which the flow waits for, can't end before (S-26, S-32).
    func checkReadiness(of flow: NodeSlot, for client: Client) throws(FlowError) {
        if questions.isEmpty { return }
        try checkReadiness(of: flow, from: flow, for: client)
    }

    private func checkReadiness(of flow: NodeSlot, from place: NodeSlot, for client: Client) throws(FlowError) {
        switch forest[place].flow?.readiness {
        case .awaitingStep?:
            try checkDeadlock(client, at: place, "waits until '\(forest[flow].path)' is ready")
        case .awaitingChildren?:
            for child in forest.children(of: place) {
                guard let state = forest[child].flow, state.isAwaitedByParent, !state.isReady else { continue }
                try checkReadiness(of: flow, from: child, for: client)
            }
        case .ready?, nil: return
        }
    }
}
