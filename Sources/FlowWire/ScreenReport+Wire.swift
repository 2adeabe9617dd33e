package import FlowCore

extension ScreenReport {
    /// What it says, as the answer to `Present` has it. What is nil is left out.
    package var arguments: Arguments {
        var arguments: Arguments = []
        if let isVisible { arguments.append(Argument("visible", .bool(isVisible))) }
        if let title { arguments.append(Argument("title", .string(title))) }
        if let backStep { arguments.append(Argument("backStep", .string(backStep))) }
        if let wantsSight { arguments.append(Argument("tellSight", .bool(wantsSight))) }
        return arguments
    }
}
