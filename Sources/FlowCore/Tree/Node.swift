// A node, and the table of all nodes, which is the only way to change them.
//
// What a restart restores of a node is in its `kept`, and in those of its flow or screen; when one of them has changed, the node's record is
// dirty. Their observers, and those of the other properties that signals report, declare what follows from a change (`follows`): whether the
// node's record or activity record becomes dirty, whether signals report the new value, whether the search for presentables to reclaim has
// to be repeated. `NodeTable.update` collects that after each change. What counts for clients is only changed by `updateUsage`, which counts
// the difference. So code that changes a node has nothing to remember, and the tests compare all records with those that were taken after
// each event.

/// A live presentable: a flow or a screen (S-1).
struct Node: HasKept, Equatable, Sendable {
    /// Its instance, which is never used again; 0 marks a free slot.
    let instance: UInt64
    /// Its object path.
    let path: String
    /// What a restart restores of it as it was, but for what only flows or screens have.
    var kept: Kept { didSet { follows.formUnion(kept.changes(since: oldValue)) } }
    /// The state of a screen with a presenter.
    var presenting: Boxed<Presenting>?
    /// The state of a flow; nil for a screen.
    var flow: Boxed<FlowState>?

    // Small members stand side by side, so that none leaves a gap.

    let slot: NodeSlot
    /// The slot of its root, which may be the node itself.
    let root: NodeSlot
    /// The parent's slot; nil for a root.
    let parent: NodeSlot?
    private let level: UInt16
    /// Whether the client that created it is gone.
    fileprivate(set) var isLeft = false
    /// The number of nodes from its root to itself, both counted; at most ``Quotas/depth``.
    var depth: Int { Int(level) }

    /// Whether it is visible, not covered, and in a presented parent (S-14). Derived.
    var isPresented = false {
        didSet { if isPresented != oldValue { follows.formUnion([.reports(.presented), .reclaimIfLeft]) } }
    }
    /// Whether nothing covers it and its parent is presented, so that it is presented as soon as it is visible (S-38). Derived.
    var isInSight = false {
        didSet { if isInSight != oldValue, flow == nil { follows.insert(.reports(.inSight)) } }
    }
    /// Whether the latest search found that it and all below it can be reclaimed.
    var isReclaimable = false
    /// Whether, by that search, it and all below it can be reclaimed and none of them is presented.
    var isUnseen = false
    /// Whether the flows above it are not idle while it is presented (S-34); of a screen, by its declaration.
    var keepsAwake = false

    /// What follows from the current change.
    fileprivate var follows: Changes = []
    /// The properties that changed since the last signal.
    fileprivate var reported: Changes = []

    private var boxedInitialStep: Boxed<DeferredStep>?
    /// Its initial step, while it waits to be presented (S-16).
    var initialStep: DeferredStep? {
        get { boxedInitialStep?.value }
        set { boxedInitialStep = newValue.map { Boxed($0) } }
    }
    /// Deferred steps (S-15).
    var deferredSteps: [DeferredStep] = []
    /// What the owner of a screen saved, for the process that presents it next (S-44).
    var savedState: Arguments = [] { didSet { if savedState != oldValue { follows.insert(.savedState) } } }
    /// How many of its asks are open, or answered and not acknowledged (S-45).
    var askCount = 0
    /// The title by its definition (S-58); empty if there is none. Derived.
    var declaredTitle = "" {
        didSet { if declaredTitle != oldValue, kept.title.isEmpty { follows.insert(.reports(.title)) } }
    }
    /// The values of the context that its owner was told; nil if it was told none (S-57).
    var told: Arguments?

    fileprivate mutating func takeFollows() -> Changes {
        var all = follows
        follows = []
        flow?.value.takeFollows(into: &all)
        presenting?.value.takeFollows(into: &all)
        return all
    }
}

extension Node {
    init(
        _ birth: Forest.Birth, path: String, _ slot: NodeSlot, instance: UInt64,
        in tree: (root: NodeSlot, depth: Int)?, _ parent: NodeSlot?, isLeft: Bool
    ) {
        self.init(
            instance: instance, path: path, kept: birth.kept, presenting: birth.presenting, flow: birth.flow,
            slot: slot, root: tree?.root ?? slot, parent: parent, level: UInt16(clamping: (tree?.depth ?? 0) + 1),
            isLeft: isLeft, reported: .born, savedState: birth.savedState)
    }

    /// A free slot.
    fileprivate init(free slot: NodeSlot) {
        self.init(instance: 0, path: "", kept: Kept(), slot: slot, root: slot, parent: nil, level: 0)
    }
}

