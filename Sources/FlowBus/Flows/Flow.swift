/// Decides where steps lead: RxFlow's Flow.
///
/// ```swift
/// final class WatchedFlow: Flow {
///     static let steps: [any Step.Type] = [DemoStep.self]
///     let root = Window()
///     private let services: MoviesService
///
///     init(withServices services: MoviesService) { self.services = services }
///
///     func navigate(to step: any Step) -> FlowContributors {
///         guard let step = step as? DemoStep else { return .none }
///         switch step {
///         case .movieList: return navigateToMovieList()
///         default: return .none
///         }
///     }
/// }
/// ```
///
/// The same class serves in one process (``FlowCoordinator/init()``) and on the bus (``FlowCoordinator/init(bus:)``).
@MainActor
public protocol Flow: Presentable {
    /// What its root is: a ``Presentable``, `any Presentable`, or anything where nothing is to be seen.
    associatedtype RootPresentable

    /// What it is shown as. If that is a ``Presentable``, the flow is visible and dismissed as it is.
    var root: RootPresentable { get }

    /// The steps that it knows. Others are not brought to it: they are `unhandled`.
    static var steps: [any Step.Type] { get }

    /// What its definition is called on the bus: the type's name, unless it says otherwise.
    static var definition: String { get }

    /// Whether ``adapt(step:)`` is asked; true, unless it says otherwise. On the bus it costs a step one more call, which a
    /// flow without an `adapt` of its own can save.
    static var isGuarded: Bool { get }

    /// Who covers whom among its children; ``Children/free``, unless it says otherwise.
    static var children: Children { get }

    /// How long ``adapt(step:)`` may take until the step fails, from 10 ms to 1 hour; 10 seconds, unless it says otherwise.
    static var timeout: Duration { get }

    /// What is to be taken instead of a step; the step itself, unless it says otherwise.
    ///
    /// It is asked once for each step. No other step of this flow is taken meanwhile, and steps of other flows are (S-6).
    /// Its task is cancelled when nobody waits for the answer any more: the flow is gone, or the time is over.
    ///
    /// What a stepper emits on this flow meanwhile is taken afterwards. Here it must not be waited for, as that would last until
    /// the time is over, as ``FlowCoordinator/emit(_:on:)`` on this flow does.
    ///
    /// - Throws: ``StepRejected``: the step is not taken, and its emitter gets the verdict `rejected`. With any other error
    ///   the step fails (`GuardFailed`).
    func adapt(step: any Step) async throws -> any Step

    /// Where a step leads.
    func navigate(to step: any Step) -> FlowContributors
}

extension Flow {
    /// The definition's name.
    public var name: String { Self.definition }

    /// The type's name.
    public static var definition: String { String(describing: Self.self) }

    /// It is asked.
    public static var isGuarded: Bool { true }

    /// Nobody covers anybody.
    public static var children: Children { .free }

    /// 10 seconds.
    public static var timeout: Duration { .seconds(10) }

    /// The step itself.
    public func adapt(step: any Step) async throws -> any Step { step }

    /// The root is withdrawn, if that is a presentable.
    public func withdraw() { (root as? any Presentable)?.withdraw() }

    /// The root's; none where that is no presentable.
    public var visible: any AsyncSequence<Bool, Never> {
        (root as? any Presentable)?.visible ?? AsyncStream<Bool> { $0.finish() }
    }

    /// The root's; none where that is no presentable.
    public var dismissed: any AsyncSequence<Void, Never> {
        (root as? any Presentable)?.dismissed ?? AsyncStream<Void> { $0.finish() }
    }
}

/// What ``Flow/adapt(step:)`` throws so that a step is not taken.
public struct StepRejected: Error, Hashable, Sendable {
    /// Why, for a person; may be empty.
    public let reason: String

    /// A step is not taken.
    public init(_ reason: String = "") { self.reason = reason }
}
