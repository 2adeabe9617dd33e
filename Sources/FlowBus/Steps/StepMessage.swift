import FlowCore

/// A step as a message: its name and its arguments.
struct StepMessage: Equatable, Sendable {
    var name: String
    var arguments: FlowCore.Arguments

    init(name: String, arguments: FlowCore.Arguments = []) {
        self.name = name
        self.arguments = arguments
    }
}
