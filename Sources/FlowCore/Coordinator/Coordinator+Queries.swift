// What the shell asks without changing anything.

extension Coordinator {
    /// Whether a screen waits for this answer of its presenter; not one that is gone.
    public func isAwaited(_ presentation: QuestionID) -> Bool {
        guard case .presenter(let asked)? = machine.questions[presentation] else { return false }
        return machine.forest.slot(of: asked.screen) != nil
    }

    /// The presentable at the object path that these UTF-8 bytes spell; nil: none is live there.
    public func node(at path: UnsafeRawBufferPointer) -> NodeID? { machine.forest.node(at: path) }

    /// The presentable at this object path; nil: none is live there.
    public func node(at path: String) -> NodeID? { machine.forest.node(at: path) }

    /// Whether a presentable is live.
    public func isLive(_ node: NodeID) -> Bool { machine.forest.slot(of: node) != nil }

    /// The presentable with this instance; nil: it is not live, or never was (S-25).
    public func node(instance: UInt64) -> NodeID? { machine.forest.node(instance: instance) }

    /// A presentable's object path.
    public func path(of node: NodeID) -> String { machine.forest[slot(node)].path }

    /// Whether a presentable is a flow.
    public func isFlow(_ node: NodeID) -> Bool { machine.forest[slot(node)].flow != nil }

    /// The name of the screen or flow.
    public func name(of node: NodeID) -> String { machine.forest[slot(node)].name }

    /// How a presentable is to be shown; empty where nothing is said.
    public func style(of node: NodeID) -> String { machine.forest[slot(node)].style }

    /// A presentable's arguments, without private ones.
    public func arguments(of node: NodeID) -> Arguments { machine.forest[slot(node)].arguments.broadcastable }

    /// Whether who shows a presentable says that it is shown (S-14).
    public func isVisible(_ node: NodeID) -> Bool { machine.forest[slot(node)].isVisible }

    /// Whether a presentable is visible, not covered, and in a presented parent (S-14).
    public func isPresented(_ node: NodeID) -> Bool { machine.forest[slot(node)].isPresented }

    /// Whether a flow is ready (S-26); nil for a screen.
    public func isReady(_ node: NodeID) -> Bool? { machine.forest[slot(node)].flow?.isReady }

    /// A flow's latest navigation; nil where there was none.
    public func lastNavigation(of node: NodeID) -> LastNavigation? { machine.forest[slot(node)].flow?.last }

    /// Where a presentable is that was looked up just now.
    ///
    /// - Precondition: it is live; nothing was handled since it was found.
    private func slot(_ node: NodeID) -> NodeSlot {
        guard let slot = machine.forest.slot(of: node) else {
            preconditionFailure("the presentable of instance \(node.instance) is not live any more")
        }
        return slot
    }

    /// The parent's path; nil for a root.
    public func parentPath(of node: NodeID) -> String? {
        guard let slot = machine.forest.slot(of: node), let parent = machine.forest[slot].parent else { return nil }
        return machine.forest[parent].path
    }

    /// The path of the child that covers the others (S-14); nil where none does.
    public func currentPath(of node: NodeID) -> String? {
        machine.forest.slot(of: node).flatMap { machine.forest.currentPath(of: $0) }
    }

    /// The name of a flow's definition; nil for a screen.
    public func definitionName(of node: NodeID) -> String? {
        guard let slot = machine.forest.slot(of: node), let flow = machine.forest[slot].flow else { return nil }
        return definitions.flows[flow.definition.index].name
    }

    /// The names of the steps that a presentable's flow has a rule for, sorted.
    public func acceptedSteps(of node: NodeID) -> [String] {
        guard let slot = machine.forest.slot(of: node) else { return [] }
        let flow = machine.forest[slot].flow == nil ? machine.forest[slot].parent ?? slot : slot
        let definition = definitions[machine.definition(of: flow)]
        if let navigator = definition.navigator { return navigator.steps.map { definitions[$0].name }.sorted() }
        return definition.rules.map { definitions[$0.step].name }.sorted()
    }

    /// Who owns a presentable (S-29); nil: nobody.
    public func owner(of node: NodeID) -> Client? { machine.forest[slot(node)].owner }

    /// The bus name of who is asked to show a screen; empty: nobody in particular.
    public func presenterName(of node: NodeID) -> String {
        machine.forest[slot(node)].presenting?.presenter.service.name ?? ""
    }

    /// What a client owns, parents before children.
    public func presentables(ownedBy client: Client) -> [(path: String, instance: UInt64)] {
        machine.forest.preorder().filter { machine.forest[$0].owner == client }.map {
            (machine.forest[$0].path, machine.forest[$0].instance)
        }
    }

    /// The paths of a presentable's children in creation order, the roots' for nil.
    public func childPaths(of node: NodeID?) -> [String] {
        let slot: NodeSlot?
        if let node {
            guard let live = machine.forest.slot(of: node) else { return [] }
            slot = live
        } else {
            slot = nil
        }
        return machine.forest.children(of: slot).map { machine.forest[$0].path }
    }

    /// The paths of all presentables, parents before children, children in creation order.
    public var paths: [String] { machine.forest.preorder().map { machine.forest[$0].path } }

    /// How many flows are live.
    public var flowCount: Int { machine.forest.flowCount }
    /// How many screens are live.
    public var screenCount: Int { machine.forest.screenCount }
}
