internal import FlowCore

/// Where flows live: the machine in this process, or the service on the bus. One ``FlowCoordinator`` serves either, so that a
/// flow can't tell them apart.
///
/// What is asked of a host it does in the order in which it was asked; it never answers before it returns, unless it says
/// so, and it answers each call once.
///
/// What is asked of a presentable is asked of this instance, and fails with `unknownObject` where that is gone, whatever lives
/// at its path by then (S-25); 0 stands for whatever lives there.
@MainActor
protocol Host: AnyObject {
    /// Who has the flows; it outlives what it asks.
    var delegate: (any HostDelegate)? { get set }

    /// Defines a flow, or defines it anew: more screens, after the service was gone.
    func register(_ flow: FlowRegistration, _ done: @escaping Done<Void>)
    /// Starts a root.
    func coordinate(_ definition: String, _ step: StepMessage?, _ done: @escaping Done<NodePath>)
    /// Sends a step to all live flows (S-27).
    func navigate(to step: StepMessage, _ done: @escaping Done<[FlowOutcome]>)
    /// Emits a step on a presentable; never answers `pending`.
    func emit(_ step: StepMessage, on path: NodePath, instance: UInt64, _ done: @escaping Done<Outcome>)
    /// Says that a presentable is shown, or hidden.
    func setVisible(_ isVisible: Bool, at path: NodePath, instance: UInt64, _ done: @escaping Done<Void>)
    /// Dismisses a presentable.
    func dismiss(_ path: NodePath, instance: UInt64, _ done: @escaping Done<Void>)
    /// Goes back in a flow (S-24).
    func back(on path: NodePath, instance: UInt64, _ done: @escaping Done<Outcome>)
    /// Takes everything back: nothing is asked or told any more.
    func close()
}

/// Gets the outcome of a call to a host.
typealias Done<Success> = @MainActor (Result<Success, NavigationError>) -> Void

/// Who has the flows. Questions may be answered later, and are answered once; what is told comes in the order of the contract
/// ("Order on the wire"): what goes, what comes, what changes, the navigation.
@MainActor
protocol HostDelegate: AnyObject {
    /// What is to be taken instead of a step (S-5).
    func adapt(_ question: HostQuestion, _ answer: @escaping @MainActor (AdaptAnswer) -> Void)
    /// Where a step leads. What is contributed is told by ``didNavigate(_:)``.
    func navigate(_ question: HostQuestion, _ answer: @escaping @MainActor (NavigateAnswer) -> Void)
    /// A screen of this process is to be shown; whether there is one.
    func present(_ presentation: Presentation, instance: UInt64) -> Bool

    /// A presentable is there.
    func added(_ node: HostNode)
    /// Something of it changed.
    func changed(_ path: NodePath, _ change: HostChange)
    /// It is gone.
    func removed(_ path: NodePath)
    /// A navigation happened.
    func didNavigate(_ navigation: HostNavigation)
    /// A step came to nothing.
    func failed(_ failure: NavigationFailure)
    /// A flow that was registered is so no longer: the service that is there anew refuses it.
    func forgotten(_ definition: String)
    /// The service is there anew; these are all presentables that are live in it. What is not among them is gone.
    func restarted(_ live: [HostNode])
}

/// A flow as it is registered.
struct FlowRegistration: Equatable {
    var name: String
    var steps: [StepDeclaration]
    /// Names of the screens that it brings, in the order in which they first came.
    var screens: [String]
    var isGuarded: Bool
    var children: Children
    /// How long an answer may take, in µs.
    var timeout: UInt64
}

/// What a host asks about a step.
struct HostQuestion {
    /// The flow's definition.
    var definition: String
    /// Where it lives.
    var flow: NodePath
    var step: StepMessage
    /// Whether this process began the chain, with this very step.
    var isOwn: Bool
}

enum AdaptAnswer {
    case step(StepMessage)
    case rejected(String)
    case failed(String)
}

enum NavigateAnswer {
    case contributors([HostContributor])
    case failed(String)
}

/// A contributor by names.
enum HostContributor: Equatable {
    case screen(String, HostChild)
    case flow(String, HostChild)
    case current(StepMessage)
    case parent(StepMessage)
    case end(StepMessage?)
}

/// What is said of a new child.
struct HostChild: Equatable {
    /// Its initial step.
    var step: StepMessage?
    /// nil: of the step at hand those that it declares.
    var arguments: Arguments?
    var style = ""
    var whenHidden: WhenHidden?
}

/// A live presentable.
struct HostNode: Equatable {
    var path: NodePath
    /// Never used again (S-1).
    var instance: UInt64
    var isPresented: Bool
    /// True for a screen.
    var isReady: Bool
}

/// What changed of a presentable.
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
    /// nil: somebody went back.
    var step: StepMessage?
    var contributions: [Contribution]
    var adaptedFrom: String?
    var isDeepLink: Bool
}
