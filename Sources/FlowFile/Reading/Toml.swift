/// A TOML value.
enum Toml: Equatable, Sendable {
    case string(String)
    case integer(Int)
    case double(Double)
    case bool(Bool)
    /// A date, a time or both, as the text has it; no key of a definition file takes one.
    case date(String)
    case list([Toml])
    /// The pairs, in the order of the text.
    case table([Pair])

    /// A key of a table and its value.
    struct Pair: Equatable, Sendable {
        let key: String
        let value: Toml
    }

    /// The kind of the value, for use inside a sentence.
    var kind: String {
        switch self {
        case .string: "a string"
        case .integer: "an integer"
        case .double: "a number with a fraction"
        case .bool: "true or false"
        case .date: "a date or time"
        case .list: "a list"
        case .table: "a table"
        }
    }
}
