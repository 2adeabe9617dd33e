/// The live presentables: an ordered forest of flows and screens (S-1).
///
/// It keeps children in the order in which they were made or last raised, paths, and derived state: which child covers the
/// others, what is presented. It knows neither steps nor rules. Nodes are read as `forest[slot]`, and only changed by `update`
/// and the methods beside it, which derive dirty records, usage and property changes (``NodeTable``).
struct Forest: Sendable {
    /// The object path above the roots, without a slash at its end; nil if the path of a root is its id.
    let base: String?
    /// Where something is reported that has no presentable.
    var top: String { base ?? "/" }
    private var nodes: NodeTable
    /// The roots' slots, in order.
    private(set) var roots: [NodeSlot] = []
    private var rootIDs = SiblingIDs()
    private var slots: [String: NodeSlot] = [:]
    /// The slots of flows by name (S-28).
    private(set) var named: [String: Set<NodeSlot>] = [:]
    /// The number of live presentables of a name in each tree, and among the roots (S-35); nil if nobody asks.
    var counts: [NameInTree: Int]? = [:]
    /// The latest instance.
    private(set) var lastInstance: UInt64 = 0
    /// The values of the context that no flow has (S-57).
    var context = ContextValues()

    /// Nodes that became presented since ``takePresented()``, parents first and in order (S-16).
    private var becamePresented: [NodeID] = []
    /// Screens whose presenter may have to be called, in order (S-31).
    private var sightings: [Sighting] = []
    /// The origin of the step at hand, for sightings; 0 if there is none.
    var origin: UInt64 = 0
    /// How many children were looked at while visibility was updated.
    var visits = 0
    /// While visibility is updated: the child that covered its siblings before.
    var formerCurrent: NodeID?
    /// The root of each output that covers the lower ones there (S-41).
    var fronts: [String: NodeID] = [:]

    /// Whether flows have timers for which it matters whether they are presented (S-55).
    var haveTimers = false
    /// Flows whose timers have to be looked at, since ``takeTimed()``: no screen keeps them awake any more, or they have timers, and are
    /// presented, no longer so, or gone.
    private var timed: [NodeID] = []

    /// Trees in which something changed since ``takeTouched()``.
    var touched = TouchedTrees()

    /// Whether the reclaiming removes what its search has found.
    var isReclaiming = false

    /// A screen that came in sight, or went out of it, and whose presenter may have to be called.
    struct Sighting: Sendable {
        let screen: NodeID
        /// The sibling that covered it before.
        let former: NodeID?
        /// The origin of the step that did it; 0 if no step did.
        let origin: UInt64
    }

    /// The node in a slot.
    subscript(slot: NodeSlot) -> Node {
        // Not `_read`: in an optimized build, what is taken out of the yielded node is not retained. Inlined, as a call would copy all
        // of a node for one member of it.
        @inline(__always) get { nodes.nodes[slot.index] }
    }

    /// Creates an empty forest below this object path, or below none, with these quotas.
    ///
    /// - Parameter isRecorded: whether the records that change are noted.
    init(base: String?, quotas: Quotas = .service, isRecorded: Bool = true) {
        self.base = base
        nodes = NodeTable(quotas, isRecorded: isRecorded)
    }

    /// The node at this path.
    func node(at path: String) -> NodeID? { slots[path].map { id(of: $0) } }

    /// The live node with this instance; nil if there is none.
    func node(instance: UInt64) -> NodeID? {
        nodes.find(instance: instance).map { id(of: $0) }
    }

    /// The slot of a node; nil if it is no longer live.
    func slot(of id: NodeID) -> NodeSlot? {
        nodes.slot(of: id)
    }

    /// The same for a node that there may be.
    func slot(of id: NodeID?) -> NodeSlot? {
        guard let id else { return nil }
        return nodes.slot(of: id)
    }

    func id(of slot: NodeSlot) -> NodeID {
        nodes.id(of: slot)
    }

    /// The children of a flow, in order; none for a screen. The roots for nil.
    func children(of slot: NodeSlot?) -> [NodeSlot] {
        guard let slot else { return roots }
        return self[slot].flow?.children ?? []
    }

