/// A subscription to events or steps. It ends when ``end()`` is called, or when nothing references it any more.
@FlowActor
public final class Subscription: Sendable {
    /// What it is a subscription to; nil after its end. The source knows it by its number.
    private var source: (any SubscriptionSource)?
    private let number: Int

    package init(to source: any SubscriptionSource, _ number: Int = 0) { (self.source, self.number) = (source, number) }

    isolated deinit { source?.end(number) }

    /// Ends the subscription. Further calls have no effect.
    public func end() { source.take()?.end(number) }

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

/// What subscriptions are to.
@FlowActor
package protocol SubscriptionSource: AnyObject {
    /// A subscription has ended.
    func end(_ number: Int)
}
