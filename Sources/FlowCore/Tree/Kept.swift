// What a restart restores of a presentable as it was. Nodes have it in these parts, and so has their record (``NodeRecord``): each part
// describes its fields once, and an observer compares it with what it was before, for all that follows from a change (``Node/Changes``).

extension Node {
    /// What any presentable keeps: what its contribution gives it, or its owner reports.
    struct Kept: Equatable, Sendable {
        /// The name of the screen or flow.
        var name = ""
        /// The last part of the path, unique among siblings.
        var id = ""
        /// The style; empty if there is none.
        var style = ""
        /// The arguments, private ones included.
        var arguments: Arguments = []
        // Small members stand side by side, so that none leaves a gap.
        /// Whether it is visible, as `SetVisible` reported last (S-14).
        var isVisible = false
        /// Whether a rule of its parent hid it (S-37).
        var isHiddenByRule = false
        /// The policy of the contributor; nil for that of the definition (S-15).
        var whenHidden: WhenHidden?
        /// The client that shows it (S-29); nil if it has no owner.
        var owner: Client? { didSet { if owner != oldValue { (backStep, wantsSight) = (nil, false) } } }
        /// The client that created it, for the limits.
        var client = Client.daemon
        /// The number of its latest raise, in the sequence of instances; 0 if it was never raised (S-37).
        var raised: UInt64 = 0
        /// The origin of the step that has its turn here, as long as its cascade is under way; 0 if none has (S-16).
        var stepInTurn: UInt64 = 0
        /// The name of the layer of its parent that it stands in; empty for the lowest (S-37).
        var layer = ""
        /// The output that a root stands on; empty if it has none (S-41).
        var output = ""
        /// What the owner of a screen said of it; few do.
        var byOwner: Boxed<ByOwner>?
        /// The step for its parent when it is dismissed, except by a step of the parent (S-23).
        var onDismissed: Boxed<KeptStep>?
        /// The step for its parent when it answers (S-45).
        var onResult: Boxed<OnResult>?

        struct ByOwner: Equatable, Sendable {
            var backStep: String?
            var title = ""
            var wantsSight = false
        }

        /// The step that Back takes on a screen while that is presented, which goes with the owner that set it; nil if it has set none
        /// (S-39).
        var backStep: String? {
            get { byOwner?.backStep }
            set { changeByOwner { $0.backStep = newValue } }
        }
        /// The title that the owner of a screen gave it; empty if it has none (S-44).
        var title: String {
            get { byOwner?.title ?? "" }
            set { changeByOwner { $0.title = newValue } }
        }
        /// Whether the owner of a screen is told when that goes out of sight, and comes back (S-38).
        var wantsSight: Bool {
            get { byOwner?.wantsSight ?? false }
            set { changeByOwner { $0.wantsSight = newValue } }
        }

        private mutating func changeByOwner(_ change: (inout ByOwner) -> Void) {
            var new = byOwner?.value ?? ByOwner()
            change(&new)
            byOwner = new == ByOwner() ? nil : Boxed(new)
        }

        /// The bytes of arguments that count for the client: its own, and those of its `onDismissed` and `onResult`.
        var byteCount: Int { arguments.byteCount + (onDismissed?.byteCount ?? 0) + (onResult?.byteCount ?? 0) }
    }

    /// The step that a dismissal or a result triggers. It has a name, as other definitions give it another number.
    struct KeptStep: Equatable, Sendable {
        var step = ""
        var arguments = ArgumentSource.inherited
        /// Whether the step's arguments are private.
        var isPrivate = false

        /// The number of bytes that its literal values count for, without references.
        var byteCount: Int {
            guard case .given(let bindings) = arguments else { return 0 }
            return bindings.reduce(0) { sum, binding in
                guard case .literal(let value) = binding.source else { return sum }
                return sum + [Argument(binding.name, value)].byteCount
            }
        }
    }

    /// A step that a flow triggers on itself when a child answers (S-45).
    struct OnResult: Equatable, Sendable {
        var template = KeptStep()
        /// The arguments of the step that contributed the child, as far as the template refers to them.
        var asked: Arguments = []

        /// The bytes of arguments that it holds.
        var byteCount: Int { template.byteCount + asked.byteCount }
    }

