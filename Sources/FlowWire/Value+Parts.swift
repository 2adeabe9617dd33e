package import FlowCore

// Making and taking apart what travels. What is not there, or of another type than was promised, is nil or empty: it comes
// from others, and a client that is older or newer than the service goes on.

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
        switch bare {
        case .string(let text), .objectPath(let text), .signature(let text): text
        default: nil
        }
    }

    /// Whether it is true; nil for what is no `b`.
    package var truth: Bool? {
        if case .bool(let truth) = bare { return truth }
        return nil
    }

    /// The number of an integer type, where it is not negative.
    package var number: UInt64? { bare.integer.flatMap { UInt64(exactly: $0) } }

    /// What an array or a structure holds.
    package var elements: [Value] {
        switch bare {
        case .array(_, let elements), .structure(let elements): elements
        default: []
        }
    }

    /// A dictionary's entries whose keys are texts.
    package var entries: [(name: String, value: Value)] {
        elements.compactMap { element in
            guard case .entry(let key, let value) = element, let name = key.text else { return nil }
            return (name, value.bare)
        }
    }

    /// A dictionary's value for a key.
    package subscript(name: String) -> Value? { entries.first { $0.name == name }?.value }
}
