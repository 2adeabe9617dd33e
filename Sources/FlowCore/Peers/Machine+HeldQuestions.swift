extension Machine {
    /// Goes on with the step of a held question at its flow; nil if that is gone, because the shell handled another event before.
    mutating func goOn(with question: HeldQuestion, _ turn: inout Turn) -> NodeSlot? {
        turn.call.request = question.request
        forest.origin = question.waiting.origin
        if let flow = forest.slot(of: question.waiting.flow) { return flow }
        endWithoutFlow(question.waiting, &turn)
        return nil
    }

    /// Has a step wait for the answer to its question, and the call for the outcome.
    mutating func wait(for question: HeldQuestion, at flow: NodeSlot, _ turn: inout Turn) -> QuestionID {
        let service = service(of: definition(of: flow).index, isNavigator: !question.isForGuard)
        let id = open(
            service ?? Service("", path: "/", timeout: question.timeout), question.waiting, at: flow,
            isNavigator: !question.isForGuard, &turn)
        let place = question.waiting.screen.flatMap { forest.slot(of: $0) } ?? flow
        let call = Call(client: question.waiting.client, kind: .step(path: forest[place].path, nil))
        suspend(question.request, call, &turn)
        if !question.waits { replyTimedOut(question.request, &turn) }
        return id
    }
}
