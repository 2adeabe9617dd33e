package import FlowCore

/// The place where flows live: the state machine in this process, or the service on the bus. A ``FlowCoordinator``
/// works with either in the same way, so that a flow can't tell them apart.
///
/// A host carries out calls in the order in which they are made, never answers a call before the method has returned
/// (unless documented otherwise), and answers each call once.
///
/// A call about a presentable names its instance, and fails with `unknownObject` if that is gone, whatever is live at
/// the path by then (S-25); 0 stands for any instance.
@FlowActor
package protocol Host: AnyObject {
    /// The object that has the flows. It outlives the host's calls to it.
    var delegate: (any HostDelegate)? { get set }
    /// Measures the time limits of flows.
    var clock: HostClock { get }
    /// Calls the block when nothing is to be done: no step is on its way, and no flow is asked. A host on the bus calls it at once, as
    /// other programs can do anything at any time.
    func whenSettled(_ call: @escaping @FlowActor () -> Void)

    /// The word before the names of this program; empty for none.
    var namespace: String { get }
    /// The name that a type, or a screen of that type, has at the host.
    func name(of type: any Presentable.Type, _ name: String) -> String
    /// Collects the steps of a flow's types.
    func catalog(of types: [any Step.Type]) throws(StepError) -> StepCatalog
    /// The values that flows or screens of a type answer with.
    func result(of type: any Answering.Type) throws(StepError) -> [Parameter]
    /// The message of an answer.
    ///
    /// - Parameters:
    ///   - answer: the answer.
    ///   - step: what the parent makes of it; nil if it makes nothing.
    func message(of answer: GivenAnswer, _ step: ResultStep?) throws(NavigationError) -> Arguments
    /// The name of the step that is made of an answer.
    func name(of maker: ResultStep.StepMaker, in catalog: StepCatalog) throws(NavigationError) -> String
    /// Makes the message of a step. The catalog of a flow that takes the step decodes it.
    func message(of step: any Step) throws(NavigationError) -> StepMessage
    /// Registers a flow, or registers it again: with more screens, or after the service was gone.
    func register(_ flow: FlowRegistration, _ done: @escaping Done<Void>)
    /// Whether the host drops the steps of a root that is not presented, if the root is to ignore them (S-15). Otherwise the
    /// coordinator does.
    var gatesRoots: Bool { get }
    /// Whether what is live outlives the process, so that the coordinator need not restore it.
    var keepsTree: Bool { get }
    /// Starts a root.
    func coordinate(
        _ definition: String, _ step: StepMessage?, allowsStepWhenNotPresented: Bool, _ done: @escaping Done<NodePath>)
    /// Delivers a step to all live flows (S-27), and waits for all outcomes; never answers `pending`.
    func navigate(to step: StepMessage, _ done: @escaping Done<[FlowOutcome]>)
    /// Delivers steps to flows, each below the one before (S-28), with a time limit in µs.
    func navigate(
        along path: [HostSegment], timeout: UInt64, _ done: @escaping Done<[FlowOutcome]>)
    /// Emits a step on a presentable; never answers `pending`. By the token, the caller can repeat the call and take the step back.
    func emit(
        _ step: StepMessage, token: String?, on path: NodePath, instance: UInt64, _ done: @escaping Done<StepOutcome>)
    /// Takes back a step that waits at a presentable, by the token of its call (S-16).
    func cancelStep(_ token: String, on path: NodePath, instance: UInt64, _ done: @escaping Done<Void>)
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
    /// Goes back in a flow (S-24). If the flow, or one below it, waits for an answer of this program, that comes first.
    func back(on path: NodePath, instance: UInt64, _ done: @escaping Done<StepOutcome>)
    /// Ends all flows. The delegate gets no further calls.
    func close()
}

/// Receives the result of a call to a host.
package typealias Done<Success> = @FlowActor (Result<Success, NavigationError>) -> Void

