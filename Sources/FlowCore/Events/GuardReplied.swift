// A guard answers, and the step that waited for it goes on (S-5).

extension Machine {
    /// A guard answered.
    mutating func takeAnswer(_ answer: GuardAnswer, to question: QuestionID, _ turn: inout Turn) {
        guard let (asked, name) = questions.closeGuard(question), let flow = resume(asked, &turn) else { return }
        var step = asked
        do throws(FlowError) {
            try adapt(&step, answer, of: "the guard '\(name)'")
            if mayNavigate(step, at: flow, definition(of: flow).index, &turn) { carryOut(step, at: flow, &turn) }
        } catch {
            end(step, error.code == .rejected ? .ignored(.rejected) : .refused(error), &turn)
        }
        unblock(asked.flow, at: turn.now)
    }

    /// The step by the guard's answer, checked again (S-5).
    ///
    /// - Throws: ``FlowError/Code/rejected`` if the guard refused it.
    private func adapt(
        _ step: inout WaitingStep, _ answer: GuardAnswer, of guardName: String
    ) throws(FlowError) {
        switch answer {
        case .step(let adapted, let arguments):
            // What the guard lets through stays private; what it made of that is as private.
            let asked = step.arguments
            let answered =
                !asked.contains(where: \.isPrivate)
                ? arguments
                : arguments.map { Argument($0.name, $0.value, isPrivate: asked[$0.name]?.isPrivate != false) }
            do throws(FlowError) {
                step.arguments = try definitions.admit(answered, of: adapted)
            } catch {
                throw FlowError(.guardFailed, "\(guardName) answered what can't be: \(error.message)")
            }
            if adapted != step.step { step.adaptedFrom = step.step }
            step.step = adapted
        case .rejected:
            throw FlowError(.rejected, "\(guardName) refused step '\(definitions[step.step].name)'")
        case .failed(let why): throw FlowError(.guardFailed, "\(guardName) failed: \(why)")
        case .timedOut:
            throw FlowError(.guardTimeout, "\(guardName) did not answer in time")
        }
    }
}
