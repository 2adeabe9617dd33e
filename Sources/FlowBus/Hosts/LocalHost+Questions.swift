internal import FlowCore

// The questions of the machine to the flows, and their answers.

extension LocalHost {
    /// Asks a flow, and starts the time limit if it does not answer immediately.
    func ask(
        _ question: Question, _ ask: (any HostDelegate, HostQuestion, QuestionID) -> Void,
        timedOut: @escaping @FlowActor (QuestionID) -> Event
    ) {
        guard let delegate, let place = flows[question.flow] else { return }
        let id = question.id
        questions[id] = PendingQuestion(flow: place.path)
        ask(
            delegate,
            HostQuestion(
                place, step: StepMessage(name: question.step, arguments: question.arguments),
                isFromThisProcess: question.cause == 0), id)
        startTimeLimit(of: id, question.service.timeout, timedOut)
    }

    /// Measures the time limit of a question, in µs, if it is still open.
    private func startTimeLimit(
        of id: QuestionID, _ limit: UInt64, _ timedOut: @escaping @FlowActor (QuestionID) -> Event
    ) {
        guard questions[id] != nil else { return }
        questions[id]?.clock = Task { [weak self, clock] in
            do { try await clock.sleep(.microseconds(Int64(clamping: limit))) } catch { return }
            guard let self, questions.removeValue(forKey: id) != nil else { return }
            enqueue { _ in timedOut(id) }
            callDelayed()
        }
    }

    /// Makes a call when no flow at or below a path is asked any more.
    func whenAnswered(at flow: NodePath, _ call: @escaping () -> Void) {
        guard questions.values.contains(where: { $0.flow.isWithin(flow) }) else { return call() }
        delayed.append((flow, call))
    }

    /// Makes the calls that waited for an answer, which is in the queue by now.
    func callDelayed() {
        if delayed.isEmpty { return }
        let all = delayed
        delayed = []
        for (flow, call) in all { whenAnswered(at: flow, call) }
    }

    /// Removes a question. Returns whether it was still open.
    func removeQuestion(_ id: QuestionID) -> Bool {
        guard let question = questions.removeValue(forKey: id) else { return false }
        question.clock?.cancel()
        return true
    }

    func takeAnswer(_ answer: AdaptAnswer, to id: QuestionID) {
        guard removeQuestion(id) else { return }
        defer { callDelayed() }
        enqueue { host in .guardReplied(id, host.guardAnswer(answer)) }
    }

    /// The answer as the machine takes it.
    private func guardAnswer(_ answer: AdaptAnswer) -> GuardAnswer {
        switch answer {
        case .rejected: return .rejected
        case .timedOut: return .timedOut
        case .failed(let why): return .failed(why)
        case .step(let message):
            do throws(FlowError) {
                return .step(try step(message), message.arguments)
            } catch {
                return .failed(error.message)
            }
        }
    }

    func takeAnswer(_ answer: NavigateAnswer, to id: QuestionID) {
        guard removeQuestion(id) else { return }
        defer { callDelayed() }
        enqueue { host in .navigatorReplied(id, host.navigatorAnswer(answer)) }
    }

    /// The answer as the machine takes it.
    private func navigatorAnswer(_ answer: NavigateAnswer) -> NavigatorAnswer {
        switch answer {
        case .failed(let why): return .failed(why)
        case .unhandled: return .unhandled
        case .contributors(let contributors):
            if contributors.isEmpty { return .contributors([]) }
            do throws(FlowError) {
                return .contributors(try ContributorRules(core.definitions).contributors(contributors))
            } catch {
                return .failed(error.message)
            }
        }
    }
}