/// All nodes, by slot, with what follows from their changes.
struct NodeTable: Sendable {
    /// The compiler loads the whole of a struct that it passes to a function which only reads it, a fifth of what a step costs. It passes
    /// one by its address if it does not know the size of a member, such as this one.
    private let passedByAddress: (any Sendable)? = nil
    /// A slot with instance 0 is free.
    private(set) var nodes: [Node] = []
    private var freeSlots: [NodeSlot] = []
    private var instances: [UInt64: NodeSlot] = [:]
    /// The usage of clients and users: by nodes, and by calls and steps that wait elsewhere.
    var accounting: Accounting

    /// The number of live flows.
    private(set) var flowCount = 0
    /// The number of live screens.
    private(set) var screenCount = 0
    /// The number of live presentables.
    var count: Int { flowCount + screenCount }
    /// Counts changes after which the search for presentables to reclaim could have another result (S-33).
    private(set) var reclaimChanges: UInt64 = 0
    var books: RecordBooks
    /// Nodes with changed properties, in the order of their first change.
    private(set) var changed: [NodeID] = []

    /// Makes room for this many nodes.
    mutating func reserveRoom(for count: Int) { nodes.reserveCapacity(count) }

    init(_ quotas: Quotas, isRecorded: Bool) {
        accounting = Accounting(quotas)
        books = RecordBooks(isWanted: isRecorded)
    }

    /// The number of slots.
    var slotCount: Int { nodes.count }

    func id(of slot: NodeSlot) -> NodeID { NodeID(slot: slot, instance: nodes[slot.index].instance) }

    /// The slot of a node; nil if it is no longer live.
    func slot(of id: NodeID) -> NodeSlot? {
        nodes.indices.contains(id.slot.index) && nodes[id.slot.index].instance == id.instance ? id.slot : nil
    }

    /// The slot of the node with this instance.
    func find(instance: UInt64) -> NodeSlot? { instances[instance] }

    // MARK: Changes

    /// Changes a node, and handles what follows.
    mutating func update<Result>(_ slot: NodeSlot, _ change: (inout Node) -> Result) -> Result {
        func changed(_ node: inout Node) -> (Result, Node.Changes) { (change(&node), node.takeFollows()) }
        let (result, follows) = changed(&nodes[slot.index])
        if !follows.isEmpty { follow(follows, slot) }
        return result
    }

    private mutating func follow(_ changes: Node.Changes, _ slot: NodeSlot) {
        let reported = changes.intersection(.reported)
        if !reported.isEmpty {
            if nodes[slot.index].reported.isEmpty { changed.append(id(of: slot)) }
            nodes[slot.index].reported.formUnion(reported)
        }
        if changes.contains(.reclaimIfLeft), nodes[slot.index].isLeft { noteReclaimChange() }
        if changes.contains(.record) { books.nodes.touch(id(of: slot)) }
        if changes.contains(.activity) { books.activities.touch(id(of: slot)) }
        if changes.contains(.savedState) { books.savedStates.touch(id(of: slot)) }
        if changes.contains(.context) { books.contexts.touch(nodes[slot.index].instance) }
    }

    /// Notes that the search for presentables to reclaim could have another result.
    mutating func noteReclaimChange() { reclaimChanges &+= 1 }

    /// Notes a change of a node's usage, or below it, if the node can be reclaimed.
    private mutating func noteReclaimChange(of slot: NodeSlot) {
        if nodes[slot.index].isReclaimable { noteReclaimChange() }
    }

    // MARK: Usage

    /// Adds a node with a path, as the newest child or as a root, and charges its client.
    mutating func insert(_ birth: Forest.Birth, path: String, instance: UInt64, below parent: NodeSlot?) -> NodeSlot {
        let slot = freeSlots.popLast() ?? NodeSlot(nodes.count)
        accounting.count(Accounting.Usage(nodes: 1, bytes: birth.byteCount), for: birth.client)
        if let last = birth.flow?.activity.last { accounting.count(last.usage, for: last.client) }
        // The client's account may be new.
        let isLeft = accounting.isGone(birth.client)
        if isLeft { noteReclaimChange() }
        if birth.flow == nil { screenCount += 1 } else { flowCount += 1 }
        if let parent {
            nodes[parent.index].flow?.value.add(slot, birth)
            noteReclaimChange(of: parent)
        }
        let tree = parent.map { (root: nodes[$0.index].root, depth: nodes[$0.index].depth) }
        if slot.index < nodes.count {
            nodes[slot.index] = Node(birth, path: path, slot, instance: instance, in: tree, parent, isLeft: isLeft)
        } else {
            // By a quarter: nodes are the larger part of the memory, of which an array that doubles would leave up to a half unused.
            if nodes.count == nodes.capacity { nodes.reserveCapacity(nodes.count + nodes.count / 4 + 16) }
            nodes.append(Node(birth, path: path, slot, instance: instance, in: tree, parent, isLeft: isLeft))
        }
        // What was planned may have been changed; that is no change of a live node.
        if birth.flow?.follows.isEmpty == false || birth.presenting?.follows.isEmpty == false {
            _ = nodes[slot.index].takeFollows()
        }
        instances[instance] = slot
        let id = NodeID(slot: slot, instance: instance)
        changed.append(id)
        books.nodes.touch(id)
        if !birth.savedState.isEmpty { books.savedStates.touch(id) }
        if birth.flow?.activity.isTimed == true { books.activities.touch(id) }
        return slot
    }

