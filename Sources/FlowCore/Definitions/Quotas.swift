/// How much a coordinator holds at a time before it refuses more (S-33).
public struct Quotas: Equatable, Sendable {
    /// How much of something.
    public struct Quota: Equatable, Sendable {
        /// What one client may have.
        public var perClient: Int
        /// What all have together.
        public var total: Int

        /// A quota of so much.
        public init(perClient: Int, total: Int) { (self.perClient, self.total) = (perClient, total) }

        /// No quota.
        public static let none = Quota(perClient: .max, total: .max)

        /// What one user may have beside the service's own, and what clients that are gone leave to no others.
        public var share: Int { total / 2 }
    }

    /// Live presentables.
    public var nodes: Quota
    /// Steps that wait.
    public var steps: Quota
    /// Bytes of arguments.
    public var bytes: Quota
    /// Tokens that are remembered.
    public var tokens: Quota
    /// Flows that clients have registered.
    public var flows: Quota
    /// Bytes of the names and types in those.
    public var declarations: Quota
    /// Steps that wait for one flow.
    public var stepsPerFlow: Quota
    /// Steps that are kept for one presentable.
    public var deferredSteps: Quota

    /// What the service allows: no client keeps another from its share.
    public static let service = Quotas(
        nodes: Quota(perClient: Limits.nodesPerClient, total: Limits.nodes),
        steps: Quota(perClient: Limits.waitingStepsPerClient, total: Limits.waitingSteps),
        bytes: Quota(perClient: Limits.liveArgumentBytesPerClient, total: Limits.liveArgumentBytes),
        tokens: Quota(perClient: Limits.tokensPerClient, total: Limits.tokens),
        flows: Quota(perClient: Limits.registeredFlowsPerClient, total: Limits.registeredFlows),
        declarations: Quota(perClient: Limits.registeredBytesPerClient, total: Limits.registeredBytes),
        stepsPerFlow: Quota(perClient: Limits.waitingStepsPerFlowAndClient, total: Limits.waitingStepsPerFlow),
        deferredSteps: Quota(perClient: Limits.deferredStepsPerClient, total: Limits.deferredSteps))

    /// What a program allows itself: it keeps nobody else from anything.
    public static let none = Quotas(
        nodes: .none, steps: .none, bytes: .none, tokens: .none, flows: .none, declarations: .none,
        stepsPerFlow: .none, deferredSteps: .none)
}
