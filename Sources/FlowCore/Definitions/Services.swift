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
    /// The same by their numbers, as each step asks for it.
    private let isTaken: [Bool]

    /// Creates a navigator.
    public init(_ service: Service, steps: Set<StepID>) {
        self.service = service
        self.steps = steps
        var isTaken = Array(repeating: false, count: (steps.map(\.index).max() ?? -1) + 1)
        for step in steps { isTaken[step.index] = true }
        self.isTaken = isTaken
    }

    /// Whether it takes a step.
    func takes(_ step: StepID) -> Bool { step.index < isTaken.count && isTaken[step.index] }
}

/// The service that shows a screen (S-31). Each node of that screen refers to the same one.
public indirect enum Presenter: Hashable, Sendable {
    /// An object with the interface `Presenter`.
    case service(Service)
    /// A program that knows nothing of flowbus, through the interface `org.freedesktop.Application`.
    case application(Service, ApplicationCall)

    /// The object to call.
    public var service: Service {
        switch self {
        case .service(let service), .application(let service, _): service
        }
    }

    /// The same, with an answer within this time at the latest.
    func limited(to timeout: UInt64) -> Presenter {
        let service = Service(service.name, path: service.path, timeout: min(service.timeout, timeout))
        return application.map { .application(service, $0) } ?? .service(service)
    }

    /// How a program that knows nothing of flowbus is called; nil for one that does.
    var application: ApplicationCall? { if case .application(_, let call) = self { call } else { nil } }
}

/// How a program that knows nothing of flowbus shows a screen (S-40).
///
/// Source: Desktop Entry Specification, "D-Bus Activation".
public struct ApplicationCall: Hashable, Sendable {
    /// The method of `org.freedesktop.Application`.
    public enum Method: Hashable, Sendable {
        /// `Activate`.
        case activate
        /// `Open` with a URI, or several.
        case open(Operand)
        /// `ActivateAction` of this action; its parameter is nil if it has none.
        case action(String, parameter: Operand?)
    }

    /// The source of a value.
    public enum Operand: Hashable, Sendable {
        /// A value in the file.
        case literal(Value)
        /// `$name`: the screen's argument. Without it the call is made as if nothing were given.
        case argument(String)

        /// The value for a screen with these arguments.
        public func value(_ arguments: Arguments) -> Value? {
            switch self {
            case .literal(let value): value
            case .argument(let name): arguments[name]?.value
            }
        }
    }

    /// The method.
    public let method: Method
    /// The action that is called when the screen goes; nil for none.
    public let closingAction: String?

    /// Creates a call.
    public init(_ method: Method, closingAction: String? = nil) {
        self.method = method
        self.closingAction = closingAction
    }
}

/// The policy for a screen whose owner's connection ended (S-30).
public enum WhenOwnerGone: String, CaseIterable, Sendable {
    /// The screen is dismissed, and its flow's `onDismissed` step is triggered (S-23).
    case dismiss
    /// The screen stays, hidden and without an owner; its presenter is called when it next comes in sight.
    case keep
    /// The same, but the presenter of a screen in sight is called again, after a further loss with a pause (S-47).
    case present
}
