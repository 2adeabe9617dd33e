import TOMLKit

/// A TOML value, copied out of the parser.
///
/// TOMLKit's own values point into the parser's tree, make a copy on the heap at each look and are not `Sendable`.
enum Toml: Equatable, Sendable {
    case string(String)
    case integer(Int)
    case double(Double)
    case bool(Bool)
    /// A date, a time or both: nothing in a definition file is one.
    case date
    case list([Toml])
    case table([Pair])

    /// A key of a table and its value.
    struct Pair: Equatable, Sendable {
        let key: String
        let value: Toml
    }

    /// What kind of value it is, to stand in a sentence.
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
    /// The root table of a text.
    ///
    /// - Throws: what is wrong with its syntax; the parser stops at the first thing.
    static func parse(_ text: String, _ map: SourceMap) throws(FileReader.Failure) -> [Pair] {
        // What the parser has to be kept from; see ``SourceMap``.
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
        // The package never frees a tree; emptying it gives at least the nodes back.
        defer { root.clear() }
        return pairs(of: root)
    }

    /// The parser's words as one line that goes on after `error: `.
    private static func singleLine(_ description: String) -> String {
        var text = Text.singleLine(description)
        let opening = "Error while parsing "
        if text.hasPrefix(opening) { text.removeFirst(opening.count) }
        return Text.truncated(text, to: 300)
    }

    private static func pairs(of table: TOMLTable) -> [Pair] {
        // Not by the table's iterator, which makes each list of keys anew and traps where a key is not found.
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
