internal import FlowCore

/// A flow or a screen that answers whoever asked for it (S-45): a picker, a PIN pad, a payment.
///
/// ```swift
/// @AnswerValues
/// struct Contact { var contact: Int64, name: String? }
///
/// final class ContactPicker: Screen, Answering {
///     typealias Answer = Contact
///     let presence = Presence()
///
///     func picked(_ contact: Contact) { finish(with: contact) }
/// }
/// ```
///
/// On the bus, the properties of ``Answer`` are the values of the `result`, with the types of <doc:StepsOnTheBus>; an optional
/// property may be left out. A struct without properties is an answer without values. A flow answers with
/// ``FlowContributors/answer(with:)``.
@MainActor
public protocol Answering: Presentable {
    /// The type of its answers; a struct.
    associatedtype Answer: AnswerValues
}

extension Answering where Self: Screen {
    /// Closes the screen for good, with an answer. Whoever asked for the screen gets the answer, even if it is another process by
    /// then. Further calls, and calls after ``Screen/dismiss()``, have no effect.
    ///
    /// The answer is sent once this program is the owner of the screen, which it is when it has presented the screen. If the
    /// service refuses the answer, ``FlowCoordinator/failures`` or `ScreenPresenter.failures` reports the error.
    ///
    /// - Parameter answer: the answer.
    /// - Throws: ``NavigationError`` with the code `invalidStep` if the answer can't be sent. The screen stays then.
    public func finish(with answer: Answer) throws(NavigationError) { try presence.finish(with: answer) }
}

extension Answering {
    /// Encodes an answer, which has to be of the right type.
    static func encoded(_ answer: any Encodable) throws(NavigationError) -> FlowCore.Arguments {
        guard let answer = answer as? Answer else {
            throw NavigationError(
                .invalidStep,
                "'\(StepError.name(of: Self.self))' answers with '\(StepError.name(of: type(of: answer)))'; its answer has to be of "
                    + "the type '\(StepError.name(of: Answer.self))'")
        }
        return try KeptValues.result(answer)
    }

    /// The values of its answers, as they are declared.
    static func answerParameters() throws(StepError) -> [Parameter] {
        let subject = "the result of '\(StepError.name(of: Self.self))'"
        return try StepCoding.parameters(Answer.answerValues, "value", of: subject)
    }
}

/// The step that a flow takes when a child that it contributes answers (S-45).
///
/// Without arguments, the step gets those values of the result that it declares. With them, texts can refer to more:
/// `"$result.contact"` is a value of the result, `"$asked.movie"` an argument of the step that contributed the child, `"$name"`
/// the child's name, `"$NAME"` an argument of the child, `"$flow.NAME"` one of the flow; `"$$"` is a dollar.
///
/// ```swift
/// case .shareIsRequired:
///     .one(flowContributor: .contribute(withNext: ContactPicker(), onResult: "contactIsPicked"))
/// case .contactIsPicked(let contact): …
/// ```
public struct ResultStep: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The name of the step.
    public var name: String
    /// Its arguments; nil for the values of the result that it declares.
    public var arguments: [String: Value]?

    /// Creates a step.
    ///
    /// - Parameters:
    ///   - name: its name: a case of a ``BusStep`` among the flow's ``Flow/steps``.
    ///   - arguments: its arguments; nil for the values of the result that it declares.
    public init(_ name: String, arguments: [String: Value]? = nil) {
        (self.name, self.arguments) = (name, arguments)
    }

    /// Creates a step that gets the values of the result that it declares.
    ///
    /// - Parameter name: its name: a case of a ``BusStep`` among the flow's ``Flow/steps``.
    public init(stringLiteral name: String) { self.init(name) }
}
