// Calls with a token: a repeated call gets the outcome of the first one.

extension Machine {
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
