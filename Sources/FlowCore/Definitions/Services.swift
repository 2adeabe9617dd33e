/// An object of another process that the service calls: a guard, a navigator or a presenter.
public struct Service: Hashable, Sendable {
    /// The bus name: well-known, or unique for a client that registered the object.
    public let name: String
    /// The object path.
    public let path: String
    /// The time limit of an answer, in µs.
    public let timeout: UInt64

    /// Creates a reference to an object.
    public init(_ name: String, path: String, timeout: UInt64) {
        self.name = name
        self.path = path
        self.timeout = timeout
    }
}

/// The service that a flow asks before it takes a step: RxFlow's `adapt` (S-5).
public struct Guard: Hashable, Sendable {
    /// The object to call.
    public let service: Service
    /// The steps that it is asked about; nil for all.
    public let steps: Set<StepID>?

    /// Creates a guard.
    public init(_ service: Service, steps: Set<StepID>? = nil) {
        self.service = service
        self.steps = steps
    }

    /// Returns whether it is asked about a step.
    func watches(_ step: StepID) -> Bool { steps?.contains(step) ?? true }
}

/// The service that decides where the steps of a flow lead, in place of its rules: RxFlow's `navigate` (S-5).
public struct Navigator: Hashable, Sendable {
    /// The object to call.
    public let service: Service
    /// The steps that it takes; others are `unhandled`.
    public let steps: Set<StepID>

    /// Creates a navigator.
    public init(_ service: Service, steps: Set<StepID>) {
        self.service = service
        self.steps = steps
    }
}

/// The service that shows a screen (S-31).
public enum Presenter: Hashable, Sendable {
    /// An object with the interface `Presenter`.
    case service(Service)
    /// A program with an action for the screen, through the interface `org.freedesktop.Application`.
    case application(Service, action: String)

    /// The object to call.
    public var service: Service {
        switch self {
        case .service(let service), .application(let service, _): service
        }
    }
}

/// The policy for a screen whose owner's connection ended (S-30).
public enum WhenOwnerGone: String, CaseIterable, Sendable {
    /// The screen is dismissed, and its flow's `onDismissed` step is triggered (S-23).
    case dismiss
    /// The screen stays, hidden and without an owner; its presenter is called when it would be presented next.
    case keep
    /// The presenter is called again immediately, at most ``Limits/revivals`` times in ``Limits/revivalTime``.
    case present
}
