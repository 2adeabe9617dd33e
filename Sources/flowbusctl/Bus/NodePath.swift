import FlowCore
import FlowWire

/// The path of a node in the forest: the ids from its root down to it.
struct NodePath: Hashable {
    /// The prefix of every node's object path.
    private static let prefix = "\(BusNames.tree)/"

    let ids: [String]

    /// Reads a path such as `main/watched`, or a whole object path.
    init(_ text: String) throws(Failure) {
        var rest = Substring(text)
        if text.hasPrefix(Self.prefix) {
            rest = text.dropFirst(Self.prefix.utf8.count)
        } else if text.hasPrefix("/") {
            // The tools of D-Bus print paths below the tree this way.
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
            "'\(Names.escaped(text))' can't be a node, as \(part) is no name of one (\(Names.presentableNameRule)); write it "
                + "as 'main/watched'")
    }

    /// Creates a path from an object path; nil if it is outside the tree.
    init?(objectPath: String) {
        guard objectPath.hasPrefix(Self.prefix) else { return nil }
        ids = objectPath.dropFirst(Self.prefix.utf8.count).split(separator: "/").map(String.init)
    }

    /// The path as on the command line.
    var text: String { ids.joined(separator: "/") }
    var objectPath: String { Self.prefix + text }
    /// The last id.
    var id: String { ids.last ?? "" }
    /// The parent; nil for a root.
    var parent: NodePath? { ids.count > 1 ? NodePath(ids: Array(ids.dropLast())) : nil }

    /// Returns whether it is equal to another path, or below it.
    func isWithin(_ other: NodePath) -> Bool { ids.starts(with: other.ids) }

    private init(ids: [String]) { self.ids = ids }
}

extension String {
    /// The path of the node with this object path, as on the command line; other paths are unchanged.
    var shortPath: String { NodePath(objectPath: self)?.text ?? self }
}

extension Names {
    /// Returns a text from the bus in one line, safe for a terminal.
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
