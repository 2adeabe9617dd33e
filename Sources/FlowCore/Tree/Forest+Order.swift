// The orders in which presentables are visited.

extension Forest {
    /// A presentable and all below it, newest leaf first: in the order of their removal (S-22).
    func postorder(_ slot: NodeSlot) -> [NodeSlot] {
        var order: [NodeSlot] = []
        appendPostorder(slot, to: &order)
        return order
    }

    private func appendPostorder(_ slot: NodeSlot, to order: inout [NodeSlot]) {
        for child in children(of: slot).reversed() { appendPostorder(child, to: &order) }
        order.append(slot)
    }

    /// All live nodes, parents before children, children in order.
    func preorder() -> [NodeSlot] {
        var order: [NodeSlot] = []
        order.reserveCapacity(count)
        var ahead = Array(roots.reversed())
        while let slot = ahead.popLast() {
            order.append(slot)
            // Most have none.
            guard let flow = self[slot].flow, !flow.children.isEmpty else { continue }
            ahead.append(contentsOf: flow.children.reversed())
        }
        return order
    }

    /// The highest of some screens in sight.
    func highest(of screens: [NodeSlot]) -> NodeSlot? {
        if screens.count < 2 { return screens.first }
        let wanted = Set(screens)
        return screensInSight(on: "").last { wanted.contains($0) }
    }
}
