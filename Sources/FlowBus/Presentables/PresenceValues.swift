/// The values of a ``Presence``, from the creation of the sequence on; for one task.
///
/// Values are kept until they are read, the 4,096 newest (``BufferingPolicy/standardCount``) unless ``buffering(_:)`` says otherwise:
///
/// ```swift
/// // Whoever reads this learns how it is, and not what was in between.
/// let visible = presence.visible.buffering(.bufferingNewest(1))
/// ```
public struct PresenceValues<Element: Sendable>: AsyncSequence, Sendable {
    /// What a change is to a sequence.
    enum Meaning {
        case nothing
        case value(Element)
        case last(Element)
        case end
    }

    /// The source. A coordinator subscribes to it, so that it gets a change immediately and not when a task is
    /// scheduled.
    let presence: Presence
    private let first: @FlowActor @Sendable (Presence) -> [Element]
    private let meaning: @FlowActor @Sendable (Presence.Change) -> Meaning
    private let inbox: Inbox<Element>

    @FlowActor
    init(
        _ presence: Presence, _ policy: BufferingPolicy = .bufferingNewest(BufferingPolicy.standardCount),
        first: @escaping @FlowActor @Sendable (Presence) -> [Element],
        meaning: @escaping @FlowActor @Sendable (Presence.Change) -> Meaning
    ) {
        (self.presence, self.first, self.meaning) = (presence, first, meaning)
        let inbox = Inbox<Element>(policy)
        self.inbox = inbox
        for value in first(presence) { inbox.send(value) }
        inbox.fill(
            from: presence.subscribe { [weak inbox] change in
                switch meaning(change) {
                case .nothing: break
                case .value(let value): inbox?.send(value)
                case .last(let value):
                    inbox?.send(value)
                    inbox?.send(nil)
                case .end: inbox?.send(nil)
                }
            })
    }

    /// Returns a sequence of the same values, beginning with the current one, that keeps others of them until they are read.
    ///
    /// - Parameter policy: those that it keeps.
    /// - Returns: The sequence.
    @FlowActor
    public func buffering(_ policy: BufferingPolicy) -> PresenceValues<Element> {
        PresenceValues(presence, policy, first: first, meaning: meaning)
    }

    /// The number of values that were lost so far, because they were not read in time.
    @FlowActor
    public var lostCount: Int { inbox.lostCount }

    /// Returns an iterator over the values.
    ///
    /// - Returns: The iterator.
    public func makeAsyncIterator() -> Iterator { Iterator(inbox: inbox) }

    /// Reads the values.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let inbox: Inbox<Element>

        /// Waits for the next value.
        ///
        /// - Parameter actor: the actor that waits.
        /// - Returns: The value; nil after the end, or if the task was cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? { await inbox.next() }
    }
}
