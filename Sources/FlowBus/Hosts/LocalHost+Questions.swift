internal import FlowCore

// The questions of the machine to the flows, and their answers.

extension LocalHost {
    /// Asks a flow, and starts the time limit if it does not answer immediately.
    func ask(
        _ question: Question, _ ask: (any HostDelegate, HostQuestion, QuestionID) -> Void,
        timedOut: @escaping @MainActor (QuestionID) -> Event
    ) {
        guard let delegate else { return }
        let (id, timeout) = (question.id, question.service.timeout)
        questions[id] = PendingQuestion(flow: question.flow)
        let definition = definition(at: question.flow) ?? ""
        ask(
            delegate,
            HostQuestion(
                definition: definition, flow: NodePath(question.flow),
                step: StepMessage(name: question.step, arguments: question.arguments),
                isFromThisProcess: question.cause == 0), id)
        guard questions[id] != nil else { return }
        questions[id]?.clock = Task { [weak self, clock] in
            do { try await clock.sleep(.microseconds(Int64(clamping: timeout))) } catch { return }
            guard let self, questions.removeValue(forKey: id) != nil else { return }
            enqueue { _ in timedOut(id) }
            callDelayed()
        }
    }

    /// Makes a call when no flow at or below a path is asked any more.
    func whenAnswered(at flow: NodePath, _ call: @escaping () -> Void) {
        guard questions.values.contains(where: { NodePath($0.flow).isWithin(flow) }) else { return call() }
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
        enqueue { host in
            switch answer {
            case .rejected: return .guardReplied(id, .rejected)
            case .timedOut: return .guardReplied(id, .timedOut)
            case .failed(let why): return .guardReplied(id, .failed(why))
            case .step(let message):
                do throws(FlowError) {
                    return .guardReplied(id, .step(try host.step(message), message.arguments))
                } catch {
                    return .guardReplied(id, .failed(error.message))
                }
            }
        }
    }

    func takeAnswer(_ answer: NavigateAnswer, to id: QuestionID) {
        guard removeQuestion(id) else { return }
        defer { callDelayed() }
        enqueue { host in
            do throws(FlowError) {
                switch answer {
                case .failed(let why): return .navigatorReplied(id, .failed(why))
                case .unhandled: return .navigatorReplied(id, .unhandled)
                case .contributors(let contributors):
                    let rules = ContributorRules(host.core.definitions)
                    return .navigatorReplied(id, .contributors(try rules.contributors(contributors)))
                }
            } catch {
                return .navigatorReplied(id, .failed(error.message))
            }
        }
    }
}
