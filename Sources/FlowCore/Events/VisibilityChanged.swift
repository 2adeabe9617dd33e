// A client that may handle a presentable says whether it is shown (S-14).

extension Machine {
    /// A client says that a presentable is shown, or is not.
    mutating func setVisible(
        _ node: NodeID, _ isVisible: Bool, by client: Client, _ request: RequestID, _ turn: inout Turn
    ) {
        guard let slot = slot(of: node, handledBy: client, request, &turn) else { return }
        // It was evicted, and still shows the screen for a moment (S-44).
        if hasLeft(slot, client), presenter(calledFor: slot) == nil { return turn.answer = .reply(request, .done) }
        // The first report after a call selects no tab: the user may have chosen another one meanwhile (S-50).
        let isLate = forest[slot].presenting?.kept.isExpected == true
        forest.setVisible(slot, isVisible, selects: !isLate)
        if isVisible {
            if isLate { forest.update(slot) { $0.presenting?.kept.isExpected = false } }
            endTiming(slot, &turn)
        }
        reportChanges(&turn)
        triggerPresented(&turn)
        turn.answer = .reply(request, .done)
    }

    /// The slot of a presentable that a client may show, hide and dismiss; nil if the call was refused.
    private mutating func slot(
        of node: NodeID, handledBy client: Client, _ request: RequestID, _ turn: inout Turn
    ) -> NodeSlot? {
        guard let slot = forest.slot(of: node) else {
            refuseGone(request, &turn)
            return nil
        }
        do throws(FlowError) {
            try checkHandling(slot, client)
        } catch {
            turn.answer = .fail(request, error)
            return nil
        }
        return slot
    }
}
