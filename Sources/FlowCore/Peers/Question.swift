// What is asked of other processes, and what they answer. All of it is asynchronous: the machine goes on meanwhile.

/// Names a question, so that its answer finds back; never used twice.
public struct QuestionID: Hashable, Sendable {
    /// The number.
    public let number: UInt64

    /// The question of this number.
    public init(_ number: UInt64) { self.number = number }
}

/// What a guard is asked (`Adapt`), or a navigator (`Navigate`).
public struct Question: Equatable, Sendable {
    /// By which the answer is known.
    public var id: QuestionID
    /// Whom to ask.
    public var service: Service
    /// The flow's path.
    public var flow: String
    /// The step's name.
    public var step: String
    /// Its arguments, private ones included.
    public var arguments: Arguments
    /// Who began the chain.
    public var client: Client
    /// The path of the presentable that the step was emitted on; the flow's where the coordinator set it off.
    public var presentable: String
    /// The instance of that presentable.
    public var instance: UInt64
    /// The serial of the navigation that set the step off; 0: from outside.
    public var cause: UInt64
    /// Whether the caller allows a question to the user.
    public var isInteractive: Bool
}

/// What a guard answered.
public enum GuardAnswer: Equatable, Sendable {
    /// Take this step; mostly the one that it was asked about.
    case step(StepID, Arguments)
    /// Don't.
    case rejected
    /// It could not be asked, or answered what can't be; why, for a person.
    case failed(String)
    /// It did not answer in time.
    case timedOut
}

/// What a navigator answered.
public enum NavigatorAnswer: Equatable, Sendable {
    /// What the step leads to; none is a valid answer.
    case contributors([FlowContributor])
    /// It could not be asked, or answered what can't be; why, for a person.
    case failed(String)
    /// It did not answer in time.
    case timedOut
}

/// What a presenter answered.
public enum PresenterAnswer: Equatable, Sendable {
    /// It shows the screen, by this connection.
    case presented(by: Client)
    /// It does not, or could not be asked.
    case failed
    /// It did not answer in time. It may yet: then there is one more answer, or ``failed`` where none is waited for any more.
    case timedOut
}

/// A screen that is to be shown (`Present`).
public struct Presentation: Equatable, Sendable {
    /// By which the answer is known.
    public var id: QuestionID
    /// Whom to ask.
    public var presenter: Presenter
    /// The screen's path.
    public var path: String
    /// The screen's name.
    public var name: String
    /// Its arguments, private ones included.
    public var arguments: Arguments
    /// Its number (S-1).
    public var instance: UInt64
    /// How it is to be shown; empty where nothing is said.
    public var style: String
    /// The path of its flow.
    public var flow: String
    /// The serial of the navigation that contributed it.
    public var serial: UInt64
    /// Whether it was presented before: it has new arguments, or lost its owner.
    public var isAgain: Bool
    /// What lets a window come to the front; nil: there is none.
    public var activationToken: String?
}

/// A presentable that a client is to show no more (`Withdraw`).
public struct Withdrawal: Equatable, Sendable {
    /// Why it is gone.
    public enum Reason: Equatable, Sendable {
        /// By the hand of a client, of Back, or of a failure.
        case dismissal(DismissalReason)
        /// By a rule of its flow: `clear`, `pop` or `end`.
        case rule
        /// With something above it.
        case parent
        /// No definition declares it any more.
        case undeclared
        /// It is not gone: another client is the owner now.
        case replaced
    }

    /// The client that gets it.
    public var client: Client
    /// The path of the client's object that presents: `/` where the screen has no presenter.
    public var object: String
    /// The path that the presentable had.
    public var path: String
    /// Its number (S-1).
    public var instance: UInt64
    /// Why.
    public var reason: Reason
}

/// The outcome of a step whose emitter was answered `pending` (`StepConcluded`).
public struct Conclusion: Equatable, Sendable {
    /// The client that gets it.
    public var client: Client
    /// The path of the presentable that it was emitted on, whether that is live or not.
    public var path: String
    /// The caller's name for its call; empty where it gave none.
    public var token: String
    /// How the step ended.
    public var outcome: Outcome
}
