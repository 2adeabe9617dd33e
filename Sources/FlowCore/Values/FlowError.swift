/// An error that a client gets: which value was wrong, and what would be right.
///
/// Source: the bus contract, "Errors".
public struct FlowError: Error, Hashable, Sendable {
    /// An error of the contract.
    public enum Code: String, CaseIterable, Sendable {
        /// No definition declares a step of this name.
        case unknownStep = "UnknownStep"
        /// An argument is unknown, missing, or of the wrong type.
        case invalidArguments = "InvalidArguments"
        /// No flow of this name is defined.
        case unknownFlow = "UnknownFlow"
        /// A name or an id is not allowed.
        case invalidName = "InvalidName"
        /// A live sibling has the id.
        case idTaken = "IdTaken"
        /// Another client owns the presentable, or is about to; or another client registered the flow.
        case notOwner = "NotOwner"
        /// Another client has claimed the presentable.
        case alreadyClaimed = "AlreadyClaimed"
        /// A flow of this name is defined already.
        case alreadyRegistered = "AlreadyRegistered"
        /// Another instance is live at the path.
        case staleInstance = "StaleInstance"
        case staleArguments = "StaleArguments"
        /// The flow ended before it took the step.
        case flowEnded = "FlowEnded"
        /// The presentable was dismissed before the step was taken.
        case presentableDismissed = "PresentableDismissed"
        /// One origin triggered more steps than allowed.
        case navigationLoop = "NavigationLoop"
        /// A limit of ``Limits`` is reached.
        case limitExceeded = "LimitExceeded"
        /// A guard rejected the step; the emitter gets the verdict `rejected`.
        case rejected = "Rejected"
        /// The flow is waiting for an answer from the client that makes the call.
        case wouldDeadlock = "WouldDeadlock"
        /// A navigator does not take the step; the emitter gets the verdict `unhandled`.
        case unhandled = "Unhandled"
        /// The flow's guard could not be called, or its answer was invalid.
        case guardFailed = "GuardFailed"
        /// The flow's guard did not answer in time.
        case guardTimeout = "GuardTimeout"
        /// The flow's navigator could not be called, its answer was invalid, or its process ended.
        case navigatorFailed = "NavigatorFailed"
        /// The flow's navigator did not answer in time.
        case navigatorTimeout = "NavigatorTimeout"
        /// The call reached its time limit.
        case timeout = "Timeout"
        /// A step of a deep link along a path was not navigated.
        case pathFailed = "PathFailed"
        /// The flow accepts steps from other clients only (`emitters`).
        case accessDenied = "AccessDenied"
        /// The call is for screens, and the presentable is a flow.
        case notSupported = "NotSupported"
        /// The definition files have errors.
        case invalidDefinition = "InvalidDefinition"

        /// What precedes ``rawValue`` in the name of the D-Bus error.
        public static let busPrefix = "org.flowbus.Navigation1.Error."

        /// The name of the D-Bus error: `AccessDenied` and `NotSupported` are D-Bus's own, the others are the
        /// service's.
        public var busName: String {
            switch self {
            case .accessDenied, .notSupported: "org.freedesktop.DBus.Error." + rawValue
            default: Self.busPrefix + rawValue
            }
        }
    }

    /// The code.
    public let code: Code
    /// A message for people, in one line: the value in single quotes, and what would be right.
    public let message: String

    /// Creates an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
