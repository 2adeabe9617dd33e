import FlowCore

/// Properties and signals of other services that emit steps (S-42).
extension Model {
    /// All that a definition says of a stepper, by names: the same in other definitions, whatever its place there.
    struct StepperKey: Equatable {
        let flow: String
        let step: String
        let rest: StepperDefinition
    }

    /// What is known of a property.
    struct StepperState {
        var known: StepperValue?
        /// The time of the latest change that was passed on, and whether a later one waits.
        var passedAt: UInt64?
        var isPending = false
        /// When it counts as absent if nothing is known of it (S-49).
        var firstDue: UInt64?
    }

    /// The time that lies between two changes that are passed on: there are at most 10 in a second.
    private static let pause: UInt64 = 100_000

    static func stepperKeys(_ definitions: Definitions) -> [StepperKey] {
        definitions.steppers.map {
            StepperKey(
                flow: definitions[$0.flow].name, step: definitions[$0.step].name,
                rest: StepperDefinition(
                    FlowID(0), bus: $0.bus, name: $0.name, object: $0.object, interface: $0.interface,
                    source: $0.source, step: StepID(0), bindings: $0.bindings, startsService: $0.startsService))
        }
    }

    // MARK: - Properties

    func change(_ stepper: StepperID, to value: StepperValue) {
        guard stepperStates[stepper.index].known != value else { return }
        stepperStates[stepper.index].known = value
        if let last = stepperStates[stepper.index].passedAt, now < last + Self.pause {
            stepperStates[stepper.index].isPending = true
        } else {
            passOn(stepper.index)
        }
    }

    /// Passes the value of a property on to the roots that got another one last.
    func passOn(_ stepper: Int) {
        (stepperStates[stepper].passedAt, stepperStates[stepper].isPending) = (now, false)
        for root in stepperRoots(stepper) { give(stepper, to: root) }
        finish()
    }

    /// A root begins: it gets the values of all properties that are known.
    func giveAll(to root: ModelNode) {
        for stepper in definitions.steppers.indices
        where definitions.steppers[stepper].flow.index == root.definition {
            give(stepper, to: root)
        }
    }

    private func give(_ stepper: Int, to root: ModelNode) {
        guard let value = stepperStates[stepper].known else { return }
        let key = Self.stepperKeys(definitions)[stepper]
        if root.got.contains(where: { $0.key == key && $0.value == value }) { return }
        let isGot =
            switch (value, definitions.steppers[stepper].source) {
            case (.value(let value), _): emit(stepper, on: root, [value])
            case (.absent, .property(_, let absent?)): emit(stepper, on: root, absent)
            case (.absent, _): true
            }
        // A root does not get a value that no step can have.
        if !isGot { return }
        root.got.removeAll { $0.key == key }
        root.got.append((key, value))
    }

    // MARK: - Signals

    func signal(_ stepper: StepperID, _ values: [Value]) {
        for root in stepperRoots(stepper.index) { emit(stepper.index, on: root, values) }
        finish()
    }

    /// Values that no step can have.
    func fail(_ stepper: StepperID, _ error: FlowError) {
        for root in stepperRoots(stepper.index) {
            reportFailure(step(of: stepper.index, on: root, []), .error(error.code))
        }
    }

    // MARK: - Steps

    /// Every live root of the flow.
    private func stepperRoots(_ stepper: Int) -> [ModelNode] {
        roots.filter { $0.definition == definitions.steppers[stepper].flow.index }
    }

    /// Emits with the values of the signal's arguments, or of the property.
    @discardableResult
    private func emit(_ stepper: Int, on root: ModelNode, _ values: [Value]) -> Bool {
        var arguments: Arguments = []
        for binding in definitions.steppers[stepper].bindings {
            let value: Value? =
                switch binding.source {
                case .literal(let value): value
                case .value: values.first
                case .argument(let place): place < values.count ? values[place] : nil
                }
            if let value { arguments.append(Argument(binding.name, value)) }
        }
        return emit(stepper, on: root, arguments)
    }

    /// A step from outside that skips the gate, needs no permission, and does not reach the flow. Returns whether it fits.
    private func emit(_ stepper: Int, on root: ModelNode, _ arguments: Arguments) -> Bool {
        do throws(FlowError) {
            queue(
                step(of: stepper, on: root, try admit(arguments, for: definitions.steppers[stepper].step)))
            return true
        } catch {
            reportFailure(step(of: stepper, on: root, []), .error(error.code))
            return false
        }
    }

    private func step(of stepper: Int, on root: ModelNode, _ arguments: Arguments) -> ModelStep {
        let definition = definitions.steppers[stepper]
        return ModelStep(
            step: definition.step, arguments: arguments, flow: root, origin: newOrigin(), cause: 0,
            client: Client(definition.name), purpose: .reported, isHead: true)
    }

    // MARK: - Time and definitions

    /// The start: what nobody reports within 1 s is absent.
    func awaitFirstValues() {
        for stepper in definitions.steppers.indices where definitions.steppers[stepper].isProperty {
            let state = stepperStates[stepper]
            if state.known == nil, state.firstDue == nil { stepperStates[stepper].firstDue = now + 1_000_000 }
        }
    }

    /// What waits is passed on, or counts as absent.
    func takeChange(of stepper: Int) {
        if stepperStates[stepper].known == nil { change(StepperID(stepper), to: .absent) } else { passOn(stepper) }
    }

    /// When a change that waits is passed on, and of which stepper; the earliest.
    var nextChange: (due: UInt64, stepper: Int)? {
        stepperStates.indices.compactMap { stepper in
            if stepperStates[stepper].known == nil { return stepperStates[stepper].firstDue.map { ($0, stepper) } }
            guard stepperStates[stepper].isPending, let last = stepperStates[stepper].passedAt else { return nil }
            return (last + Self.pause, stepper)
        }.min { $0 < $1 }
    }

    /// Steppers that are the same in other definitions go on.
    func exchangeSteppers(_ before: [StepperKey]) {
        let keys = Self.stepperKeys(definitions)
        let states = stepperStates
        stepperStates = keys.map { key in before.firstIndex(of: key).map { states[$0] } ?? StepperState() }
        for root in roots { root.got.removeAll { !keys.contains($0.key) } }
    }
}
