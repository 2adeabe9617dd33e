internal import FlowBus

/// The watch whose events a sequence has.
@FlowActor
final class WeakWatch {
    weak var watch: TreeWatch?
}

/// The events of ``NavigationBus/watch(_:buffering:)``; for one task.
///
/// The sequence keeps the connection alive. It ends when the task that reads it is cancelled.
public struct TreeEvents: AsyncSequence, Sendable {
    private let inbox: Inbox<TreeEvent>

    init(_ inbox: Inbox<TreeEvent>) { self.inbox = inbox }

    /// The number of events that were lost so far, because they were not read in time.
    @FlowActor
    public var lostCount: Int { inbox.lostCount }

    /// Returns an iterator over the events.
    ///
    /// - Returns: The iterator.
    public func makeAsyncIterator() -> Iterator { Iterator(inbox: inbox) }

    /// Reads the events.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let inbox: Inbox<TreeEvent>

        /// Waits for the next event.
        ///
        /// - Parameter actor: the actor that waits.
        /// - Returns: The event; nil after the end, or if the task was cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> TreeEvent? { await inbox.next() }
    }
}
