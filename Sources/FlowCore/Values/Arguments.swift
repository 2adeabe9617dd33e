/// A named argument of a step, a screen or a flow.
public struct Argument: Hashable, Sendable {
    /// The declared name.
    public var name: String
    /// The value, of the declared type.
    public var value: Value
    /// Whether the value came with a step whose arguments are private (`[private]` of a definition file). The mark
    /// stays with the value wherever a rule passes it on: it is never broadcast, nor shown in a property.
    public var isPrivate: Bool

    /// Creates an argument.
    public init(_ name: String, _ value: Value, isPrivate: Bool = false) {
        self.name = name
        self.value = value
        self.isPrivate = isPrivate
    }
}

extension Argument {
    var byteCount: Int { Limits.argumentNameBytes + name.utf8.count + value.byteCount }
}

/// Named arguments in order. They are a list, not a dictionary: there are few, and their order is preserved.
public typealias Arguments = [Argument]

extension [Argument] {
    /// The argument with a name; nil if there is none.
    public subscript(name: String) -> Argument? {
        first { $0.name == name }
    }

    /// The arguments that are not private.
    public var broadcastable: Arguments { contains(where: \.isPrivate) ? filter { !$0.isPrivate } : self }

    /// Whether both give the same names the same values. Neither the order counts, which a dictionary on the bus does not have,
    /// nor from where the values came.
    func hasSameValues(as other: Arguments) -> Bool {
        guard count == other.count else { return false }
        return indices.allSatisfy { index in
            // Most callers have one order.
            let twin = other[index].name == self[index].name ? other[index] : other[self[index].name]
            return twin?.value.isSame(as: self[index].value) == true
        }
    }

    /// The number of bytes that they count for against the limits.
    public var byteCount: Int {
        var sum = 0
        for place in indices { sum += self[place].byteCount }
        return sum
    }
}
