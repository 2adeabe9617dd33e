/// The live presentables: an ordered forest of flows and screens (S-1).
///
/// It keeps the tree whole: children in creation order, paths, and what follows from the rest (who covers whom, who is
/// presented). It knows no steps and no rules. Places in the list of nodes are used again, instances never.
struct Forest: Sendable {
    /// The object path above the roots, without a slash at its end.
    let base: String
    /// By place; a place with instance 0 is free.
    var nodes: [Node] = []
    private var freeSlots: [NodeSlot] = []
    /// The roots' places, in creation order.
    private(set) var roots: [NodeSlot] = []
    private var rootIDs = SiblingIDs()
    private var slots = NameIndex()
    private var instances = InstanceIndex()
    /// The places of all presentables of a name (S-28, S-35).
    var named: [String: Set<NodeSlot>] = [:]
    /// How many of a name are live in each tree, and among the roots (S-35).
    var counts: [NameInTree: Int] = [:]
    /// The latest instance that was given.
    private(set) var lastInstance: UInt64 = 0

    /// Live flows.
    private(set) var flowCount = 0
    /// Live screens.
    private(set) var screenCount = 0
    /// Live presentables.
    var count: Int { flowCount + screenCount }

    /// Nodes with changes that were not told, in the order they first changed.
    private var changed: [NodeID] = []
    /// Nodes that became presented and were not asked about, parents first and in order (S-16).
    private var becamePresented: [NodeID] = []
    /// Screens whose presenter is to be called, in the order they came in sight (S-31).
    private var cameInSight: [NodeID] = []

    /// How often something changed that the search for what may go to make room would find otherwise (S-33).
    private(set) var roomChanges: UInt64 = 0
    /// Whether what goes is what was found.
    var isMakingRoom = false

    /// Nodes whose records are out of date.
    private(set) var unsaved: [NodeID] = []
    /// Flows at which something happened since that was recorded.
    private(set) var unsavedActivities: [NodeID] = []

    /// The node in a slot.
    subscript(slot: NodeSlot) -> Node {
        // Not `_read`: in an optimized build, what is taken out of the yielded node is not retained.
        get { nodes[slot.index] }
        _modify { yield &nodes[slot.index] }
    }

    /// An empty forest below this object path.
    init(base: String) {
        self.base = base
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
        instances.find(instance, in: nodes).map(id(of:))
    }

    /// Where the node is; nil: it is not live any more.
    func slot(of id: NodeID) -> NodeSlot? {
        nodes.indices.contains(id.slot.index) && self[id.slot].instance == id.instance ? id.slot : nil
    }

    func id(of slot: NodeSlot) -> NodeID {
        NodeID(slot: slot, instance: self[slot].instance)
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
        children(of: slot).reversed().flatMap(postorder) + [slot]
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
        let slot = freeSlots.popLast() ?? NodeSlot(nodes.count)
        let node = Node(
            slot: slot, instance: lastInstance, name: birth.name, id: birth.id, path: path(of: birth.id, below: parent),
            parent: parent, root: parent.map { self[$0].root } ?? slot, depth: parent.map { self[$0].depth + 1 } ?? 1,
            style: birth.style,
            arguments: birth.arguments, isVisible: birth.flow != nil, whenHidden: birth.whenHidden,
            presenting: birth.presenter.map { Node.Presenting(presenter: $0) }, client: birth.client,
            onDismissed: birth.onDismissed, flow: birth.flow, changes: .born)
        if slot.index < nodes.count { nodes[slot.index] = node } else { nodes.append(node) }
        slots.insert(node.path, slot.index)
        instances.insert(slot, in: nodes)
        named[node.name, default: []].insert(slot)
        count(1, node.name, in: node.root)
        if parent == nil { count(1, node.name, in: nil) }
        changed.append(id(of: slot))
        touch(slot)
        if birth.flow?.reached != nil { touchActivity(of: slot) }
        if let parent {
            noteRoom(of: parent)
            self[parent].flow?.children.append(slot)
            self[parent].flow?.ids.insert(birth.id, name: birth.name)
        } else {
            roots.append(slot)
            rootIDs.insert(birth.id, name: birth.name)
        }
        if birth.flow == nil { screenCount += 1 } else { flowCount += 1 }
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
        var presenter: Presenter?
        var client: Client

        /// How many bytes of arguments it brings (``Node/byteCount``).
        var byteCount: Int { arguments.byteCount + (onDismissed?.byteCount ?? 0) }
    }

