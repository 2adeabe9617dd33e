/// What happens in a coordinator, from now on: navigations, or failures.
///
/// A subscription is called at once, so that of ``FlowCoordinator/willNavigate`` before ``Flow/navigate(to:)``, as in RxFlow:
///
/// ```swift
/// coordinator.willNavigate
///     .subscribe(onNext: { flow, step in print("will navigate to flow=\(flow) and step=\(step)") })
///     .disposed(by: disposeBag)
/// ```
///
/// A task reads the same events later, when it has its turn:
///
/// ```swift
/// for await navigation in coordinator.didNavigate { print(navigation.flow, navigation.path) }
/// ```
///
/// Tasks of the main actor that wait for several such sequences of a coordinator have their turns in the order of the events: each
/// `will` before its `did`. A sequence is for one task; each access to the property of the coordinator makes a new one.
///
/// Events are kept until they are read, the 4,096 newest (``BufferingPolicy/standardCount``) unless ``buffering(_:)`` says otherwise;
/// ``lostCount`` is the number of those that were not kept.
public struct NavigationEvents<Element: Sendable>: AsyncSequence, Sendable {
    private let source: Broadcast<Element>
    private let inbox: Inbox<Element>

    @FlowActor
    init(of source: Broadcast<Element>, _ policy: BufferingPolicy = .bufferingNewest(BufferingPolicy.standardCount)) {
        self.source = source
        let inbox = Inbox<Element>(policy, in: source.turns, endsWithReader: false)
        self.inbox = inbox
        inbox.fill(from: source.subscribe { [weak inbox] in inbox?.send($0) })
    }

    /// Returns a sequence of the same events, from now on, that keeps others of them until they are read.
    ///
    /// - Parameter policy: those that it keeps.
    /// - Returns: The sequence.
    @FlowActor
    public func buffering(_ policy: BufferingPolicy) -> NavigationEvents<Element> {
        NavigationEvents(of: source, policy)
    }

    /// The number of events that were lost so far, because they were not read in time.
    @FlowActor
    public var lostCount: Int { inbox.lostCount }

    /// Subscribes to the events. They are delivered on the main actor while they happen, to all subscribers in the order in which they
    /// subscribed.
    ///
    /// - Parameter onNext: receives each event.
    /// - Returns: The subscription, which ends when it is deallocated.
    @FlowActor
    public func subscribe(onNext: @escaping @FlowActor (Element) -> Void) -> Subscription {
        source.subscribe { if let value = $0 { onNext(value) } }
    }

    /// Returns an iterator over the events.
    ///
    /// - Returns: The iterator.
    public func makeAsyncIterator() -> Iterator { Iterator(inbox: inbox) }

    /// Reads the events.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let inbox: Inbox<Element>

        /// Waits for the next event.
        ///
        /// - Parameter actor: the actor that waits.
        /// - Returns: The event; nil after the end of the coordinator, or if the task was cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? { await inbox.next() }
    }
}

extension NavigationEvents where Element == UpcomingNavigation {
    /// Subscribes as RxFlow's `rx.willNavigate` does.
    ///
    /// - Parameter onNext: receives the flow and the step of each navigation before ``Flow/navigate(to:)`` is called.
    /// - Returns: The subscription, which ends when it is deallocated.
    @FlowActor
    public func subscribe(onNext: @escaping @FlowActor (any Flow, any Step) -> Void) -> Subscription {
        subscribe { (navigation: UpcomingNavigation) in onNext(navigation.flow, navigation.step) }
    }
}

extension NavigationEvents where Element == FlowNavigation {
    /// Subscribes as RxFlow's `rx.didNavigate` does.
    ///
    /// - Parameter onNext: receives the flow and the step of each navigation. Going back, which has no step, is left out.
    /// - Returns: The subscription, which ends when it is deallocated.
    @FlowActor
    public func subscribe(onNext: @escaping @FlowActor (any Flow, any Step) -> Void) -> Subscription {
        subscribe { (navigation: FlowNavigation) in
            if let step = navigation.step { onNext(navigation.flow, step) }
        }
    }
}

/// Sends values to subscriptions and sequences.
@FlowActor
package final class Broadcast<Element: Sendable> {
    fileprivate let turns: ReaderTurns
    private let listeners = Listeners<Element?>()
    private var isFinished = false

    /// - Parameter turns: the order of the readers, of several broadcasts.
    init(_ turns: ReaderTurns) { self.turns = turns }

    package convenience init() { self.init(ReaderTurns()) }

    isolated deinit { finish() }

    /// Returns a sequence of the values that are sent from now on.
    package func values() -> NavigationEvents<Element> { NavigationEvents(of: self) }

    /// Subscribes to the values, and to the end: nil.
    func subscribe(_ listener: @escaping @FlowActor (Element?) -> Void) -> Subscription {
        Subscription(listeners.add(first: isFinished ? [nil] : [], listener))
    }

    /// Sends a value to all subscribers, which have it when this returns. Without any it is not made.
    @inline(__always)
    package func send(_ value: @autoclosure () -> Element) {
        if listeners.isEmpty || isFinished { return }
        listeners.notify(value())
    }

    /// Ends all sequences. A sequence that is requested later is empty.
    package func finish() {
        if isFinished { return }
        isFinished = true
        listeners.notify(nil)
    }
}
