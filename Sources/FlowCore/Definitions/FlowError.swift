/// A refusal that a client sees: what was wrong with which value, and what would be right.
///
/// The shell maps each code to the D-Bus error of the same name.
/// Source: the bus contract, "Errors".
public struct FlowError: Error, Hashable, Sendable {
    /// Which of the contract's errors it is.
    public enum Code: String, CaseIterable, Sendable {
        /// No definition declares a step of this name.
        case unknownStep = "UnknownStep"
        /// Arguments that a declaration does not have, lacks and needs, or whose type does not fit.
        case invalidArguments = "InvalidArguments"
        /// No flow of this name is defined.
        case unknownFlow = "UnknownFlow"
        /// A name or an id that is not allowed.
        case invalidName = "InvalidName"
        /// A live sibling has that id.
        case idTaken = "IdTaken"
        /// The presentable is owned by another client, or is about to be; or the flow was registered by another.
        case notOwner = "NotOwner"
        /// Another client has claimed the presentable.
        case alreadyClaimed = "AlreadyClaimed"
        /// A flow of that name is defined already.
        case alreadyRegistered = "AlreadyRegistered"
        /// The presentable at that path is another than the caller meant.
        case staleInstance = "StaleInstance"
        /// The flow that was to take the step is gone.
        case flowEnded = "FlowEnded"
        /// The presentable that held the step is gone.
        case presentableDismissed = "PresentableDismissed"
        /// One origin set off more steps than it may.
        case navigationLoop = "NavigationLoop"
        /// One of ``Limits`` is reached.
        case limitExceeded = "LimitExceeded"
        /// What a guard answers to reject a step; the emitter gets the verdict `rejected`.
        case rejected = "Rejected"
        /// The flow waits for the very client that emits on it.
        case wouldDeadlock = "WouldDeadlock"
        /// The flow's guard could not be asked, or answered what can't be.
        case guardFailed = "GuardFailed"
        /// The flow's guard did not answer in time.
        case guardTimeout = "GuardTimeout"
        /// The flow's navigator could not be asked, answered what can't be, or is gone.
        case navigatorFailed = "NavigatorFailed"
        /// The flow's navigator did not answer in time.
        case navigatorTimeout = "NavigatorTimeout"
        /// What was waited for did not come in time.
        case timeout = "Timeout"
        /// A deep link along a path came to a step that was not navigated.
        case pathFailed = "PathFailed"
        /// The flow takes steps from others alone (`emitters`).
        case accessDenied = "AccessDenied"
        /// The definition files have errors.
        case invalidDefinition = "InvalidDefinition"
    }

    /// Which error.
    public let code: Code
    /// One line for a person: the value in single quotes, and what would be right.
    public let message: String

    /// A refusal with this text.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
