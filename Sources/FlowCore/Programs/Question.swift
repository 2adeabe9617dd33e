// Questions to other processes, and their answers. The machine does not wait for them.

/// A question to a guard (`Adapt`) or a navigator (`Navigate`).
public struct Question: Equatable, Sendable {
    /// The id.
    public var id: QuestionID
    /// The object to call.
    public var service: Service
    /// The flow's path.
    public var flow: String
    /// The step's name.
    public var step: String
    /// Its arguments, private ones included.
    public var arguments: Arguments
    /// The client that started the cascade.
    public var client: Client
    /// The path of the presentable on which the step was emitted; the flow's path for a triggered step.
    public var presentable: String
    /// The instance of that presentable.
    public var instance: UInt64
    /// The serial of the navigation that triggered the step; 0 if it comes from outside.
    public var cause: UInt64
    /// Whether the guard may ask the user.
    public var isInteractive: Bool
}

/// The answer of a guard.
public enum GuardAnswer: Equatable, Sendable {
    /// Take this step, which is the one in question or replaces it.
    case step(StepID, Arguments)
    /// Reject the step.
    case rejected
    /// The call failed, or the answer is not valid; the reason for people.
    case failed(String)
    /// There was no answer in time.
    case timedOut
}

/// The answer of a navigator.
public enum NavigatorAnswer: Equatable, Sendable {
    /// The contributors; the list may be empty.
    case contributors([FlowContributor])
    /// The flow does not take the step.
    case unhandled
    /// The call failed, or the answer is not valid; the reason for people.
    case failed(String)
    /// There was no answer in time.
    case timedOut
}

/// The answer of a presenter.
public enum PresenterAnswer: Equatable, Sendable {
    /// The process with this connection shows the screen, and says this of it.
    case presented(by: Client, ScreenReport = ScreenReport())
    /// The call failed, with this error.
    case failed(Fault)
    /// There was no answer in time. One more answer can follow, or ``failed(_:)`` when none can arrive any more.
    case timedOut
}

/// What a program says of a screen that it shows, when it answers `Present`, or with `SetVisible`. What is nil stays as it is.
public struct ScreenReport: Equatable, Sendable {
    /// Whether the screen is visible.
    public var isVisible: Bool?
    /// Its title; empty for none (S-44).
    public var title: String?
    /// The name of the declared step that Back takes on it; empty for none (S-39).
    public var backStep: String?
    /// Whether the program is to learn when the screen goes out of sight, and comes back (`SightChanged`).
    public var wantsSight: Bool?

    /// Creates a report.
    public init(isVisible: Bool? = nil, title: String? = nil, backStep: String? = nil, wantsSight: Bool? = nil) {
        self.isVisible = isVisible
        self.title = title
        self.backStep = backStep
        self.wantsSight = wantsSight
    }
}

/// A question to the owner of a presented screen whether it is alive (`Alive`).
public struct AliveCheck: Equatable, Sendable {
    /// The id.
    public var id: QuestionID
    /// The owner.
    public var client: Client
    /// The path of the owner's object that presents.
    public var object: String
    /// The path of the screen.
    public var path: String
    /// The name of the screen.
    public var name: String
    /// How long the answer may take, in µs.
    public var timeout: UInt64
}

/// The answer of an owner that was asked whether it is alive.
public enum AliveAnswer: String, CaseIterable, Sendable {
    /// It answered, or it can't be said that it did not.
    case alive
    /// It can't be asked.
    case unsupported
    /// It did not answer in time.
    case silent
}

/// A screen to present (`Present`).
public struct Presentation: Equatable, Sendable {
    /// The id.
    public var id = QuestionID(0)
    /// The object to call.
    public var presenter = Presenter.service(Service("", path: "/", timeout: 0))
    /// The screen's path.
    public var path: String
    /// The screen's name.
    public var name = ""
    /// Its arguments, private ones included.
    public var arguments: Arguments
    /// The instance of the screen (S-1).
    public var instance: UInt64
    /// The style; empty if it has none.
    public var style = ""
    /// The styles of the screen and of the flows above it, innermost first, without empty ones.
    public var styles: [String] = []
    /// The path of its flow.
    public var flow = ""
    /// The path of its root.
    public var root = ""
    /// The output of that root; empty if it has none.
    public var output = ""
    /// The size of that output, or of the one on which roots without an output are; nil if it is not known.
    public var size: OutputSize?
    /// The serial of the navigation that contributed it.
    public var serial: UInt64
    /// Why the presenter is called.
    public var reason: PresentReason
    /// How the screen comes in sight; nil if the tree does not say.
    public var direction: PresentDirection?
    /// The activation token, if there is one.
    public var activationToken: String?
    /// What an earlier owner saved; empty if there is nothing (S-44).
    public var state: Arguments = []
    /// Whether the screen is visible already.
    public var isVisible = false
    /// The title that an owner gave it; empty if it has none.
    public var title = ""
    /// The answers to what the screen asked, as long as no owner acknowledged them (S-45).
    public var answers: [AskAnswer] = []
    /// The values of the context that the screen names, private ones included (S-57).
    public var context: Arguments = []
    /// The command line that the screen is; empty if it is none (S-59).
    public var run: Arguments = []
    /// The client to call in place of the presenter's bus name: the owner of a screen that returned to sight.
    public var owner: Client?

    /// Whether the presenter was called before, or should have been.
    public var isAgain: Bool { reason != .launch }
}

/// The values of the context that the owner of a screen gets, as one of them is another one now (`ContextChanged`, S-57).
public struct ContextNews: Equatable, Sendable {
    /// The owner.
    public var client: Client
    /// The screen's path.
    public var path: String
    /// All values that the screen names, private ones included.
    public var values: Arguments
}

/// A presentable that a client has to take away (`Withdraw`).
public struct Withdrawal: Equatable, Sendable {
    /// The reason of a withdrawal.
    public enum Reason: Equatable, Sendable {
        /// It was dismissed by a client, by Back, or because of a failure.
        case dismissal(DismissalReason)
        /// Its owner finished it with a result (S-45).
        case result
        /// It was removed by a rule of its flow: `clear`, `pop`, `dismiss` or `end`.
        case rule
        /// It was removed with a presentable above it.
        case parent
        /// No definition declares it any more.
        case undeclared
        /// It is still live, but another client is its owner now.
        case replaced
        /// It is still live, and was out of sight for long: the owner has to leave it (S-44).
        case evicted
    }

    /// The owner.
    public var client: Client
    /// The path of the owner's object that presents; `/` if the screen has no presenter.
    public var object: String
    /// The path that the presentable had.
    public var path: String
    /// The instance of the presentable (S-1).
    public var instance: UInt64
    /// The reason.
    public var reason: Reason
    /// The action that a program which knows nothing of flowbus gets instead of `Withdraw` (S-40).
    public var closingAction: String?
}

/// The outcome of a step whose emitter was answered `pending` (`StepConcluded`).
public struct Conclusion: Equatable, Sendable {
    /// The emitter.
    public var client: Client
    /// The path of the presentable on which the step was emitted. It may be gone.
    public var path: String
    /// The token of the call; empty if it has none.
    public var token: String
    /// The outcome.
    public var outcome: Outcome
}

extension AskOutcome {
    init(_ reason: Withdrawal.Reason) {
        self =
            switch reason {
            case .dismissal(let reason): AskOutcome(reason)
            case .result: .result
            case .rule: .rule
            case .parent: .parent
            case .undeclared: .undeclared
            // What these withdraw stays live.
            case .replaced, .evicted: .replaced
            }
    }
}
