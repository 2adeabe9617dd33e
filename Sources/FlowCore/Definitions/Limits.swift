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
    public static let liveArgumentBytesPerClient = 4 * 1_024 * 1_024
    /// Bytes of arguments that live nodes hold in total.
    public static let liveArgumentBytes = 16 * 1_024 * 1_024

    /// Bytes in a D-Bus signature (D-Bus specification, "Valid Signatures").
    public static let signatureLength = 255

    /// Steps that are kept for one hidden presentable (S-15).
    public static let deferredSteps = 64
    /// Those of one client among them.
    public static let deferredStepsPerClient = deferredSteps / 2
    /// Steps of one client that wait: at the gate, for a guard or a navigator, in lists; and its calls that wait for a
    /// flow to be ready.
    public static let waitingStepsPerClient = 4_096
    /// The same in total.
    public static let waitingSteps = 65_536
    /// Steps that one flow is to take and that wait; and the steps in one `EmitSteps`, segments in one `NavigateAlong`.
    public static let waitingStepsPerFlow = 1_024
    /// Those of one client among them.
    public static let waitingStepsPerFlowAndClient = waitingStepsPerFlow / 2
    /// Bytes in the word that says how a child is to be shown: all of them have to fit into one GetManagedObjects.
    public static let styleLength = 128
    /// Bytes of arguments in all contributors that a navigator answers with: what their children may hold, and no more.
    public static let answerBytes = liveArgumentBytesPerClient
    /// Bytes in a token.
    public static let tokenLength = 128
    /// Tokens of one client that are remembered.
    public static let tokensPerClient = 16_384
    /// Tokens that are remembered in total.
    public static let tokens = 65_536
    /// How long a token is remembered, in µs.
    public static let tokenLifetime: UInt64 = 60_000_000

    /// How long a caller waits for a verdict before it gets `pending`, and for a flow to be ready, in µs (S-9).
    public static let replyTimeout: UInt64 = 20_000_000
    /// How long a deep link along a path may take unless its caller says so, in µs.
    public static let pathTimeout: UInt64 = 10_000_000
    /// How long a presenter's answer may take unless the definition says so, in µs (S-31).
    public static let presenterTimeout: UInt64 = 60_000_000
    /// The same for guards and navigators.
    public static let guardTimeout: UInt64 = 10_000_000
    /// What a definition or a registration may say instead of those, in µs: 10 ms to an hour.
    public static let answerTimeouts: ClosedRange<UInt64> = 10_000...3_600_000_000
    /// How often a screen is presented again because its owner is gone, in ``revivalTime`` (S-30).
    public static let revivals = 3
    /// In which time that is counted, in µs.
    public static let revivalTime: UInt64 = 10_000_000
    /// Bytes in an activation token: far more than those of Wayland and X11 have.
    public static let activationTokenLength = 1_024
    /// Calls of its presenter that are under way for one screen; while there are as many, the newest arguments wait.
    public static let callsPerScreen = 4
    /// Calls that wait for the first outcome of one by the same token.
    public static let callsPerToken = 64
    /// Flows that one client has registered.
    public static let registeredFlowsPerClient = 256
    /// Registered flows in total.
    public static let registeredFlows = 1_024
    /// Bytes of the steps and screens of flows that one client has registered: their names, arguments and types.
    public static let registeredBytesPerClient = 1_024 * 1_024
    /// The same in total: GetSteps has to fit into one message of any bus, and each registration looks at all.
    public static let registeredBytes = 4 * 1_024 * 1_024
    /// Steps of one registered flow.
    public static let stepsPerRegistration = 256
    /// Screens that come with one registered flow.
    public static let screensPerRegistration = 256
    /// Calls that are under way to one client; the rest wait.
    public static let callsUnderWay = 100
    /// The same in total, on a bus that allows many: 50,000 on a session bus (its session.conf).
    public static let callsUnderWayInTotal = 40_000
    /// The same in total on a system bus, which allows 128 (dbus-daemon, `max_replies_per_connection`).
    public static let callsUnderWayOnSystemBus = 120

    /// Calls of presenters whose time is over, and whose answers may yet come (S-31); the oldest are forgotten first.
    public static let lateCalls = 1_024

    /// Steps that one origin may set off (S-11).
    public static let triggeredSteps = 256

    /// Effects and steps of one slice (S-7): about 10 ms of work. It ends with the chain that reaches it.
    public static let slice = 256

    /// Calls of one client that wait until another call, which goes on in slices, is done.
    public static let postponedCallsPerClient = 1_024
    /// The same in total.
    public static let postponedCalls = 16_384
    /// Bytes of the values in those of one client.
    public static let postponedBytesPerClient = 4 * 1_024 * 1_024
    /// The same in total.
    public static let postponedBytes = 16 * 1_024 * 1_024
    /// Bytes of an answer of a guard or navigator that waits until a call, which goes on in slices, is done.
    public static let postponedAnswerBytes = 8 * 1_024 * 1_024

    /// Lines of an explanation, but for what is said of those that are left out.
    public static let explanationLines = 500

    /// Bytes in one definition file.
    public static let definitionFileBytes = 1_024 * 1_024
    /// Bytes in all definition files together.
    public static let definitionBytes = 16 * 1_024 * 1_024
}
