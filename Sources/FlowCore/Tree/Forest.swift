/// The live presentables: an ordered forest of flows and screens (S-1).
///
/// It keeps the tree whole: children in creation order, paths, and what follows from the rest (who covers whom, who is
/// presented). It knows no steps and no rules. Places in the list of nodes are used again, instances never.
struct Forest: Sendable {
    /// The object path above the roots, without a slash at its end.
    let base: String
    /// By place; a place with instance 0 is free.
    var nodes: [Node] = []
    private var freeSlots: [Int] = []
    /// The roots' places, in creation order.
    private(set) var roots: [Int] = []
    private var rootIDs = SiblingIDs()
    private var slots = NameIndex()
    private var instances = InstanceIndex()
    /// The places of all presentables of a name (S-28, S-35).
    var named: [String: Set<Int>] = [:]
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

    /// An empty forest below this object path.
    init(base: String) {
        self.base = base
    }

    /// The node at the path that these UTF-8 bytes spell.
    func node(at path: UnsafeRawBufferPointer) -> NodeID? {
        slots.find(path).map(id(of:))
    }

    /// The node at this path.
    func node(at path: String) -> NodeID? {
        slots.find(path).map(id(of:))
    }

    /// The node with this instance; nil: it is not live, or never was.
    func node(instance: UInt64) -> NodeID? {
        instances.find(instance, in: nodes).map(id(of:))
    }

    /// Where the node is; nil: it is not live any more.
    func slot(of id: NodeID) -> Int? {
        nodes.indices.contains(id.slot) && nodes[id.slot].instance == id.instance ? id.slot : nil
    }

    func id(of slot: Int) -> NodeID {
        NodeID(slot: slot, instance: nodes[slot].instance)
    }

    /// The children of a flow, in creation order; none for a screen. The roots for nil.
    func children(of slot: Int?) -> [Int] {
        guard let slot else { return roots }
        return nodes[slot].flow?.children ?? []
    }

    /// Whether a child of this flow will have this id, or a root for nil, when what is planned is done.
    func isTaken(_ id: String, below slot: Int?, besides planned: SiblingIDs.PlannedIDs) -> Bool {
        guard let slot else { return rootIDs.isTaken(id, besides: planned) }
        return nodes[slot].flow?.ids.isTaken(id, besides: planned) ?? false
    }

    /// The id for a new child of this name that asked for none (S-1).
    func freeID(for name: String, below slot: Int?, besides planned: SiblingIDs.PlannedIDs) -> String {
        guard let slot else { return rootIDs.free(for: name, besides: planned) }
        return nodes[slot].flow?.ids.free(for: name, besides: planned) ?? name
    }

    /// The path of a child with this id.
    func path(of id: String, below slot: Int?) -> String {
        "\(slot.map { nodes[$0].path } ?? base)/\(id)"
    }

    /// A presentable and all below it, newest leaf first: in the order they would go (S-22).
    func postorder(_ slot: Int) -> [Int] {
        children(of: slot).reversed().flatMap(postorder) + [slot]
    }

