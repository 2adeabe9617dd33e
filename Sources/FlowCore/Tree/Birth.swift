extension Forest {
    /// The initial values of a node.
    struct Birth: HasKept, Sendable {
        var kept: Node.Kept
        /// The state of a flow; nil for a screen.
        var flow: Boxed<Node.FlowState>?
        var presenting: Boxed<Node.Presenting>?
        var savedState: Arguments = []
        /// Its path, if that was made before.
        var path: String?

        /// The bytes of arguments that it adds (``Node/byteCount``).
        var byteCount: Int { kept.byteCount + savedState.byteCount }

        /// The same child, given new arguments before it is made (S-19).
        func reused(
            with arguments: Arguments, _ onResult: Node.OnResult?, hasInitial: Bool, layer: String?, style: String?
        ) -> Birth {
            var reused = self
            reused.kept.arguments = arguments
            if let layer { reused.kept.layer = layer }
            if let style { reused.kept.style = style }
            reused.kept.onResult = onResult.map { Boxed($0) }
            // The last contribution decides whether there is an initial step to wait for (S-26).
            reused.flow?.kept.readiness = hasInitial ? .awaitingStep : .ready
            return reused
        }
    }
}
