package import FlowCore

/// A step as a message: its name and its arguments.
package struct StepMessage: Equatable, Sendable {
    package var name: String
    package var arguments: FlowCore.Arguments

    package init(name: String, arguments: FlowCore.Arguments = []) {
        self.name = name
        self.arguments = arguments
    }
}

extension StepMessage {
    /// The message of a step.
    ///
    /// - Parameters:
    ///   - step: the step.
    ///   - prefix: the word before the names of the steps of a type.
    package init(
        encoding step: any Step, _ prefix: (any BusStep.Type) -> String
    ) throws(NavigationError) {
        do throws(StepError) { self = try StepCoding.encode(step) } catch { throw NavigationError(error) }
        if let step = step as? any BusStep { name = BusNamespace.joined(prefix(type(of: step)), name) }
    }
}

extension Arguments {
    /// The arguments by name; of duplicates, the first.
    package var dictionary: [String: DBusValue] {
        if isEmpty { return [:] }
        return Dictionary(compactMap { argument in DBusValue(argument.value).map { (argument.name, $0) } }) { one, _ in
            one
        }
    }

    /// Arguments sorted by name.
    package init(_ dictionary: [String: DBusValue]) {
        self = dictionary.sorted { $0.key < $1.key }.map { Argument($0.key, Value($0.value)) }
    }
}
