/// A subscription to events or steps. It ends when ``end()`` is called, or when nothing references it any more.
@FlowActor
public final class Subscription: Sendable {
    private var cancel: (@FlowActor () -> Void)?

    package init(_ cancel: @escaping @FlowActor () -> Void) { self.cancel = cancel }

    isolated deinit { cancel?() }

    /// Ends the subscription. Further calls have no effect.
    public func end() {
        cancel?()
        cancel = nil
    }

    /// Has the subscription end with a bag: RxSwift's `disposed(by:)`.
    ///
    /// - Parameter bag: the bag, which keeps the subscription.
    public func disposed(by bag: DisposeBag) { bag.insert(self) }
}

/// Keeps subscriptions until it is deallocated: RxSwift's DisposeBag.
@FlowActor
public final class DisposeBag: Sendable {
    private var subscriptions: [Subscription] = []

    /// Creates an empty bag.
    public init() {}

    /// Adds a subscription.
    ///
    /// - Parameter subscription: the subscription.
    public func insert(_ subscription: Subscription) { subscriptions.append(subscription) }
}
