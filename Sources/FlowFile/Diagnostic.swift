/// One thing that is wrong, or odd, in the definition files.
public struct Diagnostic: Error, Hashable, Sendable {
    /// How bad it is.
    public enum Severity: String, Sendable {
        /// The definitions can't be used.
        case error
        /// They can; but it is hardly what was meant.
        case warning
    }

    /// How bad it is.
    public let severity: Severity
    /// The file's path, as it was found; for what is no file's, the folder's; empty where it is about no single one.
    public let file: String
    /// The line, counted from 1; nil where it can't be told.
    public let line: Int?
    /// The column in characters, counted from 1; known for errors of syntax.
    public let column: Int?
    /// The table and key, as a file would write them: `flows.main.on.apiKey`; empty where it is about the file. What
    /// stands in a list has its number, counted from 1 like lines: `autostart[2].flow`.
    public let place: String
    /// What is wrong, with the value in single quotes, and what would be right.
    public let message: String

    /// A thing that is wrong or odd. What would break the line, in the place or in the message, is escaped.
    public init(
        _ severity: Severity, file: String, line: Int? = nil, column: Int? = nil, place: String = "", message: String
    ) {
        self.severity = severity
        self.file = file
        self.line = line
        self.column = column
        self.place = Text.truncated(Text.singleLine(place), to: Self.placeLength)
        self.message = Text.truncated(Text.singleLine(message), to: Self.messageLength)
    }

    /// Characters of a place, and of a message, that are shown; keys can be as long as files.
    static let placeLength = 300
    static let messageLength = 1_000
}

/// One line in the style of compilers, so that editors can jump to it.
extension Diagnostic: CustomStringConvertible {
    /// `FILE:LINE:COLUMN: error: [PLACE] MESSAGE`; what is not known is left out.
    public var description: String { "\(location)\(severity.rawValue): \(text)" }

    /// The same without the severity, for a log that has its own: `FILE:LINE:COLUMN: [PLACE] MESSAGE`.
    public var logged: String { location + text }

    private var location: String {
        var location = Text.singleLine(file)
        if let line {
            location += ":\(line)"
            if let column { location += ":\(column)" }
        }
        return location.isEmpty ? "" : location + ": "
    }

    private var text: String { (place.isEmpty ? "" : "[\(place)] ") + message }
}

/// How text from files is put into messages.
enum Text {
    /// The text with everything escaped that is no plain character of a line.
    static func singleLine(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: breaksLine) else { return text }
        return text.unicodeScalars.reduce(into: "") { line, scalar in
            line += breaksLine(scalar) ? scalar.escaped(asASCII: true) : String(scalar)
        }
    }

    /// The text, without what is beyond so many characters.
    static func truncated(_ text: String, to length: Int) -> String {
        text.count <= length ? text : text.prefix(length) + "…"
    }

    /// The text in single quotes; a long one would drown what is wrong with it.
    static func quoted(_ text: String) -> String {
        text.count <= 64 ? "'\(text)'" : "'\(text.prefix(64))…'"
    }

    /// `'a', 'b' and 'c'`
    static func list(_ names: some Sequence<String>, _ last: String = "and") -> String {
        let quoted = names.map { "'\($0)'" }
        guard let end = quoted.last, quoted.count > 1 else { return quoted.joined() }
        return quoted.dropLast().joined(separator: ", ") + " \(last) " + end
    }

    /// Whether one name comes before another: by their UTF-8 bytes, the same everywhere.
    static func precedes(_ one: String, _ other: String) -> Bool {
        one.utf8.lexicographicallyPrecedes(other.utf8)
    }

    private static func breaksLine(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
