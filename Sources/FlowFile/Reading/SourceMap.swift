/// Where the tables and keys of a TOML text stand.
///
/// The parser knows, but its Swift interface gives positions of syntax errors alone. So the text is scanned once more,
/// for its structure: the result is a tree with a line for each table, key and list element, which is asked for errors
/// of meaning. Where the scan ends early, what it had found until then stays, and the rest has no line: a missing line
/// is better than a wrong one.
///
/// The scan is also the parser's guard, and runs before it. toml++ checks some of what it takes for granted with
/// `assert`, which malformed text can reach: `[=` or the date `2000-01-01 0` abort the process. Nesting without end
/// makes freeing its tree overflow the stack, and a null character ends the C string it is given. So the grammar of
/// tables, keys, numbers and dates is checked here, and a text that breaks it never gets to the parser; what is left
/// for the parser to find are escapes and control characters, values out of range, and what is defined twice.
struct SourceMap: Sendable {
    /// One part of the way to a table or value.
    enum Key: Hashable, Sendable {
        /// A key of a table.
        case name(String)
        /// An element of a list, counted from 0.
        case index(Int)
    }

    /// What makes a text unfit for the parser.
    struct Problem: Error, Equatable {
        /// In bytes from the start.
        var offset: Int
        var message: String
    }

    struct Node: Sendable {
        /// Counted from 1.
        var line: Int
        var children: [String: Int] = [:]
        var items: [Int] = []
    }

    /// How deep brackets, and the parts of a dotted key, may go. Sensible definitions need about twenty: eight levels
    /// in an argument, in `flows.NAME.on.STEP[].do[].arguments`.
    static let depthLimit = 64

    /// The root is the first.
    var nodes = [Node(line: 1)]
    /// What ended the scan early.
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

    /// The line on which this is defined, counted from 1; nil where that is not known.
    func line(of path: [Key]) -> Int? {
        let (node, depth) = walk(path)
        return depth == path.count ? nodes[node].line : nil
    }

    /// The line of this, or of the innermost thing around it that is known; nil if there is none but the file.
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

    /// The line and column, both counted from 1, the column in characters.
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

    /// The way as a file would write it; list elements counted from 1.
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
