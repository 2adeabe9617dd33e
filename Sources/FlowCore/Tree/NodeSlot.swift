/// A place in memory for a node. Unlike an instance, it is used again when its node is gone.
struct NodeSlot: Hashable, Sendable {
    private let number: Int32

    /// The slot with this index.
    init(_ index: Int) { number = Int32(index) }

    /// Its index among all slots of the forest.
    var index: Int { Int(number) }
}
