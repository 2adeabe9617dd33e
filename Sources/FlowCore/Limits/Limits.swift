/// The limits on everything that clients and definition files can cause.
///
/// Source: the bus contract, "Limits". A call that reaches a limit changes nothing (S-33).
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
    /// Nodes on the path from a root to a leaf, both counted.
    public static let depth = 64
    /// Bytes in an object path.
    public static let pathLength = 512

    /// Arguments of one step.
    public static let argumentCount = 64
    /// Arguments in a key (S-51).
    public static let keyArguments = 4
    /// Bytes of the arguments of one step (``Swift/Array/byteCount``).
    public static let argumentBytes = 64 * 1_024
    /// What each value counts for in addition to its bytes, containers included: the most that its length, its type and
    /// padding can take on the wire.
    public static let valueBytes = 16
    /// What each argument counts for in addition to its name and value.
    public static let argumentNameBytes = 32
    /// Levels of nested containers in one argument.
    public static let argumentNesting = 8

    /// Bytes of the arguments of live nodes, for one client.
    public static let liveArgumentBytesPerClient = 4 * 1_024 * 1_024
    /// Bytes of the arguments of live nodes, in total.
    public static let liveArgumentBytes = 16 * 1_024 * 1_024

    /// Bytes in a D-Bus signature (D-Bus specification, "Valid Signatures").
    public static let signatureLength = 255

    /// Deferred steps of one presentable (S-15).
    public static let deferredSteps = 64
    /// The part of them that one client can have.
    public static let deferredStepsPerClient = deferredSteps / 2
    /// Waiting steps of one client: deferred, for a guard or a navigator, in lists; its calls that wait for a flow to
    /// become ready count, too.
    public static let waitingStepsPerClient = 4_096
    /// The same in total.
    public static let waitingSteps = 65_536
    /// Waiting steps of one flow; also the steps in one `EmitSteps`, and the segments in one `NavigateAlong`.
    public static let waitingStepsPerFlow = 1_024
    /// The part of them that one client can have.
    public static let waitingStepsPerFlowAndClient = waitingStepsPerFlow / 2
    /// The part of them that signals of other services can have (S-42).
    public static let waitingSignalsPerFlow = waitingStepsPerFlow / 4
    /// Bytes in the style of a child: all styles have to fit into one GetManagedObjects.
    public static let styleLength = 128
    /// Bytes in the title of a screen (S-44).
    public static let titleLength = 256
    /// The highest screens in sight that `StackChanged` has.
    public static let reportedStack = 64
    /// Bytes in the description of a flow, a screen or a step (S-58).
    public static let descriptionLength = 1_024
    /// The screens with timings of their own (S-46), once for each way in which their presenters start.
    public static let timedScreens = 2_048
    /// How long ago the input can have been that `inputTime` gives, in µs.
    public static let inputAge: UInt64 = 60_000_000
    /// The longest name of an output, in bytes (S-41).
    public static let outputLength = 64
    /// The outputs that there can be, those included that are missing for a moment (S-53).
    public static let outputs = 16
    /// How long an output counts as there without being in the list (S-53), in µs.
    public static let outputWait: UInt64 = 10_000_000
    /// Bytes of the arguments of all contributors in one answer of a navigator: no more than their children can have.
    public static let answerBytes = liveArgumentBytesPerClient
    /// Bytes in a token.
    public static let tokenLength = 128
    /// Tokens of one client that are remembered.
    public static let tokensPerClient = 16_384
    /// Tokens that are remembered in total.
    public static let tokens = 65_536
    /// How long a token is remembered, in µs.
    public static let tokenLifetime: UInt64 = 60_000_000

    /// The time after which a caller gets the verdict `pending`, and after which waiting for a flow to become ready
    /// fails, in µs (S-9).
    public static let replyTimeout: UInt64 = 15_000_000
    /// The time in which further calls of `Touch` have no effect, in µs (S-34).
    public static let touchPause: UInt64 = 1_000_000
    /// The time limit of a deep link along a path, unless the caller gives another, in µs.
    public static let pathTimeout: UInt64 = 10_000_000
    /// The time limit of a presenter's answer, unless the definition gives another, in µs (S-31).
    public static let presenterTimeout: UInt64 = 60_000_000
    /// The time limit of an answer of a guard or a navigator, in µs.
    public static let guardTimeout: UInt64 = 10_000_000
    /// The range of time limits in a definition or a registration, in µs: 10 ms to 1 hour.
    public static let answerTimeouts: ClosedRange<UInt64> = 10_000...3_600_000_000
    /// How long a presenter that failed is not called, in µs. Each further failure doubles the time (S-47).
    public static let firstPause: UInt64 = 500_000
    /// The longest such time, in µs.
    public static let longestPause: UInt64 = 30_000_000
    /// Pauses that a flow remembers at once: with a key, each value of it that fails has one (S-51).
    static let pausesPerFlow = 256
    /// When an owner has stayed for this time, in µs, the failures are forgotten.
    public static let survival: UInt64 = 60_000_000
    /// How long a screen that is new waits for its presenter, unless its definition says otherwise, in µs.
    public static let patience: UInt64 = 10_000_000
    /// The same for a screen that lost its owner.
    public static let patienceForLosses: UInt64 = 30_000_000
    /// The time limit of the answer to a `Present` that repeats a failed one, unless the definition gives less, in µs.
    public static let repeatedPresentTimeout: UInt64 = 10_000_000
    /// If a program dismisses its screen within this time of its call, what that brings again has to wait, in µs.
    public static let hastyTime: UInt64 = 10_000_000
    /// How long a screen that waits keeps its activation token, in µs.
    public static let tokenWait: UInt64 = 10_000_000
    /// How long an owner of a screen that is evicted can take to leave it, in µs (S-44).
    public static let leaveTime: UInt64 = 10_000_000
    /// Bytes of an error's text that `onDismissed` gets as `$message`.
    public static let faultLength = 1_024
    /// Bytes of the text of another process's error that a message of the service quotes.
    public static let quotedErrorLength = 512
    /// Bytes in an activation token: far more than those of Wayland and X11 have.
    public static let activationTokenLength = 1_024
    /// Calls to a presenter that are under way for one screen. The newest arguments wait while the limit is reached.
    public static let callsPerScreen = 4
    /// Asks of one presentable that are open, or answered and not acknowledged (S-45).
    public static let asksPerPresentable = 16
    /// Calls with the same token that wait for its first outcome.
    public static let callsPerToken = 64
    /// Flows that one client has registered.
    public static let registeredFlowsPerClient = 256
    /// Registered flows in total.
    public static let registeredFlows = 1_024
    /// Bytes of the names, arguments and types of the steps and screens of flows that one client has registered.
    public static let registeredBytesPerClient = 1_024 * 1_024
    /// The same in total: GetSteps has to fit into one message of any bus, and each registration visits all.
    public static let registeredBytes = 4 * 1_024 * 1_024
    /// Steps of one registered flow.
    public static let stepsPerRegistration = 256
    /// Screens that come with one registered flow.
    public static let screensPerRegistration = 256
    /// Calls under way to one client; further calls wait.
    public static let callsUnderWay = 100
    /// The same in total, on a bus that allows many: 50,000 on a session bus (its session.conf).
    public static let callsUnderWayInTotal = 40_000
    /// The same in total on a system bus, which allows 128 (dbus-daemon, `max_replies_per_connection`).
    public static let callsUnderWayOnSystemBus = 120

    /// Calls to presenters that reached their time limit and can still be answered (S-31); the oldest are dropped
    /// first.
    public static let lateCalls = 1_024

    /// Steps that one origin can trigger (S-11).
    public static let triggeredSteps = 256

    /// Timers of a flow beside `idle` (S-55).
    public static let timers = 4
    /// Steppers in all definition files together.
    public static let steppers = 256
    /// The time after which a property counts as absent whose service has not answered since the start, in µs (S-49).
    public static let firstValueTime: UInt64 = 1_000_000
    /// The time after a property has emitted until it may emit again, in µs: it emits at most 10 times a second (S-42).
    public static let stepperPause: UInt64 = 100_000

    /// Bytes of the values of the context, and of those of a flow's (S-57).
    public static let contextBytes = 4 * 1_024
    /// The time after a signal of changed values of the context until the next one, in µs: there are at most 10 a second (S-57).
    public static let contextPause: UInt64 = 100_000

    /// Effects and steps in one slice (S-7), about 10 ms of work. The slice ends with the cascade that reaches the
    /// limit.
    public static let slice = 256

    /// Postponed calls of one client: calls that wait for the slices of another.
    public static let postponedCallsPerClient = 1_024
    /// The same in total.
    public static let postponedCalls = 16_384
    /// Bytes of the values in the postponed calls of one client.
    public static let postponedBytesPerClient = 4 * 1_024 * 1_024
    /// The same in total.
    public static let postponedBytes = 16 * 1_024 * 1_024
    /// Bytes of an answer of a guard or navigator that waits until a call, which goes on in slices, is done.
    public static let postponedAnswerBytes = 8 * 1_024 * 1_024

    /// Lines of an explanation, without the line that counts the omitted ones.
    public static let explanationLines = 500

    /// Bytes in all definition files together, and in the answer of `GetDefinitions`, which can be saved as a single file.
    public static let definitionBytes = 16 * 1_024 * 1_024
}
