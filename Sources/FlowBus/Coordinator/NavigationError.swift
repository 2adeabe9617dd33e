package import FlowCore

/// An error of the navigation service, or of the connection to it. The call that throws it had no effect, except with
/// the codes ``Code/noReply`` and ``Code/disconnected``, which leave that open.
public struct NavigationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The code of the error.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The name of the D-Bus error, without the prefix `org.flowbus.Navigation1.Error.`.
        public let rawValue: String

        /// Creates a code from the name of an error.
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// The code of the error.
    public let code: Code
    /// A message for people, in one line: which value was wrong, and what would be right.
    public let message: String

    /// The message with the code.
    public var description: String { "\(message) (\(code.rawValue))" }

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package init(_ error: FlowError) {
        let code =
            switch error.code {
            case .accessDenied: Code.accessDenied
            case .notSupported: Code.notSupported
            default: Code(rawValue: error.code.rawValue)
            }
        self.init(code, error.message)
    }

    package init(_ error: StepError) { self.init(.invalidStep, error.description) }
}

extension NavigationError.Code {
    /// No definition declares a step of this name.
    public static let unknownStep = Self(rawValue: "UnknownStep")
    /// An argument is unknown, missing, or of the wrong type.
    public static let invalidArguments = Self(rawValue: "InvalidArguments")
    /// No flow of this name is defined.
    public static let unknownFlow = Self(rawValue: "UnknownFlow")
    /// A name or an id is not allowed.
    public static let invalidName = Self(rawValue: "InvalidName")
    /// A live sibling has the id.
    public static let idTaken = Self(rawValue: "IdTaken")
    /// Another client owns the presentable, or registered the flow.
    public static let notOwner = Self(rawValue: "NotOwner")
    /// Another client has claimed the presentable.
    public static let alreadyClaimed = Self(rawValue: "AlreadyClaimed")
    /// A flow of this name is defined already.
    public static let alreadyRegistered = Self(rawValue: "AlreadyRegistered")
    /// Another instance is live at the path.
    public static let staleInstance = Self(rawValue: "StaleInstance")
    /// The screen was reused with other arguments than its owner was told of.
    public static let staleArguments = Self(rawValue: "StaleArguments")
    /// The flow ended before it took the step.
    public static let flowEnded = Self(rawValue: "FlowEnded")
    /// The presentable was dismissed before the step was taken.
    public static let presentableDismissed = Self(rawValue: "PresentableDismissed")
    /// A step triggered more than 256 others; in one process, more than 10,000.
    public static let navigationLoop = Self(rawValue: "NavigationLoop")
    /// A limit is reached.
    public static let limitExceeded = Self(rawValue: "LimitExceeded")
    /// A guard refused a step of a call that reports no verdict.
    public static let rejected = Self(rawValue: "Rejected")
    /// The flow is waiting for an answer from the client that makes the call.
    public static let wouldDeadlock = Self(rawValue: "WouldDeadlock")
    /// The flow's `adapt` failed, or returned an invalid step.
    public static let guardFailed = Self(rawValue: "GuardFailed")
    /// The flow's `adapt` took too long.
    public static let guardTimeout = Self(rawValue: "GuardTimeout")
    /// The flow's `navigate` could not be called, returned invalid contributors, or its process ended.
    public static let navigatorFailed = Self(rawValue: "NavigatorFailed")
    /// The flow's `navigate` took too long.
    public static let navigatorTimeout = Self(rawValue: "NavigatorTimeout")
    /// A step of a deep link along a path was not navigated.
    public static let pathFailed = Self(rawValue: "PathFailed")
    /// The call reached its time limit.
    public static let timeout = Self(rawValue: "Timeout")
    /// The service's definition files have errors.
    public static let invalidDefinition = Self(rawValue: "InvalidDefinition")

    /// The caller is not allowed to make the call.
    public static let accessDenied = Self(rawValue: "org.freedesktop.DBus.Error.AccessDenied")
    /// The call is for screens alone, or for screens with a `result`.
    public static let notSupported = Self(rawValue: "org.freedesktop.DBus.Error.NotSupported")
    /// A handler of an answer threw an error (``Ask/onAnswer``).
    public static let handlerFailed = Self(rawValue: "HandlerFailed")
    /// No presentable is live at the path.
    public static let unknownObject = Self(rawValue: "org.freedesktop.DBus.Error.UnknownObject")
    /// The service is not running, and the bus can't start it.
    public static let serviceUnknown = Self(rawValue: "org.freedesktop.DBus.Error.ServiceUnknown")
    /// The service ended before it answered. Whether the call was carried out is unknown.
    public static let noReply = Self(rawValue: "org.freedesktop.DBus.Error.NoReply")
    /// There is no connection to the bus.
    public static let disconnected = Self(rawValue: "org.freedesktop.DBus.Error.Disconnected")
    /// A step can't be sent: it is no enum, or a value of it has no D-Bus type. Or a saved state or an answer can't be sent, or can't
    /// be read as the type that it should have.
    public static let invalidStep = Self(rawValue: "InvalidStep")
}

extension NavigationError {
    /// Whether the service sent the error, rather than being unreachable.
    package var isFromService: Bool {
        // The bus could not start the service.
        ![.disconnected, .noReply, .serviceUnknown].contains(code)
            && !code.rawValue.hasPrefix("org.freedesktop.DBus.Error.Spawn")
    }
}
