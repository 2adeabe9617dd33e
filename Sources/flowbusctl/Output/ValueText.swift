import FlowCore
import FlowWire

extension Value {
    /// The value in the notation of the command line: strings of several words are in double quotes.
    var commandLineText: String {
        switch shape {
        case .stringLike(_, let text):
            Self.isPlain(text) ? text : Names.line(JSON.string(text).text)
        case .variant(let value): value.commandLineText
        case .fixed: description
        case .bytes, .array, .structure, .entry: Names.line(JSON(self).text)
        }
    }

    /// Whether a string needs no quotes.
    private static func isPlain(_ text: String) -> Bool {
        !text.isEmpty && Names.line(text) == text && !text.contains { $0.isWhitespace || "\"'\\,".contains($0) }
    }

    /// The arguments, each as `name=value`.
    var argumentText: String { entries.map { "\($0.name)=\($0.value.commandLineText)" }.joined(separator: " ") }
}
