// A node, and the table of all nodes: the one way to change any of them.
//
// What follows from a change stands beside the property that changes, as its observer (`follows`): whether the node's record
// or that of its activity is out of date, whether the bus hears of a new value, whether the search for what may go to make
// room has to be made anew. `NodeTable.update` collects that after each change. What counts towards a quota can be changed
// by the table's functions alone, which charge and release it. So whoever changes a node can forget nothing.

/// A live presentable: a flow or a screen (S-1).
struct Node: Equatable, Sendable {
    /// Its number, never used again; 0 marks a slot that is free.
    let instance: UInt64
    let slot: NodeSlot
    /// The name of the screen or flow.
    let name: String
    /// The last part of its path, unlike its siblings'.
    let id: String
    /// Its whole object path.
    let path: String
    /// The parent's slot; nil: it is a root.
    let parent: NodeSlot?
    /// The slot of its root, which may be itself.
    let root: NodeSlot
    /// Nodes from its root to itself, both counted.
    let depth: Int
    /// How it is to be shown; empty where nothing is said.
    let style: String
    /// What its contributor said; nil: as its definition says (S-15).
    let whenHidden: WhenHidden?

    /// Its own arguments, private ones included.
    fileprivate(set) var arguments: Arguments
    /// The client that made it, for the limits.
    fileprivate(set) var client: Client
    /// Whether that client is gone.
    fileprivate(set) var isLeft = false
    /// The step that its parent gets when it is dismissed, but not by a step of the parent (S-23).
    fileprivate(set) var onDismissed: StepTemplate?
    /// Its initial step, while it waits to be presented (S-16).
    fileprivate(set) var initialStep: DeferredStep?
    /// Steps from outside that were emitted on it while it was not presented, and are kept until it is (S-15).
    fileprivate(set) var deferredSteps: [DeferredStep] = []

    /// Whether its owner says that it is shown (S-14).
    var isVisible: Bool { didSet { if isVisible != oldValue { follows.formUnion([.record, .reports(.visible)]) } } }
    /// Whether it is visible, not covered, and in a presented parent (S-14). Derived from the rest of the tree.
    var isPresented = false {
        didSet { if isPresented != oldValue { follows.formUnion([.reports(.presented), .roomIfLeft]) } }
    }
    /// Whether nothing covers it and its parent is presented, so that it is presented once it is visible (S-14).
    var isInSight = false
    /// The client that shows it and answers for it (S-29); nil: none.
    var owner: Client? {
        didSet { if owner != oldValue { follows.formUnion([.record, .reports(.owner), .roomIfLeft]) } }
    }
    /// Whether it and all below it may go to make room, by the latest search; and whether nothing of that is presented.
    var isEvictable = false
    var isUnseen = false
    /// What only screens with a presenter have.
    var presenting: Presenting?
    /// What only flows have; nil: it is a screen.
    var flow: FlowState?

    /// What follows from the change at hand.
    fileprivate var follows: Changes = []
    /// The properties that changed since the bus heard of it.
    fileprivate var reported: Changes = []

    init(
        _ birth: Forest.Birth, _ slot: NodeSlot, instance: UInt64, path: String, in tree: (root: NodeSlot, depth: Int)?,
        _ parent: NodeSlot?, isLeft: Bool
    ) {
        self.slot = slot
        self.instance = instance
        self.path = path
        self.parent = parent
        root = tree?.root ?? slot
        depth = (tree?.depth ?? 0) + 1
        name = birth.name
        id = birth.id
        style = birth.style
        whenHidden = birth.whenHidden
        arguments = birth.arguments
        client = birth.client
        self.isLeft = isLeft
        onDismissed = birth.onDismissed
        isVisible = birth.isVisible ?? (birth.flow != nil)
        owner = birth.owner
        presenting = birth.presenting
        presenting?.follows = []
        flow = birth.flow
        flow?.follows = []
    }

    /// A free slot.
    fileprivate init(free slot: NodeSlot) {
        self.slot = slot
        (instance, path, name, id, style, depth) = (0, "", "", "", "", 0)
        (parent, root, whenHidden, isVisible) = (nil, slot, nil, false)
        (arguments, client) = ([], .daemon)
    }

    @inline(__always)
    fileprivate mutating func takeFollows() -> Changes {
        var all = follows
        follows = []
        flow?.takeFollows(into: &all)
        presenting?.takeFollows(into: &all)
        return all
    }

    /// The client that made it, where one is reported.
    var sender: Client { client == .former ? .daemon : client }

