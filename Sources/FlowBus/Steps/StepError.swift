/// An error in the encoding of a step as a message, or in its decoding.
public struct StepError: Error, Hashable, Sendable {
    /// The kind of problem.
    public enum Reason: Hashable, Sendable {
        /// The type can't be a step, or an argument has a type that D-Bus can't carry. The source has to change.
        case unsupportedType
        /// The type can be sent, but this value can't: it is nested too deep, or a string contains NUL.
        case unsupportedValue
        /// The type has no case of this name.
        case unknownStep
        /// An argument is unknown, missing, or of the wrong type.
        case invalidArguments
    }

    /// The kind of problem.
    public let reason: Reason
    /// A message for people, in one line: the value in single quotes, and what would be right.
    public let message: String

    /// Creates an error with a message.
    public init(_ reason: Reason, _ message: String) {
        self.reason = reason
        self.message = message
    }
}

extension StepError: CustomStringConvertible {
    /// The message.
    public var description: String { message }
}
