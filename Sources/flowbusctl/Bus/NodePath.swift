import FlowCore
import FlowWire

/// Where a node is in the forest: the ids from its root down to it.
struct NodePath: Hashable {
    /// What every node's object path begins with.
    private static let prefix = "\(BusNames.tree)/"

    let ids: [String]

    /// Reads what a person typed: `main/watched`, or a whole object path.
    init(_ text: String) throws(Failure) {
        var rest = Substring(text)
        if text.hasPrefix(Self.prefix) {
            rest = text.dropFirst(Self.prefix.utf8.count)
        } else if text.hasPrefix("/") {
            // As the bus's own tools print them below the tree.
            rest = text.dropFirst()
        }
        if rest.hasSuffix("/") { rest = rest.dropLast() }
        let ids = rest.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard let bad = ids.first(where: { !Names.isPresentableName($0) }) else {
            self.ids = ids
            return
        }
        let part = bad.isEmpty ? "an empty name" : "'\(Names.escaped(bad))'"
        throw Failure(
            .badValue,
            "'\(Names.escaped(text))' can't be a node, as \(part) is no name of one (\(Names.presentableNameRule)); one reads "
                + "as 'main/watched'")
    }

    /// The node at an object path; nil where that is not in the tree.
    init?(objectPath: String) {
        guard objectPath.hasPrefix(Self.prefix) else { return nil }
        ids = objectPath.dropFirst(Self.prefix.utf8.count).split(separator: "/").map(String.init)
    }

    /// As a person types it.
    var text: String { ids.joined(separator: "/") }
    var objectPath: String { Self.prefix + text }
    /// The last part.
    var id: String { ids.last ?? "" }
    /// The node above; nil at a root.
    var parent: NodePath? { ids.count > 1 ? NodePath(ids: Array(ids.dropLast())) : nil }

    /// Whether it is this node, or below it.
    func isWithin(_ other: NodePath) -> Bool { ids.starts(with: other.ids) }

    private init(ids: [String]) { self.ids = ids }
}

extension String {
    /// The node's path as a person types it, of an object path; other paths as they are.
    var shortPath: String { NodePath(objectPath: self)?.text ?? self }
}

extension Names {
    /// Text from the bus in one line, whatever it is: it may not move a terminal's cursor.
    static func line(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: breaksLine) else { return text }
        return text.unicodeScalars.reduce(into: "") { line, scalar in
            line += breaksLine(scalar) ? scalar.escaped(asASCII: true) : String(scalar)
        }
    }

    private static func breaksLine(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
