import FlowCore
import FlowWire

extension Value {
    /// The value as a person reads it, and can type it again: strings that are more than one word in double quotes.
    var shown: String {
        switch self {
        case .string(let text), .objectPath(let text), .signature(let text):
            Self.isPlain(text) ? text : Names.line(JSON.string(text).text)
        case .variant(let value): value.shown
        case .bool, .byte, .int16, .uint16, .int32, .uint32, .int64, .uint64, .double: description
        case .bytes, .array, .structure, .entry: Names.line(JSON(self).text)
        }
    }

    /// Whether it stands in a line by itself.
    private static func isPlain(_ text: String) -> Bool {
        !text.isEmpty && Names.line(text) == text && !text.contains { $0.isWhitespace || "\"'\\,".contains($0) }
    }

    /// Arguments, each as `name=value`.
    var shownArguments: String { entries.map { "\($0.name)=\($0.value.shown)" }.joined(separator: " ") }
}