/// The object that has the flows. It can answer a question later, and answers it once. Reports come in the order of the
/// contract ("Order on the wire"): removals, additions, changes, the navigation.
@FlowActor
package protocol HostDelegate: AnyObject {
    /// Adapts a step (S-5).
    func adapt(_ question: HostQuestion, _ answer: @escaping @FlowActor (AdaptAnswer) -> Void)
    /// Answers where a step leads. ``didNavigate(_:)`` reports what was contributed.
    func navigate(_ question: HostQuestion, _ answer: @escaping @FlowActor (NavigateAnswer) -> Void)
    /// Shows a screen of this process.
    ///
    /// - Parameters:
    ///   - presentation: how it comes to be shown.
    ///   - instance: the screen.
    ///   - known: what the host knows of the screen; nil if it takes nothing with the answer.
    /// - Returns: What the screen says of itself that the host does not know; nil if there is no such screen.
    func present(_ presentation: Presentation, instance: UInt64, known: ScreenReport?) -> ScreenReport?
    /// The host was told that the screen is shown: calls that follow are those of its owner. It gave the answers that are not
    /// acknowledged.
    func presented(_ path: NodePath, instance: UInt64, _ answers: [AskMessage])
    /// An ask of a screen was answered, possibly again.
    func answered(instance: UInt64, _ answer: AskMessage)

    /// A presentable was added.
    func added(_ node: consuming HostNode)
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
    /// Whether callers wait for the initial steps of roots.
    var isStartingRoots: Bool { get }
    /// The service is gone, and no other one continues: what it has not reported is not known.
    func serviceLost(_ error: NavigationError)
    /// The service was restarted; these are all live presentables. All others are gone.
    func serviceRestarted(_ live: [HostNode])
}

/// The registration of a flow.
package struct FlowRegistration: Equatable {
    package var name: String
    package var steps: [StepDeclaration]
    /// Its screens, in the order in which they were first contributed.
    package var screens: [ScreenDeclaration]
    /// The values that it answers with, sorted by name; nil if it does not answer.
    package var result: [Parameter]?
    package var isGuarded: Bool
    package var children: Children
    /// In one process alone.
    package var layers: [Layer]
    /// The time limit of an answer, in µs.
    package var timeout: UInt64
    /// For messages in this process.
    package var swiftNames: SwiftNames

    package init(
        name: String, steps: [StepDeclaration], screens: [ScreenDeclaration], result: [Parameter]? = nil,
        isGuarded: Bool, children: Children, layers: [Layer] = [], timeout: UInt64,
        swiftNames: SwiftNames = SwiftNames()
    ) {
        self.name = name
        self.steps = steps
        self.screens = screens
        self.result = result
        self.isGuarded = isGuarded
        self.children = children
        self.layers = layers
        self.timeout = timeout
        self.swiftNames = swiftNames
    }
}

/// A question of a host about a step.
package struct HostQuestion {
    /// The flow.
    package let place: FlowPlace
    package var step: StepMessage
    /// Whether this process started the cascade, with this very step.
    package var isFromThisProcess: Bool

    /// The flow's definition.
    package var definition: String { place.definition }
    /// The path of the flow.
    package var flow: NodePath { place.path }

    package init(_ place: FlowPlace, step: StepMessage, isFromThisProcess: Bool) {
        self.place = place
        self.step = step
        self.isFromThisProcess = isFromThisProcess
    }
}

/// The place of a live flow in the tree. A host that keeps it as long as the flow lives spares itself, and the coordinator, to look
/// for the flow with each step.
@FlowActor
package final class FlowPlace {
    nonisolated let path: NodePath
    nonisolated let definition: String
    /// The flow's object and type, once it was asked.
    var node: HostedNode?
    var kind: FlowKind?

    package nonisolated init(_ path: NodePath, definition: String) { (self.path, self.definition) = (path, definition) }
}

package enum AdaptAnswer {
    case step(StepMessage)
    case rejected(String)
    /// The flow has taken longer than it may.
    case timedOut
    case failed(String)
}

