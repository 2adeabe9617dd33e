/// A subscription to events or steps. It ends when ``end()`` is called, or when nothing references it any more.
@FlowActor
public final class Subscription: Sendable {
    /// A place among the subscribers of a source, which knows it by its number. Who has it has to end it.
    struct Place {
        let source: any SubscriptionSource
        let number: Int

        @FlowActor
        func end() { source.end(number) }
    }

    /// nil after its end.
    private var place: Place?

    init(_ place: Place) { self.place = place }

    package init(to source: any SubscriptionSource) { place = Place(source: source, number: 0) }

    isolated deinit { place?.end() }

    /// Ends the subscription. Further calls have no effect.
    public func end() { place.take()?.end() }

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
