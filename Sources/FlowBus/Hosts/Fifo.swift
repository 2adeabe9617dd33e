/// A first-in, first-out queue with amortized constant time for each operation.
package struct Fifo<Element> {
    /// The elements; nil for a removed one.
    private var elements: [Element?] = []
    /// The number of removed elements at the front.
    private var removedCount = 0

    package var isEmpty: Bool { removedCount == elements.count }
    package var count: Int { elements.count - removedCount }

    /// All elements, in order.
    package var all: [Element] { elements[removedCount...].compactMap(\.self) }

    /// The newest element.
    package var last: Element? { isEmpty ? nil : elements[elements.count - 1] }

    /// Puts another element in the place of the newest.
    package mutating func replaceLast(_ element: Element) {
        if !isEmpty { elements[elements.count - 1] = element }
    }

    package init() {}

    package mutating func append(_ element: Element) { elements.append(element) }

    package mutating func popFirst() -> Element? {
        guard removedCount < elements.count else { return nil }
        let first = elements[removedCount].take()
        removedCount += 1
        // At most as many elements move as were removed since the last time.
        if 2 * removedCount >= elements.count {
            elements.removeFirst(removedCount)
            removedCount = 0
        }
        return first
    }
}
