// Steppers that need no code: properties and signals of other services become steps (S-42).

extension Machine {
    /// A property of another service has this value now, or can't be read.
    mutating func changeStepper(_ stepper: StepperID, to value: StepperValue, _ turn: inout Turn) {
        switch steppers.change(stepper, to: value, at: turn.now) {
        case .now: emitProperty(stepper, &turn)
        case .at(let time): schedule(.stepper(stepper), due: time)
        case .no: break
        }
        releaseHeldScreens()
    }

    /// The time has come for a property that changed too soon after it had emitted, or whose first value has not come.
    mutating func stepperIsDue(_ stepper: StepperID, at time: Instant, _ turn: inout Turn) {
        if steppers.isOverdue(stepper, at: time) { return changeStepper(stepper, to: .absent, &turn) }
        if steppers.isDue(stepper, at: time) { emitProperty(stepper, &turn) }
    }

    // MARK: First values

    /// The service starts: until the properties are known, or count as absent, no presenter of their roots is called (S-49).
    mutating func awaitFirstValues(_ turn: borrowing Turn) {
        let due = turn.now.advanced(by: Limits.firstValueTime)
        for (place, stepper) in definitions.steppers.enumerated() where stepper.isProperty {
            let id = StepperID(place)
            guard steppers.known(id) == nil, !steppers.isAwaited(id) else { continue }
            steppers.awaitFirst(id, until: due)
            schedule(.stepper(id), due: due)
        }
    }

    /// Emits the state of a property on each root that got another one last.
    private mutating func emitProperty(_ stepper: StepperID, _ turn: inout Turn) {
        guard let value = steppers.known(stepper) else { return }
        steppers.begin(stepper, at: turn.now)
        for root in roots(of: stepper) { emit(value, of: stepper, at: root, &turn) }
    }

    /// Emits the states of all properties that are known on a new root.
    mutating func emitProperties(at root: NodeSlot, _ turn: inout Turn) {
        if steppers.isEmpty { return }
        let flow = definition(of: root)
        let id = forest.id(of: root)
        for (place, stepper) in definitions.steppers.enumerated() where stepper.flow == flow {
            if let value = steppers.known(StepperID(place)) { emit(value, of: StepperID(place), at: id, &turn) }
        }
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

    /// The definitions are others now.
    mutating func exchangeSteppers() {
        if steppers.isEmpty, definitions.steppers.isEmpty { return }
        steppers.exchange(definitions)
        alarms.removeAll { if case .stepper = $0.subject { true } else { false } }
        for (stepper, time) in steppers.due { schedule(.stepper(stepper), due: time) }
    }

    // MARK: Steps

    /// Emits the state of a property on a root that got another one last. If the step is refused, the root did not get it.
    private mutating func emit(_ value: StepperValue, of stepper: StepperID, at root: NodeID, _ turn: inout Turn) {
        let definition = definitions.steppers[stepper.index]
        guard let number = steppers.number(for: value, of: stepper, at: root.instance) else { return }
        let purpose = WaitingStep.Purpose.property(number)
        var admission = StepAdmission.admitted
        switch (value, definition.source) {
        case (.value(let value), _):
            admission = emit(arguments(of: stepper) { _ in value }, of: stepper, at: root, purpose, &turn)
        case (.absent, .property(_, let absent?)):
            admission = emit(absent, of: stepper, at: root, purpose, &turn)
        // Without arguments for it, nothing is emitted; but the value that comes back is.
        case (.absent, _): break
        }
        if admission == .refused { return }
        steppers.note(
            admission == .admitted ? value : nil, number, of: stepper, at: root.instance,
            isPrivate: definitions[definition.step].isPrivate)
    }

    /// The arguments of a stepper's step.
    ///
    /// - Parameter value: the value of a signal's argument, or of the property.
    private func arguments(of stepper: StepperID, _ value: (Int) -> Value?) -> Arguments {
        definitions.steppers[stepper.index].bindings.compactMap { binding in
            switch binding.source {
            case .literal(let literal): Argument(binding.name, literal)
            case .value: value(0).map { Argument(binding.name, $0) }
            case .argument(let index): value(index).map { Argument(binding.name, $0) }
            }
        }
    }

    private func step(
        _ arguments: Arguments, of stepper: StepperID, at root: NodeID, _ purpose: WaitingStep.Purpose
    ) -> WaitingStep {
        let definition = definitions.steppers[stepper.index]
        return WaitingStep(
            origin: 0, client: Client(definition.name), flow: root, step: definition.step,
            arguments: arguments, cause: 0, purpose: purpose)
    }

    /// What became of a stepper's step.
    private enum StepAdmission {
        case admitted
        case refused
        /// It was refused, and an older one of the same property was dropped for it.
        case refusedForOlder
    }

    /// Emits a step on a root: it skips the gate, and joins the queue as a step from outside.
    @discardableResult
    private mutating func emit(
        _ arguments: Arguments, of stepper: StepperID, at root: NodeID, _ purpose: WaitingStep.Purpose,
        _ turn: inout Turn
    ) -> StepAdmission {
        guard let slot = forest.slot(of: root) else { return .refused }
        var step = step(arguments, of: stepper, at: root, purpose)
        step.origin = origins.next()
        var hasDropped = false
        do throws(FlowError) {
            step.arguments = try definitions.admit(arguments, of: step.step)
            if case .property = purpose {
                hasDropped = dropOutdated(purpose, at: slot, turn)
            } else if mayWait(step.step, at: slot) {
                try checkSignals(at: slot)
            }
            try checkWait(step, for: slot, &turn)
        } catch {
            reportFailure(of: step, .refused(error), &turn)
            return hasDropped ? .refusedForOlder : .refused
        }
        queue.insert(contentsOf: [step])
        return .admitted
    }

    /// Refuses a signal where those that wait have their share of a flow's waiting steps (S-33). Of a property only one waits.
    private func checkSignals(at flow: NodeSlot) throws(FlowError) {
        let waiting = forest[flow].flow?.waiting.ofServices ?? 0
        guard waiting >= accounting.quotas.signalsPerFlow else { return }
        throw FlowError(
            .limitExceeded,
            "\(waiting) steps of steppers wait for '\(forest[flow].path)', where signals may have "
                + "\(accounting.quotas.signalsPerFlow)")
    }

    /// A step of the same property that waits for the flow is out of date. Returns whether there was one.
    private mutating func dropOutdated(
        _ purpose: WaitingStep.Purpose, at root: NodeSlot, _ turn: borrowing Turn
    ) -> Bool {
        guard isWaiting(root) else { return false }
        let outdated = blocked.remove(for: forest.id(of: root), where: { $0.purpose == purpose })
        for step in outdated {
            endWait(of: step, at: turn.now)
            stopWaiting(step)
        }
        return !outdated.isEmpty
    }
}
