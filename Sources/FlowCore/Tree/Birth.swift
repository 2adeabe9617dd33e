extension Forest {
    /// The initial values of a node.
    struct Birth: HasNodeTraits, Sendable {
        private(set) var traits: NodeTraits
        /// The state of a flow; nil for a screen.
        let flow: Boxed<Node.FlowState>?
        let onDismissed: StepTemplate?
        let onResult: OnResult?
        let presenting: Boxed<Node.Presenting>?
        let savedState: Arguments
        /// Its path, if that was made before.
        var path: String?
        /// The bytes of arguments that it adds (``Node/byteCount``).
        let byteCount: Int

        init(
            traits: NodeTraits, flow: Boxed<Node.FlowState>? = nil, onDismissed: StepTemplate? = nil,
            onResult: OnResult? = nil, presenting: Boxed<Node.Presenting>? = nil, savedState: Arguments = [],
            path: String? = nil
        ) {
            self.traits = traits
            self.flow = flow
            self.onDismissed = onDismissed
            self.onResult = onResult
            self.presenting = presenting
            self.savedState = savedState
            self.path = path
            byteCount =
                traits.arguments.byteCount + savedState.byteCount + (onDismissed?.byteCount ?? 0)
                + (onResult?.byteCount ?? 0)
        }

        /// The same child, given new arguments before it is made (S-19).
        func reused(with arguments: Arguments, _ onResult: OnResult?, hasInitial: Bool) -> Birth {
            var (traits, flow) = (traits, flow)
            traits.arguments = arguments
            // The last contribution decides whether there is an initial step to wait for (S-26).
            flow?.readiness = hasInitial ? .awaitingStep : .ready
            return Birth(
                traits: traits, flow: flow, onDismissed: onDismissed, onResult: onResult, presenting: presenting,
                savedState: savedState, path: path)
        }
    }
}
