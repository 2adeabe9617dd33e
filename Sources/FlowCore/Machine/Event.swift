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
}

/// What has happened outside; all that ``FlowCoordinator/handle(_:)`` takes.
public enum Event: Sendable {
    /// The daemon starts: the roots of `autostart` are due.
    case started
    /// A client emitted a step on a presentable (S-4).
    case stepEmitted(RequestID, on: NodeID, step: StepID, arguments: Arguments, by: Client)
    /// A client shows a presentable, or hides it (S-14).
    case visibilityChanged(RequestID, of: NodeID, isVisible: Bool)
    /// A client dismissed a presentable (S-22).
    case presentableDismissed(RequestID, NodeID)
    /// A client asked for a root.
    case flowRequested(RequestID, FlowRequest)
    /// A client sent a step to every live flow (S-27).
    case deepLinkOpened(RequestID, step: StepID, arguments: Arguments, by: Client)
    /// The definition files were read again, and are right.
    case definitionsRead(Definitions)
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

    /// A wish for a root.
    public init(
        _ definition: FlowID, id: String? = nil, arguments: Arguments = [], step: StepID? = nil,
        stepArguments: Arguments = [], by client: Client
    ) {
        self.definition = definition
        self.id = id
        self.arguments = arguments
        self.step = step
        self.stepArguments = stepArguments
        self.client = client
    }
}
