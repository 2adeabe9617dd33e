/// A navigation that has happened: RxFlow's `didNavigate` (S-10).
public struct Navigation: Sendable {
    /// The flow that took the step.
    public let flow: any Flow
    /// The step, as ``Flow/adapt(step:)`` wanted it; nil: no step, somebody went back (S-24).
    public let step: (any Step)?
    /// Where the flow lives.
    public let path: NodePath
    /// Its number; one sequence for the whole tree, only ever growing.
    public let serial: UInt64
    /// The number of the navigation that set it off; 0: it came from outside.
    public let cause: UInt64
    /// The bus name of who began the chain; empty in one process.
    public let sender: String
    /// What was applied, in order; empty for ``FlowContributors/none``.
    public let contributions: [Contribution]
    /// The name of the step that ``Flow/adapt(step:)`` was asked about, where it wanted another.
    public let adaptedFrom: String?
    /// Whether it came by ``FlowCoordinator/navigate(to:)``.
    public let isDeepLink: Bool
}

/// A contributor that was applied.
public struct Contribution: Hashable, Sendable {
    /// `screen`, `flow`, `current`, `parent` or `end` for what a ``Flow`` contributes, `back` for what Back dismissed;
    /// flows that are defined by files have `reuse`, `clear` and `pop`, too.
    public let kind: String
    /// The name of the screen, the flow's definition, or the step.
    public let name: String
    /// Where it lives, or the flow that gets the step; nil: nowhere.
    public let path: NodePath?
}

/// A navigation that is about to be tried: RxFlow's `willNavigate`.
public struct Announcement: Sendable {
    /// The flow that takes the step.
    public let flow: any Flow
    /// The step, as ``Flow/adapt(step:)`` wanted it.
    public let step: any Step
    /// Where the flow lives.
    public let path: NodePath
}

/// A step that came to nothing though nobody waited for its outcome: nothing is lost silently (S-12).
public struct NavigationFailure: Sendable {
    /// Where: the flow of the step, the nearest that is still live, or what it was emitted on.
    public let path: NodePath
    /// The step's name; empty: it was no step that failed.
    public let step: String
    /// A verdict, or the name of an error (``NavigationError/Code``).
    public let reason: String
    /// The same for a person.
    public let message: String
}
