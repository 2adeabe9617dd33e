/// A binary heap: the least element comes first. Inserting and removing take logarithmic time, whatever the order.
struct Heap<Element: Comparable> {
    /// The children of the element at `n` are at `2n + 1` and `2n + 2`, and not less.
    private(set) var elements: [Element] = []

    var first: Element? { elements.first }
    var count: Int { elements.count }
    var isEmpty: Bool { elements.isEmpty }

    mutating func insert(_ element: Element) {
        elements.append(element)
        var place = elements.count - 1
        while place > 0 {
            let parent = (place - 1) / 2
            guard elements[place] < elements[parent] else { return }
            elements.swapAt(place, parent)
            place = parent
        }
    }

    mutating func popFirst() -> Element? {
        guard let last = elements.popLast() else { return nil }
        guard let first = elements.first else { return last }
        elements[0] = last
        sink(0)
        return first
    }

    mutating func removeAll(where isRemoved: (Element) -> Bool) {
        elements.removeAll(where: isRemoved)
        for place in (0..<elements.count / 2).reversed() { sink(place) }
    }

    /// Moves the element at a place below its lesser children.
    private mutating func sink(_ place: Int) {
        var place = place
        while true {
            var least = place
            for child in 2 * place + 1..<min(2 * place + 3, max(elements.count, 2 * place + 1))
            where elements[child] < elements[least] {
                least = child
            }
            if least == place { return }
            elements.swapAt(place, least)
            place = least
        }
    }
}

extension Heap: Sendable where Element: Sendable {}
