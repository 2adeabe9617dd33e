/// The outcome of a step (S-9).
public struct StepOutcome: Hashable, Sendable {
    /// The verdict.
    public let verdict: Verdict
    /// The serial of the navigation; 0 if there was none.
    public let serial: UInt64

    /// Whether the step was navigated, and its contributors were applied.
    public var isNavigated: Bool { verdict == .navigated }

    package init(verdict: Verdict, serial: UInt64) {
        self.verdict = verdict
        self.serial = serial
    }
}

/// The verdict on a step (S-9). A later version of the service can return other verdicts; an unknown verdict means that
/// the step was not navigated.
public struct Verdict: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The verdict as a string, as on the bus.
    public let rawValue: String

    /// Creates a verdict from its string.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The flow took the step, and its contributors were applied.
    public static let navigated = Verdict(rawValue: "navigated")
    /// The flow has no rule for the step; nothing changed.
    public static let unhandled = Verdict(rawValue: "unhandled")
    /// The step was ignored because the presentable it was emitted on is not presented.
    public static let hidden = Verdict(rawValue: "hidden")
    /// The step waits until the presentable it was emitted on is presented.
    public static let deferred = Verdict(rawValue: "deferred")
    /// The flow's ``Flow/adapt(step:)`` rejected the step.
    public static let rejected = Verdict(rawValue: "rejected")
    /// The step is not decided yet; only for a call that does not wait.
    public static let pending = Verdict(rawValue: "pending")

    /// The string of the verdict.
    public var description: String { rawValue }
}

/// The outcome of a deep link at one flow (S-27, S-28).
public struct FlowOutcome: Hashable, Sendable {
    /// The path of the flow.
    public let path: NodePath
    /// The outcome of the step, or the error that it failed with; `nil` if the path only leads through this flow.
    public let result: Result<StepOutcome, NavigationError>?

    package init(path: NodePath, result: Result<StepOutcome, NavigationError>?) {
        self.path = path
        self.result = result
    }
}
