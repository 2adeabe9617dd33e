/// A place in memory for a node. Unlike an instance, it is used again when its node is gone.
struct NodeSlot: Hashable, Sendable {
    /// Its index among all slots of the forest.
    let index: Int

    /// The slot with this index.
    init(_ index: Int) { self.index = index }
}
