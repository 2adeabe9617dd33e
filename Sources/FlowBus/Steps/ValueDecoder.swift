import FlowCore

/// Decodes a type from a D-Bus value.
struct ValueDecoder: Decoder {
    /// The value; nil if there is none.
    let value: Value?
    let codingPath: [any CodingKey]
    /// Whether the value is private, and stays out of errors.
    let isPrivate: Bool
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(NamedDecoding(decoder: self, members: try members()))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        ListDecoding(decoder: self, elements: try elements())
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { SingleDecoding(decoder: self) }

    /// Returns a decoder for a nested value.
    func inside(_ key: any CodingKey, _ value: Value?) -> ValueDecoder {
        ValueDecoder(value: value.map(Self.unwrapped), codingPath: codingPath + [key], isPrivate: isPrivate)
    }

    /// Returns the content of a variant.
    static func unwrapped(_ value: Value) -> Value {
        guard case .variant(let inner) = value else { return value }
        return unwrapped(inner)
    }

    /// Decodes the value as a type.
    func decode<Decoded: Decodable>(_ type: Decoded.Type) throws -> Decoded {
        if let scalar = type as? any WireScalar.Type {
            guard let decoded = value.flatMap({ scalar.init(wireValue: $0) }) as? Decoded else {
                throw mismatch(scalar.signature, isNumber: scalar is any FixedWidthInteger.Type, type)
            }
            return decoded
        }
        if type == [UInt8].self, case .bytes(let bytes) = value, let decoded = bytes as? Decoded { return decoded }
        if let scalar = type as? any UnsupportedScalar.Type {
            throw StepError.unsupportedScalar(type, scalar, at: codingPath)
        }
        if let dictionary = type as? any WireDictionary.Type, !dictionary.hasNames {
            throw StepError.keys(type, at: codingPath)
        }
        do {
            return try type.init(from: self)
        } catch let error as DecodingError where error.stepError == nil {
            throw dataCorrupted(refusal(type, error.context.debugDescription))
        }
    }

    /// Decodes the value as a type.
    ///
    /// - Throws: ``StepError`` if it does not fit.
    func decoded<Decoded: Decodable>(as type: Decoded.Type) throws(StepError) -> Decoded {
        do {
            return try decode(type)
        } catch let error as StepError {
            throw error
        } catch let error as DecodingError where error.stepError != nil {
            throw error.stepError ?? StepError(.invalidArguments, error.context.debugDescription)
        } catch {
            let description = (error as? DecodingError)?.context.debugDescription ?? "\(error)"
            throw StepError(
                .invalidArguments,
                "\(StepPlace.text(codingPath)) can't be decoded: \(isPrivate ? "its type refuses the value" : description)"
            )
        }
    }

    /// Returns the message for a value that a type refuses, with the accepted values if they are known.
    private func refusal<Decoded: Decodable>(_ type: Decoded.Type, _ reason: String) -> String {
        let place = StepPlace.text(codingPath)
        guard let raw = type as? any RawRepresentable.Type, let iterable = type as? any CaseIterable.Type else {
            return isPrivate
                ? "\(place) can't be of the Swift type '\(StepError.name(of: type))'"
                : "\(place) can't be of the Swift type '\(StepError.name(of: type))': \(reason)"
        }
        let known = iterable.values.compactMap(raw.text)
        let list = known.prefix(20).map { "'\($0)'" }.joined(separator: ", ") + (known.count > 20 ? ", …" : "")
        guard !isPrivate, let value else { return "\(place) has to be one of \(list)" }
        let suggestion = Names.suggestion(for: value.description, among: known)
        return "\(place) is '\(Names.escaped(value.description))'; it has to be one of \(list)\(suggestion)"
    }

    /// Returns the entries of an `a{sv}`, or of another dictionary with string keys.
    private func members() throws -> [(name: String, value: Value)] {
        guard case .array(let element, let entries) = value, element.hasPrefix("{s") else {
            throw mismatch("a{sv}", isNumber: false, [String: Any].self)
        }
        return entries.compactMap { entry in
            guard case .entry(.string(let name), let value) = entry else { return nil }
            return (name, value)
        }
    }

    private func elements() throws -> [Value] {
        switch value {
        case .array(let element, let elements) where !element.hasPrefix("{"): return elements
        case .bytes(let bytes): return bytes.map(Value.byte)
        default: throw mismatch("an array", isNumber: false, [Any].self)
        }
    }

    /// The error for a value of the wrong type, or for a missing one.
    private func mismatch(_ wanted: String, isNumber: Bool, _ type: Any.Type) -> DecodingError {
        let wanted = StepError.word(wanted)
        let place = StepPlace.text(codingPath)
        guard let value else {
            let context = context("\(place) is missing; it has to be of type \(wanted)")
            return .valueNotFound(type, context)
        }
        let came = StepError.word(value.signature)
        if isPrivate {
            return .typeMismatch(type, context("\(place) does not fit: it has to be of type \(wanted), not \(came)"))
        }
        let shown = "\(place) is '\(Names.escaped(value.description))'"
        if isNumber, value.integer != nil {
            return .typeMismatch(type, context("\(shown), which is out of the range of the type \(wanted)"))
        }
        return .typeMismatch(type, context("\(shown), of type \(came); it has to be of type \(wanted)"))
    }

