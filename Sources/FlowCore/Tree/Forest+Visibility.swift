// Which child covers the others, and what is presented (S-14).
//
// `isPresented` and `current` follow from the visible flags, the order of the children and the selections. They are stored
// in the nodes, because every step from outside needs one. Code that changes the tree calls `updateVisibility` for the flow
// whose children changed, once after all changes, so that no intermediate state is reported.

extension Forest {
    /// Sets a presentable's visible flag. Showing a tab selects it unless `selects` is false, even if it was visible
    /// already.
    mutating func setVisible(_ slot: NodeSlot, _ isVisible: Bool, selects: Bool = true) {
        update(slot) { node in
            node.kept.isVisible = isVisible
            node.kept.isHiddenByRule = false
        }
        if isVisible, selects, let parent = self[slot].parent, self[parent].flow?.covering == .tabs {
            select(slot, of: parent)
        }
        updateVisibility(below: self[slot].parent, changed: [slot])
    }

    /// Updates `current` and `isPresented` below a flow, or of the roots for nil: these were added or changed, and others may have
    /// been removed.
    mutating func updateVisibility(below parent: NodeSlot?, changed: [NodeSlot]) {
        guard let parent else {
            if fronts.isEmpty, changed.allSatisfy({ self[$0].output.isEmpty }) {
                for root in changed { present(root, isCovered: false, inPresented: true) }
            } else {
                coverRoots(changed: changed)
            }
            return
        }
        updateChildren(of: parent, changed: changed)
        let root = self[parent].root
        if !self[root].output.isEmpty { coverRoots() }
    }

    /// Where one child covers all others, or none does, the others stay as they are. They are not looked at, as there can be very
    /// many.
    private mutating func updateChildren(of parent: NodeSlot, changed: [NodeSlot]) {
        let former = self[parent].flow?.current
        // Nobody covers anybody.
        if former == nil, self[parent].flow?.covering == .free { return present(changed, of: parent) }
        cover(parent)
        let current = self[parent].flow?.current
        if self[parent].flow?.covering == .layers {
            if current == former, changed.isEmpty { return }
            if current != former { formerCurrent = former }
            presentChildren(of: parent)
            formerCurrent = nil
            return
        }
        var affected = changed
        if current != former {
            formerCurrent = former
            affected += [slot(of: former), current?.slot].compactMap(\.self).filter { !changed.contains($0) }
        }
        present(affected, of: parent)
        formerCurrent = nil
    }

    /// Updates whether some children of a flow are presented, the oldest first.
    private mutating func present(_ children: [NodeSlot], of parent: NodeSlot) {
        for child in children.sorted(by: { self[$0].order < self[$1].order }) { presentChild(child, of: parent) }
    }

    /// Updates them everywhere. `current` comes first, so that no presentable counts as presented in between (S-16).
    mutating func updateAllVisibility() {
        let all = preorder()
        var formers: [NodeSlot: NodeID] = [:]
        for slot in all {
            let former = self[slot].flow?.current
            cover(slot)
            if let former, former != self[slot].flow?.current { formers[slot] = former }
        }
        fronts = self.frontRoots()
        defer { formerCurrent = nil }
        for slot in all {
            guard let parent = self[slot].parent else {
                present(slot, isCovered: isCovered(slot), inPresented: true)
                continue
            }
            formerCurrent = formers[parent]
            presentChild(slot, of: parent)
        }
    }

    /// Updates which child covers the others.
    private mutating func cover(_ parent: NodeSlot) {
        guard let covering = self[parent].flow?.covering else { return }
        if covering == .tabs, self[parent].flow?.kept.selected.isEmpty == true,
            let oldest = self[parent].flow?.children.first
        {
            select(oldest, of: parent)
        }
        let current: NodeSlot? =
            switch covering {
            case .free: nil
            case .stack: self[parent].flow?.children.last
            case .tabs: self[parent].flow?.kept.selected.last?.slot
            case .layers: front(of: parent)
            }
        let now = current.map { id(of: $0) }
        if now != self[parent].flow?.current { update(parent) { $0.flow?.current = now } }
    }