    /// All that are live, parents before children, children in order.
    func preorder() -> [Int] {
        var order: [Int] = []
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
    mutating func insert(_ birth: Birth, below parent: Int?, instance: UInt64? = nil) -> Int {
        lastInstance = instance ?? lastInstance + 1
        let slot = freeSlots.popLast() ?? nodes.count
        let node = Node(
            slot: slot, instance: lastInstance, name: birth.name, id: birth.id, path: path(of: birth.id, below: parent),
            parent: parent, root: parent.map { nodes[$0].root } ?? slot, depth: parent.map { nodes[$0].depth + 1 } ?? 1,
            style: birth.style,
            arguments: birth.arguments, isVisible: birth.flow != nil, whenHidden: birth.whenHidden,
            presenting: birth.presenter.map { Node.Presenting(presenter: $0) }, client: birth.client,
            onDismissed: birth.onDismissed, flow: birth.flow, changes: .born)
        if slot < nodes.count { nodes[slot] = node } else { nodes.append(node) }
        slots.insert(node.path, slot)
        instances.insert(slot, in: nodes)
        named[node.name, default: []].insert(slot)
        count(1, node.name, in: node.root)
        if parent == nil { count(1, node.name, in: nil) }
        changed.append(id(of: slot))
        touch(slot)
        if birth.flow?.reached != nil { touchActivity(of: slot) }
        if let parent {
            noteRoom(of: parent)
            nodes[parent].flow?.children.append(slot)
            nodes[parent].flow?.ids.insert(birth.id, name: birth.name)
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
    mutating func remove(_ slot: Int) -> [Node] {
        let (parent, id) = (nodes[slot].parent, nodes[slot].id)
        if !isMakingRoom { noteRoom(of: slot) }
        if let parent {
            // What goes may have been what was in the way. What makes room was not.
            if !isMakingRoom, nodes[parent].isLeft { noteRoom() }
            if let place = place(of: slot, among: children(of: parent)) {
                nodes[parent].flow?.children.remove(at: place)
            }
            if nodes[parent].flow?.selected.contains(slot) == true {
                nodes[parent].flow?.selected.removeAll { $0 == slot }
                touch(parent)
            }
            nodes[parent].flow?.ids.remove(id)
        } else {
            if let place = place(of: slot, among: roots) { roots.remove(at: place) }
            rootIDs.remove(id)
        }
        var gone: [Node] = []
        release(slot, into: &gone)
        return gone
    }

    /// Where a node stands among its siblings, which are in the order in which they were made.
    private func place(of slot: Int, among siblings: [Int]) -> Int? {
        let instance = nodes[slot].instance
        var (low, high) = (0, siblings.count)
        while low < high {
            let middle = (low + high) / 2
            if nodes[siblings[middle]].instance < instance { low = middle + 1 } else { high = middle }
        }
        return low < siblings.count && siblings[low] == slot ? low : nil
    }

    /// Takes all below a flow out of the forest, newest leaf first.
    mutating func removeChildren(of slot: Int) -> [Node] {
        noteRoom()
        var gone: [Node] = []
        for child in children(of: slot).reversed() { release(child, into: &gone) }
        nodes[slot].flow?.children = []
        if nodes[slot].flow?.selected.isEmpty == false {
            nodes[slot].flow?.selected = []
            touch(slot)
        }
        nodes[slot].flow?.ids = SiblingIDs()
        return gone
    }

    /// The depth of the recursion is that of the tree, which ``Limits/depth`` bounds.
    private mutating func release(_ slot: Int, into gone: inout [Node]) {
        for child in children(of: slot).reversed() { release(child, into: &gone) }
        gone.append(nodes[slot])
        slots.remove(nodes[slot].path)
        instances.remove(slot, in: nodes)
        named[nodes[slot].name]?.remove(slot)
        if named[nodes[slot].name]?.isEmpty == true { named[nodes[slot].name] = nil }
        count(-1, nodes[slot].name, in: nodes[slot].root)
        if nodes[slot].parent == nil { count(-1, nodes[slot].name, in: nil) }
        if nodes[slot].flow == nil { screenCount -= 1 } else { flowCount -= 1 }
        nodes[slot].instance = 0
        // What it held goes now, not when its place is used again.
        nodes[slot].flow = nil
        nodes[slot].arguments = []
        nodes[slot].initialStep = nil
        nodes[slot].deferredSteps = []
        nodes[slot].onDismissed = nil
        nodes[slot].owner = nil
        nodes[slot].presenting = nil
        freeSlots.append(slot)
    }
}

// MARK: - What changed

extension Forest {
    /// Notes that a property changed, to be told with the next ``takeChanges()``.
    mutating func note(_ change: Node.Changes, of slot: Int) {
        if nodes[slot].changes.isEmpty { changed.append(id(of: slot)) }
        nodes[slot].changes.insert(change)
        if change.isDisjoint(with: .derived) { touch(slot) }
    }

    /// Notes that a node became presented, to be asked about with the next ``takePresented()``.
    mutating func notePresented(_ slot: Int) {
        becamePresented.append(id(of: slot))
    }

    /// Notes that a screen's presenter is to be called, with the next ``takeInSight()``.
    mutating func noteInSight(_ slot: Int) {
        cameInSight.append(id(of: slot))
    }

    /// Screens that came in sight since last asked, still are, and have a presenter to be called; in order.
    mutating func takeInSight() -> [Int] {
        if cameInSight.isEmpty { return [] }
        defer { cameInSight.removeAll(keepingCapacity: true) }
        return cameInSight.compactMap(slot(of:)).filter { nodes[$0].isInSight && nodes[$0].presenting?.state == .due }
    }

    /// What changed since last asked, of nodes that are live: the new ones, and the new values of the others.
    mutating func takeChanges() -> (born: [Int], changes: [PropertyChanges]) {
        if changed.isEmpty { return ([], []) }
        var born: [Int] = []
        var changes: [PropertyChanges] = []
        for id in changed {
            guard let slot = slot(of: id) else { continue }
            let flags = nodes[slot].changes
            nodes[slot].changes = []
            if flags.contains(.born) {
                born.append(slot)
                continue
            }
            changes.append(
                PropertyChanges(
                    path: nodes[slot].path,
                    arguments: flags.contains(.arguments) ? nodes[slot].arguments.broadcastable : nil,
                    isVisible: flags.contains(.visible) ? nodes[slot].isVisible : nil,
                    isPresented: flags.contains(.presented) ? nodes[slot].isPresented : nil,
                    owner: flags.contains(.owner) ? nodes[slot].owner ?? .daemon : nil,
                    isReady: flags.contains(.ready) ? nodes[slot].flow?.isReady : nil,
                    current: flags.contains(.current)
                        ? currentPath(of: slot).map { .child(path: $0) } ?? PropertyChanges.Current.none : nil))
        }
        changed.removeAll(keepingCapacity: true)
        return (born, changes)
    }

    /// Those that became presented since last asked and still are, in order.
    mutating func takePresented() -> [Int] {
        if becamePresented.isEmpty { return [] }
        defer { becamePresented.removeAll(keepingCapacity: true) }
        return becamePresented.compactMap(slot(of:)).filter { nodes[$0].isPresented }
    }

    /// The path of the child that covers the others; nil: none does.
    func currentPath(of slot: Int) -> String? {
        nodes[slot].flow?.current.flatMap(self.slot(of:)).map { nodes[$0].path }
    }

    /// All that is told of a presentable.
    func state(of slot: Int) -> PresentableState {
        PresentableState(
            path: nodes[slot].path, name: nodes[slot].name, parent: nodes[slot].parent.map { nodes[$0].path },
            style: nodes[slot].style, instance: nodes[slot].instance,
            arguments: nodes[slot].arguments.broadcastable, isVisible: nodes[slot].isVisible,
            isPresented: nodes[slot].isPresented,
            flow: nodes[slot].flow.map {
                // A flow's name is its definition's.
                PresentableState.Flow(
                    definition: nodes[slot].name, isReady: $0.isReady, current: currentPath(of: slot))
            }, presenter: nodes[slot].presenting?.presenter.service.name ?? "", owner: nodes[slot].owner)
    }
}

// MARK: - What may go to make room

extension Forest {
    /// Something changed that the search for what may go may find otherwise.
    mutating func noteRoom() { roomChanges &+= 1 }

    /// What a node holds changed, or what is below it: of interest where it was found to be one that may go.
    mutating func noteRoom(of slot: Int) { if nodes[slot].isEvictable { noteRoom() } }
}

// MARK: - Records that are out of date

extension Forest {
    /// Something of a node changed that its record says.
    mutating func touch(_ slot: Int) {
        if nodes[slot].isUnsaved { return }
        nodes[slot].isUnsaved = true
        // Where nobody takes records, those that are gone shall not pile up.
        if unsaved.count > 2 * count + 64 { unsaved = unsaved.filter { self.slot(of: $0) != nil } }
        unsaved.append(id(of: slot))
    }

    /// Something happened at a flow that its record of that says.
    mutating func touchActivity(of slot: Int) {
        if nodes[slot].isActivityUnsaved { return }
        nodes[slot].isActivityUnsaved = true
        if unsavedActivities.count > 2 * flowCount + 64 {
            unsavedActivities = unsavedActivities.filter { self.slot(of: $0) != nil }
        }
        unsavedActivities.append(id(of: slot))
    }

    /// Live nodes whose records are out of date; they count as recorded now.
    mutating func takeUnsaved() -> [Int] {
        defer { unsaved.removeAll(keepingCapacity: true) }
        return unsaved.compactMap { id in
            guard let slot = slot(of: id) else { return nil }
            nodes[slot].isUnsaved = false
            nodes[slot].isSaved = true
            return slot
        }
    }

    /// Flows at which something happened that is not recorded; it counts as recorded now.
    mutating func takeUnsavedActivities() -> [Int] {
        defer { unsavedActivities.removeAll(keepingCapacity: true) }
        return unsavedActivities.compactMap { id in
            guard let slot = slot(of: id) else { return nil }
            nodes[slot].isActivityUnsaved = false
            return slot
        }
    }

    /// No instance up to this one is given any more.
    mutating func reserve(upTo instance: UInt64) { lastInstance = max(lastInstance, instance) }
}
