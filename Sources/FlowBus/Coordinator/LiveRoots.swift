/// What live flows stand for: their roots. Several flows can have the same one, such as a window.
@FlowActor
enum LiveRoots {
    /// The number of live flows for each root, which they keep.
    private static var counts: [ObjectIdentifier: Int] = [:]

    static func add(_ root: AnyObject) { counts[ObjectIdentifier(root), default: 0] += 1 }

    static func remove(_ root: AnyObject) {
        let id = ObjectIdentifier(root)
        guard let count = counts[id] else { return }
        counts[id] = count > 1 ? count - 1 : nil
    }

    /// Whether a live flow stands for an object.
    static func contains(_ object: AnyObject) -> Bool { counts[ObjectIdentifier(object)] != nil }
}