    /// What a flow keeps.
    struct KeptFlow: Equatable, Sendable {
        /// Whether its initial step, and the child flows that this contributed, have ended (S-26).
        var readiness = Readiness.ready
        /// Whether the parent's readiness waits for this flow's.
        var isAwaitedByParent = false
        /// Whether it may be empty and lives without a child: because it stays, or because steps wait for it.
        var isBare = false
        /// With tabs: the children that were selected, the latest last.
        var selected: [NodeID] = []
        /// The origin that created it; 0 if nothing was triggered on it (S-36).
        var birth: UInt64 = 0
        /// What emptied it, as long as it may be empty.
        var emptiedBy: Boxed<EmptyFlows.Cause>?
        /// The pauses of presenters, by the names of its screens (S-47), and its own, without a name (S-48). Those below child flows
        /// that went empty have the names of these flows before it: `sub/lock`. After programs dismissed a screen at once, `:lock`.
        /// Behind the name of what has a key stands the digest of its values: `page#1f` (S-51).
        var pauses: [String: Pause] = [:]
        /// Why there is nothing to show, while it waits for that; empty otherwise.
        var nothingToShow = ""
        /// Where a root goes back to when that output is there again (S-53).
        var away: Boxed<Away>?

        /// Whether it is ready (S-26).
        var isReady: Bool { readiness == .ready }
    }

    /// Where a root stood before its output was gone.
    struct Away: Equatable, Sendable {
        var output = ""
        /// Its latest raise then, and so its place among the roots.
        var raised: UInt64 = 0
    }

    /// What a screen with a presenter keeps.
    struct KeptScreen: Equatable, Sendable {
        var state = Presenting.State.due
        /// Whether it stayed in sight without the owner that it lost, so that its presenter is not called before it comes in sight
        /// again (S-30).
        var isSpared = false
        /// The reason of the next call, or of the latest one.
        var reason = PresentReason.launch
        /// Whether it is taken from its process, or was (S-44).
        var eviction = Presenting.Eviction.none
        /// Whether `reuse` gave it other values than its owner was told of: what the owner saves or answers belongs to those before
        /// (S-44).
        var isOutdated = false
        /// Whether its presenter was called because the screen is new, was lost or restored, and has not shown it since. When it does, it
        /// may be late: the user may have selected another tab meanwhile (S-50).
        var isExpected = false
        /// Whether an owner has answered that it is alive (S-44).
        var hasAnsweredAlive = false
        /// The origin and serial of the navigation that contributed the screen: a failure counts there (S-11).
        var origin: UInt64 = 0
        var serial: UInt64 = 0
        /// The owner that left it when it was evicted, until another client owns it. It may say so twice, or late (S-44).
        var leftBy: Client?
        /// What failed since an answer or a claim; nil if nothing did. It waits for its presenter then (S-47).
        var fault: Fault?
    }
}

/// Something with what a presentable keeps, read as its own.
protocol HasKept {
    var kept: Node.Kept { get }
}

extension HasKept {
    var name: String { kept.name }
    var id: String { kept.id }
    var style: String { kept.style }
    var arguments: Arguments { kept.arguments }
    var isVisible: Bool { kept.isVisible }
    var whenHidden: WhenHidden? { kept.whenHidden }
    var owner: Client? { kept.owner }
    var client: Client { kept.client }
    var backStep: String? { kept.backStep }
    var raised: UInt64 { kept.raised }
    var isHiddenByRule: Bool { kept.isHiddenByRule }
    var layer: String { kept.layer }
    var output: String { kept.output }
    var title: String { kept.title }
    var onDismissed: Boxed<Node.KeptStep>? { kept.onDismissed }
    var onResult: Boxed<Node.OnResult>? { kept.onResult }
}

// MARK: - Steps by their names

extension Node.KeptStep {
    /// The step of a template by these definitions.
    init(_ template: StepTemplate, _ definitions: Definitions) {
        self.init(
            step: definitions[template.step].name, arguments: template.arguments,
            isPrivate: definitions[template.step].isPrivate)
    }

