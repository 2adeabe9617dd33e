public import FlowCore

/// Converts the text of command-line arguments to values, and to time spans.
///
/// Source: `flowbusctl(1)`, "Values".
public enum ArgumentText {
    /// An error for a text that is no valid value.
    public struct InvalidValue: Error, Equatable, Sendable {
        /// The message, in one line: the text in single quotes, and what would be right.
        public let text: String
    }

    /// Returns the value of a text, as a declared type.
    ///
    /// A string, a path and a signature are the text as it is; numbers, `true` and `false` are written as in definition
    /// files. Lists, dictionaries and structures are written as in definition files, `[1, 2]` and `{a = 1}`, or in
    /// JSON, `{"a": 1}`; a structure is a list. For a variant (`v`), the text is a value of a definition file if it can
    /// be read as one, otherwise a string.
    public static func value(of text: String, as type: ValueType) throws(InvalidValue) -> Value {
        do throws(Literal.InvalidValue) {
            switch type.signature {
            case "s", "o", "g": return try Literal.value(.string(text), as: type)
            case "v":
                guard let toml = toml(text) else { return .string(try Literal.validated(text)) }
                return try Literal.value(toml, as: type)
            case _ where type.isInteger:
                if let number = wholeNumber(text) {
                    guard let value = type.admit(number) else {
                        throw Literal.InvalidValue(
                            "\(Text.quoted(text)) is out of the range of the type \(type.description)")
                    }
                    return value
                }
            case "d":
                if let number = Double(text) { return .double(number) }
            default: break
            }
            guard let toml = toml(text) else {
                throw Literal.InvalidValue("\(Text.quoted(text)) has to be \(Self.form(of: type))")
            }
            return try Literal.value(toml, as: type)
        } catch {
            throw InvalidValue(text: Text.singleLine(error.text))
        }
    }

    /// Returns the value of a text without a declared type, as for a variant.
    public static func value(of text: String) throws(InvalidValue) -> Value {
        guard let any = ValueType(signature: "v") else { return .string(text) }
        return try value(of: text, as: any)
    }

    /// Returns a time span such as `10s` or `1min 30s`, in µs; at most 30 days.
    public static func microseconds(of text: String) throws(InvalidValue) -> UInt64 {
        do throws(TimeSpan.Invalid) {
            return try TimeSpan.microseconds(text)
        } catch {
            throw InvalidValue(text: Text.singleLine(error.text))
        }
    }

    private static func wholeNumber(_ text: String) -> Value? {
        Int64(text).map(Value.int64) ?? UInt64(text).map(Value.uint64)
    }

    /// Parses the text as one value in TOML or JSON.
    private static func toml(_ text: String) -> Toml? {
        for text in [text, withEqualsSigns(text)] {
            let source = TomlSource("value = " + text)
            if source.problem == nil, source.root.count == 1 { return source.root[0].value }
        }
        return nil
    }

    /// Converts JSON to TOML: `=` in place of `:`, outside of strings.
    private static func withEqualsSigns(_ text: String) -> String {
        var quote: Character?
        var isEscaped = false
        return String(
            text.map { character in
                if let open = quote {
                    if isEscaped {
                        isEscaped = false
                    } else if character == "\\", open == "\"" {
                        isEscaped = true
                    } else if character == open {
                        quote = nil
                    }
                } else if character == "\"" || character == "'" {
                    quote = character
                } else if character == ":" {
                    return "="
                }
                return character
            })
    }

    private static func form(of type: ValueType) -> String {
        switch type.signature {
        case "b": "'true' or 'false'"
        case "d": "a number, such as '1.5'"
        case let signature where signature.hasPrefix("a{"):
            "a dictionary, such as '{name = 1}'"
        case let signature where signature.hasPrefix("a"): "a list, such as '[1, 2]'"
        case let signature where signature.hasPrefix("("):
            "a list of its members, such as '[1, \"text\"]'"
        default: "a whole number"
        }
    }
}
