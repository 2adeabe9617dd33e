/// The record of a waiting step: at its presentable until that is presented, or at its flow for a guard or navigator.
///
/// It has the name of the step, because numbers of steps belong to the definitions of one process. The instance of the flow
/// gives its path.
struct StepRecord: RecordBody, Equatable, Sendable {
    /// Where it waits. The raw values are part of the format.
    enum Stage: UInt8, Sendable {
        /// At its presentable: the initial step.
        case initial = 0
        /// At its presentable: a deferred step.
        case deferred = 1
        /// At its flow, behind another step.
        case blocked = 2
        /// Its flow's guard was asked about it.
        case `guard` = 3
        /// Its flow's navigator was asked about it.
        case navigator = 4
        /// In the queue until the next slice. Its flow may be gone.
        case queued = 5
    }

    /// What its outcome is for. The raw values are part of the format.
    enum Purpose: UInt8, Sendable {
        case emitted = 0
        case deepLink = 1
        case listed = 2
        case segment = 3
        case initial = 4
        case triggered = 5
        case deferred = 6
        case idle = 7
    }

    var stage = Stage.initial
    /// The instance of the presentable or flow where it waits.
    var place: UInt64 = 0
    var origin: UInt64 = 0
    var cause: UInt64 = 0
    var client = Client.daemon
    var step = ""
    var arguments: Arguments = []
    var purpose = Purpose.triggered
    /// The call that waits for its outcome, and the place of the step in the call.
    var request: UInt64 = 0
    var index: UInt64 = 0
    /// The path of the called object, for a call with one step.
    var path = ""
    /// The token of that call, even if it has expired; empty if it has none.
    var token = ""
    /// The instance of the screen on which it was emitted.
    var screen: UInt64?
    var isInteractive = false
    var adaptedFrom: String?
    /// Where a failure of a queued step is reported, if its flow is gone.
    var placeOfFailure = ""

    static var unread: StepRecord { StepRecord() }
    var expectedByteCount: Int { 64 + arguments.byteCount }

    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.code(choice: &stage)
        try coder.code(&place)
        try coder.code(&origin)
        try coder.code(&cause)
        try coder.code(&client)
        try coder.code(&step)
        try coder.code(&arguments)
        switch stage {
        case .initial, .deferred: return
        case .blocked, .guard, .navigator, .queued: break
        }
        try coder.code(choice: &purpose)
        try coder.code(&request)
        try coder.code(&index)
        try coder.code(&path)
        try coder.code(&screen)
        try coder.code(&isInteractive)
        try coder.code(&adaptedFrom)
        if stage == .queued { try coder.code(&placeOfFailure) }
        if coder.isFollowed(unless: token.isEmpty) { try coder.code(&token) }
    }
}

// MARK: - Changes of waiting steps

extension Machine {
    /// A step begins to wait at its presentable.
    mutating func record(_ deferred: inout DeferredStep, at slot: NodeSlot, isInitial: Bool) {
        deferred.number = queue.nextNumber()
        record(deferred, at: slot, isInitial: isInitial, by: definitions)
    }

    /// The same, with the definitions that have the step's number.
    mutating func record(_ deferred: DeferredStep, at slot: NodeSlot, isInitial: Bool, by definitions: Definitions) {
        if !unsaved.isWanted { return }
        unsaved.steps[deferred.number] = record(of: deferred, at: slot, isInitial: isInitial, by: definitions).encoded()
    }

    /// A step begins to wait at its flow, or reaches the next stage.
    mutating func record(
        _ step: WaitingStep, _ stage: StepRecord.Stage, by definitions: Definitions? = nil, _ turn: inout Turn
    ) {
        if !unsaved.isWanted { return }
        unsaved.steps[step.number] = record(of: step, stage, by: definitions ?? self.definitions, turn.call).encoded()
    }

    mutating func unrecord(_ deferred: DeferredStep) { unrecord(step: deferred.number) }

    mutating func unrecord(_ step: WaitingStep) { unrecord(step: step.number) }

    private mutating func unrecord(step number: UInt64) {
        if unsaved.savedSteps.contains(number) {
            unsaved.steps[number] = .some(nil)
        } else {
            unsaved.steps[number] = nil
        }
    }

    func record(
        of deferred: DeferredStep, at slot: NodeSlot, isInitial: Bool, by definitions: Definitions
    ) -> StepRecord {
        StepRecord(
            stage: isInitial ? .initial : .deferred, place: forest[slot].instance, origin: deferred.origin,
            cause: deferred.cause, client: deferred.client, step: definitions[deferred.step].name,
            arguments: deferred.arguments)
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
            record.token = token(of: request, call)
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
        case .idle: record.purpose = .idle
        }
        if stage == .queued, step.reportsFailure { record.placeOfFailure = failurePath(of: step.flow) }
        return record
    }

    /// The token of a call; of the current call if that begins to wait now.
    private func token(of request: RequestID, _ call: Turn.CurrentCall?) -> String {
        if case .step(_, let key)? = calls[request]?.kind { return key?.token ?? "" }
        return request == call?.request ? call?.token?.token ?? "" : ""
    }

    /// The path of the call that emitted a step; its screen may be gone by now.
    private func path(of step: WaitingStep, for request: RequestID, _ call: Turn.CurrentCall?) -> String {
        if case .step(let path, _)? = calls[request]?.kind { return path }
        if request == call?.request, let path = call?.path { return path }
        return (step.screen.flatMap(forest.slot(of:)) ?? forest.slot(of: step.flow)).map { forest[$0].path } ?? ""
    }
}
