import FlowCore

// Determines the D-Bus type of a Swift type by decoding it from generated values.
//
// A Codable type reveals itself only by what it does: when it is decoded, it requests its parts from the decoder, by
// name and type. A decoder that records these requests, and supplies zeros, false and short strings, learns the type.
// The first request decides: a keyed container is an `a{sv}`, an unkeyed one an array of the type that is requested
// next, anything else a single value.
//
// A type can refuse a value: "0" is no UUID. Then it is decoded again with the next of some common strings and numbers,
// or with the next case of an enum; for an enum with raw values, the raw value of its first case goes first. A type
// that refuses all of them has no known value. That matters only where one is needed to go on: an optional is nil then,
// and a list is empty. A type that contains itself has no value inside itself, so the process always ends.

/// The result for a type.
struct Probed<Subject> {
    /// Its D-Bus signature; nil if it could not be determined.
    let signature: String?
    /// One of its values; nil if it refuses all that were tried.
    let value: Subject?
}

/// Ends an attempt. Types that implement decoding can catch it, as with any decoder.
struct NoValue: Error {}

/// The state of one type, within the types that contain it.
final class TypeProbe {
    /// The type; nil for the outermost state.
    let type: Any.Type?
    /// The state of the containing type.
    let parent: TypeProbe?
    /// The number of attempts so far.
    private var attempt = 0
    /// The number of useful attempts, from the requests so far.
    private var attempts = 1
    private var signature: String?
    /// The signature of the elements of a list.
    private var element: String?
    /// Whether to decode an empty list, because there is no value for its elements.
    private(set) var isListEmpty = false
    /// Values that the type is likely to accept, which are tried first.
    private let hints: [Any]
    private let work: Work

    /// Counts the attempts for all types together.
    private final class Work { var count = 0 }

    /// The maximum depth of nested types, far beyond that of the bus.
    private static let depth = 32
    /// The maximum number of attempts for all types together.
    private static let work = 20_000
    /// The maximum number of attempts for one type.
    private static let attempts = 64

    init() {
        type = nil
        parent = nil
        hints = []
        work = Work()
    }

    private init(_ type: Any.Type, hints: [Any], parent: TypeProbe) {
        self.type = type
        self.parent = parent
        self.hints = hints
        work = parent.work
    }

    /// Returns the signature of a type.
    static func signature(of type: Any.Type, at path: [any CodingKey]) throws(StepError) -> String {
        try TypeProbe().signature(of: type, at: path)
    }

    /// Returns the signature of a type inside this one.
    func signature(of type: Any.Type, at path: [any CodingKey]) throws(StepError) -> String {
        guard let type = type as? any Decodable.Type else {
            throw StepError.unsupported(type, at: path, "which is not Codable")
        }
        return try signature(ofPart: type, at: path)
    }

    private func signature<Subject: Decodable>(
        ofPart type: Subject.Type, at path: [any CodingKey]
    ) throws(StepError) -> String {
        guard let signature = try look(at: type, path).signature else { throw Self.unknown(type, at: path) }
        return signature
    }

    /// The error for a type whose signature can't be determined.
    static func unknown(_ type: Any.Type, at path: [any CodingKey]) -> StepError {
        StepError.unsupported(
            type, at: path,
            "which can't be decoded from any of the values that were tried; conform it to StepArgument, which provides an example"
        )
    }

    /// Examines a type inside this one.
    func look<Subject: Decodable>(at type: Subject.Type, _ path: [any CodingKey]) throws(StepError) -> Probed<Subject> {
        work.count += 1
        guard work.count <= Self.work else { throw Self.unknown(type, at: path) }
        guard path.count <= Self.depth else { throw StepError.tooDeep(at: path) }
        if let scalar = type as? any WireScalar.Type {
            return Probed(signature: scalar.signature, value: placeholder(scalar) as? Subject)
        }
        if let scalar = type as? any UnsupportedScalar.Type {
            throw StepError.unsupportedScalar(type, scalar, at: path)
        }
        if type is any WireOptional.Type { throw StepError.optional(type, at: path) }
        if let argument = type as? any StepArgument.Type { return try example(of: argument, path) }
        if let dictionary = type as? any WireDictionary.Type { return try self.dictionary(dictionary, path) }
        var outer: TypeProbe? = self
        while let probe = outer {
            if probe.type == type { return Probed(signature: probe.signature, value: nil) }
            outer = probe.parent
        }
        return try TypeProbe(type, hints: Self.rawValues(of: type), parent: self).decode(type, path)
    }

    private func decode<Subject: Decodable>(
        _ type: Subject.Type, _ path: [any CodingKey]
    ) throws(StepError) -> Probed<Subject> {
        repeat {
            if let value = try value({ try type.init(from: ProbeDecoder(probe: self, codingPath: path)) }) {
                return Probed(signature: signature ?? "a{sv}", value: value)
            }
        } while next()
        return Probed(signature: signature, value: nil)
    }

    /// Returns a decoded value, or nil if the type refuses it.
    func value<Subject>(_ make: () throws -> Subject) throws(StepError) -> Subject? {
        do {
            return try make()
        } catch let error as StepError {
            throw error
        } catch {
            return nil
        }
    }

    /// Prepares the next attempt. Returns false if there is none.
    func next() -> Bool {
        attempt += 1
        work.count += 1
        return attempt < min(attempts, Self.attempts)
    }

    /// Returns the candidate for the current attempt.
    func choice<Option>(of options: [Option]) -> Option? {
        attempts = max(attempts, options.count)
        return options.isEmpty ? nil : options[attempt % options.count]
    }

    private func placeholder<Scalar: WireScalar>(_ type: Scalar.Type) -> Scalar? {
        choice(of: hints.compactMap { $0 as? Scalar } + type.placeholders)
    }

    /// Records a request. The first one determines the signature.
    func found(_ signature: String) {
        if self.signature == nil { self.signature = signature }
    }

    /// Records the element type of a list.
    func found(element signature: String, at path: [any CodingKey]) throws(StepError) {
        if let element, element != signature { throw StepError.mixed(element, signature, at: path) }
        element = signature
        found("a" + signature)
    }

    /// Requests an empty list for the next attempt.
    func haveNoElements() {
        guard !isListEmpty else { return }
        isListEmpty = true
        attempts = max(attempts, attempt + 2)
    }

    private func example<Subject, Argument: StepArgument>(
        of type: Argument.Type, _ path: [any CodingKey]
    ) throws(StepError) -> Probed<Subject> {
        let encoded = EncodedValue(path)
        let example = type.example
        do { try encoded.encode(example) } catch { throw StepError(encoding: error, at: path) }
        return Probed(signature: try encoded.value()?.signature, value: example as? Subject)
    }

    private func dictionary<Subject, Dictionary: WireDictionary>(
        _ type: Dictionary.Type, _ path: [any CodingKey]
    ) throws(StepError) -> Probed<Subject> {
        guard type.hasNames else { throw StepError.keys(type, at: path) }
        return Probed(
            signature: "a{s\(try signature(of: type.valueType, at: path))}", value: type.empty as? Subject)
    }

    private static func rawValues<Subject>(of type: Subject.Type) -> [Any] {
        guard let raw = type as? any RawRepresentable.Type, let first = EnumCases.all(of: type)?.first else {
            return []
        }
        return [raw.rawValue(of: first)].compactMap(\.self)
    }
}

extension RawRepresentable {
    fileprivate static func rawValue(of value: Any) -> Any? { (value as? Self)?.rawValue }
}
