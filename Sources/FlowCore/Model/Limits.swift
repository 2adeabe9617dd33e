/// Every limit on what clients and definition files can cause.
///
/// Source: the bus contract, "Limits". A refusal changes nothing (S-33).
public enum Limits {
    /// Bytes in the name of a screen or flow, or in an id.
    public static let nameLength = 64
    /// Bytes in the name of a step.
    public static let stepNameLength = 128

    /// Nodes that one client has made and that are live.
    public static let nodesPerClient = 2_000
    /// Live nodes in total.
    public static let nodes = 10_000
    /// Children of one flow.
    public static let children = 1_024
    /// Nodes on the way from a root to a leaf, both counted.
    public static let depth = 64
    /// Bytes in an object path.
    public static let pathLength = 512

    /// Arguments of one step.
    public static let argumentCount = 64
    /// Bytes of the arguments of one step (``Swift/Array/byteCount``).
    public static let argumentBytes = 64 * 1_024
    /// What each value counts for beside the bytes in it, containers included: as much as it can take on the wire for its
    /// length, its type and padding.
    public static let valueBytes = 16
    /// What each argument counts for beside its name and value.
    public static let argumentNameBytes = 32
    /// Containers inside each other in one argument.
    public static let argumentNesting = 8

    /// Bytes of arguments that live nodes hold for one client.
    public static let heldBytesPerClient = 4 * 1_024 * 1_024
    /// Bytes of arguments that live nodes hold in total.
    public static let heldBytes = 16 * 1_024 * 1_024

    /// Bytes in a D-Bus signature (D-Bus specification, "Valid Signatures").
    public static let signatureLength = 255

    /// Steps that are kept for one hidden presentable (S-15).
    public static let keptSteps = 64
    /// Kept steps of one client.
    public static let waitingStepsPerClient = 4_096
    /// Kept steps in total.
    public static let waitingSteps = 65_536
    /// Kept steps that one flow is to take; and the steps in one `EmitSteps`, segments in one `NavigateAlong`.
    public static let waitingStepsPerFlow = 1_024
    /// Bytes in a token.
    public static let tokenLength = 128
    /// Tokens of one client that are remembered.
    public static let tokensPerClient = 16_384
    /// Tokens that are remembered in total.
    public static let tokens = 65_536
    /// How long a token is remembered, in µs.
    public static let tokenLifetime: UInt64 = 60_000_000

    /// Steps that one origin may set off (S-11).
    public static let stepsSetOff = 256

    /// Bytes in one definition file.
    public static let definitionFileBytes = 1_024 * 1_024
    /// Bytes in all definition files together.
    public static let definitionBytes = 16 * 1_024 * 1_024
}
