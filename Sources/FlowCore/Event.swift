/// Something that happened outside the core, for ``Coordinator/handle(_:at:upTo:)``.
///
/// `calledAt` is the object path that the caller used, if it is not the presentable's path in the tree (S-25). Signals to this
/// caller alone come from it.
public enum Event: Sendable {
    /// The daemon started; the roots of `autostart` are started now.
    case started
    /// A client emitted a step on a presentable (S-4).
    indirect case stepEmitted(
        RequestID, on: NodeID, step: StepID, arguments: Arguments, by: Client, options: EmissionOptions? = nil)
    /// A client repeated a call, by its token, although the presentable is gone or the step is no longer declared. Only after
    /// ``Coordinator/remembersEmission(_:on:by:at:)`` returned true.
    case emissionRepeated(RequestID, token: String, by: Client, on: NodeID? = nil)
    /// A client emitted several steps on a presentable. Each is emitted when the one before has ended.
    case stepsEmitted(RequestID, on: NodeID, [EmittedStep], by: Client, calledAt: String? = nil)
    /// A client reported that a presentable is shown or hidden (S-14), and what else is new of a screen that it owns.
    case visibilityChanged(RequestID, of: NodeID, isVisible: Bool, by: Client, ScreenReport = ScreenReport())
    /// A client reported input at a presentable that is no step (S-34).
    case presentableTouched(RequestID, NodeID, by: Client)
    /// A client dismissed a presentable, and said what failed if there is a fault (S-22).
    case presentableDismissed(RequestID, NodeID, by: Client, fault: Fault? = nil)
    /// A client claimed a presentable (S-29).
    case presentableClaimed(RequestID, NodeID, by: Client)
    /// A client released a presentable that it owned.
    case presentableReleased(RequestID, NodeID, by: Client)
    /// A client waits until a flow is ready (S-26).
    case readinessAwaited(RequestID, of: NodeID, by: Client)
    /// A client went back (S-24).
    case backPressed(RequestID, on: NodeID, by: Client, options: BackOptions? = nil)
    /// A client repeated a Back, by its token, although the presentable is gone. Only after
    /// ``Coordinator/remembersBack(_:by:at:)`` returned true.
    case backRepeated(RequestID, token: String, by: Client)
    /// The owner of a screen set the step that Back takes on it, or none (S-39).
    case backStepSet(RequestID, of: NodeID, StepID?, by: Client)
    /// The owner of a screen gave it a title, or none (S-44).
    case titleSet(RequestID, of: NodeID, String, by: Client)
    /// The owner of a screen saved a state for the next process that presents it (S-44).
    case stateSaved(RequestID, of: NodeID, Arguments, by: Client)
    /// The owner of a screen finished it with a result (S-45).
    case screenFinished(RequestID, of: NodeID, Arguments, by: Client)
    /// A client takes back a step that waits at a presentable, by its token (S-16).
    case stepCancelled(RequestID, on: NodeID, token: String, by: Client)
    /// The owner of a presentable took the answer to an ask, by its token, or does not want it any more (S-45).
    case answerAcknowledged(RequestID, of: NodeID, token: String, by: Client)
    /// A client set values of the context: those that a flow sees, or with nil those of the coordinator (S-57).
    case contextSet(RequestID, Arguments, of: NodeID?, by: Client)
    /// A client requested a root (`Coordinate`).
    indirect case flowRequested(RequestID, FlowRequest)
    /// A client moved a root to another output; empty for none (S-41).
    case rootMoved(RequestID, NodeID, to: String, by: Client)
    /// A client said which outputs there are, and how large some of them are (S-53).
    case outputsSet(RequestID, [String], by: Client, sizes: [OutputSize] = [])
    /// A client knows that what failed may succeed now: pauses of presenters and of empty flows are over (S-47).
    case pausesEnded(RequestID)
    /// A client sent a step to every live flow (S-27).
    case deepLinkOpened(
        RequestID, step: StepID, arguments: Arguments, by: Client, activationToken: String? = nil, waits: Bool = true)
    /// A client sent steps along a path of flows (S-28), with a time limit in µs. With a root, the path begins below that. A client that
    /// does not block while it waits can be asked meanwhile (S-32).
    indirect case pathOpened(
        RequestID, [PathSegment], by: Client, timeout: UInt64 = Limits.pathTimeout, below: NodeID? = nil,
        activationToken: String? = nil, blocks: Bool = true)
    /// A client registered a flow that it implements.
    indirect case flowRegistered(RequestID, Registration)
    /// A client unregistered a flow.
    case flowUnregistered(RequestID, flow: String, by: Client)
    /// A guard answered, or its call failed (S-5).
    case guardReplied(QuestionID, GuardAnswer)
    /// A navigator answered, or its call failed (S-5).
    case navigatorReplied(QuestionID, NavigatorAnswer)
    /// A presenter answered, or its call failed (S-31).
    case presenterReplied(QuestionID, PresenterAnswer)
    /// An owner answered whether it is alive, or did not (S-44).
    case aliveReplied(QuestionID, AliveAnswer)
    /// A client that ``Effect/watchClient(_:)`` named left the bus.
    case clientVanished(Client)
    /// A client that ``Effect/watchClient(_:)`` named belongs to this Unix user, who is neither the service's own nor root
    /// (S-33).
    case clientIdentified(Client, user: UInt32)
    /// One of ``Definitions/busNames`` has a new owner, or none (nil).
    case nameOwnerChanged(String, owner: Client?)
    /// The property of a stepper has this value now, or can't be read any more (S-42).
    case stepperChanged(StepperID, StepperValue)
    /// The service of a stepper sent its signal, with these values.
    case stepperSignalled(StepperID, [Value])
    /// The value of a stepper's property, or the values of its signal, can't be those of a step.
    case stepperFailed(StepperID, FlowError)
    /// The next slice can begin, because ``Coordinator/PendingWork/hasMore`` is true (S-7).
    case continued
    /// The time of the latest ``Effect/startTimer(at:)`` has come.
    case timerFired
    /// The definition files were read again, and have no errors.
    case definitionsRead(Definitions)
    /// Records of an earlier process (``Coordinator/takeRecords()``) were found. Only owners of bus names may come before this
    /// event. For a fresh tree, it has records of the kind ``RecordKey/Kind/counters`` alone, and at most one more, of the coordinator's
    /// context. On another bus, clients are not
    /// the same, and flows with `restore = false` are left out (D-3).
    case restored([Record], onSameBus: Bool)
}

