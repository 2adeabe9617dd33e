/// Those who hear values, in the order in which they began to.
@MainActor
final class Listeners<Element> {
    private var listeners: [Listener] = []
    /// Values that were given while another was told.
    private var waiting: [Element] = []
    private var isNotifying = false

    private final class Listener {
        /// nil: it listens no longer.
        var receive: (@MainActor (Element) -> Void)?

        init(_ receive: @escaping @MainActor (Element) -> Void) { self.receive = receive }
    }

    /// Adds one who hears what comes from now on.
    ///
    /// - Parameter first: what it alone hears first, before it returns.
    func add(first: [Element] = [], _ receive: @escaping @MainActor (Element) -> Void) -> Subscription {
        let listener = Listener(receive)
        let wasNotifying = isNotifying
        isNotifying = true
        // It is told of what the others are told from now on, and not before what is its own.
        for value in first { listener.receive?(value) }
        listeners.append(listener)
        isNotifying = wasNotifying
        reportWaiting()
        return Subscription { [weak self] in
            listener.receive = nil
            self?.listeners.removeAll { $0 === listener }
        }
    }

    /// Tells them. One who stops to listen meanwhile is not told; one who begins meanwhile is told of the next. What is given
    /// while they are told comes when all of them are: so that they hear all in one order.
    func notify(_ value: Element) {
        waiting.append(value)
        reportWaiting()
    }

    private func reportWaiting() {
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

/// Somebody listens, until this is told to end or is gone.
@MainActor
final class Subscription: Sendable {
    private var cancel: (@MainActor () -> Void)?

    init(_ cancel: @escaping @MainActor () -> Void) { self.cancel = cancel }

    isolated deinit { cancel?() }

    func end() {
        cancel?()
        cancel = nil
    }
}