    /// Whether a child of this flow, or a root for nil, will have this id after the planned changes.
    func isTaken(_ id: String, below slot: NodeSlot?, besides planned: SiblingIDs.PlannedIDs) -> Bool {
        guard let slot else { return rootIDs.isTaken(id, besides: planned) }
        return self[slot].flow?.ids.isTaken(id, besides: planned) ?? false
    }

    /// The id for a new child of this name that requests none (S-1).
    func freeID(
        for name: String, below slot: NodeSlot?, besides planned: SiblingIDs.PlannedIDs
    ) -> String {
        guard let slot else { return rootIDs.free(for: name, besides: planned) }
        return self[slot].flow?.ids.free(for: name, besides: planned) ?? name
    }

    /// The path of a child with this id.
    func path(of id: String, below slot: NodeSlot?) -> String {
        Self.path(of: id, below: slot.map { self[$0].path } ?? base)
    }

    /// The path of a child with this id, below that of its parent; nil where the path of a root is its id.
    static func path(of id: String, below above: String?) -> String {
        guard let above else { return id }
        return above + "/" + id
    }

    /// The path of a node's parent; nil for a root.
    func parentPath(of slot: NodeSlot) -> String? {
        guard let parent = self[slot].parent else { return nil }
        return self[parent].path
    }

    /// Adds a node: the newest child of a flow, or the newest root for nil. The id is free among its siblings.
    ///
    /// - Parameter instance: its instance, greater than all before; nil for the next one.
    mutating func insert(_ birth: Birth, below parent: NodeSlot?, instance: UInt64? = nil) -> NodeSlot {
        lastInstance = instance ?? lastInstance + 1
        let slot = nodes.insert(
            birth, path: birth.path ?? path(of: birth.id, below: parent), instance: lastInstance, below: parent)
        slots[self[slot].path] = slot
        if self[slot].flow != nil { named[self[slot].name, default: []].insert(slot) }
        // Where nobody asks, the name need not be at hand.
        if counts != nil { countName(1, of: self[slot].name, self[slot].root, parent) }
        if parent == nil {
            roots.append(slot)
            rootIDs.insert(self[slot].id)
            touch(root: slot)
        }
        return slot
    }

    /// Removes a node and all below it, and returns them in the order of their removal: newest leaf first (S-22).
    mutating func remove(_ slot: NodeSlot) -> [Node] {
        let (parent, id) = (self[slot].parent, self[slot].id)
        if let parent { touch(parent) } else { touch(root: slot) }
        // The removal may free the way for the reclaiming. The reclaiming itself does not.
        if !isReclaiming, parent.map({ self[$0].isLeft }) == true { nodes.noteReclaimChange() }
        if let parent {
            let place = place(of: slot, among: children(of: parent))
            update(parent) { node in
                if let place { node.flow?.children.remove(at: place) }
                node.flow?.kept.selected.removeAll { $0.slot == slot }
                node.flow?.ids.remove(id)
            }
        } else {
            if let place = place(of: slot, among: roots) { roots.remove(at: place) }
            rootIDs.remove(id)
        }
        var gone: [Node] = []
        release(slot, into: &gone)
        // What could be reclaimed may have been below one that could not.
        if !isReclaiming, gone.indices.contains(where: { gone[$0].isReclaimable }) { nodes.noteReclaimChange() }
        return gone
    }

    /// Makes a node the newest of its siblings (S-37), or of the roots (S-41).
    mutating func raise(_ slot: NodeSlot) {
        let siblings = children(of: self[slot].parent)
        guard siblings.last != slot, let place = place(of: slot, among: siblings) else { return }
        lastInstance += 1
        touch(slot)
        if let parent = self[slot].parent {
            update(parent) { node in
                node.flow?.children.remove(at: place)
                node.flow?.children.append(slot)
            }
        } else {
            roots.remove(at: place)
            roots.append(slot)
        }
        update(slot) { [lastInstance] in $0.kept.raised = lastInstance }
    }

    /// Gives a root its former place among the roots, unless another one has that.
    mutating func putBack(_ root: NodeSlot, raised: UInt64) {
        let order = max(self[root].instance, raised)
        guard !roots.contains(where: { $0 != root && self[$0].order == order }) else { return }
        update(root) { $0.kept.raised = raised }
        let sorted = roots.sorted { self[$0].order < self[$1].order }
        roots = sorted
    }

