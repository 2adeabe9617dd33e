package import FlowCore

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
/// In one process, an answer can be of any type. On the bus, it is ``AnswerValues``: the properties of ``Answer`` are the values of the
/// `result`, with the types of <doc:StepsOnTheBus>; an optional property may be left out. A struct without properties is an answer
/// without values. A flow answers with ``FlowContributors/answer(with:)``.
@FlowActor
public protocol Answering: Presentable {
    /// The type of its answers: any type in one process, and ``AnswerValues`` on the bus.
    associatedtype Answer: Sendable
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
    /// Takes an answer, which has to be of the right type.
    static func given(_ answer: any Sendable) throws(NavigationError) -> GivenAnswer {
        guard let answer = answer as? Answer else {
            throw NavigationError(
                .invalidStep,
                "'\(StepError.name(of: Self.self))' answers with '\(StepError.name(of: type(of: answer)))'; its answer has to be of "
                    + "the type '\(StepError.name(of: Answer.self))'")
        }
        return try GivenAnswer(answer)
    }

    /// The values of its answers, as they are declared; nil if they can't go over the bus.
    package static func answerParameters() throws(StepError) -> [Parameter]? {
        guard let answer = Answer.self as? any AnswerValues.Type else { return nil }
        let subject = "the result of '\(StepError.name(of: Self.self))'"
        return try StepCoding.parameters(answer.answerValues, "value", of: subject)
    }

    /// The error for answers that can't go over the bus.
    package static var answersNotForTheBus: StepError { GivenAnswer.notForTheBus(Answer.self) }
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
///
/// In one process, a step can be made of an answer of any type:
///
/// ```swift
/// case .photoIsRequired:
///     .one(flowContributor: .contribute(withNext: PhotoPicker(), onResult: .step { .photoIsPicked($0) as DemoStep }))
/// ```
public struct ResultStep: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The name of the step; empty if it is made of the answer.
    public var name: String
    /// Its arguments; nil for the values of the result that it declares.
    public var arguments: [String: DBusValue]?
    /// Makes the step of the answer.
    let maker: StepMaker?

    /// Makes a step of an answer. Two are equal if they are the same one.
    package final class StepMaker: Hashable, Sendable {
        /// The type of the steps.
        let type: any Step.Type
        /// Returns the step; nil for an answer of another type.
        let step: @FlowActor @Sendable (any Sendable) -> (any Step)?

        init(_ type: any Step.Type, _ step: @escaping @FlowActor @Sendable (any Sendable) -> (any Step)?) {
            (self.type, self.step) = (type, step)
        }

        package static func == (one: StepMaker, other: StepMaker) -> Bool { one === other }
        package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }

    /// A step that is made of the answer, of whatever type that is. Only in one process: on the bus, the service makes the step, by its
    /// name.
    ///
    /// - Parameter make: returns the step. It is called when the child answers.
    /// - Returns: The step.
    public static func step<Answer: Sendable, Result: Step>(
        _ make: @escaping @FlowActor @Sendable (Answer) -> Result
    ) -> ResultStep {
        ResultStep(StepMaker(Result.self) { answer in (answer as? Answer).map(make) })
    }

    private init(_ maker: StepMaker) { (name, arguments, self.maker) = ("", nil, maker) }

    /// Creates a step.
    ///
    /// - Parameters:
    ///   - name: its name: a case of a ``BusStep`` among the flow's ``Flow/steps``.
    ///   - arguments: its arguments; nil for the values of the result that it declares.
    public init(_ name: String, arguments: [String: DBusValue]? = nil) {
        (self.name, self.arguments, maker) = (name, arguments, nil)
    }

    /// Creates a step that gets the values of the result that it declares.
    ///
    /// - Parameter name: its name: a case of a ``BusStep`` among the flow's ``Flow/steps``.
    public init(stringLiteral name: String) { self.init(name) }
}