    /// Removes a node without children, and releases its usage.
    mutating func remove(_ slot: NodeSlot) -> Node {
        instances[nodes[slot.index].instance] = nil
        books.remove(id(of: slot))
        var node = Node(free: slot)
        swap(&node, &nodes[slot.index])
        freeSlots.append(slot)
        if node.flow == nil { screenCount -= 1 } else { flowCount -= 1 }
        count(node, -1)
        return node
    }

    /// Changes what counts for clients, and handles what follows.
    mutating func updateUsage(_ slot: NodeSlot, _ change: (inout Node) -> Void) {
        let before = nodes[slot.index]
        update(slot, change)
        count(before, -1)
        count(nodes[slot.index], 1)
        nodes[slot.index].isLeft = accounting.isGone(nodes[slot.index].client)
        let hasMoved = nodes[slot.index].client != before.client
        if before.isReclaimable || hasMoved && (before.isLeft || nodes[slot.index].isLeft) { noteReclaimChange() }
    }

    /// Counts what a node holds (1), or held (-1): for clients, and its deferred steps at their flow, too.
    private mutating func count(_ node: Node, _ sign: Int) {
        node.forEachHolding { accounting.count(sign > 0 ? $1 : -$1, for: $0) }
        if node.deferredSteps.isEmpty { return }
        let flow = node.flow == nil ? node.parent ?? node.slot : node.slot
        for step in node.deferredSteps { nodes[flow.index].flow?.waiting.count(sign, for: step.client) }
    }

    /// Sets a flow's latest navigation. Each step does, so nothing else is counted again.
    mutating func setLast(_ next: LastNavigation, of slot: NodeSlot) {
        var change = next.usage
        if let former = nodes[slot.index].flow?.activity.last {
            // Most steps of a flow come from one client, whose usage stays as it was.
            if former.client == next.client {
                change += -former.usage
            } else {
                accounting.count(-former.usage, for: former.client)
            }
        }
        accounting.count(change, for: next.client)
        update(slot) { $0.flow?.activity.last = next }
        noteReclaimChange(of: slot)
    }

    /// A client is gone: nodes that it created can be reclaimed from now on.
    mutating func abandonAll(_ client: Client) {
        guard accounting.close(client) != Accounting.Usage() else { return }
        for index in nodes.indices where nodes[index].instance != 0 && nodes[index].client == client {
            nodes[index].isLeft = true
        }
        noteReclaimChange()
    }

    // MARK: Changes for signals and records

    /// Takes the node at this place of ``changed``, if it is new and live.
    mutating func takeBorn(at place: Int) -> NodeSlot? {
        guard let slot = slot(of: changed[place]), nodes[slot.index].reported.contains(.born) else { return nil }
        nodes[slot.index].reported = []
        return slot
    }

    /// Takes the changed properties of the node at this place of ``changed``, if it is live.
    mutating func takeReported(at place: Int) -> (slot: NodeSlot, changes: Node.Changes)? {
        guard let slot = slot(of: changed[place]), !nodes[slot.index].reported.isEmpty else { return nil }
        defer { nodes[slot.index].reported = [] }
        return (slot, nodes[slot.index].reported)
    }

    /// Drops the changes that were not taken.
    mutating func forgetChanges() {
        // One by one, like effects: there are few.
        while let id = changed.popLast() {
            if let slot = slot(of: id) { nodes[slot.index].reported = [] }
        }
    }
}

extension NodeTable {
    /// Which records of nodes are dirty. Each node has one of its own; a flow can have one of its activity and one of its context, and a
    /// screen one of the state that its owner saved.
    struct RecordBooks: Sendable {
        var nodes, activities, savedStates: RecordBook<NodeID>
        /// By instance; 0 stands for the coordinator.
        var contexts: RecordBook<UInt64>

        init(isWanted: Bool) {
            nodes = RecordBook(.node, isWanted: isWanted)
            activities = RecordBook(.activity, isWanted: isWanted)
            savedStates = RecordBook(.savedState, isWanted: isWanted)
            contexts = RecordBook(.context, isWanted: isWanted)
        }

        /// A node is gone with its records.
        mutating func remove(_ node: NodeID) {
            nodes.remove(node, node.instance)
            activities.remove(node, node.instance)
            savedStates.remove(node, node.instance)
            contexts.remove(node.instance, node.instance)
        }
    }
}
