import FlowCore

/// Determines the cases of a step type and their arguments.
enum StepProbe {
    /// Returns all cases, sorted by name.
    static func declarations<S: Step>(of type: S.Type) throws(StepError) -> [StepDeclaration] {
        guard EnumCases.isEnum(type) else { throw StepError.notAStep(type, "it has to be an enum") }
        var declarations: [StepDeclaration] = []
        var count = 1
        var index = 0
        while index < count {
            let probe = CaseProbe(type, index)
            let isDecodable = try decode(type, probe)
            count = probe.names.count
            index += 1
            if isDecodable { declarations.append(try declaration(probe, type)) }
        }
        return declarations.sorted { $0.name < $1.name }
    }

    /// Decodes the case from generated values. Returns false for a case that the type never decodes because it is
    /// marked unavailable.
    private static func decode<S: Step>(_ type: S.Type, _ probe: CaseProbe) throws(StepError) -> Bool {
        repeat {
            probe.parameters = ProbedParameters()
            probe.isAsked = false
            if try probe.types.value({ try type.init(from: CaseDecoder(probe: probe)) }) != nil {
                guard probe.isAsked else { throw CaseProbe.notCodedAsOne(type) }
                return true
            }
        } while probe.types.next()
        guard let name = probe.name, probe.isAsked else { throw CaseProbe.notCodedAsOne(type) }
        guard probe.isOpened else { return false }
        throw StepError(
            .unsupportedType,
            "step '\(Names.escaped(name))' of '\(StepError.name(of: type))' can't be decoded from any of the values that were tried;  "
                + "give its arguments types that conform to StepArgument, which provides an example")
    }

    private static func declaration(_ probe: CaseProbe, _ type: Any.Type) throws(StepError) -> StepDeclaration {
        guard let name = probe.name else { throw CaseProbe.notCodedAsOne(type) }
        guard Names.isStepName(name) else {
            throw StepError(
                .unsupportedType,
                "'\(Names.escaped(name))' of '\(StepError.name(of: type))' can't be the name of a step: "
                    + "\(Names.stepNameRule); give it another in CodingKeys")
        }
        return StepDeclaration(
            name, parameters: try probe.parameters.declared(as: "argument", of: "step '\(name)'", at: [NameKey(name)]))
    }
}

/// One case of a step type.
private final class CaseProbe {
    let type: Any.Type
    let index: Int
    /// Determines the types of its arguments.
    let types = TypeProbe()
    /// The names of all cases, once they are known.
    var names: [String] = []
    var parameters = ProbedParameters()
    /// Whether the type requested the case.
    var isAsked = false
    /// Whether the type requested the arguments of the case.
    var isOpened = false

    init(_ type: Any.Type, _ index: Int) {
        self.type = type
        self.index = index
    }

    var name: String? { names.indices.contains(index) ? names[index] : nil }

    static func notCodedAsOne(_ type: Any.Type) -> StepError {
        StepError.notAStep(
            type,
            "it has to be an enum that is coded the way Swift does it for enums without raw values, each case by its "
                + "name, with a container of its arguments")
    }

    /// Returns the keys of all cases.
    func keys<Key: CodingKey>(_ key: Key.Type) throws(StepError) -> [Key] {
        guard let keys = EnumCases.all(of: key) else {
            throw StepError.notAStep(
                type,
                "the cases of its '\(StepError.name(of: key))' can't be listed; make that an enum that is CaseIterable")
        }
        let names = keys.map(\.stringValue)
        guard Set(names).count == names.count else {
            throw StepError.notAStep(type, "two cases of its '\(StepError.name(of: key))' have the same name")
        }
        for name in names where Key(stringValue: name)?.stringValue != name {
            throw StepError.notAStep(
                type,
                "'\(StepError.name(of: key))(stringValue: \"\(Names.escaped(name))\")' is not the key of that name")
        }
        self.names = names
        return keys
    }
}

/// Decodes a step type as this case.
private struct CaseDecoder: Decoder {
    let probe: CaseProbe
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        let keys = try probe.keys(type)
        guard keys.indices.contains(probe.index) else { throw CaseProbe.notCodedAsOne(probe.type) }
        return KeyedDecodingContainer(CaseNames(probe: probe, key: keys[probe.index]))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw CaseProbe.notCodedAsOne(probe.type) }
    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        throw CaseProbe.notCodedAsOne(probe.type)
    }
}

/// The container of the one case, which has nothing but its arguments.
private struct CaseNames<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let probe: CaseProbe
    let key: Key
    var codingPath: [any CodingKey] { [] }

    var allKeys: [Key] {
        probe.isAsked = true
        return [key]
    }

    func contains(_ other: Key) -> Bool { other.stringValue == key.stringValue }

    func decodeNil(forKey other: Key) throws -> Bool { !contains(other) }

    func decode<Decoded: Decodable>(_ type: Decoded.Type, forKey other: Key) throws -> Decoded {
        throw CaseProbe.notCodedAsOne(probe.type)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey other: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        guard contains(other) else { throw NoValue() }
        probe.isAsked = true
        probe.isOpened = true
        return KeyedDecodingContainer(
            ProbeNames<Nested>(probe: probe.types, codingPath: [key], parameters: probe.parameters))
    }

    func nestedUnkeyedContainer(forKey other: Key) throws -> any UnkeyedDecodingContainer {
        throw CaseProbe.notCodedAsOne(probe.type)
    }

    func superDecoder() throws -> any Decoder { throw CaseProbe.notCodedAsOne(probe.type) }
    func superDecoder(forKey other: Key) throws -> any Decoder { throw CaseProbe.notCodedAsOne(probe.type) }
}
