// The records of steps that wait (D-4). Each is noted when a step begins to wait, and when it goes on.

extension Machine {
    /// A step begins to wait at its presentable.
    mutating func record(_ deferred: inout DeferredStep, at slot: NodeSlot, isInitial: Bool) {
        deferred.number = queue.nextNumber()
        record(deferred, at: slot, isInitial: isInitial, by: definitions)
    }

    /// The same, with the definitions that have the step's number.
    mutating func record(_ deferred: DeferredStep, at slot: NodeSlot, isInitial: Bool, by definitions: Definitions) {
        if !unsaved.isWanted { return }
        let record = record(of: deferred, at: slot, isInitial: isInitial, by: definitions)
        unsaved.set(record, ofStep: deferred.number)
    }

    /// A step begins to wait at its flow, or reaches the next stage.
    mutating func record(
        _ step: WaitingStep, _ stage: StepRecord.Stage, by definitions: Definitions? = nil, _ turn: inout Turn
    ) {
        if !unsaved.isWanted { return }
        let record = record(of: step, stage, by: definitions ?? self.definitions, turn.call)
        unsaved.set(record, ofStep: step.number)
    }

    mutating func unrecord(_ deferred: DeferredStep) { unsaved.remove(step: deferred.number) }

    mutating func unrecord(_ step: WaitingStep) { unsaved.remove(step: step.number) }

    /// Removes the records of the steps that waited at a removed presentable.
    mutating func unrecordSteps(of node: Node) {
        if let deferred = node.initialStep { unrecord(deferred) }
        for deferred in node.deferredSteps { unrecord(deferred) }
    }

    func record(
        of deferred: DeferredStep, at slot: NodeSlot, isInitial: Bool, by definitions: Definitions
    ) -> StepRecord {
        StepRecord(
            stage: isInitial ? .initial : .deferred, place: forest[slot].instance, origin: deferred.origin,
            cause: deferred.cause, client: deferred.client, step: definitions[deferred.step].name,
            arguments: deferred.arguments, token: deferred.token)
    }

    func record(
        of step: WaitingStep, _ stage: StepRecord.Stage, by definitions: Definitions, _ call: Turn.CurrentCall?
    ) -> StepRecord {
        var record = StepRecord(
            stage: stage, place: step.flow.instance, origin: step.origin, cause: step.cause, client: step.client,
            step: definitions[step.step].name, arguments: step.arguments, screen: step.screen?.instance,
            isInteractive: step.isInteractive, adaptedFrom: step.adaptedFrom.map { definitions[$0].name })
        switch step.purpose {
        case .emitted(let request):
            record.purpose = .emitted
            record.request = request.number
            record.path = path(of: step, for: request, call)
            if let key = token(of: request, call) { (record.token, record.tokenKind) = (key.token, key.kind) }
        case .deepLink(let request, let place):
            record.purpose = .deepLink
            (record.request, record.index) = (request.number, UInt64(place))
        case .listed(let request, let place):
            record.purpose = .listed
            (record.request, record.index) = (request.number, UInt64(place))
        case .segment(let request):
            record.purpose = .segment
            record.request = request.number
        case .initial: record.purpose = .initial
        case .triggered: record.purpose = .triggered
        case .deferred: record.purpose = .deferred
        case .timed(let clock, let isLast):
            (record.purpose, record.index) = (.timed, UInt64(clock) * 2 + (isLast ? 0 : 1))
        case .property(let number):
            record.purpose = .property
            record.index = number
        case .signalled: record.purpose = .signalled
        }
        if stage == .queued, step.reportsFailure { record.placeOfFailure = failurePath(of: step.flow) }
        return record
    }

    /// The token of a call; of the current call if that begins to wait now.
    private func token(of request: RequestID, _ call: Turn.CurrentCall?) -> Tokens.Key? {
        if case .step(_, let key)? = calls[request]?.kind { return key }
        return request == call?.request ? call?.token : nil
    }

    /// The path of the call that emitted a step; its screen may be gone by now.
    private func path(of step: WaitingStep, for request: RequestID, _ call: Turn.CurrentCall?) -> String {
        if case .step(let path, _)? = calls[request]?.kind { return path }
        if request == call?.request, let path = call?.path { return path }
        return (forest.slot(of: step.screen) ?? forest.slot(of: step.flow)).map { forest[$0].path } ?? ""
    }

    /// Where failures of steps for a flow are reported: at the flow, or its nearest live ancestor, or else at the path that
    /// it had (S-12).
    func failurePath(of flow: NodeID) -> String {
        if let slot = forest.slot(of: flow) { return forest[slot].path }
        switch queue.nearestLiveAncestor(of: flow, isLive: { forest.slot(of: $0) != nil }) {
        case .below(let nearestLiveAncestor)?:
            return forest.slot(of: nearestLiveAncestor).map { forest[$0].path } ?? forest.top
        case .alone(let path)?: return path
        case nil: return forest.top
        }
    }
}
