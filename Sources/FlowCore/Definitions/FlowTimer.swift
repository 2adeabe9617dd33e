/// A time: always the same, or a value of the context (S-55).
public enum Span: Hashable, Sendable, ExpressibleByIntegerLiteral {
    /// In µs.
    case fixed(UInt64)
    /// The value of the context with this name, a text such as `5min`; with `never`, what waits for it does not happen.
    case context(String)

    /// A time in µs.
    public init(integerLiteral microseconds: UInt64) { self = .fixed(microseconds) }

    /// In µs; nil for a value of the context.
    public var microseconds: UInt64? { if case .fixed(let time) = self { time } else { nil } }
}

/// A step that a timer of a flow triggers on it.
public struct TimedStep: Hashable, Sendable {
    /// The time after which it is triggered: of `idle` more than 0, and more than that of the stage before; else at least 1 s.
    public let after: Span
    /// The step; it needs no arguments.
    public let step: StepID
    /// What becomes of the step while the flow is not presented. The flow's own setting is for the steps of clients.
    public let whenHidden: WhenHidden

    /// Creates a step.
    public init(after: Span, step: StepID, whenHidden: WhenHidden = .allow) {
        self.after = after
        self.step = step
        self.whenHidden = whenHidden
    }
}

/// A timer of a flow: it triggers steps on the flow (S-55). `idle` is one that counts from the moment when the flow was reached (S-34).
public struct FlowTimer: Hashable, Sendable {
    /// What the time of a timer counts from.
    public enum Since: String, CaseIterable, Sendable {
        /// The creation of the flow, or the latest `reuse` of it.
        case created
        /// The moment when the flow became presented.
        case presented
    }

    /// What its time counts from; nil for `idle`: the moment when the flow was reached.
    public let since: Since?
    /// Whether it triggers its step again and again (`every`).
    public let repeats: Bool
    /// Its steps: one, or those of the stages of `idle`.
    public let steps: [TimedStep]

    /// Creates a timer with one step.
    public init(since: Since = .created, repeats: Bool = false, _ step: TimedStep) {
        (self.since, self.repeats, steps) = (since, repeats, [step])
    }

    init(_ idle: [TimedStep]) { (since, repeats, steps) = (nil, false, idle) }
}

/// A timer of a live flow whose time runs.
public struct RunningTimer: Equatable, Sendable {
    /// What a timer is, as definition files say it.
    public enum Kind: String, CaseIterable, Sendable {
        case idle
        case after
        case every
    }

    /// The path of the flow.
    public let flow: String
    /// What it is.
    public let kind: Kind
    /// The name of its next step.
    public let step: String
    /// The time until that is due, in µs.
    public let left: UInt64
}

extension Definitions {
    /// The values of the context that times refer to.
    static func spans(_ flows: [FlowDefinition], _ screens: [ScreenDeclaration]) -> [String: ClosedRange<UInt64>] {
        var spans: [String: ClosedRange<UInt64>] = [:]
        func note(_ span: Span?, _ range: ClosedRange<UInt64>) {
            guard case .context(let name)? = span else { return }
            spans[name] = spans[name]?.clamped(to: range) ?? range
        }
        for flow in flows {
            for timed in flow.idle { note(timed.after, TimeSpan.usual) }
            for timer in flow.timers { note(timer.steps.first?.after, TimeSpan.ofTimers) }
        }
        for screen in screens {
            note(screen.patience, 0...TimeSpan.usual.upperBound)
            note(screen.evictAfter, TimeSpan.usual)
        }
        return spans
    }

    /// What is wrong with a value of the context that a time refers to; nil if nothing is.
    public func fault(ofSpan name: String, _ value: Value) -> String? {
        guard let range = spans[name], case .string(let text) = value, text != TimeSpan.never else { return nil }
        do throws(TimeSpan.Invalid) {
            _ = try TimeSpan.microseconds(text, in: range)
            return nil
        } catch {
            return error.text
        }
    }
}
