// Questions to guards and navigators. A flow that waits for an answer takes no other step, so no step overtakes another;
// other flows are not affected (S-6).

extension Machine {
    /// Whether a flow waits for an answer, also if new definitions took the guard away.
    func isWaiting(_ flow: NodeSlot) -> Bool { !questions.isEmpty && forest[flow].flow?.question != nil }

    /// Whether a step can be taken now at a flow with a guard or navigator. If not, it waits for its turn or for an answer.
    mutating func mayProceed(_ step: WaitingStep, at flow: NodeSlot, _ definition: Int, _ turn: inout Turn) -> Bool {
        if forest[flow].flow?.question != nil {
            var step = step
            countWaiting(&step, for: flow)
            queue.number(&step)
            record(step, .blocked, &turn)
            blocked.insert(step)
            timings.suspend(step.origin, at: turn.now)
            return false
        }
        if definitions.flows[definition].guard?.watches(step.step) == true {
            ask(about: step, at: flow, definition, isNavigator: false, &turn)
            return false
        }
        return mayNavigate(step, at: flow, definition, &turn)
    }

    /// The same after the guard.
    mutating func mayNavigate(_ step: WaitingStep, at flow: NodeSlot, _ definition: Int, _ turn: inout Turn)
        -> Bool
    {
        guard definitions.flows[definition].navigator?.takes(step.step) == true else { return true }
        announce(step, at: flow, &turn)
        ask(about: step, at: flow, definition, isNavigator: true, &turn)
        return false
    }

    mutating func ask(
        about step: WaitingStep, at flow: NodeSlot, _ definition: Int, isNavigator: Bool, _ turn: inout Turn
    ) {
        guard let service = service(of: definition, isNavigator: isNavigator) else { return }
        let id = open(service, step, at: flow, isNavigator: isNavigator, &turn)
        // The screen on which the step was emitted may be gone.
        let place = forest.slot(of: step.screen) ?? flow
        let question = Question(
            id: id, service: service, flow: forest[flow].path, step: definitions[step.step].name,
            arguments: step.arguments, client: step.client, presentable: forest[place].path,
            instance: forest[place].instance, cause: step.cause, isInteractive: step.isInteractive)
        turn.effects.append(isNavigator ? .askNavigator(question) : .askGuard(question))
    }

    /// The guard or navigator of a flow.
    func service(of definition: Int, isNavigator: Bool) -> Service? {
        isNavigator ? definitions.flows[definition].navigator?.service : definitions.flows[definition].guard?.service
    }

    /// Opens a question, for whose answer the flow waits.
    mutating func open(
        _ service: Service, _ step: WaitingStep, at flow: NodeSlot, isNavigator: Bool, _ turn: inout Turn
    ) -> QuestionID {
        var step = step
        countWaiting(&step, for: flow)
        queue.number(&step)
        let asked: Asked = isNavigator ? .navigator(step, of: service.name) : .guard(step, of: service.name)
        record(step, asked.stage, &turn)
        let id = questions.ask(asked)
        timings.suspend(step.origin, at: turn.now)
        forest.update(flow) { $0.flow?.question = id }
        return id
    }

    /// A step no longer waits for an answer, nor behind one that does.
    mutating func endWait(of step: WaitingStep, at now: Instant) {
        unrecord(step)
        timings.resume(step.origin, at: now)
    }

    // MARK: When an answer has come

    /// The flow that waited for the answer about this step; nil if it is gone, and the step has failed.
    mutating func resume(_ step: WaitingStep, _ turn: inout Turn) -> NodeSlot? {
        endWait(of: step, at: turn.now)
        guard let flow = forest.slot(of: step.flow) else { return nil }
        forest.origin = step.origin
        if !activationTokens.isEmpty { activationTokens.begin(step.origin) }
        forest.update(flow) { $0.flow?.question = nil }
        return flow
    }

    /// Takes the first of the steps that wait for a flow, if the flow does not wait for another answer. The others stay:
    /// usually the first one leads to a question, and they would have to wait again. If it does not, the next one follows.
    ///
    /// If the flow is gone, all of them are taken.
    mutating func unblock(_ flow: NodeID, at now: Instant) {
        if !blocked.isEmpty { unblockNext(at: flow, now) }
    }

    private mutating func unblockNext(at flow: NodeID, _ now: Instant) {
        guard let slot = forest.slot(of: flow) else {
            let steps = blocked.takeAll(for: flow)
            for step in steps { endWait(of: step, at: now) }
            queue.insert(contentsOf: steps)
            return
        }
        guard forest[slot].flow?.question == nil, let step = blocked.takeNext(for: flow) else { return }
        endWait(of: step, at: now)
        // The step continues its cascade; a slice may end before it.
        queue.insertAgain(step)
    }

    /// Puts back the step of a question whose flow is gone; it fails in its turn (S-22).
    mutating func withdrawQuestion(_ question: QuestionID, _ turn: inout Turn) {
        if let step = questions.withdraw(question) {
            endWait(of: step, at: turn.now)
            queue.insertAgain(step)
        }
        turn.effects.append(.dropQuestion(question))
    }

    // MARK: Limits

    /// Counts a waiting step from outside. Triggered steps are limited by their origin.
    private mutating func countWaiting(_ step: inout WaitingStep, for flow: NodeSlot) {
        guard !step.isTriggered, step.countedBytes == nil else { return }
        let bytes = step.arguments.byteCount
        step.countedBytes = bytes
        countWaiting(step, 1, bytes: bytes)
    }

    /// Returns the step, no longer counted as waiting.
    @discardableResult
    mutating func stopWaiting(_ step: WaitingStep) -> WaitingStep {
        guard let bytes = step.countedBytes else { return step }
        countWaiting(step, -1, bytes: bytes)
        var step = step
        step.countedBytes = nil
        return step
    }

    /// Counts a step from outside as waiting (1), or no longer (-1).
    private mutating func countWaiting(_ step: WaitingStep, _ sign: Int, bytes: Int) {
        if let flow = forest.slot(of: step.flow) {
            forest.update(flow) { $0.flow?.waiting.count(sign, for: step.client) }
        }
        accounting.count(Accounting.Usage(steps: sign, bytes: sign * bytes), for: step.client)
    }

    /// Refuses a call of the client whose answer the flow waits for: it would wait for itself (S-32).
    ///
    /// - Parameter action: what the client does, for the text of the error.
    func checkDeadlock(
        _ client: Client, at flow: NodeSlot, _ action: @autoclosure () -> String = "emits on it"
    ) throws(FlowError) {
        guard let question = forest[flow].flow?.question, let asked = questions.service(asked: question),
            nameOwners.owns(client, asked.name)
        else { return }
        throw FlowError(
            .wouldDeadlock,
            "flow '\(forest[flow].path)' waits for its \(asked.role) '\(asked.name)', which is the client that "
                + "\(action()); it has to answer first")
    }

    /// Sends `NavigationWillOccur`, if the flow's definition has `announce`.
    mutating func announce(_ step: WaitingStep, at flow: NodeSlot, _ turn: inout Turn) {
        if definitions.flows[definition(of: flow).index].announces { sendAnnouncement(of: step, at: flow, &turn) }
    }

    private mutating func sendAnnouncement(of step: WaitingStep, at flow: NodeSlot, _ turn: inout Turn) {
        turn.effects.append(
            .emitNavigationWillOccur(
                Announcement(
                    flow: forest[flow].path, step: definitions.steps[step.step.index].name,
                    arguments: step.arguments.broadcastable, isDeepLink: step.isDeepLink,
                    adaptedFrom: step.adaptedFrom.map { definitions[$0].name })))
    }
}
