/// A large value behind a reference, so that whatever holds it is small: moving or copying that costs one reference count, not
/// a copy of all members. As with any value, a change copies it first if another one shares it.
///
/// Members are read and written as those of the value itself; its mutating methods are called on ``value``.
@dynamicMemberLookup
struct Boxed<Value: Sendable>: Sendable {
    // An array is the reference with copy-on-write that the standard library has. There is always one element.
    private var one: [Value]

    @inline(__always)
    init(_ value: Value) { one = [value] }

    @inline(__always)
    var value: Value {
        get { one[0] }
        _modify { yield &one[0] }
    }

    @inline(__always)
    subscript<Member>(dynamicMember member: KeyPath<Value, Member>) -> Member { one[0][keyPath: member] }

    @inline(__always)
    subscript<Member>(dynamicMember member: WritableKeyPath<Value, Member>) -> Member {
        get { one[0][keyPath: member] }
        _modify { yield &one[0][keyPath: member] }
    }
}

extension Boxed: Equatable where Value: Equatable {}
extension Boxed: Hashable where Value: Hashable {}

/// What can be stored in ``Sparse``.
protocol Initial: Equatable, Sendable {
    /// The value at first.
    init()
}

/// A large value that nearly always is as at first, and takes no memory then.
struct Sparse<Value: Initial>: Equatable, Sendable {
    private var changed: Boxed<Value>?

    @inline(__always)
    init() {}

    /// This value, which is not as at first.
    @inline(__always)
    init(_ value: Value) { changed = Boxed(value) }

    /// Whether nothing has changed yet.
    @inline(__always)
    var isAsAtFirst: Bool { changed == nil }

    /// A member of the value, with what it is at first.
    @inline(__always)
    subscript<Member: Equatable>(
        member: WritableKeyPath<Value, Member>, first: @autoclosure () -> Member
    ) -> Member {
        get { changed?[dynamicMember: member] ?? first() }
        set {
            if changed == nil {
                if newValue == first() { return }
                changed = Boxed(Value())
            }
            changed?[dynamicMember: member] = newValue
        }
    }

    /// Whether the values are equal, stored or not.
    static func == (one: Sparse, other: Sparse) -> Bool {
        if one.changed == nil, other.changed == nil { return true }
        return (one.changed?.value ?? Value()) == (other.changed?.value ?? Value())
    }
}
