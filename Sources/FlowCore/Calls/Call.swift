/// A call without an answer, or one that was answered `pending`.
struct Call: Sendable {
    /// What a call waits for.
    enum Kind: Sendable {
        /// A step. The call was made to the object at this path; a token remembers its outcome.
        case step(path: String, Tokens.Key?)
        /// Steps, each emitted when the one before has ended.
        case list(StepList)
        /// A step for every flow. ``PendingCalls/deepLinks`` has the outcomes.
        case deepLink(DeepLink)
        /// Steps along a path of flows.
        case path(PathWalk)
        /// A flow, until it is ready.
        case readiness(NodeID)
    }

    let client: Client
    var kind: Kind
    /// Whether the caller was answered `pending`, so that `StepConcluded` reports the outcome.
    var isAnswered = false
    /// Whether repeated calls with its token may wait for its outcome (D-4). Its own caller does not wait: an earlier
    /// process ended without answering it.
    var isAwaitedByToken = false
    /// What it counts for as a waiting call (S-33).
    var usage = Accounting.Usage()
    /// When its caller gets another answer at the latest; nil if the call does not wait.
    var due: Instant?
    /// Whether it has an alarm for that time.
    var isWatched = false

    // Of a deep link. They change, so they are not a part of the kind.

    /// The place of the flow with which it continues after an interruption.
    var next = 0
    /// How many of the steps have not ended.
    var undecided = 0

    /// Whether a caller may wait for its answer.
    var isAwaited: Bool { !isAnswered || isAwaitedByToken }

    /// Whether it has a record of its own while it waits or continues in slices.
    var isList: Bool {
        switch kind {
        case .list, .deepLink: true
        case .step, .path, .readiness: false
        }
    }
}

/// The state of a call of `EmitSteps`.
struct StepList: Sendable {
    let node: NodeID
    let path: String
    var steps: [EmittedStep]
    /// The outcomes of the steps that have ended.
    var outcomes: [Outcome] = []

    /// The outcomes of these steps, and `pending` for the others.
    var allOutcomes: [Outcome] {
        outcomes + Array(repeating: .ignored(.pending), count: steps.count - outcomes.count)
    }
}

/// A deep link to every flow (S-27).
struct DeepLink: Sendable {
    let step: StepID
    var arguments: Arguments
    /// Whether the caller waits for the outcomes; otherwise it gets `pending` for what is not decided at once.
    var waits = true
    /// The flows, in order; nil if the step was refused for one.
    var flows: [NodeID?] = []
}

/// The state of a deep link along a path (S-28).
struct PathWalk: Sendable {
    var segments: [PathSegment]
    /// Errors for segments whose steps the present definitions no longer declare in the same way.
    var lapsed: [Int: FlowError] = [:]
    /// The time limit.
    let due: Instant
    /// Whether the caller blocks, so that the path must not wait for an answer of it (S-32).
    let blocks: Bool
    /// The outcomes of the segments that have ended.
    var outcomes: [FlowOutcome] = []
    /// The flow of the latest segment, or the root below which the path begins; and the path of the former.
    var above: NodeID?
    var place = ""
    /// Whether a step for that flow was emitted and has not ended.
    var isUnderWay = false
    /// The outcome of that step; nil if it has not ended.
    var outcome: Outcome?

    /// Whether all segments have ended.
    var isDone: Bool { outcomes.count >= segments.count }

    /// Whether the current segment's step has not ended.
    var isUndecided: Bool { isUnderWay && outcome == nil }

    /// The error for the current segment.
    func failure(_ why: String) -> FlowError {
        let number = min(outcomes.count, segments.count - 1)
        return FlowError(.pathFailed, "segment \(number + 1) ('\(Names.escaped(segments[number].flow))'): \(why)")
    }
}

/// One of the steps of `EmitSteps`.
public enum EmittedStep: Equatable, Sendable {
    /// A declared step.
    case step(StepID, Arguments)
    /// An invalid entry. It stays in the list, so that each entry gets its verdict.
    case refused(FlowError)
}

/// One flow of a path to navigate along, with its step (S-28).
public struct PathSegment: Equatable, Sendable {
    /// The flow's name.
    public var flow: String
    /// Values of its key; those that are left out can be any (S-51).
    public var key: Arguments
    /// The step for the flow; nil if the path only passes through it.
    public var step: StepID?
    /// The step's arguments.
    public var arguments: Arguments

    /// Creates a segment.
    public init(flow: String, key: Arguments = [], step: StepID? = nil, arguments: Arguments = []) {
        self.flow = flow
        self.key = key
        self.step = step
        self.arguments = arguments
    }

    /// The flow that is meant.
    var sought: Sought { Sought(name: flow, isFlow: true, keyNames: key.map(\.name), values: key) }
}
