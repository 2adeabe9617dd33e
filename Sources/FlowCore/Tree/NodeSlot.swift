/// A place in memory that holds a node. It is used again when its node is gone, unlike an instance.
struct NodeSlot: Hashable, Sendable {
    /// Its index among all slots of the forest.
    let index: Int

    /// The slot with this index.
    init(_ index: Int) { self.index = index }
}
