/// The subscribers of a source of values, in the order in which they subscribed.
@FlowActor
final class Listeners<Element> {
    private var all: [Listener] = []
    private var lastNumber = 0
    /// Values that were sent during a notification.
    private var waiting: [Element] = []
    private var isNotifying = false

    private struct Listener {
        let number: Int
        /// nil after the subscription ended during a notification; its place stays until that is over.
        var receive: (@FlowActor (Element) -> Void)?
    }

    /// Subscribes to the values from now on.
    ///
    /// - Parameters:
    ///   - first: values that only the new subscriber receives, before this method returns.
    ///   - receive: receives the values.
    /// - Returns: Its place.
    func add(first: [Element] = [], _ receive: @escaping @FlowActor (Element) -> Void) -> Subscription.Place {
        if !first.isEmpty {
            let wasNotifying = isNotifying
            isNotifying = true
            // The new subscriber gets its own values before those that all subscribers get.
            for value in first { receive(value) }
            isNotifying = wasNotifying
        }
        lastNumber += 1
        all.append(Listener(number: lastNumber, receive: receive))
        let place = Subscription.Place(source: self, number: lastNumber)
        if !isNotifying, !waiting.isEmpty {
            isNotifying = true
            deliverWaiting()
        }
        return place
    }

    var isEmpty: Bool { all.isEmpty }

    /// Sends a value to all subscribers. A subscription that ends meanwhile does not receive it; one that begins
    /// meanwhile receives the next value. A value that is sent during a notification follows it, so that all
    /// subscribers see one order.
    func notify(_ value: Element) {
        waiting.append(value)
        if isNotifying { return }
        isNotifying = true
        deliverWaiting()
    }

    private func deliverWaiting() {
        while !waiting.isEmpty {
            let values = waiting
            waiting = []
            for value in values { deliver(value) }
        }
        isNotifying = false
        all.removeAll { $0.receive == nil }
    }

    private func deliver(_ value: Element) {
        for place in all.indices {
            let receive = all[place].receive
            receive?(value)
        }
    }
}

/// A closure that receives values. One that is made for it is as ``Listeners`` need it; any other is wrapped into one that is.
package struct Receiver<Value> {
    let receive: @FlowActor (Value) -> Void

    package init(_ receive: @escaping @FlowActor (Value) -> Void) { self.receive = receive }
}

extension Listeners: SubscriptionSource {
    func end(_ number: Int) {
        guard let place = all.firstIndex(where: { $0.number == number }) else { return }
        let ended = all[place]
        if isNotifying { all[place].receive = nil } else { all.remove(at: place) }
        // What its closure holds can end with it, whatever that calls.
        withExtendedLifetime(ended) {}
    }
}
