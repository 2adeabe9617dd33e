import TOMLKit

/// A TOML value, copied from the parser.
///
/// TOMLKit's own values point into the parser's tree, copy to the heap on each access, and are not `Sendable`.
enum Toml: Equatable, Sendable {
    case string(String)
    case integer(Int)
    case double(Double)
    case bool(Bool)
    /// A date, a time or both; no key of a definition file takes one.
    case date
    case list([Toml])
    case table([Pair])

    /// A key of a table and its value.
    struct Pair: Equatable, Sendable {
        let key: String
        let value: Toml
    }

    /// The kind of the value, for use inside a sentence.
    var kind: String {
        switch self {
        case .string: "a string"
        case .integer: "an integer"
        case .double: "a number with a fraction"
        case .bool: "true or false"
        case .date: "a date or time"
        case .list: "a list"
        case .table: "a table"
        }
    }
}

extension Toml {
    /// Parses a text. Returns its root table.
    ///
    /// - Throws: the first syntax error.
    static func parse(_ text: String, _ map: SourceMap) throws(FileReader.Failure) -> [Pair] {
        // The parser must not get such a text; see ``SourceMap``.
        if let problem = map.problem {
            let (line, column) = SourceMap.position(of: problem.offset, in: text.utf8)
            throw FileReader.Failure(line: line, column: column, message: problem.message)
        }
        let root: TOMLTable
        do {
            root = try TOMLTable(string: text)
        } catch let error as TOMLParseError {
            let position = error.source.begin
            throw FileReader.Failure(
                line: position.line > 0 ? position.line : nil, column: position.column > 0 ? position.column : nil,
                message: singleLine(error.description))
        } catch {
            throw FileReader.Failure(message: singleLine("\(error)"))
        }
        // The package never frees a tree; emptying it frees its nodes at least.
        defer { root.clear() }
        return pairs(of: root)
    }

    /// Returns the parser's message as one line that continues after `error: `.
    private static func singleLine(_ description: String) -> String {
        var text = Text.singleLine(description)
        let opening = "Error while parsing "
        if text.hasPrefix(opening) { text.removeFirst(opening.count) }
        return Text.truncated(text, to: 300)
    }

    private static func pairs(of table: TOMLTable) -> [Pair] {
        // The table's iterator is avoided: it creates the list of keys each time, and traps if a key is not found.
        table.keys.compactMap { key in
            table[key].flatMap(value).map { Pair(key: key, value: $0) }
        }
    }

    private static func value(of node: any TOMLValueConvertible) -> Toml? {
        switch node.type {
        case .string: node.string.map(Toml.string)
        case .int: node.int.map(Toml.integer)
        case .double: node.double.map(Toml.double)
        case .bool: node.bool.map(Toml.bool)
        case .date, .time, .dateTime: .date
        case .array: node.array.map { list in .list((0..<list.count).compactMap { value(of: list[$0]) }) }
        case .table: node.table.map { .table(pairs(of: $0)) }
        }
    }
}
