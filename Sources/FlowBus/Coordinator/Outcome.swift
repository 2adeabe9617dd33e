/// What became of a step (S-9).
public struct Outcome: Hashable, Sendable {
    /// In one word.
    public let verdict: Verdict
    /// The number of its navigation, which only ever grows; 0: there was none.
    public let serial: UInt64

    /// Whether its contributors were applied.
    public var isNavigated: Bool { verdict == .navigated }
}

/// What became of a step, in one word (S-9). A later service may know more; what is unknown means: not navigated.
public struct Verdict: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// As it is written on the bus.
    public let rawValue: String

    /// A verdict by its word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The flow took it, and its contributors were applied.
    public static let navigated = Verdict(rawValue: "navigated")
    /// The flow does not know the step; nothing changed.
    public static let unhandled = Verdict(rawValue: "unhandled")
    /// Ignored: what it was emitted on is not presented.
    public static let hidden = Verdict(rawValue: "hidden")
    /// Kept until what it was emitted on is presented.
    public static let deferred = Verdict(rawValue: "deferred")
    /// The flow's ``Flow/adapt(step:)`` refused it.
    public static let rejected = Verdict(rawValue: "rejected")
    /// Not decided yet; only where nobody waits for it.
    public static let pending = Verdict(rawValue: "pending")

    /// The word.
    public var description: String { rawValue }
}

/// What became of a deep link at one flow (S-27).
public struct FlowOutcome: Hashable, Sendable {
    /// Where the flow lives, or lived.
    public let path: NodePath
    /// Its verdict, or why it failed.
    public let result: Result<Verdict, NavigationError>
}
