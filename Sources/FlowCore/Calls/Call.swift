/// A call that is not answered, or whose caller was answered `pending`.
struct Call: Sendable {
    /// What it waits for.
    enum Kind: Sendable {
        /// One step, of a call to the object at this path; to be remembered by this token.
        case step(path: String, Tokens.Key?)
        /// Steps, each emitted when the one before has ended.
        case list(StepList)
        /// A step for every flow. The outcomes are ``PendingCalls/deepLinks``.
        case deepLink(DeepLink)
        /// Steps along a path of flows.
        case path(PathWalk)
        /// A flow that is not ready.
        case readiness(NodeID)
    }

    let client: Client
    var kind: Kind
    /// Whether the caller was answered `pending`, so that it is to learn what comes of it.
    var isAnswered = false
    /// Whether callers that ask again by its token may wait for its outcome (D-4). Its own caller does not: an earlier process
    /// ended without answering that one.
    var isAwaitedByToken = false
    /// For what it counts as waiting (S-33).
    var usage = Accounting.Usage()
    /// Until when its caller waits for an answer; nil: it was not made to wait.
    var due: Instant?
    /// Whether the coordinator is woken then.
    var isWatched = false

    /// Whether somebody may wait for its answer.
    var isAwaited: Bool { !isAnswered || isAwaitedByToken }

    /// Whether it has a record of its own while it goes on in slices, or waits.
    var isList: Bool {
        switch kind {
        case .list, .deepLink: true
        case .step, .path, .readiness: false
        }
    }
}

/// How far `EmitSteps` is.
struct StepList: Sendable {
    let node: NodeID
    let path: String
    var steps: [EmittedStep]
    /// Those of the steps that have ended.
    var outcomes: [Outcome] = []

    /// The outcomes so far, and `pending` for the rest.
    var allOutcomes: [Outcome] {
        outcomes + Array(repeating: .ignored(.pending), count: steps.count - outcomes.count)
    }
}

/// How far a deep link to every flow is (S-27).
struct DeepLink: Sendable {
    let step: StepID
    let arguments: Arguments
    /// The flows in their order; nil: one that the step was refused for.
    var flows: [NodeID?] = []
    /// Which of them is the next.
    var next = 0
    /// How many of their steps have not ended.
    var undecided = 0
}

/// How far a deep link along a path is (S-28).
struct PathWalk: Sendable {
    var segments: [PathSegment]
    /// Why those of the segments can't be taken whose steps new definitions don't declare so any more.
    var lapsed: [Int: FlowError] = [:]
    /// Until when it has to be done.
    let due: Instant
    /// Those of the segments that are done.
    var outcomes: [FlowOutcome] = []
    /// The flow of the latest segment, and its path.
    var above: NodeID?
    var place = ""
    /// Whether a step for that flow was emitted and is not done.
    var isUnderWay = false
    /// How that step ended; nil: it did not.
    var outcome: Outcome?

    /// Whether all segments are done.
    var isDone: Bool { outcomes.count >= segments.count }

    /// Whether the step of the segment at hand waits for others.
    var isUndecided: Bool { isUnderWay && outcome == nil }

    /// The error for the segment at hand.
    func failure(_ why: String) -> FlowError {
        let number = min(outcomes.count, segments.count - 1)
        return FlowError(.pathFailed, "segment \(number + 1) ('\(Names.escaped(segments[number].flow))'): \(why)")
    }
}
