/// The path of a flow or screen in the tree, such as `main/watched/movieDetail`.
///
/// On the bus, the object below `/org/flowbus/Navigation1/tree`. A path can be created with or without that prefix.
public struct NodePath: Hashable, Sendable {
    package static let tree = "/org/flowbus/Navigation1/tree/"

    /// The ids from the root down, separated by slashes.
    public let text: String

    /// Creates a path from ids, or from an object path.
    ///
    /// - Parameter text: ids separated by slashes, or the path of an object of the tree.
    public init(_ text: String) {
        // By bytes: what begins a text by characters takes twice as long to find.
        guard text.utf8.first == UInt8(ascii: "/"), text.utf8.starts(with: Self.tree.utf8) else {
            self.text = text
            return
        }
        self.text = String(Substring(text.utf8.dropFirst(Self.tree.utf8.count)))
    }

    /// A path from ids alone, as the machine in this process has them.
    init(ids: String) { text = ids }

    /// The path of the object on the bus.
    public var objectPath: String { Self.tree + text }

    /// The path of the parent; nil for a root.
    public var parent: NodePath? { text.lastIndex(of: "/").map { NodePath(String(text[..<$0])) } }

    /// Returns whether the path is equal to another path, or below it.
    ///
    /// - Parameter other: the other path.
    /// - Returns: Whether it is.
    public func isWithin(_ other: NodePath) -> Bool { text == other.text || text.hasPrefix(other.text + "/") }
}

extension NodePath: ExpressibleByStringLiteral, CustomStringConvertible {
    /// Creates a path from ids, or from an object path.
    ///
    /// - Parameter text: ids separated by slashes, or the path of an object of the tree.
    public init(stringLiteral text: String) { self.init(text) }

    /// The ids from the root down, separated by slashes.
    public var description: String { text }
}
