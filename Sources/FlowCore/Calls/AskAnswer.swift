/// What became of a presentable that a client asked about (S-45).
public enum AskOutcome: String, CaseIterable, Sendable {
    /// The step, and all that it triggered at once, led to nothing that answers.
    case nothing
    /// It answered; there is a result.
    case result
    /// It ended by its own `end`, without a result.
    case ended
    /// A client dismissed it.
    case dismissed
    /// Its owner, or its presenter, dismissed it and said what failed.
    case failed
    /// Back dismissed it.
    case back
    /// The connection of its owner ended.
    case ownerGone
    /// Its owner did not say in time that it is alive.
    case ownerHangs
    /// The process of its navigator ended.
    case navigatorGone
    /// Its presenter could not be called, or failed to show it.
    case presentFailed
    /// It is a flow that had no child any more.
    case empty
    /// A rule of its flow removed it.
    case rule
    /// It went with a presentable above it.
    case parent
    /// Another step reused it, which it answers from now on.
    case replaced
    /// The definitions no longer have it, or its result.
    case undeclared

    init(_ reason: DismissalReason) {
        self =
            switch reason {
            case .dismissed: .dismissed
            case .failed: .failed
            case .back: .back
            case .ownerGone: .ownerGone
            case .ownerHangs: .ownerHangs
            case .navigatorGone: .navigatorGone
            case .presentFailed: .presentFailed
            case .empty: .empty
            case .ended: .ended
            }
    }
}

/// The answer to an ask (S-45), as the next `Present` of the asker's screen has it.
public struct AskAnswer: Equatable, Sendable {
    /// The token of the call that asked.
    public var token: String
    /// What became of the presentable.
    public var outcome: AskOutcome
    /// Its result, if it answered. All values are private.
    public var result: Arguments

    /// Creates an answer.
    public init(token: String, outcome: AskOutcome, result: Arguments = []) {
        self.token = token
        self.outcome = outcome
        self.result = result
    }
}

/// The answer to an ask, for the asker alone (`Answered`).
public struct Answered: Equatable, Sendable {
    /// The asker.
    public var client: Client
    /// The path that the asker called. What is there may be gone.
    public var path: String
    /// The answer.
    public var answer: AskAnswer
}
