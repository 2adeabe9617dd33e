/// A first-in, first-out queue with amortized constant time for each operation.
///
/// Elements are appended to one list and removed from the end of another, so that neither copies them nor moves those behind them.
package struct Fifo<Element> {
    /// The older elements, the oldest last.
    private var older: [Element] = []
    /// The newer elements, in order.
    private var newer: [Element] = []

    package var isEmpty: Bool { older.isEmpty && newer.isEmpty }
    package var count: Int { older.count + newer.count }

    /// All elements, in order.
    package var all: [Element] { older.isEmpty ? newer : older.reversed() + newer }

    /// The newest element.
    package var last: Element? { newer.last ?? older.first }

    /// Puts another element in the place of the newest.
    package mutating func replaceLast(_ element: Element) {
        if !newer.isEmpty {
            newer[newer.count - 1] = element
        } else if !older.isEmpty {
            older[0] = element
        }
    }

    package init() {}

    package mutating func append(_ element: consuming Element) { newer.append(element) }

    package mutating func popFirst() -> Element? {
        if older.isEmpty {
            swap(&older, &newer)
            older.reverseInPlace()
        }
        return older.popLast()
    }
}

extension Array {
    /// Reverses the list in its memory: `reverse()` copies what it swaps. No closure here is one of the actor, which would ask each time
    /// whether it runs there.
    mutating func reverseInPlace() { withUnsafeMutableBufferPointer { $0.reverse() } }
}
