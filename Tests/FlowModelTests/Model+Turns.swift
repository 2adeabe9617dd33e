import FlowCore

/// Steps that are taken one at a time, and those that are taken back (S-16).
extension Model {
    /// Where the cascade of the step that had its turn has ended, the next one has it.
    func endTurns() {
        let ended = nodes.filter { node in
            node.turn.map { turn in !waiting.contains { $0.origin == turn } } ?? false
        }
        for node in ended { node.turn = nil }
        if !ended.isEmpty { release() }
    }

    /// A client takes back a step by its token.
    func cancel(at instance: UInt64, _ token: String, _ client: Client) -> Reply {
        guard let node = node(instance) else { return .failure(FlowError(.presentableDismissed)) }
        forgetAsks()
        let ask = asks.firstIndex { $0.client == client && $0.token == token }
        let known = tokens.lastIndex {
            $0.client == client && $0.kind == .emission && $0.name == token && now - $0.time < Limits.tokenLifetime
        }
        let hidden = Answer.verdict(.hidden, serial: 0)
        let steps = node.deferred.filter { step in
            ask.map { step.origin == asks[$0].origin } ?? (step.client == client && step.token == token && token != "")
        }
        if steps.isEmpty {
            let answer = ask.map { asks[$0].answer } ?? known.flatMap { try? tokens[$0].result.get() }
            return answer == hidden ? .success(.done) : .failure(FlowError(.invalidArguments))
        }
        if let ask {
            asks[ask].answer = hidden
        } else {
            let answer = known.flatMap { try? tokens[$0].result.get() }
            if known == nil { do throws(FlowError) { try checkTokens(client) } catch { return .failure(error) } }
            if known == nil || answer == .verdict(.deferred, serial: 0) {
                if let known { tokens.remove(at: known) }
                tokens.append(
                    Token(client: client, kind: .emission, name: token, time: now, result: .success(hidden)))
            }
        }
        for step in steps {
            node.deferred.removeAll { $0.origin == step.origin }
            reportFailure(step, .verdict(.hidden))
            settleAsks(step.origin)
        }
        finish()
        return .success(.done)
    }
}
