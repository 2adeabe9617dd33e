/// Flows that may be empty (S-36), and what emptied them.
///
/// A flow is noted when it loses its last child, and when a step of its birth is not navigated. It is due then, and again
/// whenever a step that it waited for has ended. It stays noted until it is gone, has a child, or may stay without one: so long it has the
/// cause (``Node/KeptFlow``).
struct EmptyFlows: Sendable {
    /// What emptied a flow: its `onDismissed` has the origin, cause and sender of that.
    struct Cause: Equatable, Sendable {
        var origin: UInt64
        /// The serial of the navigation; 0 if there was none.
        var cause: UInt64
        var client: Client
        var fault: Fault?
        /// Whether the user closed the last window of a program that knows nothing of flowbus.
        var isClosed = false
    }

    /// The flows to look at; some may be gone.
    private var due: [NodeID] = []

    /// Whether a flow has to be looked at.
    var hasDue: Bool { !due.isEmpty }

    /// A flow was noted, or is and has a child, or a step that it waited for has ended.
    mutating func touch(_ flow: NodeID) { due.append(flow) }

    /// Takes the flows to look at.
    mutating func takeDue() -> [NodeID] {
        if due.isEmpty { return [] }
        defer { due.removeAll(keepingCapacity: true) }
        return due
    }
}
