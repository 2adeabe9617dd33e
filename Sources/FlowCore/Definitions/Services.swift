/// An object of another process that is called: a guard, a navigator or a presenter.
public struct Service: Hashable, Sendable {
    /// The bus name: well-known, or unique where a client registered itself.
    public let name: String
    /// The object's path there.
    public let path: String
    /// How long its answer may take, in µs.
    public let timeout: UInt64

    /// The object at this path of this name.
    public init(_ name: String, path: String, timeout: UInt64) {
        self.name = name
        self.path = path
        self.timeout = timeout
    }
}

/// Who is asked before a flow takes a step: RxFlow's `adapt` (S-5).
public struct Guard: Hashable, Sendable {
    /// Whom to ask.
    public let service: Service
    /// For which steps; nil: for all.
    public let steps: Set<StepID>?

    /// A guard for these steps, for all where none are given.
    public init(_ service: Service, steps: Set<StepID>? = nil) {
        self.service = service
        self.steps = steps
    }

    /// Whether it is asked about a step.
    func watches(_ step: StepID) -> Bool { steps?.contains(step) ?? true }
}

/// Who decides where the steps of a flow lead, if it lives in another process: RxFlow's `navigate` (S-5).
public struct Navigator: Hashable, Sendable {
    /// Whom to ask.
    public let service: Service
    /// Which steps it takes; others are `unhandled`.
    public let steps: Set<StepID>

    /// A navigator for these steps.
    public init(_ service: Service, steps: Set<StepID>) {
        self.service = service
        self.steps = steps
    }
}

/// Who shows a screen (S-31).
public enum Presenter: Hashable, Sendable {
    /// An object of the interface `Presenter`.
    case service(Service)
    /// A program that has an action for the screen: the interface `org.freedesktop.Application`.
    case application(Service, action: String)

    /// Whom to call.
    public var service: Service {
        switch self {
        case .service(let service), .application(let service, _): service
        }
    }
}

/// What becomes of a screen when the connection of its owner is gone (S-30).
public enum WhenOwnerGone: String, CaseIterable, Sendable {
    /// It is dismissed, and the parent is told (S-23).
    case dismiss
    /// It stays, hidden and unowned; its presenter is called when it next would be presented.
    case keep
    /// Its presenter is called again at once, at most ``Limits/revivals`` times in ``Limits/revivalTime``.
    case present
}
