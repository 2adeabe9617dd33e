/// A navigation of a flow, after it was applied: RxFlow's `didNavigate` (S-10).
public struct FlowNavigation: Sendable {
    /// The flow that navigated.
    public let flow: any Flow
    /// The step that was taken, as ``Flow/adapt(step:)`` returned it; nil if the flow went back (S-24).
    public let step: (any Step)?
    /// The path of the flow.
    public let path: NodePath
    /// The serial of the navigation. Serials increase over the whole tree.
    public let serial: UInt64
    /// The serial of the navigation that triggered this one; 0 if a client triggered it.
    public let cause: UInt64
    /// The unique bus name of the client that started the cascade; empty in one process.
    public let sender: String
    /// The contributors that were applied, in order; empty for ``FlowContributors/none``.
    public let contributions: [AppliedContributor]
    /// The name of the step before ``Flow/adapt(step:)`` replaced it; nil if it did not.
    public let adaptedFrom: String?
    /// Whether the step came by ``FlowCoordinator/navigate(to:)``.
    public let isDeepLink: Bool
}

/// A contributor that was applied.
public struct AppliedContributor: Hashable, Sendable {
    /// What a contributor does.
    public struct Kind: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The kind as on the bus.
        public let rawValue: String

        /// Creates a kind from its word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// It added a screen.
        public static let screen = Kind(rawValue: "screen")
        /// It added a flow.
        public static let flow = Kind(rawValue: "flow")
        /// It used a live child instead of a new one.
        public static let reuse = Kind(rawValue: "reuse")
        /// It dismissed the other children.
        public static let clear = Kind(rawValue: "clear")
        /// It dismissed the newer children.
        public static let pop = Kind(rawValue: "pop")
        /// It forwarded a step to the flow itself.
        public static let current = Kind(rawValue: "current")
        /// It forwarded a step to the parent.
        public static let parent = Kind(rawValue: "parent")
        /// It ended the flow.
        public static let end = Kind(rawValue: "end")
        /// Going back dismissed the child.
        public static let back = Kind(rawValue: "back")
        /// It brought a child to the front.
        public static let show = Kind(rawValue: "show")
        /// It hid a child.
        public static let hide = Kind(rawValue: "hide")
        /// It dismissed a child.
        public static let dismiss = Kind(rawValue: "dismiss")
        /// It let a screen go to free memory.
        public static let evict = Kind(rawValue: "evict")
        /// It set values of the context.
        public static let set = Kind(rawValue: "set")
        /// It moved the root to another output.
        public static let move = Kind(rawValue: "move")

        /// The word of the kind.
        public var description: String { rawValue }

        /// Whether it stands for a contributed child.
        var isChild: Bool { self == .screen || self == .flow || self == .reuse }
    }

    /// What it did. A later version of the service can have other kinds.
    public let kind: Kind
    /// The name of the screen, of the flow's definition, or of the step.
    public let name: String
    /// The path of the child, or of the flow that receives the step; nil if there is none.
    public let path: NodePath?

    package init(kind: Kind, name: String, path: NodePath?) {
        self.kind = kind
        self.name = name
        self.path = path
    }
}

/// A navigation that is about to be tried: RxFlow's `willNavigate`.
public struct UpcomingNavigation: Sendable {
    /// The flow that is asked where the step leads.
    public let flow: any Flow
    /// The step, as ``Flow/adapt(step:)`` returned it.
    public let step: any Step
    /// The path of the flow.
    public let path: NodePath
}

/// A failure that no caller is waiting for (S-12).
public struct NavigationFailure: Sendable {
    /// The path of the flow that the step was for or, if it is gone, of its nearest live ancestor; the path that the
    /// step was emitted on if no flow had it yet.
    public let path: NodePath
    /// The name of the step; empty if something other than a step failed.
    public let step: String
    /// The verdict on the step; `nil` if it failed with an error.
    public let verdict: Verdict?
    /// The error that the step failed with; `nil` if it has a verdict.
    public let error: NavigationError?
    /// A message for people, for a verdict and for an error.
    public let message: String
}

extension NavigationFailure {
    /// The failure of a step of a stepper, whose outcome nobody waits for; nil if it did not fail.
    package init?(of result: Result<StepOutcome, NavigationError>, _ step: String, on path: NodePath) {
        switch result {
        case .success(let outcome):
            if outcome.isNavigated || outcome.verdict == .deferred { return nil }
            self.init(
                path: path, step: step, outcome.verdict,
                "step '\(step)' emitted on '\(path)' was not taken: \(outcome.verdict)")
        case .failure(let error): self.init(path: path, step: step, error)
        }
    }

    package init(path: NodePath, step: String, _ verdict: Verdict, _ message: String) {
        self.init(path: path, step: step, verdict: verdict, error: nil, message: message)
    }

    package init(path: NodePath, step: String, _ error: NavigationError) {
        self.init(path: path, step: step, verdict: nil, error: error, message: error.message)
    }
}
