@testable import FlowCore

// Pending questions and calls, and their answers.

extension World {
    /// The names of non-empty state for waiting steps and calls; empty when everything was answered.
    var waiting: [String] {
        let held: [(String, Bool)] = [
            ("queue", !coordinator.queue.isEmpty), ("questions", !coordinator.questions.isEmpty),
            ("blocked", !coordinator.blocked.isEmpty), ("calls", !coordinator.calls.isEmpty),
            ("readers", !coordinator.calls.readers.isEmpty), ("origins", !coordinator.origins.isEmpty),
            ("activation tokens", !coordinator.activationTokens.isEmpty),
            ("times of cascades", !coordinator.machine.timings.emissions.isEmpty),
            ("steps", coordinator.accounting.total.steps != 0),
            ("steps of clients", coordinator.accounting.clients.values.contains { $0.steps != 0 }),
            ("steps of flows", flows.contains { $0.waiting.count != 0 || $0.question != nil }),
        ]
        return held.filter(\.1).map(\.0)
    }

    /// Whether the times of cascades stop just as long as steps of theirs wait for an answer (S-46).
    var stopsTimes: Bool {
        var waiting: [UInt64: Int] = [:]
        for step in coordinator.questions.aboutSteps.compactMap(\.asked.step) + coordinator.blocked.all.values.joined()
        {
            waiting[step.origin, default: 0] += 1
        }
        return coordinator.machine.timings.emissions.mapValues(\.waits) == waiting
    }

    private var flows: [Boxed<Node.FlowState>] {
        coordinator.forest.preorder().compactMap { coordinator.forest[$0].flow }
    }

    /// The questions of the latest event to guards and navigators.
    var questions: [Question] {
        effects.compactMap { effect in
            switch effect {
            case .askGuard(let question), .askNavigator(let question): question
            default: nil
            }
        }
    }

    /// The steps that the latest event asked about, with their flows.
    var asked: [String] { questions.map { "\($0.flow) \($0.step)" } }

    /// The answers of the latest event, each with the number of its call.
    var answers: [String] {
        effects.compactMap { effect in
            switch effect {
            case .reply(let request, _), .fail(let request, _): "\(request.number) \(effect.line)"
            default: nil
            }
        }
    }

    /// The errors of the latest event.
    var refusals: [FlowError] {
        effects.compactMap { if case .fail(_, let error) = $0 { error } else { nil } }
    }

    /// The effects of the latest event, without the timer.
    var lines: [String] { effects.map(\.line).filter { !$0.hasPrefix("timer") } }

    /// The guard allows the last step it was asked about, or another one.
    @discardableResult
    func pass(_ question: Question? = nil) -> [String] {
        guard let question = question ?? questions.last, let step = coordinator.definitions.step(named: question.step)
        else { return [] }
        return answer(question.id.number, GuardAnswer.step(step, question.arguments))
    }

    /// The guards allow all steps in order. Returns all effects.
    func passAll() -> [Effect] {
        var (all, open) = (effects, questions)
        while !open.isEmpty {
            pass(open.removeFirst())
            all += effects
            open += questions
        }
        return all
    }
}
