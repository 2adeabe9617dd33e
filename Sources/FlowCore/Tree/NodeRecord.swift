/// The record of a live presentable, without derived state, and without waiting steps, which have records of their own.
struct NodeRecord: RecordBody, HasNodeTraits, Equatable, Sendable {
    /// The state of a flow.
    struct Flow: Equatable, Sendable {
        var readiness = Node.Readiness.ready
        var isAwaitedByParent = false
        /// Among tabs: the instances of the children that were selected, the latest last.
        var selected: [UInt64] = []
        /// The origin that created it.
        var birth: UInt64 = 0
        /// What emptied it, if it is empty but for steps that wait for it.
        var emptiedBy: EmptyFlows.Cause?
        /// Whether it may be empty and lives without a child.
        var isBare = false
        var pauses: [NamedPause] = []
        /// Why there is nothing to show.
        var nothingToShow = ""
    }

    /// The pause of presenters of a flow's screens of one name.
    struct NamedPause: Equatable, Sendable {
        var screen: String
        var pause: Pause

        init(_ screen: String, _ pause: Pause) { (self.screen, self.pause) = (screen, pause) }
    }

    /// The state of a screen with a presenter.
    struct Presenting: Equatable, Sendable {
        /// Whether the presenter has answered the latest call.
        var isShown = false
        /// Whether the presenter is not called before the screen comes in sight again.
        var isKept = false
        var reason = PresentReason.launch
        var origin: UInt64 = 0
        var serial: UInt64 = 0
        var eviction = Node.Presenting.Eviction.none
        /// Whether its owner was not told of its arguments yet.
        var isOutdated = false
        /// The owner that left it when it was evicted.
        var leftBy: Client?
        /// Whether the next time that it is shown selects no tab.
        var isExpected = false
        /// Whether an owner has answered that it is alive.
        var hasAnsweredAlive = false
        /// What failed, if it waits for its presenter.
        var fault: Fault?
    }

    /// The step that a dismissal or a result triggers.
    struct Template: Equatable, Sendable {
        var step = ""
        /// nil if the arguments are inherited.
        var bindings: [Binding]?
        /// Whether the step's arguments are private.
        var isPrivate = false
    }

    /// The step that a result triggers, and what its arguments refer to.
    struct OnResult: Equatable, Sendable {
        var template = Template()
        var asked: Arguments = []
    }

    /// The parent's instance; 0 for a root.
    var parent: UInt64 = 0
    var traits = NodeTraits()
    // Boxed, because most records have none, and a restart keeps all records.
    var onDismissed: Boxed<Template>?
    var presenting: Boxed<Presenting>?
    var flow: Boxed<Flow>?
    var onResult: Boxed<OnResult>?

    init(
        parent: UInt64 = 0, traits: NodeTraits = NodeTraits(), onDismissed: Template? = nil,
        presenting: Presenting? = nil, flow: Flow? = nil, onResult: OnResult? = nil
    ) {
        (self.parent, self.traits) = (parent, traits)
        (self.onDismissed, self.presenting) = (onDismissed.map(Boxed.init), presenting.map(Boxed.init))
        (self.flow, self.onResult) = (flow.map(Boxed.init), onResult.map(Boxed.init))
    }

    private init() {}

    static var unread: NodeRecord { NodeRecord() }
    var expectedByteCount: Int { 64 + arguments.byteCount }

    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.code(&parent)
        try coder.code(&traits)
        try coder.code(&onDismissed)
        try coder.code(&presenting)
        try coder.code(&flow)
        try coder.code(&onResult)
    }
}

extension Boxed: RecordPart where Value: RecordPart {
    static var unread: Self { Self(.unread) }

    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) { try coder.code(&value) }
}

extension NodeRecord.Flow: RecordPart {
    static var unread: Self { Self() }

    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.code(&readiness)
        try coder.code(&isAwaitedByParent)
        try coder.code(&selected)
        try coder.code(&birth)
        try coder.code(&isBare)
        try coder.code(&emptiedBy)
        try coder.code(&pauses)
        try coder.code(&nothingToShow)
    }
}

extension EmptyFlows.Cause: RecordPart {
    static var unread: Self { Self(origin: 0, cause: 0, client: .daemon) }

    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.code(&origin)
        try coder.code(&cause)
        try coder.code(&client)
        try coder.code(&fault)
        try coder.code(&isClosed)
    }
}