    fileprivate func missing(_ key: any CodingKey) -> DecodingError {
        .keyNotFound(key, context("\(StepPlace.text(codingPath)) lacks '\(Names.escaped(key.stringValue))'"))
    }

    private func dataCorrupted(_ message: String) -> DecodingError { .dataCorrupted(context(message)) }

    /// The error that types with their own decoding expect, with a message for people.
    private func context(_ message: String) -> DecodingError.Context {
        DecodingError.Context(
            codingPath: codingPath, debugDescription: message,
            underlyingError: StepError(.invalidArguments, message))
    }
}

extension RawRepresentable {
    /// Returns the raw value as a string.
    fileprivate static func text(_ value: Any) -> String? { (value as? Self).map { "\($0.rawValue)" } }
}

extension CaseIterable {
    /// All values.
    fileprivate static var values: [Any] { Array(allCases) }
}

extension DecodingError {
    var context: Context {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
            .dataCorrupted(let context):
            context
        @unknown default: Context(codingPath: [], debugDescription: "\(self)")
        }
    }

    /// Returns the message of an error that this library created.
    var stepError: StepError? { context.underlyingError as? StepError }
}

/// Decodes the properties of a struct, the case of an enum, or the entries of a dictionary.
private struct NamedDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: ValueDecoder
    let members: [(name: String, value: Value)]
    var codingPath: [any CodingKey] { decoder.codingPath }
    var allKeys: [Key] { members.compactMap { Key(stringValue: $0.name) } }

    private func member(_ key: any CodingKey) -> Value? { members.first { $0.name == key.stringValue }?.value }

    func contains(_ key: Key) -> Bool { member(key) != nil }
    func decodeNil(forKey key: Key) throws -> Bool { member(key) == nil }

    func decode<Decoded: Decodable>(_ type: Decoded.Type, forKey key: Key) throws -> Decoded {
        let value = member(key)
        guard value != nil || type is any WireOptional.Type else { throw decoder.missing(key) }
        return try decoder.inside(key, value).decode(type)
    }

    // The default implementations of these two throw errors with other messages.
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
        throw StepError.unsupportedScalar(type, type, at: codingPath + [key])
    }
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
        throw StepError.unsupportedScalar(type, type, at: codingPath + [key])
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try nested(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try nested(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { try nested(NameKey("super")) }
    func superDecoder(forKey key: Key) throws -> any Decoder { try nested(key) }

    private func nested(_ key: any CodingKey) throws -> ValueDecoder {
        guard let value = member(key) else { throw decoder.missing(key) }
        return decoder.inside(key, value)
    }
}

/// Decodes the elements of an array or a set, and bytes.
private struct ListDecoding: UnkeyedDecodingContainer {
    let decoder: ValueDecoder
    let elements: [Value]
    var currentIndex = 0
    var codingPath: [any CodingKey] { decoder.codingPath }
    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    init(decoder: ValueDecoder, elements: [Value]) {
        self.decoder = decoder
        self.elements = elements
    }

    mutating func decodeNil() throws -> Bool { false }

    mutating func decode<Decoded: Decodable>(_ type: Decoded.Type) throws -> Decoded {
        let decoded = try element().decode(type)
        currentIndex += 1
        return decoded
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
        let container = try element().container(keyedBy: type)
        currentIndex += 1
        return container
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let container = try element().unkeyedContainer()
        currentIndex += 1
        return container
    }

    mutating func superDecoder() throws -> any Decoder {
        let decoder = try element()
        currentIndex += 1
        return decoder
    }

    private func element() throws -> ValueDecoder {
        guard !isAtEnd else { throw decoder.missing(IndexKey(currentIndex)) }
        return decoder.inside(IndexKey(currentIndex), elements[currentIndex])
    }
}

/// Decodes a single value.
private struct SingleDecoding: SingleValueDecodingContainer {
    let decoder: ValueDecoder
    var codingPath: [any CodingKey] { decoder.codingPath }

    func decodeNil() -> Bool { decoder.value == nil }
    func decode<Decoded: Decodable>(_ type: Decoded.Type) throws -> Decoded { try decoder.decode(type) }

    // The default implementations of these two throw errors with other messages.
    func decode(_ type: Int128.Type) throws -> Int128 { throw StepError.unsupportedScalar(type, type, at: codingPath) }
    func decode(_ type: UInt128.Type) throws -> UInt128 {
        throw StepError.unsupportedScalar(type, type, at: codingPath)
    }
}
