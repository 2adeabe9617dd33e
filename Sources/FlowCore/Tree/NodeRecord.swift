/// The record of a live presentable: what that keeps, without derived state, and without waiting steps, which have records of their own.
struct NodeRecord: RecordBody, HasKept, Equatable, Sendable {
    /// The parent's instance; 0 for a root.
    var parent: UInt64 = 0
    var kept = Node.Kept()
    // Boxed, because most records have none, and a restart keeps all records.
    var presenting: Boxed<Node.KeptScreen>?
    var flow: Boxed<Node.KeptFlow>?

    static var unread: NodeRecord { NodeRecord() }
    var expectedByteCount: Int { 64 + arguments.byteCount }

    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.code(&parent)
        try coder.code(&kept)
        try coder.code(&presenting)
        try coder.code(&flow)
        try coder.code(&kept.onResult)
    }
}

extension Boxed: RecordPart where Value: RecordPart {
    static var unread: Self { Self(.unread) }

    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) { try coder.code(&value) }
}

extension WhenHidden: RecordPart {
    static var unread: WhenHidden { .queue }
    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.code(choice: &self)
    }
}

extension NodeID: RecordPart {
    static var unread: Self { Self(slot: NodeSlot(0), instance: 0) }

    /// The instance alone. Whoever restores the node knows its slot.
    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        var instance = instance
        try coder.code(&instance)
        if Coder.reads { self = Self(slot: NodeSlot(0), instance: instance) }
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

extension ArgumentSource: RecordPart {
    static var unread: Self { .inherited }

    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        var bindings: [Binding]?
        if case .given(let given) = self { bindings = given }
        try coder.code(&bindings)
        self = bindings.map { .given($0) } ?? .inherited
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
        try coder.code(&cases, 9, Self.context) { if case .context(let name) = $0 { name } else { nil } }
        try coder.code(&cases, 10, .output)
        self = try coder.end(cases)
    }
}

/// The activity record of a flow.
struct ActivityRecord: RecordBody, Equatable, Sendable {
    /// The latest navigation.
    var last: LastNavigation?
    /// The timer of its idle steps, which counts from when a step from outside last reached the flow, or a presentable below it (S-34).
    /// Beside the others, as it changes with every step.
    var idle = TimerState()
    /// Whether a screen below keeps it from being idle.
    var isAwake = false
    /// Whether the flow was presented when its timers were looked at last.
    var wasPresented = false
    /// Its other timers, in the order of their definitions (S-55).
    var timers: [TimerState] = []

    /// Whether it has a timer.
    var isTimed: Bool { idle.begun != nil || !timers.isEmpty }

    /// A timer by its place among all.
    subscript(clock: Int) -> TimerState {
        get { clock == 0 ? idle : timers[clock - 1] }
        set { if clock == 0 { idle = newValue } else { timers[clock - 1] = newValue } }
    }

    static var unread: ActivityRecord { ActivityRecord() }
    var expectedByteCount: Int { 64 }

    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.code(&last)
        try coder.code(&idle)
        try coder.code(&isAwake)
        try coder.code(&wasPresented)
        try coder.code(&timers)
    }
}

/// How far a timer of a flow is.
struct TimerState: RecordPart, Equatable, Sendable {
    /// What a timer waits for. The raw values are part of the format.
    enum Rest: UInt8, Sendable {
        /// Its time.
        case none = 0
        /// The outcome of its step, and then that it begins anew; if it repeats, only the outcome.
        case taken = 1
        /// Its step, which the gate has deferred, waits until the flow is presented.
        case deferred = 2
    }

    /// When its time began; nil if it has not.
    var begun: Instant?
    var rest = Rest.none
    /// The next of its steps.
    var stage = 0

    static var unread: TimerState { TimerState() }

    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.code(&begun)
        try coder.code(choice: &rest)
        try coder.code(&stage, upTo: .max)
    }
}

extension LastNavigation: RecordPart {
    static var unread: Self { Self(serial: 0, step: "", arguments: [], client: .daemon) }

    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.code(&serial)
        try coder.code(&step)
        try coder.code(&arguments)
        try coder.code(&client)
    }
}
