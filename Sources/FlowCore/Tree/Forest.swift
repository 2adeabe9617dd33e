/// The live presentables: an ordered forest of flows and screens (S-1).
///
/// It keeps the tree whole: children in creation order, paths, and what follows from the rest (which child covers the others,
/// what is presented). It knows no steps and no rules. Nodes are read as `forest[slot]`, and changed by `update` and the
/// functions beside it alone: they derive dirty records, usage and property changes (``NodeTable``).
struct Forest: Sendable {
    /// The object path above the roots, without a slash at its end.
    let base: String
    private var nodes: NodeTable
    /// The roots' slots, in creation order.
    private(set) var roots: [NodeSlot] = []
    private var rootIDs = SiblingIDs()
    private var slots = NameIndex()
    /// The slots of all presentables of a name (S-28, S-35).
    var named: [String: Set<NodeSlot>] = [:]
    /// How many of a name are live in each tree, and among the roots (S-35).
    var counts: [NameInTree: Int] = [:]
    /// The latest instance that was given.
    private(set) var lastInstance: UInt64 = 0

    /// Nodes that became presented and were not asked about, parents first and in order (S-16).
    private var becamePresented: [NodeID] = []
    /// Screens whose presenter is to be called, in the order they came in sight (S-31).
    private var cameInSight: [NodeID] = []

    /// Whether what goes is what was found.
    var isMakingRoom = false

    /// The node in a slot.
    subscript(slot: NodeSlot) -> Node {
        // Not `_read`: in an optimized build, what is taken out of the yielded node is not retained.
        get { nodes.nodes[slot.index] }
    }

    /// An empty forest below this object path, with these quotas.
    init(base: String, quotas: Quotas = .service) {
        self.base = base
        nodes = NodeTable(quotas)
    }

    /// The node at the path that these UTF-8 bytes spell.
    func node(at path: UnsafeRawBufferPointer) -> NodeID? {
        slots.find(path).map { id(of: NodeSlot($0)) }
    }

    /// The node at this path.
    func node(at path: String) -> NodeID? {
        slots.find(path).map { id(of: NodeSlot($0)) }
    }

    /// The node with this instance; nil: it is not live, or never was.
    func node(instance: UInt64) -> NodeID? {
        nodes.find(instance: instance).map(id(of:))
    }

    /// Where the node is; nil: it is not live any more.
    func slot(of id: NodeID) -> NodeSlot? {
        nodes.slot(of: id)
    }

    func id(of slot: NodeSlot) -> NodeID {
        nodes.id(of: slot)
    }

    /// The children of a flow, in creation order; none for a screen. The roots for nil.
    func children(of slot: NodeSlot?) -> [NodeSlot] {
        guard let slot else { return roots }
        return self[slot].flow?.children ?? []
    }

    /// Whether a child of this flow will have this id, or a root for nil, when what is planned is done.
    func isTaken(_ id: String, below slot: NodeSlot?, besides planned: SiblingIDs.PlannedIDs) -> Bool {
        guard let slot else { return rootIDs.isTaken(id, besides: planned) }
        return self[slot].flow?.ids.isTaken(id, besides: planned) ?? false
    }

    /// The id for a new child of this name that asked for none (S-1).
    func freeID(for name: String, below slot: NodeSlot?, besides planned: SiblingIDs.PlannedIDs) -> String {
        guard let slot else { return rootIDs.free(for: name, besides: planned) }
        return self[slot].flow?.ids.free(for: name, besides: planned) ?? name
    }

    /// The path of a child with this id.
    func path(of id: String, below slot: NodeSlot?) -> String {
        "\(slot.map { self[$0].path } ?? base)/\(id)"
    }

    /// A presentable and all below it, newest leaf first: in the order they would go (S-22).
    func postorder(_ slot: NodeSlot) -> [NodeSlot] {
        var order: [NodeSlot] = []
        appendPostorder(slot, to: &order)
        return order
    }

    private func appendPostorder(_ slot: NodeSlot, to order: inout [NodeSlot]) {
        for child in children(of: slot).reversed() { appendPostorder(child, to: &order) }
        order.append(slot)
    }

    /// All that are live, parents before children, children in order.
    func preorder() -> [NodeSlot] {
        var order: [NodeSlot] = []
        order.reserveCapacity(count)
        var ahead = Array(roots.reversed())
        while let slot = ahead.popLast() {
            order.append(slot)
            ahead.append(contentsOf: children(of: slot).reversed())
        }
        return order
    }

