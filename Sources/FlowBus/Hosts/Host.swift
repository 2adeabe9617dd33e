internal import FlowCore

/// The place where flows live: the state machine in this process, or the service on the bus. A ``FlowCoordinator``
/// works with either in the same way, so that a flow can't tell them apart.
///
/// A host carries out calls in the order in which they are made, never answers a call before the method has returned
/// (unless documented otherwise), and answers each call once.
///
/// A call about a presentable names its instance, and fails with `unknownObject` if that is gone, whatever is live at
/// the path by then (S-25); 0 stands for any instance.
@MainActor
protocol Host: AnyObject {
    /// The object that has the flows. It outlives the host's calls to it.
    var delegate: (any HostDelegate)? { get set }

    /// Registers a flow, or registers it again: with more screens, or after the service was gone.
    func register(_ flow: FlowRegistration, _ done: @escaping Done<Void>)
    /// Starts a root.
    func coordinate(_ definition: String, _ step: StepMessage?, _ done: @escaping Done<NodePath>)
    /// Delivers a step to all live flows (S-27).
    func navigate(to step: StepMessage, _ done: @escaping Done<[FlowOutcome]>)
    /// Emits a step on a presentable; never answers `pending`.
    func emit(_ step: StepMessage, on path: NodePath, instance: UInt64, _ done: @escaping Done<StepOutcome>)
    /// Emits a step on a presentable, and answers with the answer of what it leads to (S-45).
    func ask(_ step: StepMessage, on path: NodePath, instance: UInt64, _ done: @escaping Done<AskMessage>)
    /// Emits a step on a screen of this process, to which the ask belongs. The delegate gets the answer.
    func ask(
        _ step: StepMessage, token: String, on path: NodePath, instance: UInt64, _ done: @escaping Done<StepOutcome>)
    /// Says that the answer to an ask of a screen was taken.
    func acknowledge(_ token: String, of path: NodePath, instance: UInt64, _ done: @escaping Done<Void>)
    /// Reports that a presentable is visible, or not.
    func setVisible(_ isVisible: Bool, at path: NodePath, instance: UInt64, _ done: @escaping Done<Void>)
    /// Dismisses a presentable.
    func dismiss(_ path: NodePath, instance: UInt64, _ done: @escaping Done<Void>)
    /// Sets the title of a screen.
    func setTitle(_ title: String, at path: NodePath, instance: UInt64, _ done: @escaping Done<Void>)
    /// Saves the state of a screen.
    func saveState(_ state: Arguments, at path: NodePath, instance: UInt64, _ done: @escaping Done<Void>)
    /// Dismisses a screen with a result.
    func finish(_ path: NodePath, with result: Arguments, instance: UInt64, _ done: @escaping Done<Void>)
    /// Goes back in a flow (S-24).
    func back(on path: NodePath, instance: UInt64, _ done: @escaping Done<StepOutcome>)
    /// Ends all flows. The delegate gets no further calls.
    func close()
}

/// Receives the result of a call to a host.
typealias Done<Success> = @MainActor (Result<Success, NavigationError>) -> Void

/// The object that has the flows. It can answer a question later, and answers it once. Reports come in the order of the
/// contract ("Order on the wire"): removals, additions, changes, the navigation.
@MainActor
protocol HostDelegate: AnyObject {
    /// Adapts a step (S-5).
    func adapt(_ question: HostQuestion, _ answer: @escaping @MainActor (AdaptAnswer) -> Void)
    /// Answers where a step leads. ``didNavigate(_:)`` reports what was contributed.
    func navigate(_ question: HostQuestion, _ answer: @escaping @MainActor (NavigateAnswer) -> Void)
    /// Shows a screen of this process. Returns whether it exists.
    func present(_ presentation: Presentation, instance: UInt64) -> Bool
    /// The host was told that the screen is shown: calls that follow are those of its owner. It gave the answers that are not
    /// acknowledged.
    func presented(_ path: NodePath, instance: UInt64, _ answers: [AskMessage])
    /// An ask of a screen was answered, possibly again.
    func answered(instance: UInt64, _ answer: AskMessage)

