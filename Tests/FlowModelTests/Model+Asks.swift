import FlowCore

/// Clients that ask (S-45). Nobody owns anything here, so each ask belongs to a connection.
extension Model {
    struct Ask {
        let client: Client
        let token: String
        let path: String
        let origin: Int
        var answer = Answer.verdict(.navigated, serial: 0)
        /// What it is about.
        var subject: ModelNode?
        /// What became of that, and when.
        var end: (outcome: AskOutcome, result: Arguments, time: UInt64)?
    }

    /// Forgets what was answered 60 s ago.
    func forgetAsks() {
        asks.removeAll { ask in ask.end.map { now - $0.time >= Limits.tokenLifetime } ?? false }
    }

    /// The answer to a call with the token of an ask.
    func repeated(_ client: Client, _ token: String) -> Answer? {
        forgetAsks()
        guard let ask = asks.first(where: { $0.client == client && $0.token == token }) else { return nil }
        tell(ask)
        return ask.answer
    }

    private func tell(_ ask: Ask) {
        guard let (outcome, result, _) = ask.end else { return }
        told.append(.told(ask.client, path: ask.path, token: ask.token, outcome, result))
    }

    private func end(_ outcome: AskOutcome, _ result: Arguments = [], where isMeant: (Ask) -> Bool) {
        for place in asks.indices where asks[place].end == nil && isMeant(asks[place]) {
            asks[place].end = (outcome, result, now)
            asks[place].subject = nil
            tell(asks[place])
        }
    }

    /// A step has ended, or is lost: a chain of which no step waits for its turn or its gate has led to nothing.
    func settleAsks(_ origin: Int) {
        guard asks.contains(where: { $0.origin == origin }) else { return }
        if waiting.contains(where: { $0.origin == origin }) { return }
        if nodes.contains(where: { $0.deferred.contains { $0.origin == origin } }) { return }
        end(.nothing) { $0.origin == origin && $0.subject == nil }
    }

    /// A step made or reused a presentable.
    func noteContributed(_ node: ModelNode, by origin: Int) {
        end(.replaced) { $0.subject === node && $0.origin != origin }
        guard result(of: node) != nil else { return }
        for place in asks.indices where asks[place].origin == origin && asks[place].end == nil {
            if asks[place].subject == nil { asks[place].subject = node }
        }
    }

    /// A presentable is gone.
    func noteGone(_ node: ModelNode, _ outcome: AskOutcome, _ result: Arguments = []) {
        end(outcome, result) { $0.subject === node }
    }

    /// New definitions took the results of presentables away.
    func endUndeclaredAsks() {
        for node in nodes.sorted(by: { $0.instance < $1.instance }) where result(of: node) == nil {
            noteGone(node, .undeclared)
        }
    }

    private func result(of node: ModelNode) -> [Parameter]? {
        node.isFlow
            ? definitions.flows[node.definition].result
            : definitions.screen(named: node.name).flatMap { definitions[$0].result }
    }
}
