// Calls that a later event answers, because a step waits for a guard or a navigator, or a flow is not ready (S-9, S-26).

extension Machine {
    /// The current call waits. Its caller gets another answer when it has waited long enough.
    mutating func suspend(_ request: RequestID, _ call: Call, until due: Instant? = nil, _ turn: inout Turn) {
        accounting.count(call.usage, for: call.client)
        let token = if case .step = call.kind { turn.call.token } else { nil as Tokens.Key? }
        calls.suspend(request, call, until: due ?? turn.now.advanced(by: Limits.replyTimeout))
        guard let token else { return }
        tokens.remember(.waiting(with: []), of: token, at: turn.now, for: request)
        turn.call.token = nil
    }

    /// A call continues in the next slice, or in this one.
    mutating func park(_ request: RequestID, _ call: Call, until due: Instant? = nil, _ turn: inout Turn) {
        accounting.count(call.usage, for: call.client)
        calls.park(request, call, until: due ?? turn.now.advanced(by: Limits.replyTimeout))
    }

    /// Ends a call.
    @discardableResult
    mutating func drop(_ request: RequestID) -> Call? {
        guard let call = calls.remove(request) else { return nil }
        accounting.count(-call.usage, for: call.client)
        if !activationTokens.isEmpty { activationTokens.touch(request) }
        return call
    }

    /// A caller has waited long enough.
    mutating func replyTimedOut(_ request: RequestID, _ turn: inout Turn) {
        guard let (call, wasAnswered) = calls.timeOut(request) else { return }
        switch call.kind {
        case .step(_, let token):
            let pending = CallAnswer.reply(request, .verdict(.pending, serial: 0))
            if !wasAnswered { finishCall(request, pending, &turn) }
            if let token { concludeToken(token, pending, of: request, origin: origins.latest, &turn) }
            if let ask = asks.undecided(request) { asks.setVerdict(.pending, of: ask) }
        case .list(let list): finishCall(request, .reply(request, .verdicts(list.allOutcomes)), &turn)
        case .deepLink:
            let outcomes = (calls.deepLinks[request.number] ?? []).map {
                FlowOutcome(path: $0.path, outcome: $0.outcome ?? .ignored(.pending))
            }
            finishCall(request, .reply(request, .outcomes(outcomes)), &turn)
        case .path(let walk):
            // While a step is under way, the call stays: `StepConcluded` reports the outcome.
            if !walk.isUnderWay {
                drop(request)
                if let above = walk.above { calls.stopWaiting(request, for: above) }
            }
            let what = walk.isUnderWay ? "its step was not decided" : "the flow before it was not ready"
            finishCall(request, .fail(request, walk.failure("\(what) in the time that the call may take")), &turn)
        case .readiness(let flow):
            drop(request)
            calls.stopWaiting(request, for: flow)
            let seconds = Limits.replyTimeout / 1_000_000
            finishCall(
                request, .fail(request, FlowError(.timeout, "the flow was not ready within \(seconds) s")), &turn)
        }
    }

    // MARK: Outcomes

    /// Takes the outcome of a deep link at one of its flows, if its call still waits for that.
    mutating func takeOutcome(_ outcome: Outcome, ofDeepLink request: RequestID, at place: Int, _ turn: inout Turn) {
        guard calls.end(place, outcome, ofDeepLink: request), let call = calls[request],
            let path = calls.deepLinks[request.number]?[place].path
        else { return }
        reportConclusion(outcome, of: call, at: path, &turn)
    }

    /// Takes the outcome of a step that a call waits for.
    mutating func takeOutcome(_ outcome: Outcome, of step: WaitingStep, for request: RequestID, _ turn: inout Turn) {
        if case .deepLink(_, let place) = step.purpose {
            return takeOutcome(outcome, ofDeepLink: request, at: place, &turn)
        }
        switch calls.end(step, outcome, for: request) {
        case .none: break
        case .report(let call, let path): reportConclusion(outcome, of: call, at: path, &turn)
        case .reportLast(let call, let path):
            drop(request)
            reportConclusion(outcome, of: call, at: path, &turn)
        case .answer(let call, let path, let token):
            drop(request)
            let answer = Self.answer(request, outcome)
            if call.isAnswered {
                reportConclusion(outcome, of: call, at: path, token: token?.token ?? "", &turn)
            } else {
                turn.answerLate(answer, origin: step.origin)
            }
            if let token { concludeToken(token, answer, of: request, origin: step.origin, &turn) }
        }
    }

    /// The answer to a call that emitted one step.
    static func answer(_ request: RequestID, _ outcome: Outcome) -> CallAnswer {
        switch outcome {
        case .navigated(let serial): .reply(request, .verdict(.navigated, serial: serial))
        case .ignored(let verdict): .reply(request, .verdict(verdict, serial: 0))
        case .refused(let error): .fail(request, error)
        }
    }

    /// Answers the current call, or an earlier one.
    mutating func finishCall(_ request: RequestID, _ answer: CallAnswer, _ turn: inout Turn) {
        if request == turn.call.request {
            turn.answer = answer
        } else {
            turn.answerLate(answer, origin: origins.latest)
        }
    }

    /// Reports the outcome of a step to its emitter, after the answer `pending`.
    mutating func reportConclusion(
        _ outcome: Outcome, of call: Call, at path: String, token: String = "", _ turn: inout Turn
    ) {
        turn.effects.append(
            .emitStepConcluded(Conclusion(client: call.client, path: path, token: token, outcome: outcome)))
    }

    /// Remembers the outcome or `pending` for a token, and answers the calls that wait with it.
    private mutating func concludeToken(
        _ token: Tokens.Key, _ answer: CallAnswer, of call: RequestID, origin: UInt64, _ turn: inout Turn
    ) {
        let outcome: Tokens.CallState
        switch answer {
        case .reply(_, let known): outcome = .reply(known)
        case .fail(_, let error): outcome = .fail(error)
        }
        for request in tokens.conclude(token, outcome, of: call) {
            accounting.count(Accounting.Usage(steps: -1), for: token.client)
            switch outcome {
            case .reply(let known): turn.answerLate(.reply(request, known), origin: origin)
            case .fail(let error): turn.answerLate(.fail(request, error), origin: origin)
            case .waiting: break
            }
        }
    }

    static let gone = FlowError(.presentableDismissed, "the presentable is gone")

    /// Refuses a call to a presentable that is gone. The driver looks it up just before, so this happens only by its mistake.
    mutating func refuseGone(_ request: RequestID, _ turn: inout Turn) {
        turn.answer = .fail(request, Self.gone)
    }

    // MARK: Activation tokens

    /// Refuses an activation token that is not valid.
    static func checkActivationToken(_ token: String?) throws(FlowError) {
        guard let token else { return }
        guard token.utf8.count <= Limits.activationTokenLength else {
            throw FlowError(
                .limitExceeded,
                "an activation token of \(token.utf8.count) bytes, of at most \(Limits.activationTokenLength)")
        }
    }

    /// A call goes on with the steps of another origin, which may pass on its activation token.
    mutating func moveActivationToken(of request: RequestID, to origin: UInt64) {
        if !activationTokens.isEmpty { activationTokens.move(request, to: origin) }
    }

    /// Removes the activation tokens of cascades that are over, or wait only for screens to be presented: the user no
    /// longer waits for those.
    mutating func forgetActivationTokens() {
        let (origins, calls) = (origins, calls)
        activationTokens.endCurrent()
        activationTokens.forget { origin, request in
            !origins.isUnderWay(origin) && calls[request] == nil
        }
    }
}
