import FlowCore

// How a Swift type travels, found out by decoding it from made-up values.
//
// Codable tells of a type only what it does: asked for a value, it asks the decoder for its parts, by name and type. A
// decoder that writes that down, and gives zeros, false and short texts, knows the type. What it is asked for first
// decides: names are an `a{sv}`, a list is an array of what is asked for next, anything else the one value that it is.
//
// A type can refuse what it gets: a UUID is no "0". Then it is asked again, and gets the next of some usual texts and
// numbers, the next case of an enum; the raw value of its first case to begin with, where it is an enum with raw values.
// What takes none of them has no value here. That matters only where one is needed to go on: an optional is nil then, a
// list is empty. A type that is inside itself has no value in there, so it always ends.

/// What is known of a type.
struct Probed<Subject> {
    /// How it travels; nil where it was not found out.
    let signature: String?
    /// One of its values; nil where it takes nothing that was tried.
    let value: Subject?
}

/// Why an attempt ends. Types that decode themselves can catch it, as with any decoder.
struct NoValue: Error {}

/// One type that is looked at, within those that it is part of.
final class TypeProbe {
    /// The type; what is outside of everything has none.
    let type: Any.Type?
    /// The type that it is part of.
    let parent: TypeProbe?
    /// How often it was asked to decode itself.
    private var attempt = 0
    /// How often that makes sense, by what was asked for.
    private var attempts = 1
    private var signature: String?
    /// What the elements of a list travel as.
    private var element: String?
    /// Whether a list is to be empty, as there is no value for its elements.
    private(set) var isListEmpty = false
    /// What is likely to be taken, before all else.
    private let hints: [Any]
    private let work: Work

    /// How much was done, for all types in one.
    private final class Work { var count = 0 }

    /// Types in each other. Far beyond what the bus takes.
    private static let depth = 32
    /// Attempts in all: a type of types each of which refuses a lot is given up.
    private static let work = 20_000
    /// Attempts with one type.
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

    /// How a type travels.
    static func signature(of type: Any.Type, at path: [any CodingKey]) throws(StepError) -> String {
        try TypeProbe().signature(of: type, at: path)
    }

    /// How a type travels that is part of this one.
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

    /// The error for a type that can't be found out.
    static func unknown(_ type: Any.Type, at path: [any CodingKey]) -> StepError {
        StepError.unsupported(
            type, at: path,
            "which can't be made from any value that was tried; conform it to StepArgument, which gives an example")
    }

    /// Looks at a type that is part of this one.
    func look<Subject: Decodable>(at type: Subject.Type, _ path: [any CodingKey]) throws(StepError) -> Probed<Subject> {
        work.count += 1
        guard work.count <= Self.work else { throw Self.unknown(type, at: path) }
        guard path.count <= Self.depth else { throw StepError.tooDeep(at: path) }
        if let scalar = type as? any WireScalar.Type {
            return Probed(signature: scalar.signature, value: placeholder(scalar) as? Subject)
        }
        if let scalar = type as? any UnsupportedScalar.Type { throw StepError.wireless(type, scalar, at: path) }
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

    /// The value that is made, nil where it is refused.
    func value<Subject>(_ make: () throws -> Subject) throws(StepError) -> Subject? {
        do {
            return try make()
        } catch let error as StepError {
            throw error
        } catch {
            return nil
        }
    }

    /// Whether there is something else to try.
    func next() -> Bool {
        attempt += 1
        work.count += 1
        return attempt < min(attempts, Self.attempts)
    }

    /// The attempt's choice.
    func choice<Option>(of options: [Option]) -> Option? {
        attempts = max(attempts, options.count)
        return options.isEmpty ? nil : options[attempt % options.count]
    }

    private func placeholder<Scalar: WireScalar>(_ type: Scalar.Type) -> Scalar? {
        choice(of: hints.compactMap { $0 as? Scalar } + type.placeholders)
    }

    /// What it is asked for first is what it is.
    func found(_ signature: String) {
        if self.signature == nil { self.signature = signature }
    }

    /// An element of the list that it is.
    func found(element signature: String, at path: [any CodingKey]) throws(StepError) {
        if let element, element != signature { throw StepError.mixed(element, signature, at: path) }
        element = signature
        found("a" + signature)
    }

    /// The next attempt is with an empty list.
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
