/// An event in an app: RxFlow's Step.
///
/// A step type is an enum whose cases carry the details. Swift synthesizes its coding:
///
/// ```swift
/// enum DemoStep: Step {
///     case movieList
///     case moviePicked(withMovieId: Int)
/// }
/// ```
///
/// On the bus, the second case is the step `moviePicked` with the argument `withMovieId` of type `int64`. A value
/// without a label is named `_0`, the next `_1`; `CodingKeys` with raw values give cases and arguments other names. An
/// optional value can be left out. Values have types that D-Bus has: Bool, integers up to 64 bits, Double, String,
/// bytes (`[UInt8]`, Foundation's Data), arrays, sets, dictionaries with String keys, and structs and enums of these.
public protocol Step: Codable, Sendable {}

/// The step that RxFlow itself defines.
public enum RxFlowStep: Step, Hashable {
    /// The step that begins an app.
    case home
}

/// No step. It is the initial step of a stepper that has none, and is never sent on the bus.
public struct NoneStep: Step, Hashable {
    /// Creates the value.
    public init() {}
}

/// A type of arguments that provides an example of its values.
///
/// To declare a step on the bus, the library decodes it from generated values: zeros, false, short strings. A type that
/// accepts none of these, for instance because its values have to begin with "tt", provides an example.
public protocol StepArgument: Codable {
    /// An example value. It is never emitted.
    static var example: Self { get }
}