    /// The path of its parent, whether that is live or not.
    var parentPath: String { String(path.dropLast(id.utf8.count + 1)) }

    /// What only flows have.
    struct FlowState: Equatable, Sendable {
        /// Its definition; changes its number, never its name, when definitions are read again.
        var definition: FlowID
        /// Which child covers the others, as its definition says.
        var covering: Children
        /// The children's slots, in creation order.
        var children: [NodeSlot] = []
        /// The child that covers the others (S-14). By instance: its slot may be another's by the next time it is
        /// compared.
        var current: NodeID? { didSet { if current != oldValue { follows.insert(.reports(.current)) } } }
        /// With tabs: the children that were selected, the latest last.
        var selected: [NodeSlot] = [] { didSet { follows.insert(.record) } }
        /// Whether its initial step, and what that contributed, has come to an end (S-26).
        var readiness: Readiness {
            didSet {
                if readiness != oldValue { follows.formUnion(isReady ? [.record, .reports(.ready)] : .record) }
            }
        }
        /// Whether the parent's readiness waits for this flow's.
        var isAwaitedByParent = false { didSet { if isAwaitedByParent != oldValue { follows.insert(.record) } } }
        /// The latest navigation.
        fileprivate(set) var last: LastNavigation?
        /// Ids that its children have.
        var ids = SiblingIDs()
        /// The steps from outside that it is to take and that wait: those that are kept for it and its screens, and those
        /// that wait for its guard or navigator (S-33).
        var waiting = WaitingCount()
        /// What it asked its guard or navigator; it takes no step until that is answered (S-6).
        var question: QuestionID?
        /// When a step from outside reached it last, or anything below it; nil without an idle step (S-34).
        var reached: Instant? { didSet { if reached != oldValue { follows.insert(.activity) } } }
        /// Whether its idle step was navigated since then, so that it waits to be reached again.
        var isResting = false { didSet { if isResting != oldValue { follows.insert(.activity) } } }
        fileprivate var follows: Changes = []

        init(
            definition: FlowID, covering: Children, readiness: Readiness, reached: Instant? = nil,
            last: LastNavigation? = nil
        ) {
            self.definition = definition
            self.covering = covering
            self.readiness = readiness
            self.reached = reached
            self.last = last
        }

        /// Whether it is ready (S-26).
        var isReady: Bool { readiness == .ready }

        @inline(__always)
        fileprivate mutating func takeFollows(into all: inout Changes) {
            all.formUnion(follows)
            follows = []
        }

        /// Puts another latest navigation in place; gives the one that was there.
        fileprivate mutating func exchangeLast(_ next: LastNavigation) -> LastNavigation? {
            defer { last = next }
            return last
        }
    }
}

/// All nodes, by their slots, with what follows from their changes.
struct NodeTable: Sendable {
    /// A slot with instance 0 is free.
    private(set) var nodes: [Node] = []
    private var freeSlots: [NodeSlot] = []
    private var instances = InstanceIndex()
    /// What is held for whom: by the nodes, and by calls and steps that wait elsewhere.
    var accounting: Accounting

    /// Live flows.
    private(set) var flowCount = 0
    /// Live screens.
    private(set) var screenCount = 0
    /// Live presentables.
    var count: Int { flowCount + screenCount }
    /// How often something changed that the search for what may go to make room would find otherwise (S-33).
    private(set) var roomChanges: UInt64 = 0
    private(set) var dirty = DirtyRecords()
    /// Nodes with properties that changed, in the order in which they first did.
    private(set) var changed: [NodeID] = []

    init(_ quotas: Quotas) { accounting = Accounting(quotas) }

    /// How many slots there are.
    var slotCount: Int { nodes.count }

    func id(of slot: NodeSlot) -> NodeID { NodeID(slot: slot, instance: nodes[slot.index].instance) }

    /// Where the node is; nil: it is not live any more.
    func slot(of id: NodeID) -> NodeSlot? {
        nodes.indices.contains(id.slot.index) && nodes[id.slot.index].instance == id.instance ? id.slot : nil
    }

    /// The slot of the node with this instance.
    func find(instance: UInt64) -> NodeSlot? { instances.find(instance, in: nodes) }

    // MARK: Changes

    /// Changes a node, and sees to what follows.
    @inline(__always)
    mutating func update<Result>(_ slot: NodeSlot, _ change: (inout Node) -> Result) -> Result {
        var follows: Node.Changes = []
        let result = Self.change(&nodes[slot.index], change, &follows)
        if !follows.isEmpty { follow(follows, slot) }
        return result
    }

