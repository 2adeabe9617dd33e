/// A first-in, first-out queue with amortized constant time for each operation.
struct Fifo<Element> {
    /// The elements; nil for a removed one.
    private var elements: [Element?] = []
    /// The number of removed elements at the front.
    private var removedCount = 0

    var isEmpty: Bool { removedCount == elements.count }
    var count: Int { elements.count - removedCount }

    /// All elements, in order.
    var all: [Element] { elements[removedCount...].compactMap(\.self) }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func popFirst() -> Element? {
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
