/// The type of an answer that can go over the bus (S-45): a struct, whose properties are the values of the `result`.
///
/// The macro `@AnswerValues` declares them when the program is compiled:
///
/// ```swift
/// @AnswerValues
/// struct Contact { var contact: Int64, name: String? }
/// ```
public protocol AnswerValues: Codable, Sendable {
    /// The values, with the names that their coding has.
    static var answerValues: [StepParameter] { get }
}
