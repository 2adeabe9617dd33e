/// A presentable as ObjectManager lists it.
package protocol TreeNode {
    associatedtype Path: Hashable
    /// Its path.
    var path: Path { get }
    /// Its parent's path; nil for a root.
    var parentPath: Path? { get }
}

extension Array where Element: TreeNode {
    /// Sorts parents before children. Siblings keep their order, which GetManagedObjects has from the tree (S-1).
    package var inTreeOrder: [Element] {
        let children = [Element.Path?: [Element]](grouping: self, by: \.parentPath)
        var sorted: [Element] = []
        var waiting = Array((children[nil] ?? []).reversed())
        while let node = waiting.popLast() {
            sorted.append(node)
            waiting += (children[node.path] ?? []).reversed()
        }
        return sorted
    }
}
