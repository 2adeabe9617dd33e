// Roots: how they begin (S-2), who is above whom on an output (S-41), and the steps that they get from properties and signals of other
// services (S-42).

extension Machine {
    /// Creates the requested root, triggers its initial step, and returns its path. If a unique flow is live already,
    /// returns that (S-2); the request is checked anyway.
    ///
    /// - Parameter path: the call whose path of flows begins with the root; its activation token goes on with the root's steps.
    mutating func begin(
        _ flowRequest: FlowRequest, along path: RequestID? = nil, _ turn: inout Turn
    ) throws(FlowError) -> String {
        try Self.checkActivationToken(flowRequest.activationToken)
        if flowRequest.client != .daemon {
            try checkEmitter(flowRequest.client, of: flowRequest.definition) {
                "is started, or found where it is live, only for"
            }
        }
        try checkOutput(flowRequest.output)
        let definition = definitions.flows[flowRequest.definition.index]
        let arguments = try Declaration.admit(
            flowRequest.arguments, as: definition.parameters, of: "flow '\(definition.name)'")
        let initial = flowRequest.step ?? definition.initial
        var stepArguments: Arguments = []
        if let initial {
            stepArguments = try definitions.admit(flowRequest.stepArguments, of: initial)
        } else if let argument = flowRequest.stepArguments.first {
            throw FlowError(
                .invalidArguments,
                "flow '\(definition.name)' has no initial step that could take the argument '\(argument.name)'")
        }
        if definition.isUnique,
            let live = forest.roots.first(where: { forest[$0].flow?.definition == flowRequest.definition })
        {
            reach(live, &turn)
            raise(live, for: flowRequest.client, isNew: false)
            forest.updateVisibility(below: nil, changed: [live])
            reportChanges(&turn)
            triggerPresented(&turn)
            return forest[live].path
        }
        // The request is checked before anything is reclaimed; reclaiming may free a better id.
        _ = try forest.newID(flowRequest.id, for: definition.name, below: nil, besides: SiblingIDs.PlannedIDs())
        let usage = Accounting.Usage(nodes: 1, bytes: arguments.byteCount)
        try reserve(usage, for: flowRequest.client, &turn)
        let id = try forest.newID(
            flowRequest.id, for: definition.name, below: nil, besides: SiblingIDs.PlannedIDs())

        let origin = initial == nil ? 0 : origins.next()
        let slot = forest.insert(
            Forest.Birth(
                kept: Node.Kept(
                    name: definition.name, id: id, arguments: arguments, isVisible: true,
                    whenHidden: flowRequest.whenHidden ?? whenHidden(ofRoot: definition.name, by: flowRequest.client),
                    client: flowRequest.client, output: flowRequest.output),
                flow: definitions.newState(
                    of: flowRequest.definition, hasInitial: initial != nil, birth: origin, turn.now)),
            below: nil)
        renewTitle(of: slot)
        scheduleTimers(of: slot)
        raise(slot, for: flowRequest.client, isNew: true)
        forest.updateVisibility(below: nil, changed: [slot])
        reportChanges(&turn)
        if let initial {
            if let time = flowRequest.inputTime { timings.note(input: time, of: origin, at: turn.now) }
            if let token = flowRequest.activationToken {
                activationTokens.insert(token, for: origin, of: RequestID(0))
            }
            if let path { moveActivationToken(of: path, to: origin) }
            trigger(
                WaitingStep(
                    origin: origin, client: flowRequest.client, flow: forest.id(of: slot),
                    step: initial, arguments: stepArguments, cause: 0, purpose: .initial), &turn)
        }
        emitProperties(at: slot, &turn)
        return forest[slot].path
    }

    /// A flow's own stepper is never paused (S-15): a client starts its own flow, and shows it.
    private func whenHidden(ofRoot flow: String, by client: Client) -> WhenHidden? {
        registrations[flow]?.client == client ? .allow : nil
    }

    func checkOutput(_ output: String) throws(FlowError) {
        if let problem = Names.problem(output: output) { throw FlowError(.invalidArguments, problem) }
    }

    // MARK: Steppers

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

    /// Emits the states of all properties that are known on a new root.
    private mutating func emitProperties(at root: NodeSlot, _ turn: inout Turn) {
        if steppers.isEmpty { return }
        let flow = definition(of: root)
        let id = forest.id(of: root)
        for (place, stepper) in definitions.steppers.enumerated() where stepper.flow == flow {
            if let value = steppers.known(StepperID(place)) { emit(value, of: StepperID(place), at: id, &turn) }
        }
    }

    /// Emits the state of a property on a root that got another one last. If the step is refused, the root did not get it.
    mutating func emit(_ value: StepperValue, of stepper: StepperID, at root: NodeID, _ turn: inout Turn) {
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
    func arguments(of stepper: StepperID, _ value: (Int) -> Value?) -> Arguments {
        definitions.steppers[stepper.index].bindings.compactMap { binding in
            switch binding.source {
            case .literal(let literal): Argument(binding.name, literal)
            case .value: value(0).map { Argument(binding.name, $0) }
            case .argument(let index): value(index).map { Argument(binding.name, $0) }
            }
        }
    }

    func step(
        _ arguments: Arguments, of stepper: StepperID, at root: NodeID, _ purpose: WaitingStep.Purpose
    ) -> WaitingStep {
        let definition = definitions.steppers[stepper.index]
        return WaitingStep(
            origin: 0, client: Client(definition.name), flow: root, step: definition.step,
            arguments: arguments, cause: 0, purpose: purpose)
    }

    /// What became of a stepper's step.
    enum StepAdmission {
        case admitted
        case refused
        /// It was refused, and an older one of the same property was dropped for it.
        case refusedForOlder
    }

    /// Emits a step on a root: it skips the gate, and joins the queue as a step from outside.
    @discardableResult
    mutating func emit(
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
