internal import FlowCore

/// Brings steps to flows, and carries out where they lead: RxFlow's FlowCoordinator.
///
/// ```swift
/// let coordinator = FlowCoordinator()
/// try await coordinator.coordinate(flow: AppFlow(services), with: AppStepper(services))
/// ```
///
/// In one process it drives the navigation machine itself. On the bus, ``init(bus:)``, the flows of this program are
/// part of the one tree that `flowbusd` keeps for all programs: this one is asked where their steps lead, and shows
/// their screens. The flows are the same classes.
///
/// It holds what is live: the flows, screens and steppers of its tree, until they are dismissed. When it goes itself, all of
/// that goes with it.
@MainActor
public final class FlowCoordinator: Sendable {
    let host: any Host
    /// The flows that can live here, by their definition.
    var kinds: [String: FlowKind] = [:]
    /// What has its object here.
    var nodes: [NodePath: LiveNode] = [:]
    /// The same by the object, as one may live in several places; oldest first.
    var places: [ObjectIdentifier: [LiveNode]] = [:]
    /// All that the host told of and did not take back.
    var live: [NodePath: HostNode] = [:]
    /// Flows that the host is being told of, and what waits for that.
    var registering: [String: [@MainActor () -> Void]] = [:]
    /// Roots that are to be asked for, in order; and whether one is being made known.
    var requestedRoots: [AwaitedRoot] = []
    var isStartingRoot = false
    /// Roots that were asked for and have no place yet.
    var awaitedRoots: [Root] = []
    /// Roots that were asked for here.
    var roots: [NodePath: Root] = [:]
    /// What flows contributed with their latest answer, until the navigation is told; nil: what has its object elsewhere.
    var contributed: [NodePath: [Child?]] = [:]

    let announcements = Broadcast<Announcement>()
    let navigations = Broadcast<Navigation>()
    let failed = Broadcast<NavigationFailure>()

    /// A coordinator in this process: without a bus, a service or a file.
    public convenience init() { self.init(host: LocalHost()) }

    /// A coordinator on the bus, for flows that are part of the tree of `flowbusd`. The first flow starts the service, if the
    /// bus can.
    ///
    /// Roots of flows that live here are started by ``coordinate(flow:with:)``: not by the coordinate of the same ``NavigationBus``,
    /// which could be taken for one.
    ///
    /// - Throws: ``NavigationError``: `disconnected`, where the connection was closed.
    public convenience init(bus: NavigationBus) throws(NavigationError) { self.init(host: try BusHost(bus)) }

    init(host: any Host) {
        self.host = host
        host.delegate = self
    }

    isolated deinit { end() }

    /// Ends all flows, as if the program had: what is live is withdrawn, on the bus the definitions are taken back, and
    /// ``willNavigate``, ``didNavigate`` and ``failures`` end. It also happens when nobody holds the coordinator any more.
    public func end() {
        host.close()
        endAll()
        announcements.finish()
        navigations.finish()
        failed.finish()
    }

    // MARK: Calls

    /// Starts a flow as a root, with the initial step of a stepper.
    ///
    /// It returns when the initial step and all that it set off is done, or waits for somebody.
    ///
    /// - Parameters:
    ///   - flow: it lives here until it ends.
    ///   - stepper: emits steps on it, and begins with its initial step: ``RxFlowStep/home``, unless another is given;
    ///     ``NoneStepper`` begins without one.
    /// - Returns: where it lives.
    /// - Throws: ``NavigationError``: the flow can't be registered (`alreadyRegistered`, `invalidStep`, …), the initial step
    ///   is none of its ``Flow/steps`` (`unknownStep`), or the bus or its service is not there; `CancellationError` where
    ///   the task was cancelled; the flow begins all the same.
    @discardableResult
    public func coordinate(flow: any Flow, with stepper: any Stepper = DefaultStepper()) async throws -> NodePath {
        try await answer { done in coordinate(Root(Child(flow, stepper), flow), done) }
    }