    /// A new node: the newest child of a flow, or the newest root for nil. The id is free among its siblings.
    ///
    /// - Parameter instance: its number, greater than all before; nil: the next one.
    mutating func insert(_ birth: Birth, below parent: NodeSlot?, instance: UInt64? = nil) -> NodeSlot {
        lastInstance = instance ?? lastInstance + 1
        let slot = nodes.insert(birth, instance: lastInstance, path: path(of: birth.id, below: parent), below: parent)
        slots.insert(self[slot].path, slot.index)
        named[birth.name, default: []].insert(slot)
        count(1, birth.name, in: self[slot].root)
        if let parent {
            update(parent) {
                $0.flow?.children.append(slot)
                $0.flow?.ids.insert(birth.id, name: birth.name)
            }
        } else {
            count(1, birth.name, in: nil)
            roots.append(slot)
            rootIDs.insert(birth.id, name: birth.name)
        }
        return slot
    }

    /// What a node is born with.
    struct Birth {
        var name: String
        var id: String
        /// What only flows have; nil: it is a screen.
        var flow: Node.FlowState?
        var style: String
        var arguments: Arguments
        var whenHidden: WhenHidden?
        var onDismissed: StepTemplate?
        var presenting: Node.Presenting?
        var client: Client
        /// Whether it is visible, and its owner; nil: as it begins.
        var isVisible: Bool?
        var owner: Client?

        /// How many bytes of arguments it brings (``Node/byteCount``).
        var byteCount: Int { arguments.byteCount + (onDismissed?.byteCount ?? 0) }
    }

    /// Takes a node and all below it out of the forest, and gives them in the order they go: newest leaf first (S-22).
    mutating func remove(_ slot: NodeSlot) -> [Node] {
        let (parent, id) = (self[slot].parent, self[slot].id)
        // What goes may have been what was in the way. What makes room was not.
        if !isMakingRoom, self[slot].isEvictable || parent.map({ self[$0].isLeft }) == true { nodes.noteRoom() }
        if let parent {
            let place = place(of: slot, among: children(of: parent))
            update(parent) { node in
                if let place { node.flow?.children.remove(at: place) }
                if node.flow?.selected.contains(slot) == true { node.flow?.selected.removeAll { $0 == slot } }
                node.flow?.ids.remove(id)
            }
        } else {
            if let place = place(of: slot, among: roots) { roots.remove(at: place) }
            rootIDs.remove(id)
        }
        var gone: [Node] = []
        release(slot, into: &gone)
        return gone
    }

    /// Where a node stands among its siblings, which are in the order in which they were made.
    private func place(of slot: NodeSlot, among siblings: [NodeSlot]) -> Int? {
        let instance = self[slot].instance
        var (low, high) = (0, siblings.count)
        while low < high {
            let middle = (low + high) / 2
            if self[siblings[middle]].instance < instance { low = middle + 1 } else { high = middle }
        }
        return low < siblings.count && siblings[low] == slot ? low : nil
    }

    /// Takes all below a flow out of the forest, newest leaf first.
    mutating func removeChildren(of slot: NodeSlot) -> [Node] {
        nodes.noteRoom()
        var gone: [Node] = []
        for child in children(of: slot).reversed() { release(child, into: &gone) }
        update(slot) { node in
            node.flow?.children = []
            if node.flow?.selected.isEmpty == false { node.flow?.selected = [] }
            node.flow?.ids = SiblingIDs()
        }
        return gone
    }

    /// The depth of the recursion is that of the tree, which ``Limits/depth`` bounds.
    private mutating func release(_ slot: NodeSlot, into gone: inout [Node]) {
        for child in children(of: slot).reversed() { release(child, into: &gone) }
        let node = nodes.remove(slot)
        slots.remove(node.path)
        named[node.name]?.remove(slot)
        if named[node.name]?.isEmpty == true { named[node.name] = nil }
        count(-1, node.name, in: node.root)
        if node.parent == nil { count(-1, node.name, in: nil) }
        gone.append(node)
    }
}

// MARK: - Changes

extension Forest {
    /// Changes a node. What follows from that (records, signals, room) is derived from the change.
    @inline(__always)
    mutating func update<Result>(_ slot: NodeSlot, _ change: (inout Node) -> Result) -> Result {
        nodes.update(slot, change)
    }

    /// Gives a node other arguments; from now on it counts for this client.
    mutating func setArguments(_ arguments: Arguments, of slot: NodeSlot, for client: Client) {
        nodes.setArguments(arguments, of: slot, for: client)
    }

    /// Sets the step that its parent gets when it is dismissed.
    mutating func setOnDismissed(_ template: StepTemplate?, of slot: NodeSlot) {
        nodes.setOnDismissed(template, of: slot)
    }

    /// Sets a flow's latest navigation.
    mutating func setLast(_ last: LastNavigation, of slot: NodeSlot) { nodes.setLast(last, of: slot) }

    /// Sets the initial step that waits at a node; gives the one that did.
    @discardableResult
    mutating func setInitialStep(_ step: DeferredStep?, of slot: NodeSlot) -> DeferredStep? {
        nodes.setInitialStep(step, of: slot)
    }