    /// Updates whether a node is presented, and the nodes below it if that changed.
    private mutating func present(_ slot: NodeSlot, isCovered: Bool, inPresented parentIsPresented: Bool) {
        let isInSight = !isCovered && parentIsPresented
        if isInSight != self[slot].isInSight {
            update(slot) { node in
                node.isInSight = isInSight
                node.presenting?.kept.isSpared = false
            }
            if self[slot].presenting != nil { noteSighting(slot) }
        }
        let isPresented = self[slot].isVisible && isInSight
        guard isPresented != self[slot].isPresented else { return }
        update(slot) { $0.isPresented = isPresented }
        if self[slot].keepsAwake { countWaker(isPresented ? 1 : -1, from: self[slot].parent) }
        if isPresented { notePresented(slot) }
        if haveTimers { noteTimed(slot) }
        presentChildren(of: slot)
    }

    private mutating func presentChildren(of parent: NodeSlot) {
        for child in children(of: parent) { presentChild(child, of: parent) }
    }

    private mutating func presentChild(_ child: NodeSlot, of parent: NodeSlot) {
        visits &+= 1
        present(child, isCovered: isCovered(child), inPresented: self[parent].isPresented)
    }

    /// Whether a sibling covers a presentable, or a higher root on its output covers a root.
    private func isCovered(_ child: NodeSlot) -> Bool {
        guard let parent = self[child].parent else {
            return fronts[self[child].output].map { self[child].order < self[$0.slot].order } ?? false
        }
        guard let current = self[parent].flow?.current, current != id(of: child) else { return false }
        guard self[parent].flow?.covering == .layers else { return true }
        let (own, front) = (layer(of: child, below: parent), layer(of: current.slot, below: parent))
        return own < front || (own == front && self[child].order < self[current.slot].order)
    }

    /// The path of the sibling, or of the root on the same output, that covers a presentable; nil if none does.
    func pathCovering(_ slot: NodeSlot) -> String? {
        guard isCovered(slot) else { return nil }
        guard let parent = self[slot].parent else { return fronts[self[slot].output].map { self[$0.slot].path } }
        return currentPath(of: parent)
    }

    /// The newest visible child of the highest layer that covers others and has one (S-37).
    private func front(of parent: NodeSlot) -> NodeSlot? {
        let layers = self[parent].flow?.layers ?? []
        var front: (layer: Int, child: NodeSlot)?
        for child in children(of: parent) where self[child].isVisible {
            let layer = layer(of: child, below: parent)
            guard layers.isEmpty || layers[layer].covers else { continue }
            if front.map({ $0.layer <= layer }) ?? true { front = (layer, child) }
        }
        return front?.child
    }

    /// The presented children in layers that cover nothing, above the one that covers the others; the highest first (S-24).
    func uncoveringFlows(of parent: NodeSlot) -> [NodeSlot] {
        guard let flow = self[parent].flow, flow.layers.contains(where: { !$0.covers }) else { return [] }
        let above = flow.children.filter { child in
            let layer = layer(of: child, below: parent)
            return self[child].isPresented && self[child].flow != nil && !flow.layers[layer].covers
        }
        return above.sorted { one, other in
            let (layer, otherLayer) = (self.layer(of: one, below: parent), self.layer(of: other, below: parent))
            return layer == otherLayer ? self[one].order > self[other].order : layer > otherLayer
        }
    }

    /// The place of a child's layer; the lowest if its layer is gone.
    private func layer(of child: NodeSlot, below parent: NodeSlot) -> Int {
        let name = self[child].layer
        return name.isEmpty ? 0 : self[parent].flow?.layers.firstIndex { $0.name == name } ?? 0
    }

    /// Whether a child stands in the layer of this name.
    func isIn(_ layer: String, _ child: NodeSlot, below parent: NodeSlot) -> Bool {
        let place = self[parent].flow?.layers.firstIndex { $0.name == layer } ?? 0
        return place == self.layer(of: child, below: parent)
    }