    /// Brings a step to every live flow, parents before children: RxFlow's deep link (S-27). On the bus to those of other
    /// programs, too.
    ///
    /// - Returns: what became of it at each flow; `wouldDeadlock` at one whose ``Flow/adapt(step:)`` has not answered yet.
    /// - Throws: ``NavigationError``: no flow knows the step (`unknownStep`), …
    @discardableResult
    public func navigate(to step: any Step) async throws -> [FlowOutcome] {
        let message = try encode(step)
        return try await answer { done in host.navigate(to: message, done) }
    }

    /// Emits a step on a flow or screen that lives here, and waits for its outcome: as its stepper does, who does not wait.
    ///
    /// - Throws: ``NavigationError``: it does not live here (`unknownObject`), the step failed, …
    @discardableResult
    public func emit(_ step: any Step, on presentable: any Presentable) async throws -> Outcome {
        let message = try encode(step)
        let node = try node(of: presentable)
        return try await answer { done in host.emit(message, on: node.path, instance: node.instance, done) }
    }

    /// Goes back in a flow: what is in front is dismissed, where a flow of ``Children/stack`` or with free children says so (S-24).
    ///
    /// - Returns: `unhandled` where there was nothing to go back from.
    /// - Throws: ``NavigationError``: `unknownObject` where it does not live here; `wouldDeadlock` where it, or the flow in it
    ///   that would take it, has an ``Flow/adapt(step:)`` under way.
    @discardableResult
    public func back(on flow: any Flow) async throws -> Outcome {
        let node = try node(of: flow)
        return try await answer { done in host.back(on: node.path, instance: node.instance, done) }
    }

    /// Lets others start a flow that lives here: on the bus any program, by `Coordinate` or as a contributor of its
    /// own flows. In one process that is for ``FlowContributor/contributeFlow(named:withInitialStep:arguments:style:allowStepWhenNotPresented:)``.
    ///
    /// - Parameters:
    ///   - type: the flow's class.
    ///   - make: makes one, when one begins.
    /// - Throws: ``NavigationError``, as ``coordinate(flow:with:)``.
    public func register<F: Flow>(_ type: F.Type, _ make: @escaping @MainActor () -> F) async throws {
        try await answer { done in register(type, make, done) }
    }

    /// Where a flow or screen lives, the oldest place if there are several; nil: not here, or no longer.
    public func path(of presentable: any Presentable) -> NodePath? {
        places[ObjectIdentifier(presentable)]?.first?.path
    }

    private func node(of presentable: any Presentable) throws(NavigationError) -> LiveNode {
        guard let node = places[ObjectIdentifier(presentable)]?.first else {
            throw NavigationError(
                .unknownObject, "'\(presentable.name)' does not live in this coordinator, or no longer")
        }
        return node
    }

    // MARK: What happens

    /// Each navigation of a flow that lives here, before it is asked where the step leads; from now on.
    public var willNavigate: AsyncStream<Announcement> { announcements.values() }

    /// Each navigation of a flow that lives here, when it has happened; from now on.
    public var didNavigate: AsyncStream<Navigation> { navigations.values() }

    /// Each step that came to nothing though nobody waited for its outcome, and what else failed without anybody to tell;
    /// from now on.
    public var failures: AsyncStream<NavigationFailure> { failed.values() }
}

/// A root that this program asked for.
@MainActor
final class Root {
    let child: Child
    let flow: any Flow
    let definition: String

    init(_ child: Child, _ flow: any Flow) {
        self.child = child
        self.flow = flow
        definition = type(of: flow).definition
    }
}

/// A flow that can live here.
struct FlowKind {
    let type: any Flow.Type
    let catalog: StepCatalog
    var registration: FlowRegistration
    /// Whether the host knows it.
    var isKnown = false
    /// Makes one that others start.
    var make: (@MainActor () -> any Flow)?
}
