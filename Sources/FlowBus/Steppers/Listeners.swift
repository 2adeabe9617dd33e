/// Those who hear values, in the order in which they began to.
@MainActor
final class Listeners<Element> {
    private var listeners: [Listener] = []
    /// Values that were given while another was told.
    private var waiting: [Element] = []
    private var isTelling = false

    private final class Listener {
        /// nil: it listens no longer.
        var hear: (@MainActor (Element) -> Void)?

        init(_ hear: @escaping @MainActor (Element) -> Void) { self.hear = hear }
    }

    /// Adds one who hears what comes from now on.
    ///
    /// - Parameter first: what it alone hears first, before it returns.
    func add(first: [Element] = [], _ hear: @escaping @MainActor (Element) -> Void) -> Subscription {
        let listener = Listener(hear)
        let wasTelling = isTelling
        isTelling = true
        // It is told of what the others are told from now on, and not before what is its own.
        for value in first { listener.hear?(value) }
        listeners.append(listener)
        isTelling = wasTelling
        tellWaiting()
        return Subscription { [weak self] in
            listener.hear = nil
            self?.listeners.removeAll { $0 === listener }
        }
    }

    /// Tells them. One who stops to listen meanwhile is not told; one who begins meanwhile is told of the next. What is given
    /// while they are told comes when all of them are: so that they hear all in one order.
    func tell(_ value: Element) {
        waiting.append(value)
        tellWaiting()
    }

    private func tellWaiting() {
        if isTelling || waiting.isEmpty { return }
        isTelling = true
        var next = 0
        while next < waiting.count {
            let value = waiting[next]
            next += 1
            for listener in listeners { listener.hear?(value) }
        }
        waiting = []
        isTelling = false
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