    /// Selects a child among tabs.
    mutating func select(_ child: NodeSlot, of parent: NodeSlot) {
        let id = id(of: child)
        guard self[parent].flow?.kept.selected.last != id else { return }
        update(parent) { node in
            node.flow?.kept.selected.removeAll { $0 == id }
            node.flow?.kept.selected.append(id)
        }
    }
}

// MARK: - Roots of one output (S-41)

extension Forest {
    /// Updates which root of each output covers the lower ones, and what is presented: where that changed, and on the outputs of these
    /// roots, whose order may be another one.
    private mutating func coverRoots(changed: [NodeSlot] = []) {
        let former = fronts
        fronts = frontRoots()
        let outputs = Set(changed.map { self[$0].output })
        if fronts == former, outputs.isEmpty { return }
        for root in roots {
            let output = self[root].output
            guard former[output] != fronts[output] || outputs.contains(output) else { continue }
            formerCurrent = former[output]
            present(root, isCovered: isCovered(root), inPresented: true)
        }
        formerCurrent = nil
    }

    /// The highest root of each output that covers others and shows something.
    private func frontRoots() -> [String: NodeID] {
        var fronts: [String: NodeID] = [:]
        for root in roots.reversed() {
            let output = self[root].output
            if !output.isEmpty, fronts[output] == nil, self[root].flow?.covers == true, showsSomething(root) {
                fronts[output] = id(of: root)
            }
        }
        return fronts
    }

    /// Whether a screen would be in sight below a flow if the flow was; also one that waits for its program.
    private func showsSomething(_ slot: NodeSlot) -> Bool {
        guard let flow = self[slot].flow else { return true }
        return self[slot].isVisible && flow.children.contains { !isCovered($0) && showsSomething($0) }
    }

    /// The roots on an output, the lowest first.
    func roots(on output: String) -> [NodeSlot] { roots.filter { self[$0].output == output } }
}

// MARK: - What is in sight

extension Forest {
    /// The screens in sight, from the lowest to the highest, of the roots on an output; of all roots if it is empty (S-38).
    func screensInSight(on output: String) -> [NodeSlot] {
        var found: [NodeSlot] = []
        for root in roots.reversed() where output.isEmpty || self[root].output == output {
            addScreensInSight(root, to: &found)
        }
        return found.reversed()
    }

    /// The screens in sight below a flow, from the lowest to the highest.
    func screensInSight(below slot: NodeSlot) -> [NodeSlot] {
        var found: [NodeSlot] = []
        addScreensInSight(slot, to: &found)
        return found.reversed()
    }

    /// Adds the screens in sight below a presentable, the highest first, until there are so many.
    ///
    /// The recursion is as deep as the tree, which ``Quotas/depth`` limits.
    func addScreensInSight(_ slot: NodeSlot, to found: inout [NodeSlot], atMost limit: Int = .max) {
        guard self[slot].isInSight, found.count < limit else { return }
        guard let flow = self[slot].flow else { return found.append(slot) }
        // Nothing below a hidden flow is in sight.
        guard self[slot].isPresented else { return }
        switch flow.covering {
        case .stack, .tabs:
            // There can be very many, and one is in sight.
            if let current = self.slot(of: flow.current) { addScreensInSight(current, to: &found, atMost: limit) }
        case .free:
            for child in flow.children.reversed() where found.count < limit {
                addScreensInSight(child, to: &found, atMost: limit)
            }
        case .layers:
            for layer in (0..<max(1, flow.layers.count)).reversed() {
                for child in flow.children.reversed() where self.layer(of: child, below: slot) == layer {
                    addScreensInSight(child, to: &found, atMost: limit)
                }
            }
        }
    }

    /// The layer of the root's child above a screen, or the child itself; empty if the root has no layers (S-37).
    func layerOfRoot(above screen: NodeSlot) -> String {
        let root = self[screen].root
        guard let flow = self[root].flow, flow.covering == .layers else { return "" }
        var slot = screen
        while let parent = self[slot].parent, parent != root { slot = parent }
        let layer = layer(of: slot, below: root)
        return flow.layers.indices.contains(layer) ? flow.layers[layer].name : ""
    }
}
