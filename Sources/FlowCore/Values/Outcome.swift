/// The verdict on a step (S-9).
public enum Verdict: String, CaseIterable, Sendable {
    /// A rule of the flow, or its navigator, took the step, and the contributors were applied.
    case navigated
    /// No rule of the flow matches, and its navigator does not take the step; nothing changed.
    case unhandled
    /// Ignored: the presentable on which it was emitted is not presented.
    case hidden
    /// Deferred until that presentable is presented (S-15).
    case deferred
    /// The flow's guard rejected it (S-5).
    case rejected
    /// Not decided yet; ``Effect/emitStepConcluded(_:)`` reports the outcome.
    case pending
}

/// The outcome of a step.
public enum Outcome: Equatable, Sendable {
    /// Its contributors were applied, by the navigation with this serial.
    case navigated(serial: UInt64)
    /// Nothing changed, with this verdict.
    case ignored(Verdict)
    /// It failed; nothing changed.
    case refused(FlowError)

    /// The serial of its navigation; 0 if there was none.
    public var serial: UInt64 { if case .navigated(let serial) = self { serial } else { 0 } }
}

/// The answer to a call.
public enum Answer: Equatable, Sendable {
    /// Done, without a value.
    case done
    /// The verdict on a step; the serial is 0 if there was no navigation.
    case verdict(Verdict, serial: UInt64)
    /// The path of a root.
    case flow(path: String)
    /// The outcomes of a deep link, in the order of the flows.
    case outcomes([FlowOutcome])
    /// The outcomes of a list of steps (`EmitSteps`).
    case verdicts([Outcome])
}

/// The outcome of a deep link at one flow (S-27).
public struct FlowOutcome: Equatable, Sendable {
    /// The flow's path.
    public let path: String
    /// The outcome of the step; nil if the path only passed through the flow (S-28).
    public internal(set) var outcome: Outcome?

    /// Creates an outcome.
    public init(path: String, outcome: Outcome?) {
        self.path = path
        self.outcome = outcome
    }
}
