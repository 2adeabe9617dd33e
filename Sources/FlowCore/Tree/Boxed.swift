/// A large value behind a reference, so that whatever holds it is small: moving or copying that costs one reference count, not
/// a copy of all members. As with any value, a change copies it first if another one shares it.
///
/// Members are read and written as those of the value itself; its mutating methods are called on ``value``.
@dynamicMemberLookup
struct Boxed<Value: Sendable>: Sendable {
    // An array is the reference with copy-on-write that the standard library has. There is always one element.
    private var one: [Value]

    init(_ value: Value) { one = [value] }

    var value: Value {
        get { one[0] }
        _modify { yield &one[0] }
    }

    subscript<Member>(dynamicMember member: KeyPath<Value, Member>) -> Member { one[0][keyPath: member] }

    subscript<Member>(dynamicMember member: WritableKeyPath<Value, Member>) -> Member {
        get { one[0][keyPath: member] }
        _modify { yield &one[0][keyPath: member] }
    }
}

extension Boxed: Equatable where Value: Equatable {}
extension Boxed: Hashable where Value: Hashable {}