    /// In one access: to read the node apart from that would copy it.
    @inline(__always)
    private static func change<Result>(
        _ node: inout Node, _ change: (inout Node) -> Result, _ follows: inout Node.Changes
    ) -> Result {
        let result = change(&node)
        follows = node.takeFollows()
        return result
    }

    private mutating func follow(_ changes: Node.Changes, _ slot: NodeSlot) {
        let reported = changes.intersection(.reported)
        if !reported.isEmpty {
            if nodes[slot.index].reported.isEmpty { changed.append(id(of: slot)) }
            nodes[slot.index].reported.formUnion(reported)
        }
        if changes.contains(.roomIfLeft), nodes[slot.index].isLeft { noteRoom() }
        if changes.contains(.record) { touch(slot) }
        if changes.contains(.activity) { touchActivity(of: slot) }
    }

    /// Has the record of a node written again.
    mutating func touch(_ slot: NodeSlot) { dirty.touch(slot) }

    /// Has the record of a flow's activity written again.
    mutating func touchActivity(of slot: NodeSlot) { dirty.touchActivity(of: slot) }

    /// Something changed that the search for what may go may find otherwise.
    mutating func noteRoom() { roomChanges &+= 1 }

    /// What a node holds changed, or what is below it: of interest if it was found to be one that may go.
    private mutating func noteRoom(of slot: NodeSlot) { if nodes[slot.index].isEvictable { noteRoom() } }

    // MARK: What counts towards a quota

    /// Adds a node, as a child of one that is there or as a root, and charges its client.
    mutating func insert(_ birth: Forest.Birth, instance: UInt64, path: String, below parent: NodeSlot?) -> NodeSlot {
        let slot = freeSlots.popLast() ?? NodeSlot(nodes.count)
        accounting.count(Accounting.Usage(nodes: 1, bytes: birth.byteCount), for: birth.client)
        if let last = birth.flow?.last { accounting.count(Accounting.Usage(bytes: last.byteCount), for: last.client) }
        // Its account may have been opened just now.
        let isLeft = accounting.isGone(birth.client)
        if isLeft { noteRoom() }
        if birth.flow == nil { screenCount += 1 } else { flowCount += 1 }
        let tree = parent.map { (root: nodes[$0.index].root, depth: nodes[$0.index].depth) }
        if slot.index == nodes.count { nodes.append(Node(free: slot)) }
        nodes[slot.index] = Node(birth, slot, instance: instance, path: path, in: tree, parent, isLeft: isLeft)
        instances.insert(slot, in: nodes)
        if let parent { noteRoom(of: parent) }
        dirty.insert(slot)
        follow(birth.flow?.reached == nil ? .born : [.born, .activity], slot)
        return slot
    }

    /// Takes a node out whose children are gone, and releases all that it held.
    mutating func remove(_ slot: NodeSlot) -> Node {
        instances.remove(slot, in: nodes)
        dirty.remove(slot, instance: nodes[slot.index].instance)
        var node = Node(free: slot)
        swap(&node, &nodes[slot.index])
        freeSlots.append(slot)
        if node.flow == nil { screenCount -= 1 } else { flowCount -= 1 }
        node.forEachHolding { accounting.count(-$1, for: $0) }
        if node.flow == nil, let parent = node.parent {
            for deferred in node.deferredSteps { nodes[parent.index].flow?.waiting.count(-1, for: deferred.client) }
        }
        return node
    }

    /// Gives a node other arguments; from now on it counts for this client.
    mutating func setArguments(_ arguments: Arguments, of slot: NodeSlot, for client: Client) {
        let former = nodes[slot.index]
        nodes[slot.index].client = client
        nodes[slot.index].arguments = arguments
        accounting.count(Accounting.Usage(nodes: -1, bytes: -former.byteCount), for: former.client)
        accounting.count(Accounting.Usage(nodes: 1, bytes: nodes[slot.index].byteCount), for: client)
        nodes[slot.index].isLeft = accounting.isGone(client)
        if nodes[slot.index].isLeft || former.isLeft || former.isEvictable { noteRoom() }
        let isReported = former.arguments.broadcastable != arguments.broadcastable
        follow(isReported ? [.record, .reports(.arguments)] : .record, slot)
    }

