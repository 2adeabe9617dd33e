/// Something that has its place in the tree of flows and screens, as ObjectManager tells of it.
package protocol TreeNode {
    associatedtype Path: Hashable
    /// Where it lives.
    var path: Path { get }
    /// Where its parent lives; nil: it is a root.
    var parentPath: Path? { get }
    /// Its number: they count up, so they are the order of birth (S-1).
    var instance: UInt64 { get }
}

extension Array where Element: TreeNode {
    /// Parents before children, children in the order in which they were made; the answer of GetManagedObjects has no order.
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
