// What the shell asks without changing anything.

extension FlowCoordinator {
    /// The presentable at the object path that these UTF-8 bytes spell; nil: none is live there.
    public func node(at path: UnsafeRawBufferPointer) -> NodeID? { forest.node(at: path) }

    /// The presentable at this object path; nil: none is live there.
    public func node(at path: String) -> NodeID? { forest.node(at: path) }

    /// A presentable that was looked up just now. Read in place: a node is too large to be copied for one property.
    ///
    /// - Precondition: it is live; nothing was handled since it was found.
    public subscript(node: NodeID) -> Node {
        _read {
            guard let slot = forest.slot(of: node) else {
                preconditionFailure("the presentable of instance \(node.instance) is not live any more")
            }
            yield forest[slot]
        }
    }

    /// The parent's path; nil for a root.
    public func parentPath(of node: NodeID) -> String? {
        guard let slot = forest.slot(of: node), let parent = forest[slot].parent else { return nil }
        return forest[parent].path
    }

    /// The path of the child that covers the others (S-14); nil where none does.
    public func currentPath(of node: NodeID) -> String? {
        forest.slot(of: node).flatMap { forest.currentPath(of: $0) }
    }

    /// The name of a flow's definition; nil for a screen.
    public func definitionName(of node: NodeID) -> String? {
        guard let slot = forest.slot(of: node), let flow = forest[slot].flow else { return nil }
        return definitions.flows[flow.definition.index].name
    }

    /// The names of the steps that a presentable's flow has a rule for, sorted.
    public func acceptedSteps(of node: NodeID) -> [String] {
        guard let slot = forest.slot(of: node) else { return [] }
        let flow = forest[slot].flow == nil ? forest[slot].parent ?? slot : slot
        return definitions.flows[definition(of: flow).index].rules.map { definitions.steps[$0.step.index].name }
    }

    /// The paths of a presentable's children in creation order, the roots' for nil.
    public func childPaths(of node: NodeID?) -> [String] {
        let slot: Int?
        if let node {
            guard let live = forest.slot(of: node) else { return [] }
            slot = live
        } else {
            slot = nil
        }
        return forest.children(of: slot).map { forest[$0].path }
    }

    /// The paths of all presentables, parents before children, children in creation order.
    public var paths: [String] { forest.preorder().map { forest[$0].path } }

    /// How many flows are live.
    public var flowCount: Int { forest.flowCount }
    /// How many screens are live.
    public var screenCount: Int { forest.screenCount }
}
