@testable import FlowCore

// What waits for an answer, and what came of it.

extension World {
    /// What is held for steps and calls that wait, by name; none when all was answered.
    var waiting: [String] {
        let held: [(String, Bool)] = [
            ("queue", !coordinator.queue.isEmpty), ("questions", !coordinator.questions.isEmpty),
            ("blocked", !coordinator.blocked.isEmpty), ("calls", !coordinator.calls.isEmpty),
            ("readers", !coordinator.calls.readers.isEmpty), ("origins", !coordinator.origins.isEmpty),
            ("activation tokens", !coordinator.activationTokens.isEmpty),
            ("steps", coordinator.accounting.total.steps != 0),
            ("steps of clients", coordinator.accounting.clients.values.contains { $0.steps != 0 }),
            ("steps of flows", flows.contains { $0.waiting.count != 0 || $0.question != nil }),
        ]
        return held.filter(\.1).map(\.0)
    }

    private var flows: [Node.FlowState] {
        coordinator.forest.preorder().compactMap { coordinator.forest[$0].flow }
    }

    /// What the latest event asked of guards and navigators.
    var questions: [Question] {
        effects.compactMap { effect in
            switch effect {
            case .askGuard(let question), .askNavigator(let question): question
            default: nil
            }
        }
    }

    /// The steps that the latest event asked about: where, and the step.
    var asked: [String] { questions.map { "\($0.flow) \($0.step)" } }

    /// The answers that the latest event led to, each with the number of its call.
    var answers: [String] {
        effects.compactMap { effect in
            switch effect {
            case .reply(let request, _), .fail(let request, _): "\(request.number) \(effect.line)"
            default: nil
            }
        }
    }

    /// The refusals that the latest event led to.
    var refusals: [FlowError] {
        effects.compactMap { if case .fail(_, let error) = $0 { error } else { nil } }
    }

    /// What the latest event led to, but for the timer.
    var lines: [String] { effects.map(\.line).filter { !$0.hasPrefix("timer") } }

    /// The guard lets the step pass that it was asked about last, or another one that it was asked about.
    @discardableResult
    func pass(_ question: Question? = nil) -> [String] {
        guard let question = question ?? questions.last, let step = coordinator.definitions.step(named: question.step)
        else { return [] }
        return answer(question.id.number, GuardAnswer.step(step, question.arguments))
    }

    /// The guards let pass whatever they are asked about, in the order that they are asked; what all of it led to.
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
