internal import FlowCore

/// A refusal, which changed nothing: what was wrong with which value, and what would be right.
public struct NavigationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Which error it is. Those of the service are its D-Bus errors `org.flowbus.Navigation1.Error.…`.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The D-Bus error's name, without `org.flowbus.Navigation1.Error.` where it begins so.
        public let rawValue: String

        /// An error by its name.
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// Which error it is.
    public let code: Code
    /// One line for a person.
    public let message: String

    /// The message, and the error's name.
    public var description: String { "\(message) (\(code.rawValue))" }

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    init(_ error: FlowError) {
        let code = error.code == .accessDenied ? Code.accessDenied : Code(rawValue: error.code.rawValue)
        self.init(code, error.message)
    }

    init(_ error: StepError) { self.init(.invalidStep, error.description) }
}

extension NavigationError.Code {
    /// No definition declares a step of this name.
    public static let unknownStep = Self(rawValue: "UnknownStep")
    /// Arguments that a declaration does not have, lacks and needs, or whose type does not fit.
    public static let invalidArguments = Self(rawValue: "InvalidArguments")
    /// No flow of this name is defined.
    public static let unknownFlow = Self(rawValue: "UnknownFlow")
    /// A name or an id that is not allowed.
    public static let invalidName = Self(rawValue: "InvalidName")
    /// A live sibling has that id.
    public static let idTaken = Self(rawValue: "IdTaken")
    /// Another client owns it, or registered it.
    public static let notOwner = Self(rawValue: "NotOwner")
    /// Another client has claimed it.
    public static let alreadyClaimed = Self(rawValue: "AlreadyClaimed")
    /// A flow of that name is defined already.
    public static let alreadyRegistered = Self(rawValue: "AlreadyRegistered")
    /// What lives at that path now is another than was meant.
    public static let staleInstance = Self(rawValue: "StaleInstance")
    /// The flow that was to take the step is gone.
    public static let flowEnded = Self(rawValue: "FlowEnded")
    /// The presentable that held the step is gone.
    public static let presentableDismissed = Self(rawValue: "PresentableDismissed")
    /// One step set off more than 256 others.
    public static let navigationLoop = Self(rawValue: "NavigationLoop")
    /// A limit is reached.
    public static let limitExceeded = Self(rawValue: "LimitExceeded")
    /// A guard refused; steps get the verdict `rejected` instead.
    public static let rejected = Self(rawValue: "Rejected")
    /// The flow waits for the very client that emits on it.
    public static let wouldDeadlock = Self(rawValue: "WouldDeadlock")
    /// The flow's `adapt` failed, or answered what can't be.
    public static let guardFailed = Self(rawValue: "GuardFailed")
    /// The flow's `adapt` took too long.
    public static let guardTimeout = Self(rawValue: "GuardTimeout")
    /// The flow's `navigate` could not be asked, answered what can't be, or is gone.
    public static let navigatorFailed = Self(rawValue: "NavigatorFailed")
    /// The flow's `navigate` took too long.
    public static let navigatorTimeout = Self(rawValue: "NavigatorTimeout")
    /// A deep link along a path came to a step that was not navigated.
    public static let pathFailed = Self(rawValue: "PathFailed")
    /// What was waited for did not come in time.
    public static let timeout = Self(rawValue: "Timeout")
    /// The service's definition files have errors.
    public static let invalidDefinition = Self(rawValue: "InvalidDefinition")

    /// The caller may not do that.
    public static let accessDenied = Self(rawValue: "org.freedesktop.DBus.Error.AccessDenied")
    /// Nothing lives at that path.
    public static let unknownObject = Self(rawValue: "org.freedesktop.DBus.Error.UnknownObject")
    /// There is no service on the bus, and the bus can't start it.
    public static let serviceUnknown = Self(rawValue: "org.freedesktop.DBus.Error.ServiceUnknown")
    /// The service went away before it answered; what became of the call is not known.
    public static let noReply = Self(rawValue: "org.freedesktop.DBus.Error.NoReply")
    /// There is no connection to the bus.
    public static let disconnected = Self(rawValue: "org.freedesktop.DBus.Error.Disconnected")
    /// A step that can't travel: no enum, or a value of it has no D-Bus type.
    public static let invalidStep = Self(rawValue: "InvalidStep")
}
