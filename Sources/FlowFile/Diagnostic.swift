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
    /// The file's path, as it was found; for what is no file's, the folder's.
    public let file: String
    /// The line, counted from 1; nil where it can't be told.
    public let line: Int?
    /// The column, counted from 1; known for errors of syntax.
    public let column: Int?
    /// The table and key, as a file would write them: `flows.main.on.apiKey`; empty where it is about the file.
    public let place: String
    /// What is wrong, with the value in single quotes, and what would be right.
    public let message: String

    init(
        _ severity: Severity, file: String, line: Int? = nil, column: Int? = nil, place: String = "", _ message: String
    ) {
        self.severity = severity
        self.file = file
        self.line = line
        self.column = column
        self.place = place
        self.message = message
    }
}

extension Diagnostic: CustomStringConvertible {
    /// As compilers write it: `FILE:LINE:COLUMN: error: [PLACE] MESSAGE`, without what is not known.
    public var description: String { "\(location): \(severity.rawValue): \(text)" }

    /// The same without the severity, for a log that has its own: `FILE:LINE:COLUMN: [PLACE] MESSAGE`.
    public var logged: String { "\(location): \(text)" }

    private var location: String {
        var location = file
        if let line {
            location += ":\(line)"
            if let column { location += ":\(column)" }
        }
        return location
    }

    private var text: String { (place.isEmpty ? "" : "[\(place)] ") + message }
}

extension Diagnostic: Comparable {
    /// By file, line and column; what has no line comes first.
    public static func < (one: Diagnostic, other: Diagnostic) -> Bool {
        (one.file, one.line ?? 0, one.column ?? 0, one.place, one.message)
            < (other.file, other.line ?? 0, other.column ?? 0, other.place, other.message)
    }
}

/// Gathers diagnostics: a check goes on after the first.
final class Report {
    private(set) var diagnostics: [Diagnostic] = []

    var hasErrors: Bool { diagnostics.contains { $0.severity == .error } }

    func add(_ diagnostic: Diagnostic) {
        diagnostics.append(diagnostic)
    }

    func error(_ place: Place, _ message: String) {
        add(place.diagnostic(.error, message))
    }

    func warning(_ place: Place, _ message: String) {
        add(place.diagnostic(.warning, message))
    }
}
