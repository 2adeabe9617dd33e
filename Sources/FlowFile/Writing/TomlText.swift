/// A value to write.
indirect enum WrittenToml {
    /// A string, a number, true or false: its text.
    case plain(String)
    case list([WrittenToml])
    /// The pairs, in the order of the text.
    case table([TomlText.Pair])

    static func string(_ text: String) -> WrittenToml { .plain(TomlText.quoted(text)) }

    var isTable: Bool { if case .table = self { true } else { false } }

    static func bool(_ value: Bool) -> WrittenToml { .plain(value ? "true" : "false") }
}

/// Writes a TOML text for people: what is short stands on a line, what is longer in tables of its own.
///
/// It is TOML 1.0, which more programs read than 1.1. There, a list can go over lines, and an inline table can't.
struct TomlText {
    /// A key and its value.
    typealias Pair = (key: String, value: WrittenToml)

    /// How many characters a line may have, unless a single value is longer.
    static let width = 110

    private(set) var text = ""
    /// The path of the table that pairs are added to, as it stands in a header.
    private var path = ""

    mutating func addEmptyLine() { text += "\n" }

    /// Adds a comment.
    mutating func add(comment: String) { text += "# \(comment)\n" }

    /// Adds the header of a table, or of an element of a list of tables.
    mutating func begin(_ path: [String], isElement: Bool = false) {
        begin(path.map(Self.key).joined(separator: "."), isElement: isElement)
    }

    private mutating func begin(_ path: String, isElement: Bool) {
        self.path = path
        text += isElement ? "[[\(path)]]\n" : "[\(path)]\n"
    }

    /// Adds the pairs of the table: first those that can stand there, then the tables below it.
    mutating func add(_ pairs: [TomlText.Pair]) {
        var tables: [TomlText.Pair] = []
        for (name, value) in pairs {
            let key = Self.key(name)
            if let lines = Self.lines(value, "", after: key + " = ") {
                text += lines + "\n"
            } else {
                tables.append((key, value))
            }
        }
        let path = self.path
        for (key, value) in tables {
            switch value {
            // It has always lines.
            case .plain: break
            case .table(let pairs):
                begin("\(path).\(key)", isElement: false)
                add(pairs)
            case .list(let elements):
                for case .table(let pairs) in elements {
                    begin("\(path).\(key)", isElement: true)
                    add(pairs)
                }
            }
        }
    }

    // MARK: Lines

    /// Returns a value after its key or, in a list, nothing: on one line if it fits, else a list over lines. Nil for what
    /// has to be tables with headers.
    private static func lines(_ value: WrittenToml, _ indentation: String, after key: String) -> String? {
        let start = indentation + key
        if let line = line(value, after: start) { return line }
        switch value {
        case .plain(let text): return start + text
        case .table: return nil
        case .list(let elements):
            let inner = indentation + "    "
            var text = start + "["
            // Tables and lists have lines of their own; of all else as much as fits stands on each.
            var line: String?
            for element in elements {
                if case .plain = element, let last = line, let longer = Self.line(element, after: last + " ") {
                    line = longer + ","
                    continue
                }
                if let last = line { text += "\n" + last }
                line = nil
                if let lines = lines(element, inner, after: "") {
                    if case .plain = element { line = lines + "," } else { text += "\n" + lines + "," }
                } else if indentation.isEmpty, elements.allSatisfy(\.isTable) {
                    return nil
                } else {
                    // No header leads into a list within a list.
                    text += "\n" + inner + whole(element) + ","
                }
            }
            if let last = line { text += "\n" + last }
            return text + "\n" + indentation + "]"
        }
    }

    /// Returns a value on one line; nil if that is too long.
    private static func line(_ value: WrittenToml, after start: String) -> String? {
        var line = start
        // The comma that follows an element counts, too.
        return append(value, to: &line, upTo: width - 1) ? line : nil
    }

    private static func whole(_ value: WrittenToml) -> String {
        var line = ""
        _ = append(value, to: &line, upTo: .max)
        return line
    }

    /// Appends a value. Returns whether the line has at most so many characters; what is longer is not completed.
    private static func append(_ value: WrittenToml, to line: inout String, upTo width: Int) -> Bool {
        switch value {
        case .plain(let text): line += text
        case .list(let elements):
            line += "["
            for (place, element) in elements.enumerated() {
                if place > 0 { line += ", " }
                guard append(element, to: &line, upTo: width) else { return false }
            }
            line += "]"
        case .table(let pairs) where pairs.isEmpty: line += "{}"
        case .table(let pairs):
            line += "{ "
            for (place, pair) in pairs.enumerated() {
                if place > 0 { line += ", " }
                line += key(pair.key) + " = "
                guard append(pair.value, to: &line, upTo: width) else { return false }
            }
            line += " }"
        }
        return line.utf8.count <= width || line.count <= width
    }

    // MARK: Texts

    static func key(_ name: String) -> String {
        !name.isEmpty && name.utf8.allSatisfy(TomlParser.isBareKey) ? name : quoted(name)
    }

    /// Returns a text in quotes.
    static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                let digits = String(scalar.value, radix: 16, uppercase: true)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
