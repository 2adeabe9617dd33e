import FlowCore

/// What one value was encoded to, so far. Containers are filled by whoever holds them, so this is a class.
final class EncodedValue {
    enum Content {
        /// Nothing was said yet.
        case nothing
        /// `nil`.
        case absent
        case scalar(Value)
        /// ``members``
        case named
        /// ``elements``
        case list
    }

    var content: Content = .nothing
    /// What is in it by name, in the order it came.
    private(set) var members: [(name: String, value: EncodedValue)] = []
    /// What is in it one after the other.
    private(set) var elements: [EncodedValue] = []
    /// The innermost Swift type that was encoded as a value; nil for a container inside one.
    var type: Any.Type?
    let path: [any CodingKey]

    /// How deep values may stand in each other. The limit of the bus is lower; this one ends what would never end.
    private static let depth = 32

    init(_ path: [any CodingKey]) { self.path = path }

    /// Takes a value of any type.
    func encode<Encoded: Encodable>(_ value: Encoded) throws {
        guard path.count <= Self.depth else { throw StepError.tooDeep(at: path) }
        type = Encoded.self
        if Encoded.self is any WireScalar.Type, let scalar = value as? any WireScalar {
            if let text = value as? String, text.utf8.contains(0) {
                throw StepError(
                    .unsupportedValue,
                    "\(StepPlace.text(path)) is '\(Names.escaped(text))'; a text on the bus can't have the character NUL"
                )
            }
            content = .scalar(scalar.wireValue)
            return
        }
        // The one array that can be long: at once. By its type, as an empty array of anything could be cast.
        if Encoded.self == [UInt8].self, let bytes = value as? [UInt8] {
            content = .scalar(.bytes(bytes))
            return
        }
        if let scalar = Encoded.self as? any UnsupportedScalar.Type {
            throw StepError.wireless(Encoded.self, scalar, at: path)
        }
        if let dictionary = Encoded.self as? any WireDictionary.Type, !dictionary.hasNames {
            throw StepError.keys(Encoded.self, at: path)
        }
        try value.encode(to: ValueEncoder(self))
    }

    /// A new value inside this one, under this name. The same name again replaces it.
    func member(_ key: any CodingKey) -> EncodedValue {
        let member = EncodedValue(path + [key])
        // The keys of a dictionary are never the same, and they are many.
        if !(type is any WireDictionary.Type) { members.removeAll { $0.name == key.stringValue } }
        members.append((key.stringValue, member))
        return member
    }

    /// A new value at the end of the list that this one is.
    func element() -> EncodedValue {
        let element = EncodedValue(path + [IndexKey(elements.count)])
        elements.append(element)
        return element
    }

    /// The value for the bus; nil where there is none and it is to be left out.
    func value() throws(StepError) -> Value? {
        switch content {
        case .nothing: return .array(element: "{sv}", [])
        case .absent: return nil
        case .scalar(let value): return value
        case .named: return try dictionary()
        case .list: return try list()
        }
    }

    private func dictionary() throws(StepError) -> Value {
        var entries: [(name: String, value: Value)] = []
        for member in members {
            guard let value = try member.value.value() else { continue }
            entries.append((member.name, value))
        }
        guard let type = type as? any WireDictionary.Type else {
            return .array(
                element: "{sv}", entries.map { .entry(key: .string($0.name), value: .variant($0.value)) })
        }
        // In an order that is the same each time.
        entries.sort { $0.name < $1.name }
        let signature = try common(entries.map(\.value)) { () throws(StepError) in
            try TypeProbe.signature(of: type.valueType, at: path)
        }
        return .array(
            element: "{s\(signature)}", entries.map { .entry(key: .string($0.name), value: $0.value) })
    }

    private func list() throws(StepError) -> Value {
        var values: [Value] = []
        for element in elements {
            guard let value = try element.value() else {
                throw StepError.optional(element.type ?? Any?.self, at: element.path)
            }
            values.append(value)
        }
        if type is any WireSet.Type { values.sort(by: Self.isOrdered) }
        let signature = try common(values) { () throws(StepError) in
            guard let type else {
                throw StepError(
                    .unsupportedValue,
                    "\(StepPlace.text(path)) is an empty list that nobody tells the type of; use an array")
            }
            let signature = try TypeProbe.signature(of: type, at: path)
            return signature.hasPrefix("a") ? String(signature.dropFirst()) : signature
        }
        guard signature == "y" else { return .array(element: signature, values) }
        return .bytes(values.compactMap { if case .byte(let byte) = $0 { byte } else { nil } })
    }

