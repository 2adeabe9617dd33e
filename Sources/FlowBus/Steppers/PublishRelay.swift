/// Sends values to its current subscribers: RxRelay's PublishRelay.
///
/// Values are delivered in the order in which they were accepted, before ``accept(_:)`` returns. There is one exception: a
/// subscriber that accepts a value while it receives another one continues first; the new value is delivered when all
/// subscribers have received the other one.
///
/// Values that are accepted before the first subscription are kept for it, the 64 newest unless the relay is created with another
/// policy: a view model that emits in its initializer loses nothing.
@FlowActor
public final class PublishRelay<Element: Sendable>: Sendable {
    private let listeners = Listeners<Element>()
    /// Keeps the values that are accepted before the first subscription; nil after it.
    private var early: EarlyValues<Element>?
    /// The number of values that were lost before the first subscription.
    public private(set) var lostCount = 0
    /// What a subscriber can take before the values.
    private var initial: (@FlowActor () -> [Element])?
    /// How often they were taken by a subscriber that has not been announced yet.
    private var takenCount = 0

    /// Creates a relay without subscribers.
    ///
    /// - Parameter bufferingPolicy: which values are kept that are accepted before the first subscription.
    public init(bufferingPolicy: BufferingPolicy = .bufferingNewest(64)) { early = EarlyValues(bufferingPolicy) }

    /// Sends a value to the subscribers.
    ///
    /// - Parameter value: the value.
    public func accept(_ value: Element) {
        // Values are kept until someone listens. Whether someone does is quicker to find out than whether values are kept.
        guard listeners.isEmpty, early != nil else { return listeners.notify(value) }
        if early?.append(value) == false { lostCount += 1 }
    }

    /// The values from now on, for one task: `for await step in relay.values { … }`.
    public var values: RelayValues<Element> { RelayValues(self) }

    /// Subscribes to the values. The first subscriber gets those that were accepted before.
    ///
    /// - Parameter onNext: receives each value, before ``accept(_:)`` returns.
    /// - Returns: The subscription, which ends when it is deallocated.
    public func subscribe(onNext: @escaping @FlowActor (Element) -> Void) -> Subscription {
        Subscription(add(onNext))
    }

    /// The same for a subscriber that ends the subscription itself.
    func add(_ onNext: @escaping @FlowActor (Element) -> Void) -> Subscription.Place {
        guard let kept = early.take(), !kept.isEmpty else { return listeners.add(onNext) }
        return listeners.add(first: kept.values.all, onNext)
    }

    // MARK: Initial values

    /// Has values that come before all others, for each new subscriber that asks for them.
    func givesInitialValues(_ values: @escaping @FlowActor () -> [Element]) { initial = values }

    /// Takes the initial values.
    func takeInitialValues() -> [Element] {
        guard let initial else { return [] }
        takenCount += 1
        return initial()
    }

    /// The initial values, unless the subscriber that is announced now has taken them.
    func untakenInitialValues() -> [Element] {
        guard takenCount == 0 else {
            takenCount -= 1
            return []
        }
        return initial?() ?? []
    }
}

/// The values that a relay keeps for its first subscriber.
private struct EarlyValues<Element> {
    private(set) var values = Fifo<Element>()
    private let policy: BufferingPolicy

    var isEmpty: Bool { values.isEmpty }

    init(_ policy: BufferingPolicy) { self.policy = policy }

    /// Adds a value. Returns false if that loses one.
    mutating func append(_ value: Element) -> Bool {
        guard let limit = policy.limit, values.count >= limit else {
            values.append(value)
            return true
        }
        if case .bufferingNewest = policy, values.popFirst() != nil { values.append(value) }
        return false
    }
}

/// The values of a ``PublishRelay``, from the creation of the sequence on; for one task.
///
/// Values are kept until they are read, the 4,096 newest (``BufferingPolicy/standardCount``) unless ``buffering(_:)`` says otherwise.
public struct RelayValues<Element: Sendable>: AsyncSequence, Sendable {
    private let relay: PublishRelay<Element>
    private let inbox: Inbox<Element>

    @FlowActor
    init(
        _ relay: PublishRelay<Element>, _ policy: BufferingPolicy = .bufferingNewest(BufferingPolicy.standardCount)
    ) {
        self.relay = relay
        let inbox = Inbox<Element>(policy)
        self.inbox = inbox
        inbox.fill(from: relay.subscribe { [weak inbox] in inbox?.send($0) })
    }

    /// Returns a sequence of the same values, from now on, that keeps others of them until they are read. It takes over what this one
    /// keeps, as far as its own policy does.
    ///
    /// - Parameter policy: those that it keeps.
    /// - Returns: The sequence.
    @FlowActor
    public func buffering(_ policy: BufferingPolicy) -> RelayValues<Element> {
        let other = RelayValues(relay, policy)
        for value in inbox.takeAll() { other.inbox.send(value) }
        return other
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
        /// - Returns: The value; nil if the task was cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? { await inbox.next() }
    }
}
