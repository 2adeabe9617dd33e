/// Hands values on to whoever listens at the moment: RxRelay's PublishRelay.
///
/// Values go out at once and in order, before ``accept(_:)`` returns; what is accepted by who hears one goes out when all have
/// heard that. What is accepted before anybody listened at all waits
/// for the first who does, the ``earlyCount`` newest: a view model that emits while it is made loses nothing.
@MainActor
public final class PublishRelay<Element: Sendable>: Sendable {
    /// How many values wait for the first listener: 64.
    public static var earlyCount: Int { 64 }

    private let listeners = Listeners<Element>()
    /// Those that came before anybody listened; nil: somebody has.
    private var early: [Element]? = []

    /// A relay that nobody listens to yet.
    public init() {}

    /// Hands a value on.
    public func accept(_ value: Element) {
        guard early != nil else { return listeners.notify(value) }
        early?.append(value)
        if let count = early?.count, count > Self.earlyCount { early?.removeFirst() }
    }

    /// The values from now on, for one task: `for await step in relay.values { … }`. They wait for it.
    public var values: AsyncStream<Element> {
        AsyncStream { continuation in
            let subscription = subscribe { continuation.yield($0) }
            continuation.onTermination = { _ in Task { @MainActor in subscription.end() } }
        }
    }

    /// Listens until the subscription ends.
    func subscribe(_ listener: @escaping @MainActor (Element) -> Void) -> Subscription {
        let waiting = early ?? []
        early = nil
        return listeners.add(first: waiting, listener)
    }
}
