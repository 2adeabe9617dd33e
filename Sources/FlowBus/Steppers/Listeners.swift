/// The subscribers of a source of values, in the order in which they subscribed.
@FlowActor
final class Listeners<Element> {
    // Exclusive access is not checked for what each new subscription and value uses: no code of the program runs while it changes, as
    // what is released of it is kept until then.
    //
    // Lists are nil while they are empty: to look into one, its type has to be looked up, which takes 330 instructions.
    /// The first of them, which usually is the only one and so needs no list; nil if there is none.
    @exclusivity(unchecked) private var first: Listener?
    @exclusivity(unchecked) private var others: [Listener]?
    @exclusivity(unchecked) private var lastNumber = 0
    /// Values that were sent during a notification.
    @exclusivity(unchecked) private var waiting: [Element]?
    @exclusivity(unchecked) private var isNotifying = false
    /// Whether a subscription ended during a notification; its place stays until that is over.
    @exclusivity(unchecked) private var hasEnded = false

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
        let number = lastNumber
        let listener = Listener(number: number, receive: receive)
        if self.first == nil {
            self.first = listener
        } else if others?.append(listener) == nil {
            others = [listener]
        }
        if !isNotifying, waiting != nil {
            isNotifying = true
            deliverWaiting()
        }
        return Subscription.Place(source: self, number: number)
    }

    var isEmpty: Bool { first == nil }

    /// Sends a value to all subscribers. A subscription that ends meanwhile does not receive it; one that begins
    /// meanwhile receives the next value. A value that is sent during a notification follows it, so that all
    /// subscribers see one order.
    func notify(_ value: Element) {
        if isNotifying {
            if waiting?.append(value) == nil { waiting = [value] }
            return
        }
        isNotifying = true
        deliver(value)
        deliverWaiting()
    }

    private func deliverWaiting() {
        while let values = waiting {
            waiting = nil
            for value in values { deliver(value) }
        }
        isNotifying = false
        if hasEnded {
            hasEnded = false
            setOthers((others ?? []).filter { $0.receive != nil })
            if first?.receive == nil { removeFirst() }
        }
    }

    private func deliver(_ value: Element) {
        let count = others?.count ?? 0
        let receive = first?.receive
        receive?(value)
        for place in 0..<count {
            let receive = others?[place].receive
            receive?(value)
        }
    }

    private func setOthers(_ left: [Listener]) { others = left.isEmpty ? nil : left }

    private func removeFirst() {
        first = others?.first
        setOthers(Array((others ?? []).dropFirst()))
    }
}

/// A closure that receives values. One that is made for it is as ``Listeners`` need it; any other is wrapped into one that is.
package struct Receiver<Value> {
    let receive: @FlowActor (Value) -> Void

    package init(_ receive: @escaping @FlowActor (Value) -> Void) { self.receive = receive }
}

extension Listeners: SubscriptionSource {
    func end(_ number: Int) {
        var left = others ?? []
        let place = first?.number == number ? nil : left.firstIndex { $0.number == number }
        guard let ended = place.map({ left[$0] }) ?? first, ended.number == number else { return }
        if isNotifying {
            if let place { others?[place].receive = nil } else { first?.receive = nil }
            hasEnded = true
        } else if let place {
            left.remove(at: place)
            setOthers(left)
        } else {
            removeFirst()
        }
        // What its closure holds can end with it, whatever that calls.
        withExtendedLifetime(ended) {}
    }
}