    /// Puts the restored children of a flow, or the roots for nil, in order: they were inserted in the order of their instances.
    mutating func sortChildren(of slot: NodeSlot?) {
        guard children(of: slot).contains(where: { self[$0].raised > 0 }) else { return }
        let sorted = children(of: slot).sorted { self[$0].order < self[$1].order }
        if let slot { update(slot) { $0.flow?.children = sorted } } else { roots = sorted }
        lastInstance = max(lastInstance, sorted.last.map { self[$0].order } ?? 0)
    }

    /// The place of a node among its siblings.
    private func place(of slot: NodeSlot, among siblings: [NodeSlot]) -> Int? {
        let order = self[slot].order
        var (low, high) = (0, siblings.count)
        while low < high {
            let middle = (low + high) / 2
            if self[siblings[middle]].order < order { low = middle + 1 } else { high = middle }
        }
        return low < siblings.count && siblings[low] == slot ? low : nil
    }

    /// Removes all nodes below a flow, newest leaf first.
    mutating func removeChildren(of slot: NodeSlot) -> [Node] {
        nodes.noteReclaimChange()
        touch(slot)
        var gone: [Node] = []
        for child in children(of: slot).reversed() { release(child, into: &gone) }
        update(slot) { node in
            node.flow?.children = []
            node.flow?.kept.selected = []
            node.flow?.ids = SiblingIDs()
        }
        return gone
    }

    /// The recursion is as deep as the tree, which ``Quotas/depth`` limits.
    private mutating func release(_ slot: NodeSlot, into gone: inout [Node]) {
        if self[slot].flow != nil {
            for child in children(of: slot).reversed() { release(child, into: &gone) }
        }
        gone.append(nodes.remove(slot))
        let last = gone.count - 1
        if gone[last].keepsAwake, gone[last].isPresented { countWaker(-1, from: gone[last].parent) }
        if haveTimers, gone[last].flow?.activity.timers.isEmpty == false {
            timed.append(NodeID(slot: slot, instance: gone[last].instance))
        }
        slots[gone[last].path] = nil
        let name = gone[last].name
        if gone[last].flow != nil {
            named[name]?.remove(slot)
            if named[name]?.isEmpty == true { named[name] = nil }
        }
        countName(-1, of: name, gone[last].root, gone[last].parent)
    }
}

// MARK: - Changes

extension Forest {
    /// Changes a node. Dirty records, property changes and the need of another search for reclaiming are derived.
    mutating func update<Result>(_ slot: NodeSlot, _ change: (inout Node) -> Result) -> Result {
        nodes.update(slot, change)
    }

    /// Changes what counts for clients (S-33): the client and arguments of a node, what it triggers when it goes, its saved state, the steps
    /// that wait at it.
    mutating func updateUsage(_ slot: NodeSlot, _ change: (inout Node) -> Void) { nodes.updateUsage(slot, change) }

    /// Notes that the search for presentables to reclaim could have another result.
    mutating func noteReclaimChange() { nodes.noteReclaimChange() }

    /// Sets a flow's latest navigation.
    mutating func setLast(_ last: LastNavigation, of slot: NodeSlot) { nodes.setLast(last, of: slot) }

    /// A client is gone: presentables that it created can be reclaimed from now on.
    mutating func abandonAll(_ client: Client) { nodes.abandonAll(client) }

    /// The usage of clients and users: by nodes, and by calls and steps that wait elsewhere.
    var accounting: Accounting {
        get { nodes.accounting }
        _modify { yield &nodes.accounting }
    }
    /// The number of live flows.
    var flowCount: Int { nodes.flowCount }
    /// The number of live screens.
    var screenCount: Int { nodes.screenCount }
    /// The number of live presentables.
    var count: Int { nodes.count }
    /// The number of slots, including free ones.
    var slotCount: Int { nodes.slotCount }
    /// Counts changes after which the search for presentables to reclaim could have another result (S-33).
    var reclaimChanges: UInt64 { nodes.reclaimChanges }

    /// Notes that a node became presented, for ``takePresented()``.
    mutating func notePresented(_ slot: NodeSlot) {
        becamePresented.append(id(of: slot))
    }

    /// Notes that a screen's presenter may have to be called, for ``takeSightings()``.
    mutating func noteSighting(_ slot: NodeSlot) {
        sightings.append(Sighting(screen: id(of: slot), former: formerCurrent, origin: origin))
    }

