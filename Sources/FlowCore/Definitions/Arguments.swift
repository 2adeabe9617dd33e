/// One named argument of a step, a screen or a flow.
public struct Argument: Hashable, Sendable {
    /// The name, as the declaration has it.
    public var name: String
    /// The value, of its declared type.
    public var value: Value
    /// Whether the value came with a step whose arguments are private. That travels with the value, wherever a rule
    /// hands it on: it is never broadcast, nor shown by a property (`[private]` of a definition file).
    public var isPrivate: Bool

    /// An argument of this name and value.
    public init(_ name: String, _ value: Value, isPrivate: Bool = false) {
        self.name = name
        self.value = value
        self.isPrivate = isPrivate
    }
}

/// Named arguments in the order they came. A list, not a dictionary: there are few, and their order goes out as it came.
public typealias Arguments = [Argument]

extension [Argument] {
    /// The argument of this name, nil where there is none.
    public subscript(name: String) -> Argument? {
        first { $0.name == name }
    }

    /// Those that may be told to everyone.
    public var broadcastable: Arguments {
        contains(where: \.isPrivate) ? filter { !$0.isPrivate } : self
    }

    /// How many bytes they count for against the limits.
    public var byteCount: Int {
        reduce(0) { $0 + Limits.argumentNameBytes + $1.name.utf8.count + $1.value.byteCount }
    }
}
