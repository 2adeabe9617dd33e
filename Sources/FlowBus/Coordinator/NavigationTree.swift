/// The live flows and screens at one moment.
///
/// ```swift
/// print(coordinator.tree)
/// ```
///
/// prints each on a line of its own, those that are not presented with a word for it:
///
/// ```
/// AppFlow
///   WatchedFlow
///     MovieList (not presented)
///     MovieDetail
/// ```
public struct NavigationTree: Hashable, Sendable {
    /// A live flow or screen.
    public struct Node: Hashable, Sendable {
        /// The path.
        public let path: NodePath
        /// The name of the screen, or of the flow's definition.
        public let name: String
        /// Whether it is a flow rather than a screen.
        public let isFlow: Bool
        /// Whether it is presented: it is visible, no sibling covers it, and its parent is presented (S-14).
        public let isPresented: Bool
        /// Whether the flow is ready: its initial step is done, and the flows that it contributed are ready (S-26); true for a screen.
        public let isReady: Bool
        /// The children, oldest first.
        public let children: [Node]
    }

    /// The roots, oldest first.
    public let roots: [Node]

    /// The flow or screen at a path; nil if there is none.
    ///
    /// - Parameter path: the path.
    public subscript(path: NodePath) -> Node? {
        var (level, found) = (roots, Node?.none)
        while let next = level.first(where: { path.isWithin($0.path) }) { (level, found) = (next.children, next) }
        return found?.path == path ? found : nil
    }

    init(_ live: some Collection<HostNode>) {
        let byParent = Dictionary(grouping: live) { $0.path.parent }
        func nodes(below parent: NodePath?) -> [Node] {
            (byParent[parent] ?? []).sorted { $0.instance < $1.instance }.map { node in
                Node(
                    path: node.path, name: node.name, isFlow: node.isFlow, isPresented: node.isPresented,
                    isReady: node.isReady, children: nodes(below: node.path))
            }
        }
        roots = nodes(below: nil)
    }
}

extension NavigationTree: CustomStringConvertible {
    /// A line for each flow and screen, below its parent's.
    public var description: String {
        var lines: [String] = []
        func add(_ nodes: [Node], _ indentation: String) {
            for node in nodes {
                let id = node.path.text.split(separator: "/").last ?? ""
                let states = [node.isPresented ? nil : "not presented", node.isReady ? nil : "not ready"]
                let words = states.compactMap(\.self)
                lines.append(indentation + id + (words.isEmpty ? "" : " (\(words.joined(separator: ", ")))"))
                add(node.children, indentation + "  ")
            }
        }
        add(roots, "")
        return lines.joined(separator: "\n")
    }
}

extension FlowCoordinator {
    /// The live flows and screens, as they are now. On the bus, those of all programs are among them, as far as the service has reported
    /// them.
    public var tree: NavigationTree { NavigationTree(live.values.compactMap(\.report)) }

    /// Returns the flow or screen at a path.
    ///
    /// - Parameter path: the path.
    /// - Returns: The object; nil if none is live there, or it is in another program.
    public func presentable(at path: NodePath) -> (any Presentable)? { node(at: path)?.presentable }
}
