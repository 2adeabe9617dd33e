import FlowCore

/// Gives a type made-up values, and tells its ``TypeProbe`` what it asked for.
struct ProbeDecoder: Decoder {
    let probe: TypeProbe
    let codingPath: [any CodingKey]
    /// Whether this is all of the type, which decides how it travels, or a container inside.
    var isWhole = true
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        if isWhole { probe.found("a{sv}") }
        return KeyedDecodingContainer(ProbeNames(probe: probe, codingPath: codingPath, parameters: nil))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        ProbeList(probe: probe, codingPath: codingPath, isWhole: isWhole)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        ProbeSingle(probe: probe, codingPath: codingPath, isWhole: isWhole)
    }
}

/// The arguments that a case asked for.
final class ProbedParameters {
    private(set) var list: [(name: String, signature: String, isOptional: Bool)] = []
    private var optionals: Set<String> = []

    /// It asked whether there is one, so it can do without.
    func isOptional(_ key: any CodingKey) { optionals.insert(key.stringValue) }

    func found(_ key: any CodingKey, _ signature: String, isOptional: Bool = false) {
        let isOptional = isOptional || optionals.contains(key.stringValue)
        guard !list.contains(where: { $0.name == key.stringValue }) else { return }
        list.append((key.stringValue, signature, isOptional))
    }
}

/// A struct's properties, an enum's case, a case's arguments.
struct ProbeNames<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let probe: TypeProbe
    let codingPath: [any CodingKey]
    /// Where these are the arguments of a step: to be filled.
    let parameters: ProbedParameters?

    /// Enums ask for it, and expect the one case that is there.
    var allKeys: [Key] {
        guard parameters == nil else { return [] }
        return probe.choice(of: EnumCases.all(of: Key.self) ?? []).map { [$0] } ?? []
    }

    func contains(_ key: Key) -> Bool {
        parameters?.isOptional(key)
        return true
    }

    func decodeNil(forKey key: Key) throws -> Bool {
        parameters?.isOptional(key)
        return false
    }

    func decode<Decoded: Decodable>(_ type: Decoded.Type, forKey key: Key) throws -> Decoded {
        if let optional = type as? any WireOptional.Type, let absent = optional.absent as? Decoded {
            let path = codingPath + [key]
            parameters?.found(key, try probe.signature(of: optional.wrapped, at: path), isOptional: true)
            return absent
        }
        guard let value = try look(at: type, key, isOptional: false) else { throw NoValue() }
        return value
    }

    // The standard library has these two refuse in words of its own.
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
        throw StepError.wireless(type, type, at: codingPath + [key])
    }
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
        throw StepError.wireless(type, type, at: codingPath + [key])
    }

    func decodeIfPresent<Decoded: Decodable>(_ type: Decoded.Type, forKey key: Key) throws -> Decoded? {
        try look(at: type, key, isOptional: true)
    }

    private func look<Decoded: Decodable>(
        at type: Decoded.Type, _ key: Key, isOptional: Bool
    ) throws -> Decoded? {
        let path = codingPath + [key]
        let probed = try probe.look(at: type, path)
        if let parameters {
            // What it travels as has to be known of each argument, so the first that says nothing is the end.
            guard let signature = probed.signature, probed.value != nil || isOptional else {
                throw TypeProbe.unknown(type, at: path)
            }
            parameters.found(key, signature, isOptional: isOptional)
        }
        return probed.value
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        parameters?.found(key, "a{sv}")
        return KeyedDecodingContainer(
            ProbeNames<Nested>(probe: probe, codingPath: codingPath + [key], parameters: nil))
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try byHand(key)
        return ProbeList(probe: probe, codingPath: codingPath + [key], isWhole: false)
    }

    func superDecoder() throws -> any Decoder { try superDecoder(NameKey("super")) }
    func superDecoder(forKey key: Key) throws -> any Decoder { try superDecoder(key) }

    private func superDecoder(_ key: any CodingKey) throws -> any Decoder {
        try byHand(key)
        return ProbeDecoder(probe: probe, codingPath: codingPath + [key], isWhole: false)
    }

    /// An argument has to be a value of a type: what else is decoded there can't be told.
    private func byHand(_ key: any CodingKey) throws {
        guard parameters != nil else { return }
        throw StepError(
            .unsupportedType,
            "\(StepPlace.text(codingPath + [key])) is decoded by hand in a way that does not tell its type; decode a "
                + "value of a type of its own")
    }
}

/// Elements of an array or a set, and bytes. Ends after the first, but gives as many as are asked for.
private struct ProbeList: UnkeyedDecodingContainer {
    let probe: TypeProbe
    let codingPath: [any CodingKey]
    let isWhole: Bool
    var currentIndex = 0
    var count: Int? { nil }
    var isAtEnd: Bool { currentIndex > 0 || isWhole && probe.isListEmpty }

    init(probe: TypeProbe, codingPath: [any CodingKey], isWhole: Bool) {
        self.probe = probe
        self.codingPath = codingPath
        self.isWhole = isWhole
    }

    mutating func decodeNil() throws -> Bool { false }

    mutating func decode<Decoded: Decodable>(_ type: Decoded.Type) throws -> Decoded {
        let path = codingPath + [IndexKey(currentIndex)]
        let probed = try probe.look(at: type, path)
        if isWhole {
            guard let signature = probed.signature else { throw TypeProbe.unknown(type, at: path) }
            try probe.found(element: signature, at: path)
        }
        guard let value = probed.value else {
            if isWhole { probe.haveNoElements() }
            throw NoValue()
        }
        currentIndex += 1
        return value
    }

    // The standard library has these two refuse in words of its own.
    mutating func decode(_ type: Int128.Type) throws -> Int128 { throw StepError.wireless(type, type, at: codingPath) }
    mutating func decode(_ type: UInt128.Type) throws -> UInt128 {
        throw StepError.wireless(type, type, at: codingPath)
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        let path = codingPath + [IndexKey(currentIndex)]
        if isWhole { try probe.found(element: "a{sv}", at: path) }
        currentIndex += 1
        return KeyedDecodingContainer(ProbeNames(probe: probe, codingPath: path, parameters: nil))
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        currentIndex += 1
        return ProbeList(probe: probe, codingPath: codingPath + [IndexKey(currentIndex - 1)], isWhole: false)
    }

    mutating func superDecoder() throws -> any Decoder {
        currentIndex += 1
        return ProbeDecoder(probe: probe, codingPath: codingPath + [IndexKey(currentIndex - 1)], isWhole: false)
    }
}

/// What is one value by itself.
private struct ProbeSingle: SingleValueDecodingContainer {
    let probe: TypeProbe
    let codingPath: [any CodingKey]
    let isWhole: Bool

    func decodeNil() -> Bool { false }

    func decode<Decoded: Decodable>(_ type: Decoded.Type) throws -> Decoded {
        let probed = try probe.look(at: type, codingPath)
        if isWhole, let signature = probed.signature { probe.found(signature) }
        guard let value = probed.value else { throw NoValue() }
        return value
    }

    // The standard library has these two refuse in words of its own.
    func decode(_ type: Int128.Type) throws -> Int128 { throw StepError.wireless(type, type, at: codingPath) }
    func decode(_ type: UInt128.Type) throws -> UInt128 { throw StepError.wireless(type, type, at: codingPath) }
}
