/// A step that waits, as it is kept: at its presentable until that is presented, or at its flow for a guard or navigator.
///
/// It names steps, as their numbers are those of the definitions of one process. The path of the flow is not said: that is
/// found by its instance.
struct StepRecord: Equatable, Sendable {
    /// Where it waits. The raw values are part of the format.
    enum Stage: UInt8, Sendable {
        /// At its presentable: the initial step.
        case initial = 0
        /// At its presentable: from outside.
        case kept = 1
        /// At its flow, behind another one.
        case blocked = 2
        /// Its flow's guard was asked about it.
        case `guard` = 3
        /// Its flow's navigator was asked about it.
        case navigator = 4
        /// Nowhere: its turn comes with the next slice. Its flow may be gone.
        case queued = 5
    }

    /// Who wants to know how it ends. The raw values are part of the format.
    enum Purpose: UInt8, Sendable {
        case emitted = 0
        case deepLink = 1
        case listed = 2
        case segment = 3
        case initial = 4
        case triggered = 5
        case kept = 6
        case idle = 7
    }

    var stage: Stage
    /// The instance of the presentable or flow where it waits.
    var place: UInt64
    var origin: UInt64
    var cause: UInt64
    var client: Client
    var step: String
    var arguments: Arguments
    var purpose = Purpose.triggered
    /// The call that wants to know, and which of its steps this is.
    var request: UInt64 = 0
    var index: UInt64 = 0
    /// The path of the object that was called, for a call that emitted this step alone.
    var path = ""
    /// What that call is remembered by, or was, as its time may be over; empty: by nothing.
    var token = ""
    /// The instance of the screen that it was emitted on.
    var screen: UInt64?
    var isInteractive = false
    var adaptedFrom: String?
    /// Where a failure of one that is queued is reported, if its flow is gone.
    var placeOfFailure = ""

    /// What it says as bytes.
    var bytes: [UInt8] {
        var writer = RecordWriter(reserving: 64 + arguments.byteCount)
        writer.append(byte: stage.rawValue)
        for number in [place, origin, cause] { writer.append(number) }
        writer.append(client.name)
        writer.append(step)
        writer.append(arguments)
        switch stage {
        case .initial, .kept: return writer.bytes
        case .blocked, .guard, .navigator, .queued: break
        }
        writer.append(byte: purpose.rawValue)
        for number in [request, index] { writer.append(number) }
        writer.append(path)
        writer.append(optional: screen) { $0.append($1) }
        writer.append(isInteractive)
        writer.append(optional: adaptedFrom) { $0.append($1) }
        if stage == .queued { writer.append(placeOfFailure) }
        // It came later: without any it is as it was before there were such.
        if !token.isEmpty { writer.append(token) }
        return writer.bytes
    }
}

extension StepRecord {
    init(_ bytes: [UInt8]) throws(RecordFailure) {
        var reader = RecordReader(bytes)
        stage = try reader.choice(Stage.init(rawValue:))
        place = try reader.number()
        origin = try reader.number()
        cause = try reader.number()
        client = Client(try reader.text())
        step = try reader.text()
        arguments = try reader.arguments()
        switch stage {
        case .initial, .kept: break
        case .blocked, .guard, .navigator, .queued:
            purpose = try reader.choice(Purpose.init(rawValue:))
            request = try reader.number()
            index = try reader.number()
            path = try reader.text()
            screen = try reader.optional { reader throws(RecordFailure) in try reader.number() }
            isInteractive = try reader.flag()
            adaptedFrom = try reader.optional { reader throws(RecordFailure) in try reader.text() }
            if stage == .queued { placeOfFailure = try reader.text() }
            if !reader.isAtEnd { token = try reader.text() }
        }
        try reader.end()
    }
}

// MARK: - What is noted when a step begins to wait, and when it ends to

extension Machine {
    /// A step waits at its presentable from now on.
    mutating func record(_ held: inout DeferredStep, at slot: NodeSlot, isInitial: Bool) {
        held.number = queue.nextNumber()
        record(held, at: slot, isInitial: isInitial, by: definitions)
    }

    /// The same where these definitions number the steps.
    mutating func record(_ held: DeferredStep, at slot: NodeSlot, isInitial: Bool, by definitions: Definitions) {
        if !unsaved.isWanted { return }
        unsaved.steps[held.number] = record(of: held, at: slot, isInitial: isInitial, by: definitions).bytes
    }

    /// A step waits at its flow from now on, or comes further on its way.
    mutating func record(
        _ step: WaitingStep, _ stage: StepRecord.Stage, by definitions: Definitions? = nil, _ turn: inout Turn
    ) {
        if !unsaved.isWanted { return }
        unsaved.steps[step.number] = record(of: step, stage, by: definitions ?? self.definitions, turn.call).bytes
    }

    mutating func unrecord(_ held: DeferredStep) { unrecord(step: held.number) }

    mutating func unrecord(_ step: WaitingStep) { unrecord(step: step.number) }

    private mutating func unrecord(step number: UInt64) {
        if unsaved.savedSteps.contains(number) {
            unsaved.steps[number] = .some(nil)
        } else {
            unsaved.steps[number] = nil
        }
    }

    func record(
        of held: DeferredStep, at slot: NodeSlot, isInitial: Bool, by definitions: Definitions
    ) -> StepRecord {
        StepRecord(
            stage: isInitial ? .initial : .kept, place: forest[slot].instance, origin: held.origin,
            cause: held.cause, client: held.client, step: definitions[held.step].name, arguments: held.arguments)
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
        case .kept: record.purpose = .kept
        case .idle: record.purpose = .idle
        }
        if stage == .queued, step.reportsFailure { record.placeOfFailure = failurePath(of: step.flow) }
        return record
    }

    /// The token of a call, which is the one at hand where it has just begun to wait.
    private func token(of request: RequestID, _ call: Turn.CurrentCall?) -> String {
        if case .step(_, let key)? = calls[request]?.kind { return key?.token ?? "" }
        return request == call?.request ? call?.token?.token ?? "" : ""
    }

    /// The path of the call that emitted a step; its screen may have gone while it waited.
    private func path(of step: WaitingStep, for request: RequestID, _ call: Turn.CurrentCall?) -> String {
        if case .step(let path, _)? = calls[request]?.kind { return path }
        if request == call?.request, let path = call?.path { return path }
        return (step.screen.flatMap(forest.slot(of:)) ?? forest.slot(of: step.flow)).map { forest[$0].path } ?? ""
    }
}
