// What only flows have.

extension Node {
    /// The state of a flow.
    struct FlowState: Equatable, Sendable {
        /// What a restart restores of it as it was.
        var kept = KeptFlow() { didSet { follows.formUnion(kept.changes(since: oldValue)) } }
        /// Its latest navigation, and its timers.
        var activity = ActivityRecord() { didSet { if activity != oldValue { follows.insert(.activity) } } }
        /// The values that it and all below it can know (S-57).
        var context = ContextValues() { didSet { if context != oldValue { follows.insert(.context) } } }
        /// When signals may report them.
        var contextPace = ContextPace()
        /// Whether it is empty without a child: it had one, or a step of its birth was not navigated. Derived at a restart.
        var mayBeEmpty = false
        /// Whether it is about to begin again, as it is empty (S-48); nil if it is not.
        var beginning: Beginning?
        /// Its definition. When definitions are read again, the index changes, and never the name.
        var definition: FlowID
        /// Which child covers the others, by its definition.
        var covering: Children
        /// The layers of its children, by its definition (S-37).
        var layers: [Layer] = []
        /// Whether it covers the lower roots on its output, by its definition (S-41).
        var covers = true
        /// The children's slots, in order (``Node/order``).
        var children: [NodeSlot] = []
        /// The child that covers the others (S-14). By instance, because its slot can belong to another node by the next
        /// comparison.
        var current: NodeID? { didSet { if current != oldValue { follows.insert(.reports(.current)) } } }
        /// The ids of its children.
        var ids = SiblingIDs()
        /// Waiting steps from outside: those that are deferred at it and its screens, and those that wait for its guard or
        /// navigator (S-33).
        var waiting = WaitingCount()
        /// The question to its guard or navigator; the flow takes no step until the answer (S-6).
        var question: QuestionID?
        /// When `Touch` last reached it, which is not recorded.
        var touched: Instant?
        /// How many presented screens below it keep it from being idle. Derived.
        var wakers = 0 { didSet { activity.isAwake = wakers > 0 } }
        /// Whether its last waker went since its timers were looked at last.
        var hasDozed = false
        /// The time of its next alarm; nil if it has none.
        var alarm: Instant?
        /// What follows from the current change; ``NodeTable`` handles it.
        var follows: Changes = []

        /// From `paused` to `due` when the pause is over.
        enum Beginning: Equatable, Sendable {
            case paused(until: Instant)
            case due
        }

        /// Whether it has no child any more, or never will have one by its birth (S-36).
        var isChildless: Bool { mayBeEmpty && children.isEmpty }

        /// Whether it is ready (S-26).
        var isReady: Bool { kept.isReady }

        /// When a step from outside or `Touch` last reached it; nil without an idle step.
        var lastReached: Instant? { activity.idle.begun.map { max($0, touched ?? $0) } }

        /// Whether it took an idle step since it was last reached.
        var isIdle: Bool { activity.idle.rest != .none || activity.idle.stage > 0 }

        /// Adds its newest child.
        mutating func add(_ child: NodeSlot, _ birth: Forest.Birth) {
            children.append(child)
            mayBeEmpty = true
            ids.insert(birth.id)
        }

        mutating func takeFollows(into all: inout Changes) {
            all.formUnion(follows)
            follows = []
        }
    }
}

extension ActivityRecord {
    /// That of a new flow.
    init(_ definition: FlowDefinition, _ now: Instant) {
        if !definition.idle.isEmpty { idle.begun = now }
        timers = definition.timers.map { TimerState(begun: $0.since == .created ? now : nil) }
    }
}

extension Definitions {
    /// What only flows have, at birth.
    func newState(
        of id: FlowID, hasInitial: Bool, birth: UInt64, _ now: Instant
    ) -> Boxed<Node.FlowState> {
        let definition = flows[id.index]
        return Boxed(
            Node.FlowState(
                kept: Node.KeptFlow(readiness: hasInitial ? .awaitingStep : .ready, birth: birth),
                activity: ActivityRecord(definition, now),
                context: ContextValues(definition.context), definition: id,
                covering: definition.children, layers: definition.layers, covers: definition.covers))
    }
}