    /// Whether a presenter may have to be called.
    var hasSightings: Bool { !sightings.isEmpty }

    /// Takes the live screens whose presenters may have to be called, each once, as noted last; in order.
    mutating func takeSightings() -> [(screen: NodeSlot, sighting: Sighting)] {
        if sightings.isEmpty { return [] }
        defer { sightings.removeAll(keepingCapacity: true) }
        var seen: Set<NodeID> = []
        let last =
            sightings.count == 1
            ? sightings : sightings.reversed().filter { seen.insert($0.screen).inserted }.reversed()
        return last.compactMap { sighting in slot(of: sighting.screen).map { ($0, sighting) } }
    }

    /// Sets whether a screen keeps the flows above it from being idle while it is presented.
    mutating func setKeepsAwake(_ keepsAwake: Bool, of slot: NodeSlot) {
        guard self[slot].keepsAwake != keepsAwake else { return }
        update(slot) { $0.keepsAwake = keepsAwake }
        if self[slot].isPresented { countWaker(keepsAwake ? 1 : -1, from: self[slot].parent) }
    }

    /// Counts a presented screen that keeps a flow awake, and all flows above that: one more (1), or one less (-1).
    mutating func countWaker(_ change: Int, from flow: NodeSlot?) {
        var place = flow
        while let slot = place {
            let isDozing = update(slot) { node in
                node.flow?.wakers += change
                guard node.flow?.wakers == 0 else { return false }
                node.flow?.hasDozed = true
                return true
            }
            if isDozing { timed.append(id(of: slot)) }
            place = self[slot].parent
        }
    }

    /// Notes a flow that is presented, or is no longer, for ``takeTimed()``.
    mutating func noteTimed(_ flow: NodeSlot) {
        if self[flow].flow?.activity.timers.isEmpty == false { timed.append(id(of: flow)) }
    }

    /// Whether there are flows whose timers have to be looked at.
    var hasTimed: Bool { !timed.isEmpty }

    /// Takes the live ones.
    mutating func takeTimed() -> [NodeSlot] {
        if timed.isEmpty { return [] }
        defer { timed = [] }
        return timed.compactMap { slot(of: $0) }
    }

    /// Whether nodes are new, or changed.
    var hasChanges: Bool { !nodes.changed.isEmpty }
    /// Whether nodes became presented.
    var hasPresented: Bool { !becamePresented.isEmpty }

    /// The places of nodes that are new, or changed, since ``forgetChanges()``; some may be gone.
    var changedPlaces: Range<Int> { nodes.changed.indices }

    /// Takes the node at this place, if it is new.
    mutating func takeBorn(at place: Int) -> NodeSlot? { nodes.takeBorn(at: place) }

    /// Takes the new values of the node at this place. Those that are new were taken before.
    mutating func takeChanges(at place: Int) -> PropertyChanges? {
        guard let (slot, reported) = nodes.takeReported(at: place) else { return nil }
        return PropertyChanges(path: self[slot].path, properties(reported.properties, of: slot))
    }

    /// Forgets which nodes are new, or changed.
    mutating func forgetChanges() { nodes.forgetChanges() }

    /// Notes the changes for what is in sight.
    mutating func touchChanged() {
        for node in nodes.changed { if let slot = nodes.slot(of: node) { touch(slot) } }
    }

    /// Takes the nodes that became presented and still are, in order.
    mutating func takePresented() -> [NodeSlot] {
        if becamePresented.isEmpty { return [] }
        defer { becamePresented.removeAll(keepingCapacity: true) }
        return becamePresented.compactMap { slot(of: $0) }.filter { self[$0].isPresented }
    }

    /// The path of the child that covers the others; nil if none does.
    func currentPath(of slot: NodeSlot) -> String? {
        self.slot(of: self[slot].flow?.current).map { self[$0].path }
    }
}

// MARK: - Records

extension Forest {
    /// Which records of nodes are dirty.
    var books: NodeTable.RecordBooks {
        get { nodes.books }
        _modify { yield &nodes.books }
    }

    /// Makes room for this many nodes.
    mutating func reserveRoom(for count: Int) { nodes.reserveRoom(for: count) }

    /// Reserves the instances up to this one.
    mutating func reserve(upTo instance: UInt64) { lastInstance = max(lastInstance, instance) }
}
