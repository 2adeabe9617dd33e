package import FlowCore

/// An answer as it was given: the value itself, for this process, and its values by their names, for the bus.
package struct GivenAnswer: Equatable, Sendable {
    /// The answer itself, on its way through the machine.
    final class Box: Sendable {
        let value: any Sendable

        init(_ value: any Sendable) { self.value = value }
    }

    /// The parameter with the answer itself.
    static let itself = Parameter("__answer", .any, isOptional: true)

    let box: Box
    /// Empty if the answer can't be encoded.
    private let values: FlowCore.Arguments
    /// Why it can't.
    private let problem: NavigationError?

    /// - Throws: ``NavigationError`` if the type can go over the bus, and this answer can't.
    package init(_ answer: any Sendable) throws(NavigationError) {
        box = Box(answer)
        if let answer = answer as? any AnswerValues {
            (values, problem) = (try KeptValues.result(answer), nil)
        } else if let answer = answer as? any Encodable {
            do throws(NavigationError) {
                (values, problem) = (try KeptValues.result(answer), nil)
            } catch {
                (values, problem) = ([], error)
            }
        } else {
            (values, problem) = ([], NavigationError(Self.notForTheBus(type(of: answer))))
        }
    }

    package static func == (one: GivenAnswer, other: GivenAnswer) -> Bool { one.box === other.box }

    /// The values by their names.
    ///
    /// - Throws: ``NavigationError`` if the answer can't be encoded.
    package func encoded() throws(NavigationError) -> FlowCore.Arguments {
        if let problem { throw problem }
        return values
    }

    /// The answer for a host in this process: with itself, and with its values, as far as it has any, for steps by name.
    var inProcess: FlowCore.Arguments { values + [Argument(Self.itself.name, .object(Value.Object(box)))] }

    /// The error for a type of answers that is not ``AnswerValues``.
    static func notForTheBus(_ type: Any.Type) -> StepError {
        StepError(
            .unsupportedType,
            "answers of the type '\(StepError.name(of: type))' can't go over the bus: it is no AnswerValues; write "
                + "'@AnswerValues struct \(StepError.name(of: type))'")
    }
}

extension FlowCore.Arguments {
    /// The answer itself, in one process.
    var givenAnswer: GivenAnswer.Box? {
        switch self[GivenAnswer.itself.name]?.value {
        case .object(let object)?, .variant(.object(let object))?: object.reference as? GivenAnswer.Box
        default: nil
        }
    }
}
