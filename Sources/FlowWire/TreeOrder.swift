/// A presentable as ObjectManager lists it.
package protocol TreeNode {
    associatedtype Path: Hashable
    /// Its path.
    var path: Path { get }
    /// Its parent's path; nil for a root.
    var parentPath: Path? { get }
    /// Its instance; instances count up, so they are the order of creation (S-1).
    var instance: UInt64 { get }
}

extension Array where Element: TreeNode {
    /// Sorts parents before children, and children in the order of their creation; GetManagedObjects has no order.
    package var inTreeOrder: [Element] {
        var children = [Element.Path?: [Element]](grouping: self, by: \.parentPath)
        for key in children.keys { children[key]?.sort { $0.instance < $1.instance } }
        var sorted: [Element] = []
        var waiting = Array((children[nil] ?? []).reversed())
        while let node = waiting.popLast() {
            sorted.append(node)
            waiting += (children[node.path] ?? []).reversed()
        }
        return sorted
    }
}