/// The options of `EmitStepWithOptions`.
public struct EmissionOptions: Equatable, Sendable {
    /// The token of the call: a repeated call within ``Limits/tokenLifetime`` gets the outcome of the first one.
    public var token: String?
    /// The expected instance; the step is refused if another one is at the path.
    public var instance: UInt64?
    /// Whether the caller waits for the verdict; otherwise it gets `pending` if the step is not decided at once.
    public var waits: Bool
    /// The activation token, for the first `Present` that the step causes.
    public var activationToken: String?
    /// Whether a guard may ask the user (`interactive`).
    public var isInteractive: Bool
    /// The object path of the call, as in ``Event``.
    public var calledAt: String?
    /// When the user's input was that led to the step, on the clock of events (S-46).
    public var inputTime: UInt64?
    /// Whether the caller wants to know the result of what the step brings, by `Answered` (S-45). It needs a token.
    public var asks: Bool
    /// Whether the step is input of a person, which restarts the times of idle flows (S-34); a step that is declared as none never does.
    public var isInput: Bool

    /// Creates options.
    public init(
        token: String? = nil, instance: UInt64? = nil, waits: Bool = true, activationToken: String? = nil,
        isInteractive: Bool = false, calledAt: String? = nil, inputTime: UInt64? = nil, asks: Bool = false,
        isInput: Bool = true
    ) {
        self.token = token
        self.instance = instance
        self.waits = waits
        self.activationToken = activationToken
        self.isInteractive = isInteractive
        self.calledAt = calledAt
        self.inputTime = inputTime
        self.asks = asks
        self.isInput = isInput
    }
}

/// The options of `BackWithOptions`.
public struct BackOptions: Equatable, Sendable {
    /// The instance that is expected to go; Back is refused if it would not dismiss that.
    public var goes: UInt64?
    /// The token of the call: a repeated call within ``Limits/tokenLifetime`` gets the outcome of the first one.
    public var token: String?
    /// The activation token, for the screen that Back brings in sight.
    public var activationToken: String?
    /// The object path of the call, as in ``Event``.
    public var calledAt: String?

    /// Creates options.
    public init(
        goes: UInt64? = nil, token: String? = nil, activationToken: String? = nil, calledAt: String? = nil
    ) {
        self.goes = goes
        self.token = token
        self.activationToken = activationToken
        self.calledAt = calledAt
    }
}

/// A request for a root (`Coordinate`).
public struct FlowRequest: Equatable, Sendable {
    /// The flow's definition.
    public var definition: FlowID
    /// The requested id; nil for the flow's name, or the first free `name_2`, `name_3`, … (S-1).
    public var id: String?
    /// The arguments of the flow itself.
    public var arguments: Arguments
    /// The initial step; nil for the flow's `initial`.
    public var step: StepID?
    /// The arguments of the initial step.
    public var stepArguments: Arguments
    /// The caller.
    public var client: Client
    /// The token of the call: a repeated call within ``Limits/tokenLifetime`` gets the outcome of the first one.
    public var token: String?
    /// The activation token, for the first `Present` that the request causes.
    public var activationToken: String?
    /// The output that the root stands on; empty if it has none (S-41).
    public var output: String
    /// When the user's input was that led to the request, on the clock of events (S-46).
    public var inputTime: UInt64?
    /// What happens to steps on the root while it is hidden; nil for what S-15 says.
    public var whenHidden: WhenHidden?

    /// Creates a request.
    public init(
        _ definition: FlowID, id: String? = nil, arguments: Arguments = [], step: StepID? = nil,
        stepArguments: Arguments = [], by client: Client, token: String? = nil,
        activationToken: String? = nil, output: String = ""
    ) {
        self.definition = definition
        self.id = id
        self.arguments = arguments
        self.step = step
        self.stepArguments = stepArguments
        self.client = client
        self.token = token
        self.activationToken = activationToken
        self.output = output
    }
}
