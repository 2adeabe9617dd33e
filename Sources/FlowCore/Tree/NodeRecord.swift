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
    /// When a step from outside last reached the flow, or a presentable below it; nil without an idle step (S-34).
    var reached: Instant?
    /// Whether its last idle step was taken since then: the flow waits for the outcome, and if that is `navigated` or
    /// `deferred`, until it is reached again.
    var isResting = false
    /// The next of its idle steps.
    var stage = 0
    /// Whether a screen below keeps it from being idle.
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

extension LastNavigation: RecordPart {
    static var unread: Self { Self(serial: 0, step: "", arguments: [], client: .daemon) }

    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.code(&serial)
        try coder.code(&step)
        try coder.code(&arguments)
        try coder.code(&client)
    }
}
