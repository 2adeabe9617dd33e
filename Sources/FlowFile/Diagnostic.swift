internal import FlowCore
internal import Glibc

/// An error, a warning or a note about definition files.
public struct Diagnostic: Error, Hashable, Sendable {
    /// The severity.
    public enum Severity: String, Sendable {
        /// An error: the definitions can't be used.
        case error
        /// A warning: the definitions can be used, but are probably not intended.
        case warning
        /// A note: the definitions are as good as any, but not every program can read the file.
        case note
    }

    /// The severity.
    public let severity: Severity
    /// The path of the file, or of the folder; empty if it is about no single one.
    public let file: String
    /// The line, counted from 1; nil if it is unknown.
    public let line: Int?
    /// The column in characters, counted from 1; known for errors of syntax.
    public let column: Int?
    /// The table and key in the notation of a file: `flows.main.on.apiKey`; empty if it is about the whole file. List
    /// elements are counted from 1, like lines: `autostart[2].flow`.
    public let place: String
    /// The message, with the value in single quotes, and what would be right.
    public let message: String

    /// Creates a diagnostic. Characters in the place or the message that would break the line are escaped.
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

    /// The maximum length of a place and of a message in characters; keys can be as long as files.
    static let placeLength = 300
    static let messageLength = 1_000
}

/// One line in the format of compilers, which editors understand.
extension Diagnostic: CustomStringConvertible {
    /// `FILE:LINE:COLUMN: error: [PLACE] MESSAGE`; unknown parts are left out.
    public var description: String { "\(location)\(severity.rawValue): \(text)" }

    /// The description without the severity, for a log that has its own: `FILE:LINE:COLUMN: [PLACE] MESSAGE`.
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

/// Formats text from files for messages.
enum Text {
    /// Returns the text in one line, with control characters and the like escaped.
    static func singleLine(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: breaksLine) else { return text }
        return text.unicodeScalars.reduce(into: "") { line, scalar in
            line += breaksLine(scalar) ? scalar.escaped(asASCII: true) : String(scalar)
        }
    }

    /// Returns the text, truncated to a number of characters.
    static func truncated(_ text: String, to length: Int) -> String {
        text.count <= length ? text : text.prefix(length) + "…"
    }

    /// Returns the text in single quotes, truncated so that the message stays readable.
    static func quoted(_ text: String) -> String {
        text.count <= 64 ? "'\(text)'" : "'\(text.prefix(64))…'"
    }

    /// `'a', 'b' and 'c'`
    static func list(_ names: some Sequence<String>, _ last: String = "and") -> String { Names.list(names, last) }

    /// Returns whether one name sorts before another, by UTF-8 bytes.
    static func precedes(_ one: String, _ other: String) -> Bool {
        let order = one.utf8.withContiguousStorageIfAvailable { one in
            other.utf8.withContiguousStorageIfAvailable { other in
                let length = min(one.count, other.count)
                guard length > 0, let first = one.baseAddress, let second = other.baseAddress else {
                    return one.count - other.count
                }
                let order = Int(memcmp(first, second, length))
                return order == 0 ? one.count - other.count : order
            }
        }
        if case .some(.some(let order)) = order { return order < 0 }
        return one.utf8.lexicographicallyPrecedes(other.utf8)
    }

    private static func breaksLine(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
