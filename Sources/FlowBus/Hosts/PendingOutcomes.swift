/// The outcomes of a deep link, some of which follow later: a flow that waits for an answer takes the step after it (S-27).
@FlowActor
package final class PendingOutcomes {
    private var outcomes: [FlowOutcome]
    private var undecided = 0
    private let done: Done<[FlowOutcome]>

    private init(_ outcomes: [FlowOutcome], _ done: @escaping Done<[FlowOutcome]>) {
        (self.outcomes, self.done) = (outcomes, done)
    }

    /// Waits for what is pending.
    ///
    /// - Parameters:
    ///   - outcomes: what is known of each flow.
    ///   - pending: the steps that wait for their outcomes; those of the deep link are added.
    ///   - object: the flow's path as the host has it, at which the outcome is reported.
    ///   - done: receives the outcomes when all are known.
    /// - Returns: Whether some are pending; otherwise nothing is waited for, and `done` is not called.
    package static func collect(
        _ outcomes: [FlowOutcome], _ pending: inout PendingSteps, at object: KeyPath<NodePath, String>,
        _ done: @escaping Done<[FlowOutcome]>
    ) -> Bool {
        let collected = PendingOutcomes(outcomes, done)
        for (place, outcome) in outcomes.enumerated() {
            guard case .success(let step)? = outcome.result, step.verdict == .pending else { continue }
            collected.undecided += 1
            pending.add(nil, on: outcome.path[keyPath: object]) { collected.take($0, at: place) }
        }
        return collected.undecided > 0
    }

    private func take(_ result: Result<StepOutcome, NavigationError>, at place: Int) {
        outcomes[place] = FlowOutcome(path: outcomes[place].path, result: result)
        undecided -= 1
        if undecided == 0 { done(.success(outcomes)) }
    }
}
