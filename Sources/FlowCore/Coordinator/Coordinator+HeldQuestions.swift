extension Coordinator {
    /// A client emits a step on a presentable, as by ``Event/stepEmitted(_:on:step:arguments:by:options:)``. If its flow has a guard or
    /// navigator for it, the question is returned, and is no effect.
    ///
    /// - Parameters:
    ///   - step: the step.
    ///   - arguments: its arguments.
    ///   - node: the presentable.
    ///   - client: the client.
    ///   - waits: whether the caller waits for the verdict (``EmissionOptions/waits``).
    ///   - request: the call.
    ///   - now: the time of the event.
    ///   - effects: gets the effects so far.
    /// - Returns: the question, if there is one. The event goes on with its answer, or with ``ask(_:at:into:)``.
    public mutating func emit(
        _ step: StepID, _ arguments: Arguments, on node: NodeID, by client: Client, waits: Bool,
        _ request: RequestID, at now: Instant, into effects: inout [Effect]
    ) -> HeldQuestion? {
        var turn = Turn(at: now, after: effects)
        effects = []
        machine.handleStep(step, arguments, on: node, by: client, waits: waits, request, &turn)
        swap(&effects, &turn.effects)
        return machine.held.take()
    }

    /// Goes on with the answer of a guard, as `emit`.
    public mutating func answer(
        _ question: HeldQuestion, _ answer: GuardAnswer, at now: Instant, into effects: inout [Effect]
    ) -> HeldQuestion? {
        var turn = Turn(at: now, after: effects)
        effects = []
        turn.mayHold = true
        if let flow = machine.goOn(with: question, &turn) {
            machine.takeAnswer(answer, about: question.waiting, at: flow, &turn)
            machine.held?.waits = question.waits
        }
        if machine.held == nil { machine.endEvent(&turn) }
        swap(&effects, &turn.effects)
        return machine.held.take()
    }

    /// Goes on with the answer of a navigator.
    public mutating func answer(
        _ question: HeldQuestion, _ answer: NavigatorAnswer, at now: Instant, into effects: inout [Effect]
    ) {
        var turn = Turn(at: now, after: effects)
        effects = []
        if let flow = machine.goOn(with: question, &turn) {
            machine.takeAnswer(answer, about: question.waiting, at: flow, &turn)
        }
        machine.endEvent(&turn)
        swap(&effects, &turn.effects)
    }

    /// Has the step wait for its answer, as for that to an effect, which is left out: the shell has asked.
    ///
    /// - Returns: the number of the question, for the event with the answer; nil if the flow is gone.
    public mutating func ask(_ question: HeldQuestion, at now: Instant, into effects: inout [Effect]) -> QuestionID? {
        var turn = Turn(at: now, after: effects)
        effects = []
        let id = machine.goOn(with: question, &turn).map { machine.wait(for: question, at: $0, &turn) }
        machine.endEvent(&turn)
        swap(&effects, &turn.effects)
        return id
    }
}
