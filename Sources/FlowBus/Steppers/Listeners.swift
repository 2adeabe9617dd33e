/// The subscribers of a source of values, in the order in which they subscribed.
@FlowActor
final class Listeners<Element> {
    private var listeners: [Listener] = []
    /// Values that were sent during a notification.
    private var waiting: [Element] = []
    private var isNotifying = false

    private final class Listener {
        /// nil after the subscription ended.
        var receive: (@FlowActor (Element) -> Void)?

        init(_ receive: @escaping @FlowActor (Element) -> Void) { self.receive = receive }
    }

    /// Subscribes to the values from now on.
    ///
    /// - Parameters:
    ///   - first: values that only the new subscriber receives, before this method returns.
    ///   - receive: receives the values.
    /// - Returns: The subscription.
    func add(first: [Element] = [], _ receive: @escaping @FlowActor (Element) -> Void) -> Subscription {
        let listener = Listener(receive)
        let wasNotifying = isNotifying
        isNotifying = true
        // The new subscriber gets its own values before those that all subscribers get.
        for value in first { listener.receive?(value) }
        listeners.append(listener)
        isNotifying = wasNotifying
        deliverWaiting()
        return Subscription { [weak self] in
            listener.receive = nil
            self?.listeners.removeAll { $0 === listener }
        }
    }

    var isEmpty: Bool { listeners.isEmpty }

    /// Sends a value to all subscribers. A subscription that ends meanwhile does not receive it; one that begins
    /// meanwhile receives the next value. A value that is sent during a notification follows it, so that all
    /// subscribers see one order.
    func notify(_ value: Element) {
        waiting.append(value)
        deliverWaiting()
    }

    private func deliverWaiting() {
        if isNotifying || waiting.isEmpty { return }
        isNotifying = true
        var next = 0
        while next < waiting.count {
            let value = waiting[next]
            next += 1
            for listener in listeners { listener.receive?(value) }
        }
        waiting = []
        isNotifying = false
    }
}
