package import FlowCore

/// A step that can go over the bus: an enum, each case of which has a name and arguments there.
///
/// The macro `@Step` declares them when the program is compiled:
///
/// ```swift
/// @Step
/// enum DemoStep {
///     case movieList
///     case moviePicked(withMovieId: Int)
/// }
/// ```
///
/// On the bus, the second case is the step `moviePicked` with the argument `withMovieId` of type `int64`. A value without a label is
/// named `_0`, the next `_1`. An optional value can be left out. Other values have types that conform to ``StepArgument``: Bool, integers
/// up to 64 bits, Double, String, arrays, sets, dictionaries with String keys, and structs and enums that say so. `CodingKeys` with raw
/// values give cases other names, and `MoviePickedCodingKeys` give the arguments of that case other names, as Codable has it.
///
/// Programs do not share their steps, even if the names are the same: on the bus, the namespace of the program stands before them
/// (``BusNamespace``).
///
/// The macro needs the trait `Macros` of the package; without it, implement the four requirements without a default by hand.
public protocol BusStep: Step {
    /// The cases with their arguments.
    static var stepCases: [StepCase] { get }

    /// Whose names they are on the bus. The default is ``BusNamespace/program``.
    static var namespace: BusNamespace { get }

    /// The name of the case on the bus.
    var caseName: String { get }

    /// Encodes the arguments of the case.
    ///
    /// - Parameter encoder: takes the arguments by their names.
    /// - Throws: ``StepError`` for a value that D-Bus can't carry.
    func encode(to encoder: inout StepEncoder) throws(StepError)

    /// Creates the step of a name.
    ///
    /// - Parameters:
    ///   - caseName: the name of the case; nil if there is none of this name.
    ///   - decoder: has the arguments by their names.
    /// - Throws: ``StepError`` for an argument that does not fit.
    init?(caseName: String, from decoder: StepDecoder) throws(StepError)
}

extension BusStep {
    /// ``BusNamespace/program``.
    public static var namespace: BusNamespace { .program }
}

/// A case of a ``BusStep``: a step on the bus.
public struct StepCase: Sendable {
    /// The name of the step: a letter, then letters, digits, `_`, `.` and `-`, at most 128 bytes.
    public let name: String
    /// Its arguments.
    public let parameters: [StepParameter]

    /// Creates a case.
    ///
    /// - Parameters:
    ///   - name: the name of the step.
    ///   - parameters: its arguments.
    public init(_ name: String, _ parameters: [StepParameter] = []) {
        (self.name, self.parameters) = (name, parameters)
    }
}

/// An argument of a step, or a value of an answer: its name and its type on the bus.
public struct StepParameter: Sendable {
    /// The name: a letter or `_`, then letters, digits and `_`, at most 64 bytes.
    public let name: String
    /// The type on the bus.
    public let type: ArgumentType
    /// Whether it can be left out.
    public let isOptional: Bool

    /// Creates an argument that is always there.
    ///
    /// - Parameters:
    ///   - name: its name.
    ///   - type: its Swift type.
    public init<Argument: StepArgument>(_ name: String, _ type: Argument.Type) {
        (self.name, self.type, isOptional) = (name, type.argumentType, false)
    }

    /// Creates an argument that can be left out.
    ///
    /// - Parameters:
    ///   - name: its name.
    ///   - type: its Swift type.
    public init<Argument: StepArgument>(_ name: String, _ type: Argument?.Type) {
        (self.name, self.type, isOptional) = (name, Argument.argumentType, true)
    }
}

/// Takes the arguments of a step.
public struct StepEncoder: Sendable {
    private let step: String
    package private(set) var arguments: [Argument] = []

    package init(step: String) { self.step = step }

    /// Encodes an argument.
    ///
    /// - Parameters:
    ///   - value: its value.
    ///   - name: its name.
    /// - Throws: ``StepError`` for a value that D-Bus can't carry.
    public mutating func encode<Argument: StepArgument>(_ value: Argument, for name: String) throws(StepError) {
        let path: [any CodingKey] = [NameKey(step), NameKey(name)]
        guard let content = try EncodedValue.value(of: value, at: path) else { return }
        let declared = Argument.argumentType.type
        guard let admitted = declared.admit(content) else {
            throw StepError(
                .unsupportedType,
                "\(StepPlace.text(path)) is encoded as \(StepError.word(content.signature)), but the 'argumentType' of "
                    + "'\(StepError.name(of: Argument.self))' is \(declared.description); both have to be the same")
        }
        arguments.append(FlowCore.Argument(name, admitted))
    }

    /// Encodes an argument that can be left out.
    ///
    /// - Parameters:
    ///   - value: its value; nil leaves it out.
    ///   - name: its name.
    /// - Throws: ``StepError`` for a value that D-Bus can't carry.
    public mutating func encode<Argument: StepArgument>(_ value: Argument?, for name: String) throws(StepError) {
        if let value { try encode(value, for: name) }
    }
}

/// Has the arguments of a step.
public struct StepDecoder: Sendable {
    private let step: String
    private let arguments: [Argument]
    private let isPrivate: Bool

    package init(step: String, _ arguments: [Argument]) {
        (self.step, self.arguments) = (step, arguments)
        isPrivate = arguments.contains(where: \.isPrivate)
    }

    /// Decodes an argument.
    ///
    /// - Parameters:
    ///   - type: its type.
    ///   - name: its name.
    /// - Returns: The value.
    /// - Throws: ``StepError`` if it is missing, or does not fit the type.
    public func decode<Argument: StepArgument>(_ type: Argument.Type, for name: String) throws(StepError) -> Argument {
        let path: [any CodingKey] = [NameKey(step), NameKey(name)]
        let value = (arguments[name]?.value).map(ValueDecoder.unwrapped)
        return try ValueDecoder(value: value, codingPath: path, isPrivate: isPrivate).decoded(as: type)
    }

    /// Decodes an argument that can be left out.
    ///
    /// - Parameters:
    ///   - type: its type.
    ///   - name: its name.
    /// - Returns: The value; nil if it was left out.
    /// - Throws: ``StepError`` if it does not fit the type.
    public func decode<Argument: StepArgument>(
        _ type: Argument?.Type, for name: String
    ) throws(StepError) -> Argument? {
        arguments[name] == nil ? nil : try decode(Argument.self, for: name)
    }
}