    /// The type that all values have; of none, the one that the Swift type says.
    private func common(
        _ values: [Value], orElse signature: () throws(StepError) -> String
    ) throws(StepError) -> String {
        guard let first = values.first?.signature else { return try signature() }
        if let other = values.first(where: { $0.signature != first }) {
            throw StepError.mixed(first, other.signature, at: path)
        }
        return first
    }

    private static func isOrdered(_ one: Value, _ other: Value) -> Bool {
        if let one = one.integer, let other = other.integer { return one < other }
        return one.description < other.description
    }
}

/// What a value encodes itself with.
struct ValueEncoder: Encoder {
    let target: EncodedValue
    var codingPath: [any CodingKey] { target.path }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(_ target: EncodedValue) { self.target = target }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        target.content = .named
        return KeyedEncodingContainer(NamedEncoding(target: target))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        target.content = .list
        return ListEncoding(target: target)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { SingleEncoding(target: target) }
}

/// A struct's properties, an enum's case, a dictionary's entries.
private struct NamedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let target: EncodedValue
    var codingPath: [any CodingKey] { target.path }

    /// Left out, as there is no nil.
    func encodeNil(forKey key: Key) throws {}

    func encode<Encoded: Encodable>(_ value: Encoded, forKey key: Key) throws {
        if Encoded.self is any WireOptional.Type, target.type is any WireDictionary.Type {
            throw StepError.optional(Encoded.self, at: codingPath + [key])
        }
        try target.member(key).encode(value)
    }

    // The standard library has these two refuse in words of its own.
    func encode(_ value: Int128, forKey key: Key) throws {
        throw StepError.wireless(Int128.self, Int128.self, at: codingPath + [key])
    }
    func encode(_ value: UInt128, forKey key: Key) throws {
        throw StepError.wireless(UInt128.self, UInt128.self, at: codingPath + [key])
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy keyType: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        ValueEncoder(target.member(key)).container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        ValueEncoder(target.member(key)).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { ValueEncoder(target.member(NameKey("super"))) }
    func superEncoder(forKey key: Key) -> any Encoder { ValueEncoder(target.member(key)) }
}

/// Elements of an array or a set, and bytes.
private struct ListEncoding: UnkeyedEncodingContainer {
    let target: EncodedValue
    var codingPath: [any CodingKey] { target.path }
    var count: Int { target.elements.count }

    func encodeNil() throws { throw StepError.optional(target.type ?? Any?.self, at: codingPath) }

    func encode<Encoded: Encodable>(_ value: Encoded) throws {
        if Encoded.self is any WireOptional.Type {
            throw StepError.optional(Encoded.self, at: codingPath + [IndexKey(count)])
        }
        try target.element().encode(value)
    }

    // The standard library has these two refuse in words of its own.
    func encode(_ value: Int128) throws { throw StepError.wireless(Int128.self, Int128.self, at: codingPath) }
    func encode(_ value: UInt128) throws { throw StepError.wireless(UInt128.self, UInt128.self, at: codingPath) }

    func nestedContainer<Nested: CodingKey>(keyedBy keyType: Nested.Type) -> KeyedEncodingContainer<Nested> {
        ValueEncoder(target.element()).container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        ValueEncoder(target.element()).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { ValueEncoder(target.element()) }
}

/// What is one value by itself.
private struct SingleEncoding: SingleValueEncodingContainer {
    let target: EncodedValue
    var codingPath: [any CodingKey] { target.path }

    func encodeNil() throws { target.content = .absent }
    func encode<Encoded: Encodable>(_ value: Encoded) throws { try target.encode(value) }

    // The standard library has these two refuse in words of its own.
    func encode(_ value: Int128) throws { throw StepError.wireless(Int128.self, Int128.self, at: codingPath) }
    func encode(_ value: UInt128) throws { throw StepError.wireless(UInt128.self, UInt128.self, at: codingPath) }
}
