/// The locations of the tables and keys in a TOML text.
///
/// The parser knows them, but its Swift interface gives positions of syntax errors only. So the text is scanned once
/// more for its structure. The result is a tree with a line for each table, key and list element, which locates
/// semantic errors. If the scan ends early, the nodes found until then stay, and the rest has no line: a missing line
/// is better than a wrong one.
///
/// The scan also runs before the parser, and protects it. toml++ checks some of its assumptions with `assert`, which
/// malformed text can reach: `[=` or the date `2000-01-01 0` abort the process. Unbounded nesting overflows the stack
/// when its tree is freed, and a null character ends the C string that it is given. So the grammar of tables, keys,
/// numbers and dates is checked here, and a text that violates it never reaches the parser; the parser still finds
/// invalid escapes and control characters, values out of range, and duplicate definitions.
struct SourceMap: Sendable {
    /// One element of the path to a table or value.
    enum Key: Hashable, Sendable {
        /// A key of a table.
        case name(String)
        /// An element of a list, counted from 0.
        case index(Int)
    }

    /// A problem that keeps a text from the parser.
    struct Problem: Error, Equatable {
        /// The offset in bytes.
        var offset: Int
        var message: String
    }

    struct KeyNode: Sendable {
        /// The line, counted from 1.
        var line: Int
        var children: [String: Int] = [:]
        var items: [Int] = []
    }

    /// The maximum depth of brackets and of dotted keys. Sensible definitions need about twenty: eight levels in an
    /// argument, in `flows.NAME.on.STEP[].do[].arguments`.
    static let depthLimit = 64

    /// The nodes; the first is the root.
    var nodes = [KeyNode(line: 1)]
    /// The problem that ended the scan early.
    private(set) var problem: Problem?

    /// Scans a text.
    init(_ text: String) {
        var scan = Scan(bytes: Array(text.utf8))
        do throws(Problem) {
            try scan.run()
        } catch {
            problem = error
        }
        nodes = scan.nodes
    }

    /// Returns the line of a definition, counted from 1; nil if it is unknown.
    func line(of path: [Key]) -> Int? {
        let (node, depth) = walk(path)
        return depth == path.count ? nodes[node].line : nil
    }

    /// Returns the line of a definition, or of the innermost enclosing one with a known line; nil if there is none.
    func nearestLine(of path: [Key]) -> Int? {
        let (node, depth) = walk(path)
        return depth > 0 ? nodes[node].line : nil
    }

    private func walk(_ path: [Key]) -> (node: Int, depth: Int) {
        var node = 0
        for (depth, key) in path.enumerated() {
            switch key {
            case .name(let name):
                guard let next = nodes[node].children[name] else { return (node, depth) }
                node = next
            case .index(let index):
                guard nodes[node].items.indices.contains(index) else { return (node, depth) }
                node = nodes[node].items[index]
            }
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
    static func text(of path: [Key]) -> String {
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
        !name.isEmpty && name.utf8.allSatisfy(Scan.isBareKey)
    }
}
