/// Where a flow or screen lives in the tree: `main/watched/movieDetail`.
///
/// On the bus it is an object below `/org/flowbus/Navigation1/tree`. Written with or without that.
public struct NodePath: Hashable, Sendable {
    static let tree = "/org/flowbus/Navigation1/tree/"

    /// The ids from the root on, with slashes between.
    public let text: String

    /// The place with these ids, or this object path.
    public init(_ text: String) {
        // Ids have ASCII letters alone: bytes are what there is to count.
        let isWhole = text.utf8.starts(with: Self.tree.utf8)
        self.text = isWhole ? String(Substring(text.utf8.dropFirst(Self.tree.utf8.count))) : text
    }

    /// The path of the object on the bus.
    public var objectPath: String { Self.tree + text }

    /// Where the parent lives; nil: this is a root.
    public var parent: NodePath? { text.lastIndex(of: "/").map { NodePath(String(text[..<$0])) } }

    /// Whether it is at or below another place.
    public func isWithin(_ other: NodePath) -> Bool { text == other.text || text.hasPrefix(other.text + "/") }
}

extension NodePath: ExpressibleByStringLiteral, CustomStringConvertible {
    /// The place with these ids, or this object path.
    public init(stringLiteral text: String) { self.init(text) }

    /// The ids from the root on.
    public var description: String { text }
}