package enum NavigateAnswer {
    case contributors([NamedContributor])
    /// The flow does not take the step.
    case unhandled
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
    package static func child(
        _ kind: Kind, _ name: String, step: StepMessage? = nil, arguments: Arguments? = nil, style: String = "",
        whenHidden: WhenHidden? = nil, onResult: ResultStep? = nil
    ) -> NamedContributor {
        var options: Options = [:]
        options[.step] = step.map { .text($0.name) }
        // Missing arguments of the step would be taken from the current step.
        options[.stepArguments] = step.map { .arguments($0.arguments) }
        options[.arguments] = arguments.map { .arguments($0) }
        if !style.isEmpty { options[.style] = .text(style) }
        options[.whenHidden] = whenHidden.map { .text($0.rawValue) }
        options[.onResult] = onResult.map { .step($0.name, $0.arguments.map(Arguments.init)) }
        return NamedContributor(kind, name, options)
    }

    /// A live child, which has these values of its key (S-51).
    static func live(_ kind: Kind, _ name: String, _ key: [String: DBusValue]) -> NamedContributor {
        NamedContributor(kind, name, key.isEmpty ? [:] : [.key: .arguments(Arguments(key))])
    }

    /// The end of the flow with a result.
    package static func end(with result: Arguments) -> NamedContributor {
        NamedContributor(.end, "", [.result: .arguments(result)])
    }

    /// A step on this flow or its parent, or after its end.
    package static func step(_ kind: Kind, _ step: StepMessage?) -> NamedContributor {
        guard let step else { return NamedContributor(kind) }
        return NamedContributor(kind, step.name, [.arguments: .arguments(step.arguments)])
    }
}

extension NamedContributor.Given {
    /// A step that follows; without arguments it gets those that are there.
    static func step(_ name: String, _ arguments: Arguments?) -> Self {
        var options: NamedContributor.Options = [.step: .text(name)]
        options[.arguments] = arguments.map { .arguments($0) }
        return .table(options)
    }
}

/// One flow of a path to navigate along.
package struct HostSegment {
    package var flow: String
    /// Values of its key (S-51).
    package var key: Arguments
    package var step: StepMessage?

    package init(flow: String, key: Arguments, step: StepMessage?) {
        (self.flow, self.key, self.step) = (flow, key, step)
    }
}

/// A live presentable.
package struct HostNode: Equatable {
    package var path: NodePath
    /// The instance number, never used again (S-1).
    package var instance: UInt64
    /// The name of the screen, or of the flow's definition.
    package var name: String
    package var isFlow: Bool
    package var isPresented: Bool
    /// True for a screen.
    package var isReady: Bool

    package init(
        path: NodePath, instance: UInt64, name: String, isFlow: Bool, isPresented: Bool, isReady: Bool
    ) {
        self.path = path
        self.instance = instance
        self.name = name
        self.isFlow = isFlow
        self.isPresented = isPresented
        self.isReady = isReady
    }
}

/// A path at which something is live: what the host has reported of it, and its object, if that is in this coordinator.
@FlowActor
final class LivePlace {
    /// nil before the host has reported it.
    var report: HostNode?
    var node: HostedNode?

    nonisolated init() {}
}

extension [NodePath: LivePlace] {
    /// The place at a path, which is there from now on. It is looked for once, whether it is new or not.
    mutating func place(at path: NodePath) -> LivePlace {
        func taken(_ place: inout LivePlace) -> LivePlace { place }
        return taken(&self[path, default: LivePlace()])
    }
}

/// A change of a presentable.
package enum HostChange: Equatable {
    case presented(Bool)
    case ready
}

/// A navigation of any flow.
package struct HostNavigation: Equatable {
    package var flow: NodePath
    package var serial: UInt64
    package var cause: UInt64
    package var sender: String
    /// nil if the flow went back.
    package var step: StepMessage?
    package var contributions: [AppliedContributor]
    package var adaptedFrom: String?
    package var isDeepLink: Bool
}

extension HostNavigation {
    package init(
        flow: NodePath, serial: UInt64, cause: UInt64, sender: String, isDeepLink: Bool, adaptedFrom: String?,
        step: StepMessage?, contributions: [AppliedContributor]
    ) {
        // All members at once: one that gets them one by one would be copied at the end.
        self.init(
            flow: flow, serial: serial, cause: cause, sender: sender, step: step, contributions: contributions,
            adaptedFrom: adaptedFrom, isDeepLink: isDeepLink)
    }
}
