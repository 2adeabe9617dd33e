/// The subscribers of a source of values, in the order in which they subscribed.
@FlowActor
final class Listeners<Element> {
    private var listeners: [Listener] = []
    private var lastNumber = 0
    /// Values that were sent during a notification.
    private var waiting: [Element] = []
    private var isNotifying = false
    /// Whether a subscription ended during a notification; its place stays until that is over.
    private var hasEnded = false

    private struct Listener {
        let number: Int
        /// nil after the subscription ended.
        var receive: (@FlowActor (Element) -> Void)?
    }

    /// Subscribes to the values from now on.
    ///
    /// - Parameters:
    ///   - first: values that only the new subscriber receives, before this method returns.
    ///   - receive: receives the values.
    /// - Returns: The subscription.
    func add(first: [Element] = [], _ receive: @escaping @FlowActor (Element) -> Void) -> Subscription {
        if !first.isEmpty {
            let wasNotifying = isNotifying
            isNotifying = true
            // The new subscriber gets its own values before those that all subscribers get.
            for value in first { receive(value) }
            isNotifying = wasNotifying
        }
        lastNumber += 1
        let number = lastNumber
        listeners.append(Listener(number: number, receive: receive))
        if !isNotifying, !waiting.isEmpty {
            isNotifying = true
            deliverWaiting()
        }
        return Subscription(to: self, number)
    }

    var isEmpty: Bool { listeners.isEmpty }

    /// Sends a value to all subscribers. A subscription that ends meanwhile does not receive it; one that begins
    /// meanwhile receives the next value. A value that is sent during a notification follows it, so that all
    /// subscribers see one order.
    func notify(_ value: Element) {
        if isNotifying { return waiting.append(value) }
        isNotifying = true
        deliver(value)
        deliverWaiting()
    }

    private func deliverWaiting() {
        var next = 0
        while next < waiting.count {
            let value = waiting[next]
            next += 1
            deliver(value)
        }
        if next > 0 { waiting = [] }
        isNotifying = false
        if hasEnded {
            hasEnded = false
            listeners.removeAll { $0.receive == nil }
        }
    }

    private func deliver(_ value: Element) {
        for place in 0..<listeners.count {
            let receive = listeners[place].receive
            receive?(value)
        }
    }
}

extension Listeners: SubscriptionSource {
    func end(_ number: Int) {
        guard let place = listeners.firstIndex(where: { $0.number == number }) else { return }
        if isNotifying {
            listeners[place].receive = nil
            hasEnded = true
        } else {
            listeners.remove(at: place)
        }
    }
}
