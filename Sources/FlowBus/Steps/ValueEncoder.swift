import FlowCore

/// The encoded form of one value. It is a class because containers are filled by reference.
final class EncodedValue {
    enum Content {
        /// Nothing was encoded yet.
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
    /// The members by name, in the order of encoding.
    private(set) var members: [(name: String, value: EncodedValue)] = []
    /// The elements, in order.
    private(set) var elements: [EncodedValue] = []
    /// The innermost Swift type that was encoded; nil for a container inside one.
    var type: Any.Type?
    let path: [any CodingKey]

    /// The maximum depth of nested values. The limit of the bus is lower; this one ends an infinite recursion.
    private static let depth = 32

    init(_ path: [any CodingKey]) { self.path = path }

    /// Encodes a value of any type.
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
        // Bytes can be long, so they are encoded at once. They are recognized by type: an empty array of anything could
        // be cast.
        if Encoded.self == [UInt8].self, let bytes = value as? [UInt8] {
            content = .scalar(.bytes(bytes))
            return
        }
        if let scalar = Encoded.self as? any UnsupportedScalar.Type {
            throw StepError.unsupportedScalar(Encoded.self, scalar, at: path)
        }
        if let dictionary = Encoded.self as? any WireDictionary.Type, !dictionary.hasNames {
            throw StepError.keys(Encoded.self, at: path)
        }
        try value.encode(to: ValueEncoder(self))
    }

    /// Returns what a value is on the bus; nil for a nil.
    ///
    /// - Throws: ``StepError`` for a value that D-Bus can't carry.
    static func value<Encoded: Encodable>(
        of value: Encoded, at path: [any CodingKey]
    ) throws(StepError) -> Value? {
        let encoded = EncodedValue(path)
        do { try encoded.encode(value) } catch { throw StepError(encoding: error, at: path) }
        guard let content = try encoded.value() else { return nil }
        guard content.nesting <= Limits.argumentNesting else { throw StepError.tooDeep(at: path) }
        return content
    }

    /// Adds a member under a name. A repeated name replaces the earlier member.
    func member(_ key: any CodingKey) -> EncodedValue {
        let member = EncodedValue(path + [key])
        // The keys of a dictionary are unique, and there can be many.
        if !(type is any WireDictionary.Type) { members.removeAll { $0.name == key.stringValue } }
        members.append((key.stringValue, member))
        return member
    }

    /// Adds an element to the list.
    func element() -> EncodedValue {
        let element = EncodedValue(path + [IndexKey(elements.count)])
        elements.append(element)
        return element
    }

    /// Returns the D-Bus value; nil if there is none and it is left out.
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
        // Sorted, so that the order is the same each time.
        entries.sort { $0.name < $1.name }
        let signature = try common(entries.map(\.value)) { ArgumentType(of: type.valueType).type.signature }
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
                    "\(StepPlace.text(path)) is an empty list whose element type is unknown; use an array")
            }
            let signature = ArgumentType(of: type).type.signature
            return signature.hasPrefix("a{") ? signature : String(signature.dropFirst())
        }
        guard signature == "y" else { return .array(element: signature, values) }
        return .bytes(values.compactMap { if case .byte(let byte) = $0 { byte } else { nil } })
    }

    /// Returns the common type of the values; for an empty list, the one of the Swift type.
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

/// Encodes a type as a D-Bus value.
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

/// Encodes the properties of a struct, the case of an enum, or the entries of a dictionary.
private struct NamedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let target: EncodedValue
    var codingPath: [any CodingKey] { target.path }

    /// nil is left out, as D-Bus has no nil.
    func encodeNil(forKey key: Key) throws {}

    func encode<Encoded: Encodable>(_ value: Encoded, forKey key: Key) throws {
        if Encoded.self is any WireOptional.Type, target.type is any WireDictionary.Type {
            throw StepError.optional(Encoded.self, at: codingPath + [key])
        }
        try target.member(key).encode(value)
    }

    // The default implementations of these two throw errors with other messages.
    func encode(_ value: Int128, forKey key: Key) throws {
        throw StepError.unsupportedScalar(Int128.self, Int128.self, at: codingPath + [key])
    }
    func encode(_ value: UInt128, forKey key: Key) throws {
        throw StepError.unsupportedScalar(UInt128.self, UInt128.self, at: codingPath + [key])
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

/// Encodes the elements of an array or a set, and bytes.
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

    // The default implementations of these two throw errors with other messages.
    func encode(_ value: Int128) throws { throw StepError.unsupportedScalar(Int128.self, Int128.self, at: codingPath) }
    func encode(_ value: UInt128) throws {
        throw StepError.unsupportedScalar(UInt128.self, UInt128.self, at: codingPath)
    }

    func nestedContainer<Nested: CodingKey>(keyedBy keyType: Nested.Type) -> KeyedEncodingContainer<Nested> {
        ValueEncoder(target.element()).container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        ValueEncoder(target.element()).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { ValueEncoder(target.element()) }
}

/// Encodes a single value.
private struct SingleEncoding: SingleValueEncodingContainer {
    let target: EncodedValue
    var codingPath: [any CodingKey] { target.path }

    func encodeNil() throws { target.content = .absent }
    func encode<Encoded: Encodable>(_ value: Encoded) throws { try target.encode(value) }

    // The default implementations of these two throw errors with other messages.
    func encode(_ value: Int128) throws { throw StepError.unsupportedScalar(Int128.self, Int128.self, at: codingPath) }
    func encode(_ value: UInt128) throws {
        throw StepError.unsupportedScalar(UInt128.self, UInt128.self, at: codingPath)
    }
}
