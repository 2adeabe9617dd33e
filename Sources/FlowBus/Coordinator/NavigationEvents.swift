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
/// `will` before its `did`. Events are buffered until they are read, the ``bufferLimit`` newest. A sequence is for one task; each access
/// to the property of the coordinator makes a new one.
public struct NavigationEvents<Element: Sendable>: AsyncSequence, Sendable {
    /// The number of unread events that are buffered: 65,536. If there are more, the oldest are dropped.
    public static var bufferLimit: Int { 65_536 }

    private let source: Broadcast<Element>
    private let inbox: Inbox<Element>

    @MainActor
    init(of source: Broadcast<Element>) {
        self.source = source
        inbox = Inbox(of: source, upTo: Self.bufferLimit)
    }

    /// Subscribes to the events. They are delivered on the main actor while they happen, to all subscribers in the order in which they
    /// subscribed.
    ///
    /// - Parameter onNext: receives each event.
    /// - Returns: The subscription, which ends when it is deallocated.
    @MainActor
    public func subscribe(onNext: @escaping @MainActor (Element) -> Void) -> Subscription {
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
    @MainActor
    public func subscribe(onNext: @escaping @MainActor (any Flow, any Step) -> Void) -> Subscription {
        subscribe { (navigation: UpcomingNavigation) in onNext(navigation.flow, navigation.step) }
    }
}

extension NavigationEvents where Element == FlowNavigation {
    /// Subscribes as RxFlow's `rx.didNavigate` does.
    ///
    /// - Parameter onNext: receives the flow and the step of each navigation. Going back, which has no step, is left out.
    /// - Returns: The subscription, which ends when it is deallocated.
    @MainActor
    public func subscribe(onNext: @escaping @MainActor (any Flow, any Step) -> Void) -> Subscription {
        subscribe { (navigation: FlowNavigation) in
            if let step = navigation.step { onNext(navigation.flow, step) }
        }
    }
}

/// Sends values to subscriptions and sequences.
@MainActor
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
    func subscribe(_ listener: @escaping @MainActor (Element?) -> Void) -> Subscription {
        listeners.add(first: isFinished ? [nil] : [], listener)
    }

    /// Sends a value to all subscribers, which have it when this returns.
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

/// Hands values to waiting readers one after the other.
///
/// A task that is resumed on Linux gets to the main actor by way of another thread: two that are resumed at once arrive in any order. So
/// the next one is resumed when the one before has arrived.
@MainActor
final class ReaderTurns {
    private var waiting = Fifo<@MainActor () -> Bool>()
    private var isBusy = false

    /// Hands something over when it is its turn.
    ///
    /// - Parameter body: returns whether a reader was resumed, which will call ``arrived()``.
    func add(_ body: @escaping @MainActor () -> Bool) {
        waiting.append(body)
        goOn()
    }

    /// The reader that was resumed last has its turn.
    func arrived() {
        isBusy = false
        goOn()
    }

    private func goOn() { while !isBusy, let next = waiting.popFirst() { isBusy = next() } }
}

/// The values that a sequence has not delivered yet.
@MainActor
private final class Inbox<Element: Sendable> {
    private let turns: ReaderTurns
    private let limit: Int
    private var values = Fifo<Element>()
    private var readers: [(number: UInt64, continuation: CheckedContinuation<Handover, Never>)] = []
    private var lastNumber: UInt64 = 0
    private var isFinished = false
    private var subscription: Subscription?

    private enum Handover: Sendable {
        /// The value, or the end, in the reader's turn.
        case turn(Element?)
        case cancelled
    }

    init(of source: Broadcast<Element>, upTo limit: Int) {
        (turns, self.limit) = (source.turns, limit)
        subscription = source.subscribe { [turns, weak self] value in
            turns.add { self?.take(value) ?? false }
        }
    }

    /// Takes a value, or the end. Returns whether a reader was resumed.
    private func take(_ value: Element?) -> Bool {
        if !readers.isEmpty {
            isFinished = value == nil
            readers.removeFirst().continuation.resume(returning: .turn(value))
            if isFinished {
                for reader in readers { reader.continuation.resume(returning: .cancelled) }
                readers = []
            }
            return true
        }
        guard let value else {
            isFinished = true
            return false
        }
        values.append(value)
        if values.count > limit { _ = values.popFirst() }
        return false
    }

    func next() async -> Element? {
        if Task.isCancelled { return nil }
        if let value = values.popFirst() { return value }
        if isFinished { return nil }
        lastNumber += 1
        let number = lastNumber
        let handover: Handover = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled { return continuation.resume(returning: Handover.cancelled) }
                readers.append((number, continuation))
            }
        } onCancel: {
            Task { @MainActor [weak self] in self?.cancel(number) }
        }
        guard case .turn(let value) = handover else { return nil }
        turns.arrived()
        return value
    }

    private func cancel(_ number: UInt64) {
        guard let place = readers.firstIndex(where: { $0.number == number }) else { return }
        readers.remove(at: place).continuation.resume(returning: .cancelled)
    }
}
