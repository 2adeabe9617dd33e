/// Sends values to its current subscribers: RxRelay's PublishRelay.
///
/// Values are delivered in the order in which they were accepted, before ``accept(_:)`` returns. There is one exception: a
/// subscriber that accepts a value while it receives another one continues first; the new value is delivered when all
/// subscribers have received the other one.
///
/// Values that are accepted before the first subscription are buffered for it, up to the ``bufferLimit`` newest: a view
/// model that emits in its initializer loses nothing.
@MainActor
public final class PublishRelay<Element: Sendable>: Sendable {
    /// The number of values that are buffered for the first subscriber: 64.
    public static var bufferLimit: Int { 64 }

    private let listeners = Listeners<Element>()
    /// Values accepted before the first subscription; nil after it.
    private var early: [Element]? = []
    /// What a subscriber can take before the values.
    private var initial: (@MainActor () -> [Element])?
    /// How often they were taken by a subscriber that has not been announced yet.
    private var takenCount = 0

    /// Creates a relay without subscribers.
    public init() {}

    /// Sends a value to the subscribers.
    ///
    /// - Parameter value: the value.
    public func accept(_ value: Element) {
        guard early != nil else { return listeners.notify(value) }
        early?.append(value)
        if let count = early?.count, count > Self.bufferLimit { early?.removeFirst() }
    }

    /// The values from now on, for one task: `for await step in relay.values { … }`. They are buffered until they are
    /// read.
    public var values: AsyncStream<Element> {
        AsyncStream { continuation in
            let subscription = subscribe { continuation.yield($0) }
            continuation.onTermination = { _ in Task { @MainActor in subscription.end() } }
        }
    }

    /// Subscribes to the values. The first subscriber gets those that were accepted before.
    ///
    /// - Parameter onNext: receives each value, before ``accept(_:)`` returns.
    /// - Returns: The subscription, which ends when it is deallocated.
    public func subscribe(onNext: @escaping @MainActor (Element) -> Void) -> Subscription {
        let waiting = early ?? []
        early = nil
        return listeners.add(first: waiting, onNext)
    }

    // MARK: Initial values

    /// Has values that come before all others, for each new subscriber that asks for them.
    func givesInitialValues(_ values: @escaping @MainActor () -> [Element]) { initial = values }

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
