import FlowCore

/// A TOML text that was parsed: its values, and the line of each table, key and list element.
///
/// A text has far more tables than anybody asks for as a whole, so they are not values before that.
final class TomlSource: Sendable {
    /// One element of the path to a table or value.
    enum Key: Hashable, Sendable {
        /// A key of a table.
        case name(String)
        /// An element of a list, counted from 0.
        case index(Int)
    }

    /// An error in the syntax.
    struct Problem: Error, Equatable {
        /// The offset in bytes.
        var offset: Int
        var message: String
    }

    /// A table, the value of a key, or an element of a list. Its children are linked, in the order of the text.
    struct Node: Sendable {
        let key: Key
        var kind: Kind
        /// The value; that of a table or a list is made of the children.
        var value = Toml.bool(false)
        /// The line, counted from 1.
        var line: Int
        let parent: Int
        /// The first and the last child, and the next one of the parent; 0, which is the root and nobody's child, for none.
        var (first, last, next) = (0, 0, 0)
        /// The number of children.
        var count = 0
        /// The number of the parser's index of the children, counted from 1; 0 while they are few.
        var index = 0

        init(_ key: Key, _ kind: Kind, in parent: Int, _ line: Int) {
            self.key = key
            self.kind = kind
            self.parent = parent
            self.line = line
        }
    }

    /// The children of a node.
    struct Children: Sequence, IteratorProtocol {
        private let nodes: [Node]
        private var following: Int

        init(of node: Int, in nodes: [Node]) {
            self.nodes = nodes
            following = nodes[node].first
        }

        mutating func next() -> Int? {
            guard following > 0 else { return nil }
            defer { following = nodes[following].next }
            return following
        }
    }

    /// How a node came to be, which decides what can be added to it later.
    enum Kind: Sendable {
        /// A string, a number and so on.
        case value
        /// A table with a header of its own.
        case table
        /// A table above one with a header; it can get a header later.
        case implicit
        /// A table that a dotted key implies; more such keys can follow.
        case dotted
        /// A table in braces, and a list in brackets: nothing can be added.
        case inline, list
        /// A list of tables with headers.
        case tables

        var isTable: Bool { self == .table || self == .implicit || self == .dotted || self == .inline }
        var isList: Bool { self == .list || self == .tables }
    }

    /// The maximum depth of brackets and of dotted keys. Sensible definitions need about twenty: eight levels in an
    /// argument, in `flows.NAME.on.STEP[].do[].arguments`.
    static let depthLimit = 64

    /// The nodes; the first is the root.
    let nodes: [Node]
    /// The first error. What was found before it stays in ``nodes``.
    let problem: Problem?
    /// What the text needs TOML 1.1 for, as a noun, and the first place of it; nil if TOML 1.0 has all of it.
    let newer: FileReader.Failure?

    /// Parses a text.
    init(_ text: String) {
        var parser = TomlParser(Array(text.utf8))
        var problem: Problem?
        do throws(Problem) { try parser.run() } catch { problem = error }
        nodes = parser.nodes
        newer = parser.newer.map { newer in
            let (line, column) = Self.position(of: newer.offset, in: text.utf8)
            return FileReader.Failure(line: line, column: column, message: newer.message)
        }
        self.problem = problem
    }

    /// Parses a text.
    ///
    /// - Throws: the first error, with its position.
    convenience init(checked text: String) throws(FileReader.Failure) {
        self.init(text)
        guard let problem else { return }
        let (line, column) = Self.position(of: problem.offset, in: text.utf8)
        throw FileReader.Failure(line: line, column: column, message: problem.message)
    }

    /// The root table; empty if there is a problem.
    var root: [Toml.Pair] { problem == nil ? pairs(of: 0) : [] }

    /// Returns the value of a node.
    func value(of node: Int) -> Toml {
        switch nodes[node].kind {
        case .value: nodes[node].value
        case .table, .implicit, .dotted, .inline: .table(pairs(of: node))
        case .list, .tables: .list(children(of: node).map { value(of: $0) })
        }
    }

    private func pairs(of node: Int) -> [Toml.Pair] {
        children(of: node).compactMap { child in
            if case .name(let key) = nodes[child].key { Toml.Pair(key: key, value: value(of: child)) } else { nil }
        }
    }

    /// Returns the children of a table or a list.
    func children(of node: Int) -> Children { Children(of: node, in: nodes) }

    /// Returns the child of a table.
    func child(of node: Int, _ name: String) -> Int? {
        var child = nodes[node].first
        while child > 0 {
            if case .name(name) = nodes[child].key { return child }
            child = nodes[child].next
        }
        return nil
    }

    /// Returns the line of a definition, counted from 1; nil if it is unknown.
    func line(of path: [Key]) -> Int? {
        let (node, depth) = walk(path[...], from: 0)
        return depth == path.count ? nodes[node].line : nil
    }

    /// Returns the line of what is at a path from a node, or of the innermost enclosing one with a known line; nil if
    /// there is none.
    func nearestLine(of path: some Collection<Key>, from start: Int = 0) -> Int? {
        let (node, _) = walk(path, from: start)
        return node > 0 ? nodes[node].line : nil
    }

    /// Returns the path of a node from the root.
    func path(to node: Int) -> [Key] {
        var path: [Key] = []
        var node = node
        while node > 0 {
            path.append(nodes[node].key)
            node = nodes[node].parent
        }
        return path.reversed()
    }

    private func walk(_ path: some Collection<Key>, from start: Int) -> (node: Int, depth: Int) {
        var node = start
        for (depth, key) in path.enumerated() {
            guard let child = children(of: node).first(where: { nodes[$0].key == key }) else {
                return (node, depth)
            }
            node = child
        }
        return (node, path.count)
    }

    /// Returns the line and column of an offset, both counted from 1, the column in characters.
    static func position(of offset: Int, in bytes: some Collection<UInt8>) -> (line: Int, column: Int) {
        var (line, column) = (1, 1)
        for byte in bytes.prefix(offset) {
            if byte == UInt8(ascii: "\n") {
                line += 1
                column = 1
            } else if byte & 0xC0 != 0x80 {
                column += 1
            }
        }
        return (line, column)
    }

    /// Returns a path in the notation of a file; list elements are counted from 1.
    static func text(of path: some Sequence<Key>) -> String {
        var text = ""
        for key in path {
            switch key {
            case .name(let name):
                if !text.isEmpty { text += "." }
                text += isBare(name) ? name : "\"\(name)\""
            case .index(let index):
                text += "[\(index + 1)]"
            }
        }
        return text
    }

    private static func isBare(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.allSatisfy(TomlParser.isBareKey)
    }
}
