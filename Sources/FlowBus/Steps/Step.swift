/// An event in an app: RxFlow's Step.
///
/// In one process, a step can be of any type, and carry anything: objects, closures, errors.
///
/// ```swift
/// enum DemoStep: Step {
///     case movieList
///     case moviePicked(withMovieId: Int)
/// }
/// ```
///
/// A step that goes over the bus is a ``BusStep``.
public protocol Step: Sendable {}

extension Step {
    /// Whether it is ``NoneStep``. It is asked for each step, and a cast (`is`) costs more than to compare the types.
    var isNone: Bool { Self.self == NoneStep.self }
}

/// The step that RxFlow itself defines.
public enum RxFlowStep: BusStep, Hashable {
    /// The step that begins an app.
    case home

    /// `home`.
    public static var stepCases: [StepCase] { [StepCase("home")] }

    /// All programs share it.
    public static var namespace: BusNamespace { .shared }

    /// `home`.
    public var caseName: String { "home" }

    /// Encodes nothing: the step has no arguments.
    ///
    /// - Parameter encoder: stays as it is.
    public func encode(to encoder: inout StepEncoder) {}

    /// Creates the step of this name.
    ///
    /// - Parameters:
    ///   - caseName: `home`; nil for any other name.
    ///   - decoder: has no arguments.
    public init?(caseName: String, from decoder: StepDecoder) {
        guard caseName == "home" else { return nil }
        self = .home
    }
}

/// No step. It is the initial step of a stepper that has none, and is never emitted.
public struct NoneStep: Step, Hashable {
    /// Creates the value.
    public init() {}
}