    /// A presentable was added.
    func added(_ node: HostNode)
    /// A presentable changed.
    func changed(_ path: NodePath, _ change: HostChange)
    /// A presentable was removed.
    func removed(_ path: NodePath)
    /// A navigation occurred.
    func didNavigate(_ navigation: HostNavigation)
    /// A step failed.
    func failed(_ failure: NavigationFailure)
    /// A flow lost its registration: the new service refused it.
    func registrationLost(_ definition: String)
    /// The service was restarted; these are all live presentables. All others are gone.
    func serviceRestarted(_ live: [HostNode])
}

/// The registration of a flow.
struct FlowRegistration: Equatable {
    var name: String
    var steps: [StepDeclaration]
    /// Its screens, in the order in which they were first contributed.
    var screens: [ScreenDeclaration]
    /// The values that it answers with, sorted by name; nil if it does not answer.
    var result: [Parameter]?
    var isGuarded: Bool
    var children: Children
    /// The time limit of an answer, in µs.
    var timeout: UInt64
}

/// A question of a host about a step.
struct HostQuestion {
    /// The flow's definition.
    var definition: String
    /// The path of the flow.
    var flow: NodePath
    var step: StepMessage
    /// Whether this process started the cascade, with this very step.
    var isFromThisProcess: Bool
}

enum AdaptAnswer {
    case step(StepMessage)
    case rejected(String)
    case failed(String)
}

enum NavigateAnswer {
    case contributors([NamedContributor])
    case failed(String)
}

extension NamedContributor {
    /// A new child with these options.
    ///
    /// - Parameters:
    ///   - kind: `screen` or `flow`.
    ///   - name: its name.
    ///   - step: its initial step.
    ///   - arguments: nil passes on the declared ones of the current step.
    ///   - style: how it is shown.
    ///   - whenHidden: overrides its definition.
    ///   - onResult: the step for its answer.
    static func child(
        _ kind: Kind, _ name: String, step: StepMessage? = nil, arguments: Arguments? = nil, style: String = "",
        whenHidden: WhenHidden? = nil, onResult: ResultStep? = nil
    ) -> NamedContributor {
        var options = Options()
        options.step = step?.name
        // Missing arguments of the step would be taken from the current step.
        options.stepArguments = step?.arguments
        options.arguments = arguments
        if !style.isEmpty { options.style = style }
        options.whenHidden = whenHidden?.rawValue
        if let onResult {
            var dismissal = Dismissal()
            dismissal.step = onResult.name
            dismissal.arguments = onResult.arguments.map(Arguments.init)
            options.onResult = dismissal
        }
        return NamedContributor(kind, name, options)
    }

    /// The end of the flow with a result.
    static func end(with result: Arguments) -> NamedContributor {
        var options = Options()
        options.result = result
        return NamedContributor(.end, "", options)
    }

    /// A step on this flow or its parent, or after its end.
    static func step(_ kind: Kind, _ step: StepMessage?) -> NamedContributor {
        var options = Options()
        options.arguments = step?.arguments
        return NamedContributor(kind, step?.name ?? "", options)
    }
}

/// A live presentable.
struct HostNode: Equatable {
    var path: NodePath
    /// The instance number, never used again (S-1).
    var instance: UInt64
    var isPresented: Bool
    /// True for a screen.
    var isReady: Bool
}

/// A change of a presentable.
enum HostChange: Equatable {
    case presented(Bool)
    case ready
}

/// A navigation of any flow.
struct HostNavigation: Equatable {
    var flow: NodePath
    var serial: UInt64
    var cause: UInt64
    var sender: String
    /// nil if the flow went back.
    var step: StepMessage?
    var contributions: [AppliedContributor]
    var adaptedFrom: String?
    var isDeepLink: Bool
}
