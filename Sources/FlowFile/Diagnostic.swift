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
}
