import FlowCore

/// The index of an element in a list, as a coding key.
struct IndexKey: CodingKey {
    let index: Int
    init(_ index: Int) { self.index = index }
    init?(intValue: Int) { index = intValue }
    init?(stringValue: String) { nil }
    var intValue: Int? { index }
    var stringValue: String { "\(index)" }
}

/// A name that is known only at run time, as a coding key.
struct NameKey: CodingKey {
    let stringValue: String
    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
    var intValue: Int? { nil }
}

/// What a value is part of if that is no step, as the first key of a path: `the result`.
struct SubjectKey: CodingKey {
    let stringValue: String
    init(_ subject: String) { stringValue = subject }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
    var intValue: Int? { nil }
}

/// Describes a place in a step. The first key is the step's name, the second its argument's, as Codable has it.
enum StepPlace {
    /// `the argument 'movie.cast[3]' of step 'moviePicked'`
    static func text(_ path: [any CodingKey]) -> String {
        if let subject = path.first as? SubjectKey {
            return path.count > 1 ? "the value '\(argument(path))' of \(subject.stringValue)" : subject.stringValue
        }
        guard let step = path.first?.stringValue else { return "the step" }
        guard path.count > 1 else { return "step '\(Names.escaped(step))'" }
        return "the argument '\(argument(path))' of step '\(Names.escaped(step))'"
    }

    /// `movie.cast[3]`
    private static func argument(_ path: [any CodingKey]) -> String {
        var text = ""
        for key in path.dropFirst() {
            if let index = key as? IndexKey {
                text += "[\(index.index)]"
            } else {
                text += (text.isEmpty ? "" : ".") + key.stringValue
            }
        }
        return Names.escaped(text)
    }
}

extension StepError {
    /// The error for a type that D-Bus can't carry.
    static func unsupported(_ type: Any.Type, at path: [any CodingKey], _ advice: String) -> StepError {
        StepError(
            .unsupportedType, "\(StepPlace.text(path)) is of the Swift type '\(name(of: type))', \(advice)")
    }

    /// The error for a number type that D-Bus does not have.
    static func unsupportedScalar(_ type: Any.Type, _ scalar: any UnsupportedScalar.Type, at path: [any CodingKey])
        -> StepError
    {
        unsupported(type, at: path, "which D-Bus does not have; use \(scalar.replacement)")
    }

    /// The error for an optional without a name, which can't be left out.
    static func optional(_ type: Any.Type, at path: [any CodingKey]) -> StepError {
        unsupported(
            type, at: path,
            "and D-Bus has no nil; only an argument or a property can be optional, as it is left out then")
    }

    /// The error for a dictionary whose keys are not strings.
    static func keys(_ type: Any.Type, at path: [any CodingKey]) -> StepError {
        unsupported(
            type, at: path, "whose keys can't be on the bus; use String keys, or conform them to CodingKeyRepresentable"
        )
    }

    /// The error for a list with elements of different types.
    static func mixed(_ one: String, _ other: String, at path: [any CodingKey]) -> StepError {
        StepError(
            .unsupportedType,
            "\(StepPlace.text(path)) is a list whose elements are of the types \(word(one)) and \(word(other)); they "
                + "have to be of one type")
    }

    /// The error for a type that is no step type.
    static func notAStep(_ type: Any.Type, _ problem: String) -> StepError {
        StepError(
            .unsupportedType,
            "'\(name(of: type))' can't be a step of the bus: \(problem)")
    }

    /// The name of a Swift type as in source code.
    static func name(of type: Any.Type) -> String { String(describing: type) }

    /// The name of a D-Bus type.
    static func word(_ signature: String) -> String { ValueType(signature: signature)?.description ?? signature }
}
