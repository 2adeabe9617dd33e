/// Names a call that wants an answer. The shell gives the numbers; the core hands each back exactly once, with the
/// answer.
public struct RequestID: Hashable, Sendable {
    /// The number, never used twice.
    public let number: UInt64

    /// The request of this number.
    public init(_ number: UInt64) { self.number = number }
}

/// A connection to the bus, by its unique name; the empty name is the daemon itself.
///
/// A bus never gives a unique name twice, so that what is counted for a client can't fall to another.
public struct Client: Hashable, Sendable {
    /// The unique name, as `:1.42`.
    public let name: String

    /// The client of this unique name.
    public init(_ name: String) { self.name = name }

    /// Who begins what nobody asked for: the roots that start with the daemon.
    public static let daemon = Client("")

    /// Whoever made what came back from another bus: nobody is it any more (D-3).
    static let former = Client("former")
}

/// A time, given with each event: the machine has no clock. Any clock that never goes back will do.
public struct Instant: Comparable, Hashable, Sendable {
    /// Since some start, in µs.
    public let microseconds: UInt64

    /// So many µs after some start.
    public init(microseconds: UInt64) { self.microseconds = microseconds }

    /// So many µs later; never beyond what can be counted.
    func advanced(by microseconds: UInt64) -> Instant {
        let (sum, overflows) = self.microseconds.addingReportingOverflow(microseconds)
        return Instant(microseconds: overflows ? .max : sum)
    }

    /// Earlier and later.
    public static func < (one: Instant, other: Instant) -> Bool { one.microseconds < other.microseconds }
}

/// What has happened outside; all that ``Coordinator/handle(_:at:)`` takes.
///
/// `calledAt` is the object path of a call where that is not the presentable's own in the tree (S-25): what is told to the
/// caller alone comes from there.
public enum Event: Sendable {
    /// The daemon starts: the roots of `autostart` are due.
    case started
    /// A client emitted a step on a presentable (S-4).
    case stepEmitted(
        RequestID, on: NodeID, step: StepID, arguments: Arguments, by: Client, options: EmissionOptions? = nil)
    /// A client made a call again, by its token, that can't be an emission now, as its presentable is gone or its step no
    /// longer declared; ``Coordinator/remembersEmission(_:by:at:)`` said that the first one is known.
    case emissionRepeated(RequestID, token: String, by: Client)
    /// A client emitted several steps on a presentable, each when the one before has ended.
    case stepsEmitted(RequestID, on: NodeID, [EmittedStep], by: Client, calledAt: String? = nil)
    /// A client shows a presentable, or hides it (S-14).
    case visibilityChanged(RequestID, of: NodeID, isVisible: Bool, by: Client)
    /// A client dismissed a presentable (S-22).
    case presentableDismissed(RequestID, NodeID, by: Client)
    /// A client claimed a presentable (S-29).
    case presentableClaimed(RequestID, NodeID, by: Client)
    /// A client gave a presentable back.
    case presentableReleased(RequestID, NodeID, by: Client)
    /// A client wants to know when a flow is ready (S-26).
    case readinessAwaited(RequestID, of: NodeID, by: Client)
    /// Someone went back (S-24).
    case backPressed(RequestID, on: NodeID, by: Client, calledAt: String? = nil)
    /// A client asked for a root.
    case flowRequested(RequestID, FlowRequest)
    /// A client sent a step to every live flow (S-27).
    case deepLinkOpened(RequestID, step: StepID, arguments: Arguments, by: Client)
    /// A client sent steps along a path of flows (S-28), for which it waits so many µs.
    case pathOpened(RequestID, [PathSegment], by: Client, timeout: UInt64 = Limits.pathTimeout)
    /// A client implements a flow from now on.
    case flowRegistered(RequestID, Registration)
    /// A client does so no longer.
    case flowUnregistered(RequestID, flow: String, by: Client)
    /// A guard answered, or will not (S-5).
    case guardReplied(QuestionID, GuardAnswer)
    /// A navigator answered, or will not (S-5).
    case navigatorReplied(QuestionID, NavigatorAnswer)
    /// A presenter answered, or will not (S-31).
    case presenterReplied(QuestionID, PresenterAnswer)
    /// The connection of a client that ``Effect/watchClient(_:)`` named is gone.
    case clientVanished(Client)
    /// A client that ``Effect/watchClient(_:)`` named is of this Unix user, neither the service's own nor root (S-33).
    case clientIdentified(Client, user: UInt32)
    /// One of ``Definitions/busNames`` found its owner, or lost it (nil).
    case nameOwnerChanged(String, owner: Client?)
    /// There is time to go on with what the events before have led to (``Coordinator/hasMore``).
    case continued
    /// The time that ``Effect/startTimer(at:)`` asked for has come.
    case timerFired
    /// The definition files were read again, and are right.
    case definitionsRead(Definitions)
    /// What an earlier process kept (``Coordinator/takeRecords()``) was found; comes before all but
    /// owners of bus names, if at all, and records of
    /// the kind ``RecordKey/Kind/counters`` alone where the tree is to be a fresh one. On another bus no client is the one
    /// that it was, and flows that are not to be restored there are left out (D-3).
    case restored([Record], onSameBus: Bool)
}

