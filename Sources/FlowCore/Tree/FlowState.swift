// What only flows have.

extension Node {
    /// The state of a flow.
    struct FlowState: Equatable, Sendable {
        /// The origin that created it; 0 if nothing was triggered on it (S-36).
        let birth: UInt64
        /// Whether it is empty without a child: it had one, or a step of its birth was not navigated. Derived at a restart.
        var mayBeEmpty = false
        /// Whether it may be empty and lives without a child: because it stays, or because steps wait for it.
        var isBare = false { didSet { if isBare != oldValue { follows.insert(.record) } } }
        /// Whether it is about to begin again, as it is empty (S-48); nil if it is not.
        var beginning: Beginning?
        /// Why there is nothing to show, while it waits for that; empty otherwise.
        var nothingToShow = "" {
            didSet { if nothingToShow != oldValue { follows.formUnion([.record, .reports(.waiting)]) } }
        }
        /// Its definition. When definitions are read again, the index changes, and never the name.
        var definition: FlowID
        /// Which child covers the others, by its definition.
        var covering: Children
        /// The layers of its children, by its definition (S-37).
        var layers: [Layer]
        /// Whether it covers the lower roots on its output, by its definition (S-41).
        var covers: Bool
        /// The children's slots, in order (``Node/order``).
        var children: [NodeSlot] = []
        /// The child that covers the others (S-14). By instance, because its slot can belong to another node by the next
        /// comparison.
        var current: NodeID? { didSet { if current != oldValue { follows.insert(.reports(.current)) } } }
        /// With tabs: the children that were selected, the latest last.
        var selected: [NodeSlot] = [] { didSet { follows.insert(.record) } }
        /// Whether its initial step, and the child flows that this contributed, have ended (S-26).
        var readiness: Readiness {
            didSet {
                if readiness != oldValue { follows.formUnion(isReady ? [.record, .reports(.ready)] : .record) }
            }
        }
        /// Whether the parent's readiness waits for this flow's.
        var isAwaitedByParent = false { didSet { if isAwaitedByParent != oldValue { follows.insert(.record) } } }
        /// The latest navigation.
        private(set) var last: LastNavigation?
        /// The ids of its children.
        var ids = SiblingIDs()
        /// Waiting steps from outside: those that are deferred at it and its screens, and those that wait for its guard or
        /// navigator (S-33).
        var waiting = WaitingCount()
        /// The question to its guard or navigator; the flow takes no step until the answer (S-6).
        var question: QuestionID?
        /// When a step from outside last reached it, or a presentable below it; nil without an idle step (S-34).
        var reached: Instant? { didSet { if reached != oldValue { follows.insert(.activity) } } }
        /// The pauses of presenters, by the names of its screens (S-47), and its own, without a name (S-48). Those below child flows
        /// that went empty have the names of these flows before it: `sub/lock`. After programs dismissed a screen at once, `:lock`.
        var pauses: [String: Pause] = [:] { didSet { if pauses != oldValue { follows.insert(.record) } } }
        /// Whether its last idle step was taken since then: the flow waits for the outcome, and if that is `navigated` or
        /// `deferred`, until it is reached again.
        var isResting = false { didSet { if isResting != oldValue { follows.insert(.activity) } } }
        /// The next of its idle steps.
        var stage = 0 { didSet { if stage != oldValue { follows.insert(.activity) } } }
        /// When `Touch` last reached it, which is not recorded.
        var touched: Instant?
        /// How many presented screens below it keep it from being idle. Derived.
        var wakers = 0 { didSet { if (wakers == 0) != (oldValue == 0) { follows.insert(.activity) } } }
        /// The time of its next alarm; nil if it has none.
        var alarm: Instant?
        /// What follows from the current change; ``NodeTable`` handles it.
        var follows: Changes = []

        /// From `paused` to `due` when the pause is over.
        enum Beginning: Equatable, Sendable {
            case paused(until: Instant)
            case due
        }

        init(
            definition: FlowID, covering: Children, layers: [Layer] = [], covers: Bool = true, readiness: Readiness,
            birth: UInt64, reached: Instant? = nil, last: LastNavigation? = nil
        ) {
            self.birth = birth
            self.definition = definition
            self.covering = covering
            self.layers = layers
            self.covers = covers
            self.readiness = readiness
            self.reached = reached
            self.last = last
        }

        /// Whether it has no child any more, or never will have one by its birth (S-36).
        var isChildless: Bool { mayBeEmpty && children.isEmpty }

        /// Whether it is ready (S-26).
        var isReady: Bool { readiness == .ready }

        /// When a step from outside or `Touch` last reached it; nil without an idle step.
        var lastReached: Instant? { reached.map { max($0, touched ?? $0) } }

        /// Whether it took an idle step since it was last reached.
        var isIdle: Bool { isResting || stage > 0 }

        /// Its idle times begin at this time; nil without an idle step.
        mutating func beginIdleTimes(at time: Instant?) {
            reached = time
            isResting = false
            stage = 0
        }

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

        /// For whom the arguments of the latest navigation count, and how much; nil if there was none.
        var lastUsage: (client: Client, byteCount: Int)? { last.map { ($0.client, $0.byteCount) } }

        /// Sets the latest navigation. ``NodeTable`` counts its arguments.
        ///
        /// - Returns: for whom those of the one before counted, and how much; nil if there was none.
        mutating func setLast(_ next: LastNavigation) -> (client: Client, byteCount: Int)? {
            let former = lastUsage
            last = next
            return former
        }
    }
}

extension Definitions {
    /// What only flows have, at birth.
    func newState(
        of id: FlowID, hasInitial: Bool, birth: UInt64, last: LastNavigation? = nil, _ now: Instant
    ) -> Boxed<Node.FlowState> {
        let definition = flows[id.index]
        return Boxed(
            Node.FlowState(
                definition: id, covering: definition.children, layers: definition.layers, covers: definition.covers,
                readiness: hasInitial ? .awaitingStep : .ready, birth: birth,
                reached: definition.idle.isEmpty ? nil : now, last: last))
    }
}
