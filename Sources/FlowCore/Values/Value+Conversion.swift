// Values of another type than the declared one, as many languages send them: a list without a type, a dictionary of texts (S-3).

extension Value {
    /// Returns the value as one of another type, if nothing of it is lost; nil otherwise.
    ///
    /// Integers become others that can hold them, and doubles that are equal to them. A path or a signature becomes a string, and a string a path if
    /// it is one. A value is put into a variant, or taken out of it. So are the elements of arrays, the entries of dictionaries and the
    /// members of structures; an empty array is one of any elements.
    ///
    /// - Parameter type: the signature of one complete type.
    func converted(to type: String) -> Value? {
        guard let value = converted(to: Substring(type)), value.nesting <= Limits.argumentNesting else { return nil }
        return value
    }

    private func converted(to type: Substring) -> Value? {
        if case .object = self { return nil }
        if case .variant(let value) = self { return type == "v" ? self : value.converted(to: type) }
        switch type.first {
        case "v": return .variant(self)
        case "a": return array(of: type.dropFirst())
        case "(": return structure(of: ValueType.completeTypes(in: type.dropFirst().dropLast()) ?? [])
        case let letter?:
            guard let code = letter.asciiValue else { return nil }
            return Value.FixedType(rawValue: code).map(number) ?? Value.StringLikeType(rawValue: code).flatMap(text)
        case nil: return nil
        }
    }

    private func number(_ type: FixedType) -> Value? {
        guard case .fixed(let given, let bits) = shape else { return nil }
        if given == type { return self }
        guard let number = given.integer(bits: bits) else { return nil }
        if type == .double { return Double(exactly: number).map(Value.double) }
        return type.value(of: number)
    }

    private func text(_ type: StringLikeType) -> Value? {
        guard case .stringLike(let given, let text) = shape else { return nil }
        switch type {
        case _ where type == given, .string: return Value(type, text)
        case .objectPath: return given == .string && Names.isObjectPath(text) ? .objectPath(text) : nil
        case .signature: return nil
        }
    }

    private func array(of element: Substring) -> Value? {
        let elements: [Value]
        switch shape {
        case .bytes(let bytes): elements = bytes.map(Value.byte)
        case .array(_, let all): elements = all
        case .fixed, .stringLike, .variant, .structure, .entry: return nil
        }
        var converted: [Value] = []
        converted.reserveCapacity(elements.count)
        for value in elements {
            guard let value = element.first == "{" ? value.entry(of: element) : value.converted(to: element) else {
                return nil
            }
            converted.append(value)
        }
        if element == "y" { return .bytes(converted.compactMap { if case .byte(let byte) = $0 { byte } else { nil } }) }
        return .array(element: String(element), converted)
    }

    /// - Parameter type: the signature of an entry, such as `{sv}`.
    private func entry(of type: Substring) -> Value? {
        guard case .entry(let key, let value) = self else { return nil }
        let types = type.dropFirst().dropLast()
        guard let key = key.converted(to: types.prefix(1)), let value = value.converted(to: types.dropFirst()) else {
            return nil
        }
        return .entry(key: key, value: value)
    }

    private func structure(of types: [String]) -> Value? {
        guard case .structure(let members) = self, members.count == types.count else { return nil }
        var converted: [Value] = []
        for (member, type) in zip(members, types) {
            guard let member = member.converted(to: Substring(type)) else { return nil }
            converted.append(member)
        }
        return .structure(converted)
    }

    /// How deep containers nest in it.
    private var nesting: Int {
        switch shape {
        case .fixed, .stringLike: 0
        case .bytes: 1
        case .variant(let value): 1 + value.nesting
        case .array(_, let members), .structure(let members): 1 + (members.map(\.nesting).max() ?? 0)
        case .entry(let key, let value): 1 + max(key.nesting, value.nesting)
        }
    }
}

extension ValueType {
    /// Whether some value of one type can be converted to another, both of them signatures of one complete type.
    static func canConvert(_ given: Substring, to wanted: Substring) -> Bool {
        if given == wanted || given == "v" || wanted == "v" { return true }
        if let from = given.dropIf("a"), let to = wanted.dropIf("a") {
            guard let from = from.entryTypes else { return to.entryTypes == nil && canConvert(from, to: to) }
            guard let to = to.entryTypes else { return false }
            return canConvert(from.key, to: to.key) && canConvert(from.value, to: to.value)
        }
        if given.first == "(", wanted.first == "(" {
            let (from, to) = (given.memberTypes, wanted.memberTypes)
            return from.count == to.count && zip(from, to).allSatisfy { canConvert(Substring($0), to: Substring($1)) }
        }
        switch (given.basicType, wanted.basicType) {
        case (.fixed(let from), .fixed(let to)): return from.isInteger && (to.isInteger || to == .double)
        case (.stringLike, .stringLike(.string)), (.stringLike(.string), .stringLike(.objectPath)): return true
        default: return false
        }
    }
}

extension Substring {
    /// What follows a letter; nil if it does not begin with that.
    fileprivate func dropIf(_ letter: Character) -> Substring? { first == letter ? dropFirst() : nil }

    /// The types of a dictionary's key and value, if it is that of an entry.
    fileprivate var entryTypes: (key: Substring, value: Substring)? {
        guard first == "{" else { return nil }
        let types = dropFirst().dropLast()
        return (types.prefix(1), types.dropFirst())
    }

    fileprivate var memberTypes: [String] { ValueType.completeTypes(in: dropFirst().dropLast()) ?? [] }

    /// A basic type.
    fileprivate enum BasicType {
        case fixed(Value.FixedType)
        case stringLike(Value.StringLikeType)
    }

    fileprivate var basicType: BasicType? {
        guard count == 1, let code = first?.asciiValue else { return nil }
        return Value.FixedType(rawValue: code).map(BasicType.fixed)
            ?? Value.StringLikeType(rawValue: code).map(BasicType.stringLike)
    }
}
