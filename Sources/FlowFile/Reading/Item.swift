internal import TOMLKit

/// A file that was read: its name, and where things stand in it.
final class SourceFile {
    let name: String
    let lines: LineLocator

    init(name: String, text: String) {
        self.name = name
        lines = LineLocator(text)
    }
}

/// Where something stands in the definition files.
struct Place {
    /// One step on the way from a file's root.
    enum Part: Hashable {
        case key(String)
        /// Of an array, counted from 0.
        case index(Int)
    }

    let file: SourceFile
    let path: [Part]

    func key(_ key: String) -> Place { Place(file: file, path: path + [.key(key)]) }
    func index(_ index: Int) -> Place { Place(file: file, path: path + [.index(index)]) }

    /// The line; that of what is around it, where its own can't be told.
    var line: Int? {
        var path = path[...]
        while !path.isEmpty {
            if let line = file.lines[Array(path)] { return line }
            path = path.dropLast()
        }
        return nil
    }

    /// The way as a file would write it: `flows.main.on.apiKey[1]`.
    var text: String {
        var text = ""
        for part in path {
            switch part {
            case .key(let key):
                let isBare =
                    !key.isEmpty
                    && key.utf8.allSatisfy { byte in
                        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "_-".utf8.contains(byte)
                    }
                text += (text.isEmpty ? "" : ".") + (isBare ? key : "\"\(key)\"")
            case .index(let index): text += "[\(index)]"
            }
        }
        return text
    }

    /// The place for a message about another one: `FILE:LINE`.
    var reference: String { line.map { "\(file.name):\($0)" } ?? file.name }

    func diagnostic(_ severity: Diagnostic.Severity, _ message: String) -> Diagnostic {
        Diagnostic(severity, file: file.name, line: line, place: text, message)
    }
}

/// A value of a definition file, with its place.
struct Item {
    enum Content {
        case string(String)
        case integer(Int)
        case double(Double)
        case bool(Bool)
        /// A date, a time or both.
        case date
        case array([Item])
        /// Sorted by key: the order of the text is lost in reading.
        case table([(key: String, item: Item)])
    }

    let content: Content
    let place: Place

    /// What TOML calls it, for messages.
    var kind: String {
        switch content {
        case .string: "a string"
        case .integer: "an integer"
        case .double: "a float"
        case .bool: "a boolean"
        case .date: "a date or time"
        case .array: "an array"
        case .table: "a table"
        }
    }

    var string: String? { if case .string(let text) = content { text } else { nil } }
    var table: [(key: String, item: Item)]? { if case .table(let entries) = content { entries } else { nil } }

    /// The tables of an array of tables; nil where it is something else.
    var tables: [Item]? {
        guard case .array(let items) = content, items.allSatisfy({ $0.table != nil }) else { return nil }
        return items
    }
}

// MARK: - From TOMLKit

extension Item {
    /// The root table of a file.
    ///
    /// - Throws: ``Diagnostic`` where the text is no TOML.
    static func parse(_ text: String, in file: SourceFile) throws(Diagnostic) -> Item {
        do {
            let root = try TOMLTable(string: text)
            // The values below are views into the table.
            return withExtendedLifetime(root) { Item(root, at: Place(file: file, path: [])) }
        } catch let error as TOMLParseError {
            let message = error.description.split(whereSeparator: \.isNewline).joined(separator: " ")
            throw Diagnostic(
                .error, file: file.name, line: error.source.begin.line, column: error.source.begin.column,
                "this is no TOML: \(message)")
        } catch {
            throw Diagnostic(.error, file: file.name, "this is no TOML: \(error)")
        }
    }

    private init(_ table: TOMLTable, at place: Place) {
        let entries = table.keys.sorted().compactMap { key in
            table[key].map { (key: key, item: Item($0, at: place.key(key))) }
        }
        self.init(content: .table(entries), place: place)
    }

    private init(_ value: any TOMLValueConvertible, at place: Place) {
        // Arrays and tables stand in each other no deeper than the parser allows (256).
        if let table = value.table {
            self.init(table, at: place)
        } else if let array = value.array {
            self.init(
                content: .array(array.enumerated().map { Item($0.element, at: place.index($0.offset)) }), place: place)
        } else if let text = value.string {
            self.init(content: .string(text), place: place)
        } else if let flag = value.bool {
            self.init(content: .bool(flag), place: place)
        } else if let number = value.int {
            self.init(content: .integer(number), place: place)
        } else if let number = value.double {
            self.init(content: .double(number), place: place)
        } else {
            self.init(content: .date, place: place)
        }
    }
}
