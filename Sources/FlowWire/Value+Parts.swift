package import FlowCore

// Building and reading values in messages. A missing value, or one of another type, is nil or empty: an older or newer client
// has to go on.

extension Value {
    /// An `a{sv}` in this order.
    package static func dictionary(_ entries: [(name: String, value: Value)]) -> Value {
        .array(
            element: "{sv}", entries.map { .entry(key: .string($0.name), value: .variant($0.value)) })
    }

    /// The value without variants around it.
    package var bare: Value {
        if case .variant(let value) = self { return value.bare }
        return self
    }

    /// The text of a string, a path or a signature.
    package var text: String? {
        if case .stringLike(_, let text) = bare.shape { text } else { nil }
    }

    /// The truth value of a `b`; nil for other types.
    package var truth: Bool? {
        if case .bool(let truth) = bare { return truth }
        return nil
    }

    /// The number of an integer type; nil if it is negative.
    package var number: UInt64? { bare.integer.flatMap { UInt64(exactly: $0) } }

    /// The elements of an array, or the members of a structure.
    package var elements: [Value] {
        switch bare {
        case .array(_, let elements), .structure(let elements): elements
        default: []
        }
    }

    /// A dictionary's entries with texts as keys.
    package var entries: [(name: String, value: Value)] {
        elements.compactMap { element in
            guard case .entry(let key, let value) = element, let name = key.text else { return nil }
            return (name, value.bare)
        }
    }

    /// A dictionary's value for a key.
    package subscript(name: String) -> Value? { entries.first { $0.name == name }?.value }
}
