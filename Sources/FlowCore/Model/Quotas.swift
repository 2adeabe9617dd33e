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
    }

    /// Live presentables.
    public var nodes: Quota
    /// Steps that wait.
    public var steps: Quota
    /// Bytes of arguments.
    public var bytes: Quota
    /// Steps that wait for one flow, whoever emitted them.
    public var stepsPerFlow: Int

    /// What the service allows: no client keeps another from its share.
    public static let service = Quotas(
        nodes: Quota(perClient: Limits.nodesPerClient, total: Limits.nodes),
        steps: Quota(perClient: Limits.waitingStepsPerClient, total: Limits.waitingSteps),
        bytes: Quota(perClient: Limits.heldBytesPerClient, total: Limits.heldBytes),
        stepsPerFlow: Limits.waitingStepsPerFlow)

    /// What a program allows itself: it keeps nobody else from anything.
    public static let none = Quotas(nodes: .none, steps: .none, bytes: .none, stepsPerFlow: .max)
}