    /// The template by these definitions; nil if they don't declare the step.
    func template(_ definitions: Definitions) -> StepTemplate? {
        definitions.step(named: step).map { StepTemplate($0, arguments: arguments) }
    }
}

extension Node.Kept {
    /// The definitions are others now. What a child that goes would trigger, and is no longer declared, is dropped without a report.
    mutating func renewSteps(_ new: Definitions) {
        func renewed(_ step: Node.KeptStep) -> Node.KeptStep? { step.template(new).map { Node.KeptStep($0, new) } }
        onDismissed = onDismissed.flatMap { renewed($0.value) }.map { Boxed($0) }
        onResult = onResult.flatMap { result in
            renewed(result.template).map { Boxed(Node.OnResult(template: $0, asked: result.asked)) }
        }
    }
}

// MARK: - In records

extension Node.Kept: RecordPart {
    static var unread: Self { Self() }

    /// All but `onResult`, which stands at the end of the record.
    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.code(&name)
        // Usually the name.
        var ownID = id == name ? nil : id
        try coder.code(&ownID)
        id = ownID ?? name
        try coder.code(&style)
        try coder.code(&arguments)
        try coder.code(&isVisible)
        try coder.code(&whenHidden)
        try coder.code(&owner)
        try coder.code(&client)
        try coder.code(&backStep)
        try coder.check(backStep != "", "the step for Back has no name")
        try coder.code(&raised)
        try coder.code(&isHiddenByRule)
        try coder.code(&layer)
        try coder.code(&output)
        try coder.code(&title)
        try coder.code(&wantsSight)
        try coder.code(&onDismissed)
        try coder.code(&stepInTurn)
    }
}

extension Node.KeptFlow: RecordPart {
    static var unread: Self { Self() }

    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.code(&readiness)
        try coder.code(&isAwaitedByParent)
        try coder.code(&selected)
        try coder.code(&birth)
        try coder.code(&isBare)
        // The end of a cascade decides whether the flow lives without a child.
        if !isBare { emptiedBy = nil }
        try coder.code(&emptiedBy)
        try coder.code(&pauses)
        try coder.code(&nothingToShow)
        try coder.code(&away)
    }
}

extension Node.Away: RecordPart {
    static var unread: Self { Self() }

    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.code(&output)
        try coder.code(&raised)
    }
}

extension Node.KeptScreen: RecordPart {
    static var unread: Self { Self() }

    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        // The calls under way end with the process.
        var isShown = state == .shown
        try coder.code(&isShown)
        state = isShown ? .shown : .due
        try coder.code(&isSpared)
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

extension Node.KeptStep: RecordPart {
    static var unread: Self { Self() }

    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.code(&step)
        try coder.code(&arguments)
        try coder.code(&isPrivate)
    }
}

extension Node.OnResult: RecordPart {
    static var unread: Self { Self() }

    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.code(&template)
        try coder.code(&asked)
    }
}

// MARK: - What follows from a change

extension Node.Kept {
    /// What follows if it was this before.
    func changes(since before: Node.Kept) -> Node.Changes {
        if self == before { return [] }
        var all = Node.Changes.record
        if isVisible != before.isVisible { all.insert(.reports(.visible)) }
        if owner != before.owner { all.formUnion([.reports(.owner), .reclaimIfLeft]) }
        if style != before.style { all.insert(.reports(.style)) }
        if output != before.output { all.insert(.reports(.output)) }
        if title != before.title { all.insert(.reports(.title)) }
        if arguments != before.arguments, arguments.broadcastable != before.arguments.broadcastable {
            all.insert(.reports(.arguments))
        }
        return all
    }
}

extension Node.KeptFlow {
    /// What follows if it was this before.
    func changes(since before: Node.KeptFlow) -> Node.Changes {
        if self == before { return [] }
        var all = Node.Changes.record
        if isReady, !before.isReady { all.insert(.reports(.ready)) }
        if nothingToShow != before.nothingToShow { all.insert(.reports(.waiting)) }
        return all
    }
}

extension Node.KeptScreen {
    /// What follows if it was this before.
    func changes(since before: Node.KeptScreen) -> Node.Changes {
        if self == before { return [] }
        return fault == before.fault ? .record : [.record, .reports(.waiting)]
    }
}
