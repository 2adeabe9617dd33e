/// The quotas of a coordinator (S-33).
public struct Quotas: Equatable, Sendable {
    /// A quota.
    public struct Quota: Equatable, Sendable {
        /// The quota of one client.
        public var perClient: Int
        /// The quota of all clients together.
        public var total: Int

        /// Creates a quota.
        public init(perClient: Int, total: Int) { (self.perClient, self.total) = (perClient, total) }

        /// No quota.
        public static let none = Quota(perClient: .max, total: .max)

        /// The quota of one user other than the service's own, and of what clients that are gone leave behind.
        public var share: Int { total / 2 }
    }

    /// Live presentables.
    public var nodes: Quota
    /// Waiting steps.
    public var steps: Quota
    /// Bytes of arguments.
    public var bytes: Quota
    /// Remembered tokens.
    public var tokens: Quota
    /// Registered flows.
    public var flows: Quota
    /// Bytes of the names and types in registrations.
    public var declarations: Quota
    /// Waiting steps of one flow.
    public var stepsPerFlow: Quota
    /// The part of a flow's waiting steps that signals can have (S-42).
    public var signalsPerFlow: Int
    /// Deferred steps of one presentable.
    public var deferredSteps: Quota

    // Of the tree and of cascades; they are nobody's share.

    /// Children of one flow.
    public var children = Limits.children
    /// Presentables from a root to a leaf, both counted.
    public var depth = Limits.depth
    /// Bytes in an object path.
    public var pathLength = Limits.pathLength
    /// Steps that one origin can trigger: more are taken for a loop (S-11).
    public var triggeredSteps = Limits.triggeredSteps
    /// Asks of one presentable that are open, or answered and not acknowledged (S-45).
    public var asksPerPresentable = Limits.asksPerPresentable
    /// Steps, and screens, of one registered flow.
    public var declarationsPerFlow = Limits.stepsPerRegistration
    /// Screens whose times are kept (S-46); 0 if none is timed.
    public var timedScreens = Limits.timedScreens

    /// The quotas of the service: no client can use up another's share.
    public static let service = Quotas(
        nodes: Quota(perClient: Limits.nodesPerClient, total: Limits.nodes),
        steps: Quota(perClient: Limits.waitingStepsPerClient, total: Limits.waitingSteps),
        bytes: Quota(perClient: Limits.liveArgumentBytesPerClient, total: Limits.liveArgumentBytes),
        tokens: Quota(perClient: Limits.tokensPerClient, total: Limits.tokens),
        flows: Quota(perClient: Limits.registeredFlowsPerClient, total: Limits.registeredFlows),
        declarations: Quota(perClient: Limits.registeredBytesPerClient, total: Limits.registeredBytes),
        stepsPerFlow: Quota(perClient: Limits.waitingStepsPerFlowAndClient, total: Limits.waitingStepsPerFlow),
        signalsPerFlow: Limits.waitingSignalsPerFlow,
        deferredSteps: Quota(perClient: Limits.deferredStepsPerClient, total: Limits.deferredSteps))

    /// No quotas, for a coordinator inside a program, which has no other clients.
    public static let none = Quotas(
        nodes: .none, steps: .none, bytes: .none, tokens: .none, flows: .none, declarations: .none,
        stepsPerFlow: .none, signalsPerFlow: .max, deferredSteps: .none)

    /// The limits of the library in one process, where a tree belongs to one program, and paths to no bus: only loops end. A loop of
    /// flows in flows ends before the stack of the thread does.
    public static let process: Quotas = {
        var quotas = none
        (quotas.children, quotas.pathLength) = (.max, .max)
        (quotas.depth, quotas.triggeredSteps) = (1_000, 10_000)
        (quotas.asksPerPresentable, quotas.declarationsPerFlow) = (.max, .max)
        // Nobody asks for the times.
        quotas.timedScreens = 0
        return quotas
    }()
}
