// A client that may handle a presentable says whether it is shown (S-14).

extension Machine {
    /// A client says that a presentable is shown, or is not, and what else it knows of a screen.
    mutating func setVisible(
        _ node: NodeID, _ isVisible: Bool, _ report: ScreenReport, by client: Client, _ request: RequestID,
        _ turn: inout Turn
    ) {
        guard let slot = slot(of: node, handledBy: client, report, request, &turn) else { return }
        // It was evicted, and still shows the screen for a moment (S-44).
        if hasLeft(slot, client), presenter(calledFor: slot) == nil { return turn.answer = .reply(request, .done) }
        var report = report
        report.isVisible = isVisible
        take(report, of: slot, &turn)
        triggerPresented(&turn)
        turn.answer = .reply(request, .done)
    }

    /// The slot of a presentable that a client may show, hide and dismiss; nil if the call was refused.
    private mutating func slot(
        of node: NodeID, handledBy client: Client, _ report: ScreenReport, _ request: RequestID, _ turn: inout Turn
    ) -> NodeSlot? {
        guard let slot = forest.slot(of: node) else {
            refuseGone(request, &turn)
            return nil
        }
        do throws(FlowError) {
            try checkHandling(slot, client)
            if report != ScreenReport() {
                try checkIsOwned(slot, by: client, to: "have more reported than whether it is visible")
                try check(report)
            }
        } catch {
            turn.answer = .fail(request, error)
            return nil
        }
        return slot
    }
}
