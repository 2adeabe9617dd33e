extension Coordinator {
    /// Handles an event as ``handle(_:at:upTo:into:)``. If a client emits a step, and its flow has a guard or navigator for it, the
    /// question is returned, and is no effect.
    ///
    /// - Parameters:
    ///   - event: the event.
    ///   - now: the time of the event.
    ///   - effects: gets the effects so far.
    /// - Returns: the question, if there is one.
    public mutating func begin(
        _ event: consuming Event, at now: Instant, into effects: inout [Effect]
    ) -> HeldQuestion? {
        var turn = Turn(at: now, after: effects)
        effects = []
        turn.mayHold = true
        machine.handle(consume event, &turn)
        swap(&effects, &turn.effects)
        return turn.held?.value
    }

    /// Goes on with the answer of a guard, as `begin`.
    public mutating func answer(
        _ question: HeldQuestion, _ answer: GuardAnswer, at now: Instant, into effects: inout [Effect]
    ) -> HeldQuestion? {
        var turn = Turn(at: now, after: effects)
        effects = []
        turn.mayHold = true
        if let flow = machine.goOn(with: question, &turn) {
            machine.takeAnswer(answer, about: question.waiting, at: flow, of: question.service.name, &turn)
            turn.held?.value.waits = question.waits
        }
        machine.endEvent(&turn)
        swap(&effects, &turn.effects)
        return turn.held?.value
    }

    /// Goes on with the answer of a navigator.
    public mutating func answer(
        _ question: HeldQuestion, _ answer: NavigatorAnswer, at now: Instant, into effects: inout [Effect]
    ) {
        var turn = Turn(at: now, after: effects)
        effects = []
        if let flow = machine.goOn(with: question, &turn) {
            machine.takeAnswer(answer, about: question.waiting, at: flow, of: question.service.name, &turn)
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
