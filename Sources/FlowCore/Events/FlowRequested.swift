// A client requests a root, by `Coordinate` (S-2).

extension Machine {
    /// A client requests a root.
    mutating func coordinate(_ flowRequest: FlowRequest, _ request: RequestID, _ turn: inout Turn) {
        if let token = flowRequest.token {
            let key = Tokens.Key(client: flowRequest.client, kind: .coordination, token: token)
            if answerAgain(key, request, &turn) { return }
        }
        do throws(FlowError) {
            turn.answer = .reply(request, .flow(path: try begin(flowRequest, &turn)))
        } catch {
            turn.answer = .fail(request, error)
        }
    }
}
