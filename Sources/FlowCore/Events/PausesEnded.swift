// A client knows that what failed may succeed now (S-47).

extension Machine {
    mutating func endPauses(_ request: RequestID, _ turn: inout Turn) {
        cutPauses(turn.now)
        turn.answer = .reply(request, .done)
    }
}
