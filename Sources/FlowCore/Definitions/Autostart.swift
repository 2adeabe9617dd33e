/// A root that starts with the daemon, or one for each output (S-53).
public struct Autostart: Equatable, Sendable {
    /// The flow.
    public let flow: FlowID
    /// The root's id; nil for the flow's name. With ``isPerOutput`` the ids of the roots begin with it.
    public let id: String?
    /// The flow's arguments.
    public let arguments: Arguments
    /// Its initial step; nil for the flow's own.
    public let step: StepID?
    /// The initial step's arguments.
    public let stepArguments: Arguments
    /// The output that it stands on; empty if it has none (S-41). With ``isPerOutput`` the pattern of their names.
    public let output: String
    /// Whether there is a root on each output whose name matches (`per = "output"`).
    public let isPerOutput: Bool
    /// What becomes of it when its output is gone.
    public let whenOutputGone: WhenOutputGone

    /// Creates a root.
    public init(
        _ flow: FlowID, id: String? = nil, arguments: Arguments = [], step: StepID? = nil,
        stepArguments: Arguments = [], output: String = "", isPerOutput: Bool = false,
        whenOutputGone: WhenOutputGone = .keep
    ) {
        self.flow = flow
        self.id = id
        self.arguments = arguments
        self.step = step
        self.stepArguments = stepArguments
        self.output = output
        self.isPerOutput = isPerOutput
        self.whenOutputGone = whenOutputGone
    }

    /// Whether it is for an output of this name.
    func isFor(_ name: String) -> Bool { isPerOutput ? Names.matches(name, output) : output == name }
}

/// What becomes of a root whose output is gone (S-53).
public enum WhenOutputGone: String, CaseIterable, Sendable {
    /// It stays where it is.
    case keep
    /// It moves to the first of the other outputs, and back.
    case move
    /// It is dismissed, and starts again when the output is back.
    case end
}

extension Definitions {
    /// The id that a root of `autostart` gets, if that is free.
    ///
    /// - Parameter output: the output for which the root is one of several; nil if there is one root.
    public func id(of root: Autostart, on output: String? = nil) -> String {
        let base = root.id ?? flows[root.flow.index].name
        guard let output else { return base }
        return base + "_" + Names.idPart(of: output, atMost: max(0, Limits.nameLength - base.utf8.count - 1))
    }
}
