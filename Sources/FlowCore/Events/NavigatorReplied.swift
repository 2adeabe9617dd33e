// A navigator answers, and what it contributes is applied (S-5).

extension Machine {
    /// A navigator answered.
    mutating func takeAnswer(_ answer: NavigatorAnswer, to question: QuestionID, _ turn: inout Turn) {
        guard let (step, name) = questions.closeNavigator(question), let flow = resume(step, &turn) else { return }
        let navigator = "the navigator '\(name)'"
        switch answer {
        case .contributors(let contributors):
            let step = stopWaiting(step)
            end(step, apply(contributors, of: navigator, step, flow, &turn), &turn)
        case .unhandled: end(step, .ignored(.unhandled), &turn)
        case .failed(let why):
            end(step, .refused(FlowError(.navigatorFailed, "\(navigator) failed: \(why)")), &turn)
        case .timedOut:
            end(step, .refused(FlowError(.navigatorTimeout, "\(navigator) did not answer in time")), &turn)
        }
        unblock(step.flow, at: turn.now)
    }

    private mutating func apply(
        _ contributors: [FlowContributor], of navigator: String, _ step: WaitingStep, _ flow: NodeSlot,
        _ turn: inout Turn
    ) -> Outcome {
        do throws(FlowError) {
            if !contributors.isEmpty {
                try ContributorRules(definitions).check(contributors, of: definition(of: flow))
            }
        } catch {
            return impossible(error, of: navigator)
        }
        let outcome = apply(contributors, step, flow, &turn)
        guard case .refused(let error) = outcome, error.code == .invalidArguments else { return outcome }
        return impossible(error, of: navigator)
    }

    private func impossible(_ error: FlowError, of navigator: String) -> Outcome {
        .refused(FlowError(.navigatorFailed, "\(navigator) answered what can't be: \(error.message)"))
    }
}
