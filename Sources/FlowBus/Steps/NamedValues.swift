import FlowCore

/// Encodes values as named values, `a{sv}`: results (S-45) and saved states (S-44).
///
/// A value of a struct has its properties by their names, as in the arguments of a step; one of a dictionary has its entries.
enum NamedValues {
    /// Encodes a value. The subject names it in messages: `the result`.
    ///
    /// - Throws: ``StepError`` for a value that D-Bus can't carry, and for one without names.
    static func encode<Encoded: Encodable>(
        _ value: Encoded, as subject: String
    ) throws(StepError) -> FlowCore.Arguments {
        let path = [SubjectKey(subject)]
        let encoded = EncodedValue(path)
        do { try encoded.encode(value) } catch { throw StepError(encoding: error, at: path) }
        guard case .array(let element, let entries)? = try encoded.value(), element.hasPrefix("{s") else {
            throw unnamed(Encoded.self, subject)
        }
        var arguments: FlowCore.Arguments = []
        for case .entry(.string(let name), let value) in entries {
            var content = value
            if case .variant(let inner) = value { content = inner }
            guard content.nesting <= Limits.argumentNesting else { throw StepError.tooDeep(at: path + [NameKey(name)]) }
            arguments.append(Argument(name, content))
        }
        return arguments
    }

    /// Encodes a single value; nil for a nil.
    static func encode<Encoded: Encodable>(
        single value: Encoded, named name: String, of subject: String
    ) throws(StepError) -> Value? {
        try EncodedValue.value(of: value, at: [SubjectKey(subject), NameKey(name)])
    }

    /// Decodes a value. Its contents stay out of errors, because results and states are private.
    ///
    /// - Throws: ``StepError`` if the values do not fit the type.
    static func decode<Decoded: Decodable>(
        _ type: Decoded.Type, from arguments: FlowCore.Arguments, as subject: String
    ) throws(StepError) -> Decoded {
        let entries = arguments.map { Value.entry(key: .string($0.name), value: .variant($0.value)) }
        return try decode(type, from: .array(element: "{sv}", entries), at: [SubjectKey(subject)])
    }

    /// Decodes a single value.
    static func decode<Decoded: Decodable>(
        _ type: Decoded.Type, single value: Value?, named name: String, of subject: String
    ) throws(StepError) -> Decoded {
        try decode(type, from: value, at: [SubjectKey(subject), NameKey(name)])
    }

    private static func decode<Decoded: Decodable>(
        _ type: Decoded.Type, from value: Value?, at path: [any CodingKey]
    ) throws(StepError) -> Decoded {
        try ValueDecoder(value: value, codingPath: path, isPrivate: true).decoded(as: type)
    }

    private static func unnamed(_ type: Any.Type, _ subject: String) -> StepError {
        StepError(
            .unsupportedType,
            "\(subject) is of the Swift type '\(StepError.name(of: type))', whose values have no names; use a struct")
    }
}
