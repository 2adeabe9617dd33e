import FlowCore

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
    package init(encoding step: any Step) throws(NavigationError) {
        do throws(StepError) { self = try StepCoding.encode(step) } catch { throw NavigationError(error) }
    }
}

extension Arguments {
    /// The arguments by name; of duplicates, the first.
    package var dictionary: [String: Value] { Dictionary(map { ($0.name, $0.value) }) { one, _ in one } }

    /// Arguments sorted by name.
    package init(_ dictionary: [String: Value]) {
        self = dictionary.sorted { $0.key < $1.key }.map { Argument($0.key, $0.value) }
    }
}
