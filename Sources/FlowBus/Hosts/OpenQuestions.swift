/// The questions to the flows of a program, and the calls that wait until one of them is answered.
///
/// Going back in a flow that waits for an answer of its own program is refused (S-32). The caller here does not block, so the call
/// is made again when the program has answered.
@FlowActor
package final class OpenQuestions {
    private struct WaitingCall {
        let flow: NodePath
        let call: @FlowActor () -> Void
    }

    /// The flows that were asked, by the numbers of the questions.
    private var open: [UInt64: NodePath] = [:]
    private var lastNumber: UInt64 = 0
    private var waiting: [WaitingCall] = []
    /// The number of questions that have ended.
    package private(set) var endedCount: UInt64 = 0

    package init() {}

    /// Notes a question.
    ///
    /// - Parameter flow: the flow that is asked.
    /// - Returns: The question, which ends with its object at the latest.
    package func begin(at flow: NodePath) -> OpenQuestion {
        lastNumber += 1
        open[lastNumber] = flow
        return OpenQuestion(lastNumber, in: self)
    }

    fileprivate func end(_ number: UInt64) {
        guard open.removeValue(forKey: number) != nil else { return }
        endedCount += 1
        retry()
    }

    /// Whether a flow at or below a path is asked.
    package func areOpen(at flow: NodePath) -> Bool { open.values.contains { $0.isWithin(flow) } }

    /// Makes a call when no flow at or below a path is asked any more: immediately, or later.
    package func whenAnswered(at flow: NodePath, _ call: @escaping @FlowActor () -> Void) {
        guard areOpen(at: flow) else { return call() }
        waiting.append(WaitingCall(flow: flow, call: call))
    }

    /// Makes the calls that need not wait any more.
    private func retry() {
        if waiting.isEmpty { return }
        let all = waiting
        waiting = []
        for call in all { whenAnswered(at: call.flow, call.call) }
    }

    /// Makes all waiting calls, whatever the answers.
    package func callAll() {
        let all = waiting
        waiting = []
        for call in all { call.call() }
    }
}

/// A question to a flow.
@FlowActor
package final class OpenQuestion {
    private let number: UInt64
    private weak var questions: OpenQuestions?

    fileprivate init(_ number: UInt64, in questions: OpenQuestions) {
        (self.number, self.questions) = (number, questions)
    }

    isolated deinit { end() }

    /// The question was answered, or nobody waits for the answer.
    package func end() { questions?.end(number) }
}
