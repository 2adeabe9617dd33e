// The numbers by which answers are matched with what they answer.

/// The number of a call that needs an answer. The driver chooses it; the core returns it exactly once, with the answer.
public struct RequestID: Hashable, Sendable {
    /// The number, which is never used again.
    public let number: UInt64

    /// Creates the request with a number.
    public init(_ number: UInt64) { self.number = number }
}

/// The number of a question, by which its answer is matched. It is never used again.
public struct QuestionID: Hashable, Sendable {
    /// The number.
    public let number: UInt64

    /// Creates the id with a number.
    public init(_ number: UInt64) { self.number = number }
}
