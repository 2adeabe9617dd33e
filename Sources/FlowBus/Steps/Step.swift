/// What can happen in an app: RxFlow's Step.
///
/// An enum whose cases carry what there is to say. Swift writes the coding by itself:
///
/// ```swift
/// enum DemoStep: Step {
///     case movieList
///     case moviePicked(withMovieId: Int)
/// }
/// ```
///
/// On the bus the second is the step `moviePicked` with the argument `withMovieId` of type `int64`. A value without a
/// label is `_0`, the next one `_1`; `CodingKeys` with raw values give cases and arguments other names there. An optional
/// value may be left out. Values are of types that D-Bus has: Bool, integers up to 64 bits, Double, String, bytes
/// (`[UInt8]`, Foundation's Data), arrays, sets, dictionaries with String keys, and structs and enums of such.
public protocol Step: Codable, Sendable {}

/// RxFlow's own step.
public enum RxFlowStep: Step, Hashable {
    /// To where it all begins.
    case home
}

/// No step: what a stepper has as its first one where nothing is to happen. It is never on the bus.
public struct NoneStep: Step, Hashable {
    /// No step.
    public init() {}
}

/// A type of arguments that says itself what one of its values looks like.
///
/// How a step is declared on the bus is found out by decoding it from made-up values: zeros, false, short texts. A type
/// that takes none of them, because it allows only what begins with "tt", gives an example.
public protocol StepArgument: Codable {
    /// Any value: it is never emitted.
    static var example: Self { get }
}
