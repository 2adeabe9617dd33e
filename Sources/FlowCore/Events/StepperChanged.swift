// Steppers that need no code: properties and signals of other services become steps (S-42).

extension Machine {
    /// A property of another service has this value now, or can't be read.
    mutating func changeStepper(_ stepper: StepperID, to value: StepperValue, _ turn: inout Turn) {
        switch steppers.change(stepper, to: value, at: turn.now) {
        case .now: emitProperty(stepper, &turn)
        case .at(let time): schedule(.stepper(stepper), due: time)
        case .no: break
        }
    }

    /// The time has come for a property that changed too soon after it had emitted, or whose first value has not come.
    mutating func stepperIsDue(_ stepper: StepperID, at time: Instant, _ turn: inout Turn) {
        if steppers.isOverdue(stepper, at: time) { return changeStepper(stepper, to: .absent, &turn) }
        if steppers.isDue(stepper, at: time) { emitProperty(stepper, &turn) }
    }

    /// Emits the state of a property on each root that got another one last.
    private mutating func emitProperty(_ stepper: StepperID, _ turn: inout Turn) {
        guard let value = steppers.known(stepper) else { return }
        steppers.begin(stepper, at: turn.now)
        let latest = origins.latest
        for root in roots(of: stepper) { emit(value, of: stepper, at: root, &turn) }
        steppers.noteFirst(stepper, origins: latest + 1..<origins.latest + 1)
    }

    /// Another service sent a signal with these values.
    mutating func takeSignal(_ values: [Value], of stepper: StepperID, _ turn: inout Turn) {
        for root in roots(of: stepper) {
            let arguments = arguments(of: stepper) { values.indices.contains($0) ? values[$0] : nil }
            emit(arguments, of: stepper, at: root, .signalled, &turn)
        }
    }

    /// The value of a property, or a signal, can't become a step.
    mutating func reportStepper(_ stepper: StepperID, _ error: FlowError, _ turn: inout Turn) {
        for root in roots(of: stepper) {
            reportFailure(of: step([], of: stepper, at: root, .signalled), .refused(error), &turn)
        }
    }

    /// The live roots that get the steps. A step can need room, for which another root is reclaimed.
    private func roots(of stepper: StepperID) -> [NodeID] {
        let flow = definitions.steppers[stepper.index].flow
        return forest.roots.filter { forest[$0].flow?.definition == flow }.map { forest.id(of: $0) }
    }
}