    /// Sets the step that its parent gets when it is dismissed. Its record says whether that step is private, too.
    mutating func setOnDismissed(_ template: StepTemplate?, of slot: NodeSlot) {
        let before = nodes[slot.index].byteCount
        nodes[slot.index].onDismissed = template
        charge(Accounting.Usage(bytes: nodes[slot.index].byteCount - before), nodes[slot.index].client, at: slot)
        follow(.record, slot)
    }

    /// Sets a flow's latest navigation.
    mutating func setLast(_ next: LastNavigation, of slot: NodeSlot) {
        // Exchanged in place: to look at it first would copy the whole node, with each step.
        let former = nodes[slot.index].flow?.exchangeLast(next) ?? nil
        if let former, former.client == next.client {
            accounting.count(Accounting.Usage(bytes: next.byteCount - former.byteCount), for: next.client)
        } else {
            if let former { accounting.count(Accounting.Usage(bytes: -former.byteCount), for: former.client) }
            accounting.count(Accounting.Usage(bytes: next.byteCount), for: next.client)
        }
        noteRoom(of: slot)
        touchActivity(of: slot)
    }

    /// Sets the initial step that waits at a node; gives the one that did.
    @discardableResult
    mutating func setInitialStep(_ step: DeferredStep?, of slot: NodeSlot) -> DeferredStep? {
        let former = nodes[slot.index].initialStep
        nodes[slot.index].initialStep = step
        if let former { charge(Accounting.Usage(bytes: -former.arguments.byteCount), former.client, at: slot) }
        if let step { charge(Accounting.Usage(bytes: step.arguments.byteCount), step.client, at: slot) }
        return former
    }

    /// Adds a step that waits until a node is presented.
    mutating func deferStep(_ step: DeferredStep, at slot: NodeSlot) {
        nodes[slot.index].deferredSteps.append(step)
        count(step, 1, at: slot)
    }

    /// Sets the steps that wait until a node is presented; gives those that did.
    @discardableResult
    mutating func setDeferredSteps(_ steps: [DeferredStep], of slot: NodeSlot) -> [DeferredStep] {
        let former = nodes[slot.index].deferredSteps
        if former.isEmpty, steps.isEmpty { return [] }
        nodes[slot.index].deferredSteps = steps
        for step in former { count(step, -1, at: slot) }
        for step in steps { count(step, 1, at: slot) }
        return former
    }

    /// Counts a deferred step that comes (1) or goes (-1), at its flow, too.
    private mutating func count(_ step: DeferredStep, _ sign: Int, at slot: NodeSlot) {
        let flow = nodes[slot.index].flow == nil ? nodes[slot.index].parent ?? slot : slot
        nodes[flow.index].flow?.waiting.count(sign, for: step.client)
        charge(Accounting.Usage(steps: sign, bytes: sign * step.arguments.byteCount), step.client, at: slot)
    }

    private mutating func charge(_ usage: Accounting.Usage, _ client: Client, at slot: NodeSlot) {
        noteRoom(of: slot)
        accounting.count(usage, for: client)
    }

    /// A client is gone: what it made may go from now on.
    mutating func abandonAll(_ client: Client) {
        guard accounting.close(client) != Accounting.Usage() else { return }
        for index in nodes.indices where nodes[index].instance != 0 && nodes[index].client == client {
            nodes[index].isLeft = true
        }
        noteRoom()
    }

    // MARK: What changed

    /// Which properties of a node changed since last asked; nil: it is not live any more.
    mutating func takeReported(of id: NodeID) -> (slot: NodeSlot, changes: Node.Changes)? {
        guard let slot = slot(of: id) else { return nil }
        defer { nodes[slot.index].reported = [] }
        return (slot, nodes[slot.index].reported)
    }

    /// All of those changes were taken.
    mutating func forgetChanged() { changed.removeAll(keepingCapacity: true) }

    /// Live nodes whose records are out of date; they count as recorded now.
    mutating func takeUnsaved() -> [NodeSlot] { dirty.takeNodes() }

    /// Flows whose records of their activity are out of date; they count as recorded now.
    mutating func takeUnsavedActivities() -> [NodeSlot] { dirty.takeActivities() }

    /// Notes whether a flow has a record of its activity; gives whether it had one.
    mutating func setActivitySaved(_ isSaved: Bool, of slot: NodeSlot) -> Bool {
        dirty.setActivitySaved(isSaved, of: slot)
    }

    /// The records of nodes that are gone, since last asked.
    mutating func takeGoneRecords() -> [RecordKey] { dirty.takeGone() }
}
