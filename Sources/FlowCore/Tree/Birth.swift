extension Forest {
    /// The initial values of a node. An object, because a struct of this size is copied wherever it is looked at.
    final class Birth: HasNodeTraits {
        var traits: NodeTraits
        /// The state of a flow; nil for a screen.
        var flow: Boxed<Node.FlowState>?
        let onDismissed: StepTemplate?
        var onResult: OnResult?
        let presenting: Boxed<Node.Presenting>?
        let savedState: Arguments
        /// Its path, if that was made before.
        let path: String?

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
        }

        /// The bytes of arguments that it adds (``Node/byteCount``).
        var byteCount: Int {
            arguments.byteCount + savedState.byteCount + (onDismissed?.byteCount ?? 0) + (onResult?.byteCount ?? 0)
        }
    }
}
