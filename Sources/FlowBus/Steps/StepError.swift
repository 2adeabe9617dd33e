/// Why a step can't be made a message for the bus, or a message a step.
public struct StepError: Error, Hashable, Sendable {
    /// What kind of problem it is.
    public enum Reason: Hashable, Sendable {
        /// The type can't be a step, or one of its arguments has a type that can't be on the bus. To be changed in the
        /// source.
        case unsupportedType
        /// The value can't be on the bus though its type can: too deep, or a text with a NUL.
        case unsupportedValue
        /// The type has no case of that name.
        case unknownStep
        /// Arguments that the case does not have, that it lacks, or that do not fit.
        case invalidArguments
    }

    /// What kind of problem it is.
    public let reason: Reason
    /// One line for a person: the value in single quotes, and what would be right.
    public let message: String

    /// An error with this text.
    public init(_ reason: Reason, _ message: String) {
        self.reason = reason
        self.message = message
    }
}

extension StepError: CustomStringConvertible {
    /// The text.
    public var description: String { message }
}
