// Who covers whom, and who is presented (S-14).
//
// `isPresented` and `current` follow from the visible flags, the order of the children and the selections. They are kept
// in the nodes, as every step from outside asks for one; whoever changes the tree calls `settle` for the flow whose
// children changed, once all its changes are made, so that nobody is told of a state that lasts for no time.

extension Forest {
    /// Sets a presentable's visible flag; showing a tab selects it unless told otherwise, also when it was visible already.
    mutating func setVisible(_ slot: Int, _ isVisible: Bool, selects: Bool = true) {
        if nodes[slot].isVisible != isVisible {
            nodes[slot].isVisible = isVisible
            note(.visible, of: slot)
        }
        let parent = nodes[slot].parent
        if isVisible, selects, let parent, nodes[parent].flow?.covering == .tabs {
            select(slot, of: parent)
        }
        updateVisibility(parent, touching: slot)
    }

    /// Brings what follows from the tree up to date below a flow whose children changed; for nil, at one root.
    mutating func updateVisibility(_ parent: Int?, touching root: Int? = nil) {
        guard let parent else {
            if let root { present(root, isCovered: false, inPresented: true) }
            return
        }
        cover(parent)
        presentChildren(of: parent)
    }

    /// Brings everything up to date after who covers whom changed in many places. That comes first, so that nothing is
    /// taken as presented on the way there (S-16).
    mutating func updateAllVisibility() {
        let all = preorder()
        for slot in all { cover(slot) }
        for slot in all {
            guard let parent = nodes[slot].parent else {
                present(slot, isCovered: false, inPresented: true)
                continue
            }
            present(slot, isCovered: isCovered(slot, in: nodes[parent].flow), inPresented: nodes[parent].isPresented)
        }
    }

    /// Brings up to date which child covers the others.
    private mutating func cover(_ parent: Int) {
        guard let flow = nodes[parent].flow else { return }
        if flow.covering == .tabs, flow.selected.isEmpty, let oldest = flow.children.first {
            select(oldest, of: parent)
        }
        let current: Int? =
            switch flow.covering {
            case .free: nil
            case .stack: flow.children.last
            case .tabs: nodes[parent].flow?.selected.last
            }
        let now = current.map(id(of:))
        if now != flow.current {
            nodes[parent].flow?.current = now
            note(.current, of: parent)
        }
    }

    /// Brings up to date whether a node is presented, and all below it where that changed.
    private mutating func present(_ slot: Int, isCovered: Bool, inPresented parentIsPresented: Bool) {
        let isInSight = !isCovered && parentIsPresented
        if isInSight != nodes[slot].isInSight {
            nodes[slot].isInSight = isInSight
            if isInSight, nodes[slot].presenting?.state == .due { noteInSight(slot) }
        }
        let isPresented = nodes[slot].isVisible && isInSight
        guard isPresented != nodes[slot].isPresented else { return }
        nodes[slot].isPresented = isPresented
        if nodes[slot].isLeft { noteRoom() }
        note(.presented, of: slot)
        if isPresented { notePresented(slot) }
        presentChildren(of: slot)
    }

    private mutating func presentChildren(of parent: Int) {
        guard let flow = nodes[parent].flow else { return }
        let isPresented = nodes[parent].isPresented
        for child in flow.children {
            present(child, isCovered: isCovered(child, in: flow), inPresented: isPresented)
        }
    }

    private func isCovered(_ child: Int, in flow: Node.FlowState?) -> Bool {
        flow?.current.map { $0 != id(of: child) } ?? false
    }

    /// With tabs, selects a child.
    mutating func select(_ child: Int, of parent: Int) {
        guard nodes[parent].flow?.selected.last != child else { return }
        nodes[parent].flow?.selected.removeAll { $0 == child }
        nodes[parent].flow?.selected.append(child)
        touch(parent)
    }
}