    /// Takes a node and all below it out of the forest, and gives them in the order they go: newest leaf first (S-22).
    mutating func remove(_ slot: NodeSlot) -> [Node] {
        let (parent, id) = (self[slot].parent, self[slot].id)
        if !isMakingRoom { noteRoom(of: slot) }
        if let parent {
            // What goes may have been what was in the way. What makes room was not.
            if !isMakingRoom, self[parent].isLeft { noteRoom() }
            if let place = place(of: slot, among: children(of: parent)) {
                self[parent].flow?.children.remove(at: place)
            }
            if self[parent].flow?.selected.contains(slot) == true {
                self[parent].flow?.selected.removeAll { $0 == slot }
                touch(parent)
            }
            self[parent].flow?.ids.remove(id)
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
        noteRoom()
        var gone: [Node] = []
        for child in children(of: slot).reversed() { release(child, into: &gone) }
        self[slot].flow?.children = []
        if self[slot].flow?.selected.isEmpty == false {
            self[slot].flow?.selected = []
            touch(slot)
        }
        self[slot].flow?.ids = SiblingIDs()
        return gone
    }

    /// The depth of the recursion is that of the tree, which ``Limits/depth`` bounds.
    private mutating func release(_ slot: NodeSlot, into gone: inout [Node]) {
        for child in children(of: slot).reversed() { release(child, into: &gone) }
        gone.append(self[slot])
        slots.remove(self[slot].path)
        instances.remove(slot, in: nodes)
        named[self[slot].name]?.remove(slot)
        if named[self[slot].name]?.isEmpty == true { named[self[slot].name] = nil }
        count(-1, self[slot].name, in: self[slot].root)
        if self[slot].parent == nil { count(-1, self[slot].name, in: nil) }
        if self[slot].flow == nil { screenCount -= 1 } else { flowCount -= 1 }
        self[slot].instance = 0
        // What it held goes now, not when its place is used again.
        self[slot].flow = nil
        self[slot].arguments = []
        self[slot].initialStep = nil
        self[slot].deferredSteps = []
        self[slot].onDismissed = nil
        self[slot].owner = nil
        self[slot].presenting = nil
        freeSlots.append(slot)
    }
}

// MARK: - What changed

extension Forest {
    /// Notes that a property changed, for the next ``takeChanges()``.
    mutating func note(_ change: Node.Changes, of slot: NodeSlot) {
        if self[slot].changes.isEmpty { changed.append(id(of: slot)) }
        self[slot].changes.insert(change)
        if change.isDisjoint(with: .derived) { touch(slot) }
    }

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
        if changed.isEmpty { return ([], []) }
        var born: [NodeSlot] = []
        var changes: [PropertyChanges] = []
        for id in changed {
            guard let slot = slot(of: id) else { continue }
            let flags = self[slot].changes
            self[slot].changes = []
            if flags.contains(.born) {
                born.append(slot)
                continue
            }
            changes.append(
                PropertyChanges(
                    path: self[slot].path,
                    arguments: flags.contains(.arguments) ? self[slot].arguments.broadcastable : nil,
                    isVisible: flags.contains(.visible) ? self[slot].isVisible : nil,
                    isPresented: flags.contains(.presented) ? self[slot].isPresented : nil,
                    owner: flags.contains(.owner) ? self[slot].owner ?? .daemon : nil,
                    isReady: flags.contains(.ready) ? self[slot].flow?.isReady : nil,
                    current: flags.contains(.current)
                        ? currentPath(of: slot).map { .child(path: $0) } ?? PropertyChanges.Current.none : nil))
        }
        changed.removeAll(keepingCapacity: true)
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

    /// All that the bus reports of a presentable.
    func state(of slot: NodeSlot) -> PresentableState {
        PresentableState(
            path: self[slot].path, name: self[slot].name, parent: self[slot].parent.map { self[$0].path },
            style: self[slot].style, instance: self[slot].instance,
            arguments: self[slot].arguments.broadcastable, isVisible: self[slot].isVisible,
            isPresented: self[slot].isPresented,
            flow: self[slot].flow.map {
                // A flow's name is its definition's.
                PresentableState.Flow(
                    definition: self[slot].name, isReady: $0.isReady, current: currentPath(of: slot))
            }, presenter: self[slot].presenting?.presenter.service.name ?? "", owner: self[slot].owner)
    }
}

// MARK: - What may go to make room

extension Forest {
    /// Something changed that the search for what may go may find otherwise.
    mutating func noteRoom() { roomChanges &+= 1 }

    /// What a node holds changed, or what is below it: of interest where it was found to be one that may go.
    mutating func noteRoom(of slot: NodeSlot) { if self[slot].isEvictable { noteRoom() } }
}

// MARK: - Records that are out of date

extension Forest {
    /// Something of a node changed that its record says.
    mutating func touch(_ slot: NodeSlot) {
        if self[slot].isUnsaved { return }
        self[slot].isUnsaved = true
        // Where nobody takes records, those that are gone shall not pile up.
        if unsaved.count > 2 * count + 64 { unsaved = unsaved.filter { self.slot(of: $0) != nil } }
        unsaved.append(id(of: slot))
    }

    /// Something happened at a flow that its record of that says.
    mutating func touchActivity(of slot: NodeSlot) {
        if self[slot].isActivityUnsaved { return }
        self[slot].isActivityUnsaved = true
        if unsavedActivities.count > 2 * flowCount + 64 {
            unsavedActivities = unsavedActivities.filter { self.slot(of: $0) != nil }
        }
        unsavedActivities.append(id(of: slot))
    }

    /// Live nodes whose records are out of date; they count as recorded now.
    mutating func takeUnsaved() -> [NodeSlot] {
        defer { unsaved.removeAll(keepingCapacity: true) }
        return unsaved.compactMap { id in
            guard let slot = slot(of: id) else { return nil }
            self[slot].isUnsaved = false
            self[slot].isSaved = true
            return slot
        }
    }

    /// Flows at which something happened that is not recorded; it counts as recorded now.
    mutating func takeUnsavedActivities() -> [NodeSlot] {
        defer { unsavedActivities.removeAll(keepingCapacity: true) }
        return unsavedActivities.compactMap { id in
            guard let slot = slot(of: id) else { return nil }
            self[slot].isActivityUnsaved = false
            return slot
        }
    }

    /// No instance up to this one is given any more.
    mutating func reserve(upTo instance: UInt64) { lastInstance = max(lastInstance, instance) }
}