extension Fault: RecordPart {
    static var unread: Fault { Fault("", "") }

    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        var (name, message) = (name, message)
        try coder.code(&name)
        try coder.code(&message)
        self = Fault(name, message)
    }
}

extension NodeRecord.NamedPause: RecordPart {
    static var unread: Self { Self("", Pause(after: .unread, isLoss: true, at: Instant(microseconds: 0))) }

    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.code(&screen)
        var (failures, since, isCut) = (pause.failures, pause.since, pause.isCut)
        var (fault, origin) = (pause.fault, pause.origin)
        try coder.code(&failures)
        try coder.code(&since)
        try coder.code(&isCut)
        try coder.code(&fault)
        try coder.code(&origin)
        pause = Pause(failures: failures, since: since, isCut: isCut, fault: fault, origin: origin)
    }
}

extension NodeRecord.Presenting: RecordPart {
    static var unread: Self { Self() }

    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.code(&isShown)
        try coder.code(&isKept)
        try coder.code(choice: &reason)
        try coder.code(&origin)
        try coder.code(&serial)
        try coder.code(choice: &eviction)
        try coder.code(&isOutdated)
        try coder.code(&leftBy)
        try coder.code(&isExpected)
        try coder.code(&hasAnsweredAlive)
        try coder.code(&fault)
    }
}

extension NodeRecord.Template: RecordPart {
    static var unread: Self { Self() }

    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.code(&step)
        try coder.code(&bindings)
        try coder.code(&isPrivate)
    }
}

extension NodeRecord.OnResult: RecordPart {
    static var unread: Self { Self() }

    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.code(&template)
        try coder.code(&asked)
    }
}

extension Node.Readiness: RecordPart {
    static var unread: Self { .ready }

    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        var cases = try coder.cases(of: self)
        try coder.code(&cases, 0, .ready)
        try coder.code(&cases, 1, .awaitingStep)
        try coder.code(&cases, 2, { .awaitingChildren(Int(clamping: $0)) }) {
            if case .awaitingChildren(let count) = $0 { UInt64(count) } else { nil }
        }
        self = try coder.end(cases)
        if case .awaitingChildren(let count) = self {
            try coder.check((1...Limits.children).contains(count), "\(count) children are awaited")
        }
    }
}

extension Binding: RecordPart {
    static var unread: Binding { Binding("", .reason) }

    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        var (name, source) = (name, source)
        try coder.code(&name)
        try coder.code(&source)
        self = Binding(name, source)
    }
}

extension Binding.Source: RecordPart {
    static var unread: Self { .reason }

    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        var cases = try coder.cases(of: self)
        try coder.code(&cases, 0, Self.literal) { if case .literal(let value) = $0 { value } else { nil } }
        try coder.code(&cases, 1, Self.step) { if case .step(let name) = $0 { name } else { nil } }
        try coder.code(&cases, 2, Self.flow) { if case .flow(let name) = $0 { name } else { nil } }
        try coder.code(&cases, 3, .childName)
        try coder.code(&cases, 4, .reason)
        try coder.code(&cases, 5, .error)
        try coder.code(&cases, 6, .message)
        try coder.code(&cases, 7, Self.result) { if case .result(let name) = $0 { name } else { nil } }
        try coder.code(&cases, 8, Self.asked) { if case .asked(let name) = $0 { name } else { nil } }
        self = try coder.end(cases)
    }
}

/// The activity record of a flow.
struct ActivityRecord: RecordBody, Equatable, Sendable {
    /// The latest navigation.
    struct Last: Equatable, Sendable {
        var serial: UInt64 = 0
        var step = ""
        var arguments: Arguments = []
        var client = Client.daemon
    }

    var last: Last?
    /// When a step from outside reached the flow.
    var reached: Instant?
    var isResting = false
    /// The next stage of its idle steps.
    var stage = 0
    /// Whether a screen below kept it from being idle.
    var isAwake = false

    static var unread: ActivityRecord { ActivityRecord() }
    var expectedByteCount: Int { 64 }

    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.code(&last)
        try coder.code(&reached)
        try coder.code(&isResting)
        try coder.code(&stage, upTo: .max)
        try coder.code(&isAwake)
    }
}

extension ActivityRecord.Last: RecordPart {
    static var unread: Self { Self() }

    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.code(&serial)
        try coder.code(&step)
        try coder.code(&arguments)
        try coder.code(&client)
    }
}
