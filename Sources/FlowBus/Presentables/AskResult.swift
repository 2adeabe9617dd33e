package import FlowCore

/// What became of what was asked for (S-45). A later version of the service can have other outcomes; treat an unknown one as
/// ``dismissed``.
public struct AskOutcome: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The outcome as on the bus.
    public let rawValue: String

    /// Creates an outcome from its word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// It answered.
    public static let result = AskOutcome(rawValue: "result")
    /// The step led to nothing that answers, or failed.
    public static let nothing = AskOutcome(rawValue: "nothing")
    /// It is a flow that ended without an answer.
    public static let ended = AskOutcome(rawValue: "ended")
    /// It was dismissed, for instance because the user closed it.
    public static let dismissed = AskOutcome(rawValue: "dismissed")
    /// Its program gave up, and said what failed.
    public static let failed = AskOutcome(rawValue: "failed")
    /// The user went back.
    public static let back = AskOutcome(rawValue: "back")
    /// A rule of its flow removed it.
    public static let rule = AskOutcome(rawValue: "rule")
    /// It was removed with what is above it.
    public static let parent = AskOutcome(rawValue: "parent")
    /// Another step reused it, and it answers that one.
    public static let replaced = AskOutcome(rawValue: "replaced")
    /// The step was ignored, because the presentable it was emitted on is not presented: ``Verdict/hidden``.
    public static let hidden = AskOutcome(rawValue: Verdict.hidden.rawValue)
    /// The flow has no rule for the step: ``Verdict/unhandled``.
    public static let unhandled = AskOutcome(rawValue: Verdict.unhandled.rawValue)
    /// The flow's guard rejected the step: ``Verdict/rejected``.
    public static let rejected = AskOutcome(rawValue: Verdict.rejected.rawValue)

    /// The word of the outcome.
    public var description: String { rawValue }
}

/// The answer to what was asked for, or the reason why there is none.
public struct AskResult<Answer: Sendable>: Sendable {
    /// What became of it.
    public let outcome: AskOutcome
    /// The answer; nil unless the outcome is ``AskOutcome/result``.
    public let answer: Answer?
}

/// An answer as a message.
package struct AskMessage: Equatable, Sendable {
    package var token: String
    var outcome: String
    var result: FlowCore.Arguments = []

    package init(token: String, outcome: String, result: FlowCore.Arguments = []) {
        self.token = token
        self.outcome = outcome
        self.result = result
    }

    /// Decodes the answer.
    package func decoded<Answer>(as type: Answer.Type) throws(NavigationError) -> AskResult<Answer> {
        let outcome = AskOutcome(rawValue: outcome)
        guard outcome == .result else { return AskResult(outcome: outcome, answer: nil) }
        let box = result.givenAnswer
        if let answer = box?.value as? Answer { return AskResult(outcome: outcome, answer: answer) }
        guard let coded = type as? any Decodable.Type, box == nil || result.count > 1 else {
            let isThere =
                box.map { "is of the type '\(StepError.name(of: Swift.type(of: $0.value)))'" } ?? "came over the bus"
            throw NavigationError(
                .invalidStep,
                "the result \(isThere) and can't be of the Swift type '\(StepError.name(of: type))'; ask for the type that is answered"
            )
        }
        return AskResult(outcome: outcome, answer: try values(of: coded) as? Answer)
    }

    private func values<Coded: Decodable>(of type: Coded.Type) throws(NavigationError) -> Coded {
        try KeptValues.decode(type, from: result.dictionary, as: "the result")
    }
}
