/// A few slots, in order. Most often there is one, which takes no memory of its own.
struct NodeSlots: Sequence, Sendable {
    private var first: NodeSlot?
    private var others: [NodeSlot] = []

    /// None, or this one.
    @inline(__always)
    init(_ first: NodeSlot? = nil) { self.first = first }

    @inline(__always)
    var isEmpty: Bool { first == nil }
    @inline(__always)
    var count: Int { first == nil ? 0 : 1 + others.count }

    @inline(__always)
    func contains(_ slot: NodeSlot) -> Bool { first == slot || others.contains(slot) }

    @inline(__always)
    mutating func append(_ slot: NodeSlot) {
        if first == nil { first = slot } else { others.append(slot) }
    }

    /// Adds a slot unless it is there.
    @inline(__always)
    mutating func insert(_ slot: NodeSlot) {
        if !contains(slot) { append(slot) }
    }

    mutating func sort(by isBefore: (NodeSlot, NodeSlot) -> Bool) {
        guard let first, !others.isEmpty else { return }
        others = ([first] + others).sorted(by: isBefore)
        self.first = others.removeFirst()
    }

    @inline(__always)
    func makeIterator() -> Iterator { Iterator(first: first, others: others) }

    struct Iterator: IteratorProtocol {
        fileprivate var first: NodeSlot?
        fileprivate let others: [NodeSlot]
        private var place = 0

        fileprivate init(first: NodeSlot?, others: [NodeSlot]) { (self.first, self.others) = (first, others) }

        @inline(__always)
        mutating func next() -> NodeSlot? {
            if let slot = first.take() { return slot }
            guard place < others.count else { return nil }
            defer { place += 1 }
            return others[place]
        }
    }
}