    /// Adds a step that waits until a node is presented.
    mutating func deferStep(_ step: DeferredStep, at slot: NodeSlot) { nodes.deferStep(step, at: slot) }

    /// Sets the steps that wait until a node is presented; gives those that did.
    @discardableResult
    mutating func setDeferredSteps(_ steps: [DeferredStep], of slot: NodeSlot) -> [DeferredStep] {
        nodes.setDeferredSteps(steps, of: slot)
    }

    /// A client is gone: what it made may go from now on.
    mutating func abandonAll(_ client: Client) { nodes.abandonAll(client) }

    /// What is held for whom: by the nodes, and by calls and steps that wait elsewhere.
    var accounting: Accounting {
        get { nodes.accounting }
        _modify { yield &nodes.accounting }
    }
    /// Live flows.
    var flowCount: Int { nodes.flowCount }
    /// Live screens.
    var screenCount: Int { nodes.screenCount }
    /// Live presentables.
    var count: Int { nodes.count }
    /// How many slots there are, free ones among them.
    var slotCount: Int { nodes.slotCount }
    /// How often something changed that the search for what may go to make room would find otherwise (S-33).
    var roomChanges: UInt64 { nodes.roomChanges }

    /// Notes that a node became presented, to be asked about with the next ``takePresented()``.
    mutating func notePresented(_ slot: NodeSlot) {
        becamePresented.append(id(of: slot))
    }

    /// Notes that a screen's presenter is to be called, with the next ``takeInSight()``.
    mutating func noteInSight(_ slot: NodeSlot) {
        cameInSight.append(id(of: slot))
    }

    /// Screens that came in sight since last asked, still are, and have a presenter to be called; in order.
    mutating func takeInSight() -> [NodeSlot] {
        if cameInSight.isEmpty { return [] }
        defer { cameInSight.removeAll(keepingCapacity: true) }
        return cameInSight.compactMap(slot(of:)).filter { self[$0].isInSight && self[$0].presenting?.state == .due }
    }

    /// What changed since last asked, of nodes that are live: the new ones, and the new values of the others.
    mutating func takeChanges() -> (born: [NodeSlot], changes: [PropertyChanges]) {
        if nodes.changed.isEmpty { return ([], []) }
        var born: [NodeSlot] = []
        var changes: [PropertyChanges] = []
        for id in nodes.changed {
            guard let (slot, reported) = nodes.takeReported(of: id) else { continue }
            if reported.contains(.born) {
                born.append(slot)
            } else {
                changes.append(
                    PropertyChanges(path: self[slot].path, properties(reported.properties, of: slot)))
            }
        }
        nodes.forgetChanged()
        return (born, changes)
    }

    /// Those that became presented since last asked and still are, in order.
    mutating func takePresented() -> [NodeSlot] {
        if becamePresented.isEmpty { return [] }
        defer { becamePresented.removeAll(keepingCapacity: true) }
        return becamePresented.compactMap(slot(of:)).filter { self[$0].isPresented }
    }

    /// The path of the child that covers the others; nil: none does.
    func currentPath(of slot: NodeSlot) -> String? {
        self[slot].flow?.current.flatMap(self.slot(of:)).map { self[$0].path }
    }
}

// MARK: - Records that are out of date

extension Forest {
    /// Whether records of nodes are out of date; of those of their activity.
    var hasDirtyRecords: Bool { !nodes.dirty.nodes.isEmpty || !nodes.dirty.gone.isEmpty }
    var hasDirtyActivities: Bool { !nodes.dirty.activities.isEmpty }

    /// Has all records of a node written again.
    mutating func touchAll(_ slot: NodeSlot) {
        nodes.touch(slot)
        // Screens have none of their activity.
        if self[slot].flow != nil { nodes.touchActivity(of: slot) }
    }

    /// Live nodes whose records are out of date; they count as recorded now.
    mutating func takeUnsaved() -> [NodeSlot] { nodes.takeUnsaved() }

    /// Flows whose records of their activity are out of date; they count as recorded now.
    mutating func takeUnsavedActivities() -> [NodeSlot] { nodes.takeUnsavedActivities() }

    /// Notes whether a flow has a record of its activity; gives whether it had one.
    mutating func setActivitySaved(_ isSaved: Bool, of slot: NodeSlot) -> Bool {
        nodes.setActivitySaved(isSaved, of: slot)
    }

    /// The records of nodes that are gone, since last asked.
    mutating func takeGoneRecords() -> [RecordKey] { nodes.takeGoneRecords() }

    /// No instance up to this one is given any more.
    mutating func reserve(upTo instance: UInt64) { lastInstance = max(lastInstance, instance) }
}
