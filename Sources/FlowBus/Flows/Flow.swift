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
/// A flow class works unchanged in one process (``FlowCoordinator/init()``) and on the bus
/// (`FlowCoordinator.init(bus:)`).
@MainActor
public protocol Flow: Presentable {
    /// The type of ``root``: a ``Presentable``, `any Presentable`, or any other type if the flow shows nothing itself.
    associatedtype RootPresentable

    /// The presentable that stands for the flow. If it is a ``Presentable``, the flow is visible and dismissed along
    /// with it.
    var root: RootPresentable { get }

    /// The types of steps that the flow takes. Any other step is `unhandled`, and the flow is not asked.
    static var steps: [any Step.Type] { get }

    /// The name of the flow's definition on the bus. The default is the name of the type.
    static var definition: String { get }

    /// Whether ``adapt(step:)`` is called. The default is true. On the bus it costs one more call for each step; a flow
    /// that does not implement `adapt` can save that call.
    static var isGuarded: Bool { get }

    /// Which of the flow's children covers the others. The default is ``Children/free``.
    static var children: Children { get }

    /// The layers of its children, the lowest first, if those are ``Children/layers``. The default is none.
    static var layers: [Layer] { get }

    /// The time limit of ``adapt(step:)``, from 10 ms to 1 hour, after which the step fails. The default is 10 seconds.
    static var timeout: Duration { get }

    /// Returns the step to take in place of a step. The default implementation returns the step itself.
    ///
    /// The coordinator calls it once for each step. Meanwhile the flow takes no other step; other flows do (S-6). The
    /// task is cancelled when the answer is no longer needed because the flow has ended or the time limit has passed.
    ///
    /// Steps that a stepper emits on this flow meanwhile are taken afterwards. Do not wait for such a step here, for
    /// instance with ``FlowCoordinator/emit(_:on:)`` on this flow: the wait ends only at the time limit.
    ///
    /// - Parameter step: the step that was emitted.
    /// - Returns: The step to take. With ``NoneStep``, no step is taken and the verdict is `rejected`.
    /// - Throws: ``StepRejected`` to reject the step; its emitter gets the verdict `rejected`. Any other error makes
    ///   the step fail (`GuardFailed`).
    func adapt(step: any Step) async throws -> any Step

    /// Returns the contributors that a step leads to.
    ///
    /// - Parameter step: the step, as ``adapt(step:)`` returned it.
    /// - Returns: The contributors.
    func navigate(to step: any Step) -> FlowContributors
}

extension Flow {
    /// The name of the definition.
    public var name: String { Self.definition }

    /// The name of the type.
    public static var definition: String { String(describing: Self.self) }

    /// True.
    public static var isGuarded: Bool { true }

    /// ``Children/free``.
    public static var children: Children { .free }

    /// None.
    public static var layers: [Layer] { [] }

    /// 10 seconds.
    public static var timeout: Duration { .seconds(10) }

    /// Returns the step itself.
    public func adapt(step: any Step) async throws -> any Step { step }

    /// Withdraws the root, if it is a presentable. A root that other live flows stand for, too, stays until the last of them has ended:
    /// a child flow that shares the window of its parent does not take the window away.
    public func withdraw() {
        guard let root = root as? any Presentable, !LiveRoots.contains(root) else { return }
        root.withdraw()
    }

    /// The root's; none where that is no presentable.
    public var visible: any AsyncSequence<Bool, Never> {
        (root as? any Presentable)?.visible ?? AsyncStream<Bool> { $0.finish() }
    }

    /// The root's; none where that is no presentable.
    public var dismissed: any AsyncSequence<Void, Never> {
        (root as? any Presentable)?.dismissed ?? AsyncStream<Void> { $0.finish() }
    }
}

/// An error that ``Flow/adapt(step:)`` throws to reject a step.
public struct StepRejected: Error, Hashable, Sendable {
    /// The reason, for people; it may be empty.
    public let reason: String

    /// Creates a rejection with a reason.
    ///
    /// - Parameter reason: the reason, for people.
    public init(_ reason: String = "") { self.reason = reason }
}
