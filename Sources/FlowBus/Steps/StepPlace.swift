import FlowCore

/// The place of an element in a list.
struct IndexKey: CodingKey {
    let index: Int
    init(_ index: Int) { self.index = index }
    init?(intValue: Int) { index = intValue }
    init?(stringValue: String) { nil }
    var intValue: Int? { index }
    var stringValue: String { "\(index)" }
}

/// A name that is known only when the program runs.
struct NameKey: CodingKey {
    let stringValue: String
    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
    var intValue: Int? { nil }
}

/// Where in a step something is. The first key is the step's name, the second its argument's, as Codable has it.
enum StepPlace {
    /// `the argument 'movie.cast[3]' of step 'moviePicked'`
    static func text(_ path: [any CodingKey]) -> String {
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
    /// The refusal of a type that can't be on the bus.
    static func unsupported(_ type: Any.Type, at path: [any CodingKey], _ advice: String) -> StepError {
        StepError(
            .unsupportedType, "\(StepPlace.text(path)) is of the Swift type '\(name(of: type))', \(advice)")
    }

    /// The refusal of a number type that D-Bus does not have.
    static func wireless(_ type: Any.Type, _ scalar: any UnsupportedScalar.Type, at path: [any CodingKey]) -> StepError
    {
        unsupported(type, at: path, "which D-Bus does not have; use \(scalar.replacement)")
    }

    /// The refusal of an optional that has no name by which it could be left out.
    static func optional(_ type: Any.Type, at path: [any CodingKey]) -> StepError {
        unsupported(
            type, at: path,
            "and D-Bus has no nil; only an argument or a property can be optional, as it is left out then")
    }

    /// The refusal of a dictionary whose keys are not texts.
    static func keys(_ type: Any.Type, at path: [any CodingKey]) -> StepError {
        unsupported(
            type, at: path, "whose keys can't be on the bus; use String keys, or conform them to CodingKeyRepresentable"
        )
    }

    /// The refusal of a list of this and that.
    static func mixed(_ one: String, _ other: String, at path: [any CodingKey]) -> StepError {
        StepError(
            .unsupportedType,
            "\(StepPlace.text(path)) is a list whose elements are of the types \(word(one)) and \(word(other)); they "
                + "have to be of one type")
    }

    /// The refusal of a type that is no step.
    static func notAStep(_ type: Any.Type, _ problem: String) -> StepError {
        StepError(
            .unsupportedType,
            "'\(name(of: type))' can't be a Step: \(problem), for instance 'enum AppStep: Step { case home }'")
    }

    /// A type as a person wrote it.
    static func name(of type: Any.Type) -> String { String(describing: type) }

    /// A D-Bus type as people call it.
    static func word(_ signature: String) -> String { ValueType(signature: signature)?.description ?? signature }
}
