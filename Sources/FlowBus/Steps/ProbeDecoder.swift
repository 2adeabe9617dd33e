import FlowCore

/// Decodes a type from generated values, and reports to its ``TypeProbe`` what the type requested.
struct ProbeDecoder: Decoder {
    let probe: TypeProbe
    let codingPath: [any CodingKey]
    /// Whether this decodes the whole type, which determines its D-Bus type, or a container inside it.
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

/// The arguments that a case requested.
final class ProbedParameters {
    private(set) var list: [(name: String, signature: String, isOptional: Bool)] = []
    private var optionals: Set<String> = []

    /// The type checked whether the argument exists, so it is optional.
    func isOptional(_ key: any CodingKey) { optionals.insert(key.stringValue) }

    func found(_ key: any CodingKey, _ signature: String, isOptional: Bool = false) {
        let isOptional = isOptional || optionals.contains(key.stringValue)
        guard !list.contains(where: { $0.name == key.stringValue }) else { return }
        list.append((key.stringValue, signature, isOptional))
    }

    /// What was found as a declaration, sorted by name.
    ///
    /// - Parameters:
    ///   - noun: what each is, in the text of errors: `argument`.
    ///   - subject: whose they are: `step 'pick'`.
    ///   - path: where they are coded.
    /// - Throws: ``StepError`` for a name or a type that can't be on the bus, and for too many.
    func declared(
        as noun: String, of subject: String, at path: [any CodingKey]
    ) throws(StepError) -> [Parameter] {
        var parameters: [Parameter] = []
        for (name, signature, isOptional) in list {
            guard Names.isPresentableName(name) else {
                throw StepError(
                    .unsupportedType,
                    "'\(Names.escaped(name))' can't be \(noun == "argument" ? "an" : "a") \(noun) of \(subject): it has to be "
                        + "\(Names.presentableNameRule); give it another name in CodingKeys")
            }
            guard let type = ValueType(signature: signature) else {
                throw StepError.tooDeep(at: path + [NameKey(name)])
            }
            parameters.append(Parameter(name, type, isOptional: isOptional))
        }
        guard parameters.count <= Limits.argumentCount else {
            throw StepError(
                .unsupportedType,
                "\(subject) has \(parameters.count) \(noun)s; at most \(Limits.argumentCount) are allowed")
        }
        return parameters.sorted { $0.name < $1.name }
    }
}

/// Decodes the properties of a struct, the case of an enum, or the arguments of a case.
struct ProbeNames<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let probe: TypeProbe
    let codingPath: [any CodingKey]
    /// Collects the arguments, if these are the arguments of a step.
    let parameters: ProbedParameters?

    /// Enums read this, and expect the one case.
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

    // The default implementations of these two throw errors with other messages.
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
        throw StepError.unsupportedScalar(type, type, at: codingPath + [key])
    }
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
        throw StepError.unsupportedScalar(type, type, at: codingPath + [key])
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
            // The D-Bus type of each argument is needed, so the first unknown one ends the attempt.
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

    /// An argument has to be a value of one type. If it is decoded by hand, that type is unknown.
    private func byHand(_ key: any CodingKey) throws {
        guard parameters != nil else { return }
        throw StepError(
            .unsupportedType,
            "\(StepPlace.text(codingPath + [key])) is decoded by hand in a way that does not show its type; decode a "
                + "value of a type of its own")
    }
}

/// Decodes the elements of an array or a set, and bytes. It reports its end after the first element, but returns as
/// many as are requested.
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

    // The default implementations of these two throw errors with other messages.
    mutating func decode(_ type: Int128.Type) throws -> Int128 {
        throw StepError.unsupportedScalar(type, type, at: codingPath)
    }
    mutating func decode(_ type: UInt128.Type) throws -> UInt128 {
        throw StepError.unsupportedScalar(type, type, at: codingPath)
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

/// Decodes a single value.
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

    // The default implementations of these two throw errors with other messages.
    func decode(_ type: Int128.Type) throws -> Int128 { throw StepError.unsupportedScalar(type, type, at: codingPath) }
    func decode(_ type: UInt128.Type) throws -> UInt128 {
        throw StepError.unsupportedScalar(type, type, at: codingPath)
    }
}
