/// First in, first out: each comes and goes in constant time, on average.
struct Fifo<Element> {
    /// nil: it has gone.
    private var elements: [Element?] = []
    /// How many have gone.
    private var gone = 0

    var isEmpty: Bool { gone == elements.count }
    var count: Int { elements.count - gone }

    /// All that there are, in order.
    var all: [Element] { elements[gone...].compactMap(\.self) }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func popFirst() -> Element? {
        guard gone < elements.count else { return nil }
        let first = elements[gone].take()
        gone += 1
        // As many are moved as have gone since the last time, at the most.
        if 2 * gone >= elements.count {
            elements.removeFirst(gone)
            gone = 0
        }
        return first
    }
}
