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
        case timed = 7
        case property = 8
        case signalled = 9
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
    /// The call that waits for its outcome, and the place of the step in the call; or the number of a property (S-42).
    var request: UInt64 = 0
    var index: UInt64 = 0
    /// The path of the called object, for a call with one step.
    var path = ""
    /// The token of that call, even if it has expired; empty if it has none.
    var token = ""
    /// The kind of that call, if it has a token.
    var tokenKind = Tokens.CallKind.emission
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
        case .initial: return
        case .deferred: return try coder.code(&token)
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
        try coder.code(&token)
        try coder.code(choice: &tokenKind)
    }
}