/// What a caller of `EmitStepWithOptions` says beside the step.
public struct EmissionOptions: Equatable, Sendable {
    /// The caller's name for this call: repeated within ``Limits/tokenLifetime`` it gets the first outcome.
    public var token: String?
    /// The instance that the caller means; another at that path is refused.
    public var instance: UInt64?
    /// Whether the caller waits for the verdict; otherwise it gets `pending` where that is not decided at once.
    public var waits: Bool
    /// What lets a window come to the front: for the first Present that the step causes, once.
    public var activationToken: String?
    /// Whether the caller allows a question to the user.
    public var isInteractive: Bool
    /// The object path of the call, as in ``Event``.
    public var calledAt: String?

    /// These options.
    public init(
        token: String? = nil, instance: UInt64? = nil, waits: Bool = true, activationToken: String? = nil,
        isInteractive: Bool = false, calledAt: String? = nil
    ) {
        self.token = token
        self.instance = instance
        self.waits = waits
        self.activationToken = activationToken
        self.isInteractive = isInteractive
        self.calledAt = calledAt
    }
}

/// One of the steps of `EmitSteps`.
public enum EmittedStep: Equatable, Sendable {
    /// A step that is declared.
    case step(StepID, Arguments)
    /// What can't be one; it stands in the list, so that each gets its verdict.
    case refused(FlowError)
}

/// One stop on the way of a deep link (S-28).
public struct PathSegment: Equatable, Sendable {
    /// The flow's name.
    public var flow: String
    /// The step for it; nil: it is only on the way.
    public var step: StepID?
    /// The step's arguments.
    public var arguments: Arguments

    /// A step for a flow of this name.
    public init(flow: String, step: StepID? = nil, arguments: Arguments = []) {
        self.flow = flow
        self.step = step
        self.arguments = arguments
    }
}

/// The wish for a root (`Coordinate`).
public struct FlowRequest: Equatable, Sendable {
    /// What flow.
    public var definition: FlowID
    /// The id asked for; nil: the flow's name, or the first free `name_2`, `name_3`, … (S-1).
    public var id: String?
    /// The flow's own arguments.
    public var arguments: Arguments
    /// The initial step; nil: the flow's `initial`.
    public var step: StepID?
    /// The initial step's arguments.
    public var stepArguments: Arguments
    /// Who asks.
    public var client: Client
    /// The caller's name for this call: repeated within ``Limits/tokenLifetime`` it gets the first outcome.
    public var token: String?
    /// What lets a window come to the front: for the first Present that it causes, once.
    public var activationToken: String?

    /// A wish for a root.
    public init(
        _ definition: FlowID, id: String? = nil, arguments: Arguments = [], step: StepID? = nil,
        stepArguments: Arguments = [], by client: Client, token: String? = nil,
        activationToken: String? = nil
    ) {
        self.definition = definition
        self.id = id
        self.arguments = arguments
        self.step = step
        self.stepArguments = stepArguments
        self.client = client
        self.token = token
        self.activationToken = activationToken
    }
}
