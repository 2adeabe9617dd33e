import FlowCore

/// A JSON value; RFC 8259.
enum JSON: Sendable {
    case null
    case bool(Bool)
    /// Integers are written in full, including those that a double can't represent.
    case number(Int128)
    /// Non-finite numbers are written as "NaN", "Infinity" or "-Infinity".
    case double(Double)
    case string(String)
    case array([JSON])
    /// The members, in order.
    case object([(String, JSON)])

    /// The value in one line.
    var text: String {
        switch self {
        case .null: "null"
        case .bool(let truth): truth ? "true" : "false"
        case .number(let number): "\(number)"
        case .double(let number): Self.text(of: number)
        case .string(let text): Self.quoted(text)
        case .array(let values): "[" + values.map(\.text).joined(separator: ",") + "]"
        case .object(let entries):
            "{" + entries.map { Self.quoted($0.0) + ":" + $0.1.text }.joined(separator: ",") + "}"
        }
    }

    private static func text(of number: Double) -> String {
        if number.isNaN { return "\"NaN\"" }
        if number.isInfinite { return number < 0 ? "\"-Infinity\"" : "\"Infinity\"" }
        return "\(number)"
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            // Control characters, and the separators that JavaScript treats as line ends.
            case _
            where scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
                || (0x2028...0x2029).contains(scalar.value):
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }

    /// Returns a string, or null if it is empty.
    static func nonEmpty(_ text: String) -> JSON { text.isEmpty ? .null : .string(text) }
}

extension JSON {
    /// Converts a D-Bus value: a dictionary becomes an object, a structure an array, and a variant its content.
    init(_ value: Value) {
        switch value.shape {
        case .fixed(.bool, let bits): self = .bool(bits != 0)
        case .fixed(.double, let bits): self = .double(Double(bitPattern: bits))
        case .fixed(let type, let bits): self = type.integer(bits: bits).map(JSON.number) ?? .null
        case .stringLike(_, let text): self = .string(text)
        case .variant(let value): self = JSON(value)
        case .bytes(let bytes): self = .array(bytes.map { .number(Int128($0)) })
        case .array(let element, let values) where element.hasPrefix("{"):
            self = .object(
                values.compactMap { entry in
                    guard case .entry(let key, let value) = entry else { return nil }
                    return (key.description, JSON(value))
                })
        case .array(_, let values), .structure(let values): self = .array(values.map { JSON($0) })
        case .entry(let key, let value): self = .array([JSON(key), JSON(value)])
        }
    }
}
