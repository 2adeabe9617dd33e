/// Decides where steps lead: RxFlow's Flow.
///
/// ```swift
/// final class WatchedFlow: Flow {
///     let root = Window()
///     private let services: MoviesService
///
///     init(withServices services: MoviesService) { self.services = services }
///
///     func navigate(to step: DemoStep) -> FlowContributors {
///         switch step {
///         case .movieList: return navigateToMovieList()
///         default: return .none
///         }
///     }
/// }
/// ```
///
/// Such a flow takes steps of one type. One that takes steps of several types has a ``StepSet`` of them, or takes `any Step` as RxFlow's
/// flows do, and lists the types in ``steps``.
///
/// A flow class works unchanged in one process (``FlowCoordinator/init()``) and on the bus
/// (`FlowCoordinator.init(bus:)`).
@FlowActor
public protocol Flow: Presentable {
    /// The type of ``root``: a ``Presentable``, `any Presentable`, or any other type if the flow shows nothing itself.
    associatedtype RootPresentable

    /// The presentable that stands for the flow. If it is a ``Presentable``, the flow is visible and dismissed along
    /// with it.
    var root: RootPresentable { get }

    /// The type of its steps: a ``Step``, a ``StepSet``, or `any Step`. Swift infers it from ``navigate(to:)``.
    associatedtype StepType: Sendable

    /// The types of steps that the flow takes: its ``StepType``, or those of the set. A flow that takes `any Step` lists them here. Any
    /// other step is `unhandled`, and the flow is not asked.
    static var steps: [any Step.Type] { get }

    /// The name of the flow's definition on the bus. The default is the name of the type, as <doc:StepsOnTheBus> describes it.
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
    /// instance with ``FlowCoordinator/emit(_:on:token:)`` on this flow: the wait ends only at the time limit.
    ///
    /// - Parameter step: the step that was emitted.
    /// - Returns: The step to take. With ``NoneStep``, which a flow of `any Step` can return, no step is taken and the verdict is `rejected`.
    /// - Throws: ``StepRejected`` to reject the step; its emitter gets the verdict `rejected`. Any other error makes
    ///   the step fail (`GuardFailed`).
    func adapt(step: StepType) async throws -> StepType

    /// Returns the contributors that a step leads to.
    ///
    /// - Parameter step: the step, as ``adapt(step:)`` returned it.
    /// - Returns: The contributors.
    func navigate(to step: StepType) -> FlowContributors

    /// Returns the contributors that a step of any type leads to: `unhandled` if it is not of ``StepType``. Flows do not implement it. It
    /// is a requirement because each kind of ``StepType`` has its own: to find out the kind with each step costs more than the step.
    func _contributors(to step: any Step) -> FlowContributors

    /// Adapts a step of any type; nil if the flow does not take its type. As ``_contributors(to:)``, flows do not implement it.
    func _adapted(_ step: any Step) async throws -> (any Step)?
}

extension Flow {
    /// The name of the definition.
    public var name: String { Self.definition }

    /// The name of the type.
    public static var definition: String { TypeNames.name(of: Self.self) }

    /// True.
    public static var isGuarded: Bool { true }

    /// ``Children/free``.
    public static var children: Children { .free }

    /// None.
    public static var layers: [Layer] { [] }

    /// 10 seconds.
    public static var timeout: Duration { .seconds(10) }

    /// Returns the step itself.
    public func adapt(step: StepType) async throws -> StepType { step }

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

extension Flow where StepType: Step {
    /// The type of its steps.
    public static var steps: [any Step.Type] { [StepType.self] }
}

extension Flow where StepType: StepSet {
    /// The types of the set.
    public static var steps: [any Step.Type] { StepType.steps }
}

/// Steps of several types, as one type that a ``Flow`` takes: an enum of enums.
///
/// ```swift
/// enum MainStep: StepSet {
///     case app(AppStep)
///     case movies(MovieStep)
///
///     static var steps: [any Step.Type] { [AppStep.self, MovieStep.self] }
///
///     init?(_ step: any Step) {
///         switch step {
///         case let step as AppStep: self = .app(step)
///         case let step as MovieStep: self = .movies(step)
///         default: return nil
///         }
///     }
///
///     var step: any Step {
///         switch self {
///         case .app(let step): step
///         case .movies(let step): step
///         }
///     }
/// }
/// ```
public protocol StepSet: Sendable {
    /// The types of steps in the set.
    static var steps: [any Step.Type] { get }

    /// Creates the set's value of a step; nil if the step is of no type in the set.
    ///
    /// - Parameter step: the step.
    init?(_ step: any Step)

    /// The step.
    var step: any Step { get }
}

extension Flow where StepType == any Step {
    /// What ``navigate(to:)`` returns.
    public func _contributors(to step: any Step) -> FlowContributors { navigate(to: step) }

    /// What ``adapt(step:)`` returns.
    public func _adapted(_ step: any Step) async throws -> (any Step)? { try await adapt(step: step) }
}

extension Flow where StepType: Step {
    /// What ``navigate(to:)`` returns for a step of the type.
    public func _contributors(to step: any Step) -> FlowContributors {
        guard let step = step as? StepType else { return .unhandled }
        return navigate(to: step)
    }

    /// What ``adapt(step:)`` returns for a step of the type.
    public func _adapted(_ step: any Step) async throws -> (any Step)? {
        guard let step = step as? StepType else { return nil }
        return try await adapt(step: step)
    }
}

extension Flow where StepType: StepSet {
    /// What ``navigate(to:)`` returns for a step of the set.
    public func _contributors(to step: any Step) -> FlowContributors {
        guard let step = StepType(step) else { return .unhandled }
        return navigate(to: step)
    }

    /// What ``adapt(step:)`` returns for a step of the set.
    public func _adapted(_ step: any Step) async throws -> (any Step)? {
        guard let step = StepType(step) else { return nil }
        return try await adapt(step: step).step
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
