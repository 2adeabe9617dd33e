/// A question about a step that a client has just emitted, for a guard or navigator in the shell's own process.
///
/// The shell answers it before it handles the next event: then the step goes on as that of a flow with rules, and nothing has to
/// wait. If the answer takes time, ``Coordinator/ask(_:at:into:)`` makes it a question as any other.
public struct HeldQuestion: Sendable {
    /// Whether it is for the guard (`Adapt`); otherwise it is for the navigator (`Navigate`).
    public let isForGuard: Bool
    /// The flow.
    public var flow: NodeID { waiting.flow }
    /// The step.
    public var step: StepID { waiting.step }
    /// Its arguments, private ones included.
    public var arguments: Arguments { waiting.arguments }
    /// How long the answer may take, in µs.
    public let timeout: UInt64

    let waiting: WaitingStep
    let request: RequestID
    /// Whether the caller waits for the verdict (``EmissionOptions/waits``).
    var waits = true
}
