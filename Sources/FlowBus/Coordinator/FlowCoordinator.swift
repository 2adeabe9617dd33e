internal import FlowCore

/// Delivers steps to flows, and applies what they contribute: RxFlow's FlowCoordinator.
///
/// ```swift
/// let coordinator = FlowCoordinator()
/// try await coordinator.coordinate(flow: AppFlow(services), with: AppStepper(services))
/// ```
///
/// A coordinator made with ``init()`` runs the navigation state machine in this process. With `init(bus:)`, the flows
/// of this program become part of the tree that the service `flowbusd` keeps for all programs: the service asks this
/// program where their steps lead, and this program shows their screens. The flow classes are the same in both cases.
///
/// The coordinator keeps strong references to its live flows, screens and steppers until they are dismissed. When it is
/// deallocated, they are withdrawn.
@FlowActor
public final class FlowCoordinator: Sendable {
    // As in ``LocalHost``, exclusive access is not checked for what each step uses, if no code of the program can run while it changes.

    let host: any Host
    /// The flow types that this coordinator can create, by definition.
    var kinds: [String: FlowKind] = [:]
    /// The classes of screens that are named by their types, by these names.
    var screenTypes: [String: any Presentable.Type] = [:]
    /// The names at the host of flows and screens that have others there, by their own.
    var flowNames: [String: String] = [:]
    var screenNames: [String: String] = [:]
    /// All presentables that the host has reported as live, and the flows and screens whose objects are in this coordinator.
    var live: [NodePath: LivePlace] = [:]
    /// The flows and screens whose objects are in this coordinator, by object.
    var places: [ObjectIdentifier: NodesOfObject] = [:]
    /// The flow that was asked last where a step leads: it navigates next.
    var asked: HostedNode?
    /// What led to each live child without a node; empty if the host keeps the tree.
    var origins: [NodePath: ChildOrigin] = [:]
    /// Flows that take a step again to restore its children.
    var restorations: [NodePath: Restoration] = [:]
    /// Registrations under way, with the requests that wait for each.
    var registering: [String: [@FlowActor () -> Void]] = [:]
    /// Roots to start, in order, and whether one is being registered.
    var requestedRoots: [AwaitedRoot] = []
    var isStartingRoot = false
    /// Roots that were requested and have no path yet.
    var awaitedRoots: [Root] = []
    /// Who waits until the initial steps of roots have run.
    var startingRoots = StartingRoots()
    /// The live roots that this coordinator started.
    var roots: [NodePath: Root] = [:]

    let announcements: Broadcast<UpcomingNavigation>
    let navigations: Broadcast<FlowNavigation>
    let failed: Broadcast<NavigationFailure>
    /// What ``log`` has.
    var logged = LogBuffer()

    /// Creates a coordinator in this process. It needs no bus, no service and no file.
    public convenience init() { self.init(host: LocalHost()) }

    /// Creates a coordinator in this process that measures time limits by another clock than that of the device: in a test, by one that
    /// the test moves.
    ///
    /// - Parameter clock: the clock.
    public convenience init<C: Clock>(clock: C) where C.Duration == Duration {
        self.init(host: LocalHost(HostClock(clock)))
    }

    package init(host: any Host) {
        self.host = host
        let turns = ReaderTurns()
        (announcements, navigations, failed) = (Broadcast(turns), Broadcast(turns), Broadcast(turns))
        host.delegate = self
    }

    isolated deinit { end() }

    /// Ends all flows as if the program had ended: live presentables are withdrawn, the registrations on the bus are
    /// removed, and the sequences ``willNavigate``, ``didNavigate`` and ``failures`` end. Deallocation has the same
    /// effect.
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
    /// The method returns when the initial step has run, in one process and on the bus: what the flow contributed is in its place, or
    /// the step failed, which ``failures`` reports. As in RxFlow, it does not wait for an ``Flow/adapt(step:)`` that suspends, nor for
    /// the steps that the initial step triggers; `Flows.use` waits for both. With a stepper without an initial step, it returns when
    /// the flow is live.
    ///
    /// If the service on the bus goes away before the initial step has run, the method waits for the next one, with which the flow
    /// goes on, or begins anew, like all roots. If the bus can't start a service, the method throws `noReply`; the flow stays one of
    /// this coordinator's nevertheless, for whenever there is a service again.
    ///
    /// - Parameters:
    ///   - flow: the flow. The coordinator keeps a strong reference to it until it ends.
    ///   - stepper: the stepper that emits steps on the flow, beginning with its initial step. The default,
    ///     ``DefaultStepper``, begins with ``RxFlowStep/home``; ``NoneStepper`` begins with no step.
    ///   - allowStepWhenNotPresented: whether the steps of the flow are taken while its root is hidden, or covered. The default is true,
    ///     as in RxFlow, which never pauses the stepper of a flow (S-15).
    /// - Returns: The path of the flow.
    /// - Throws: ``NavigationError`` if the flow can't be registered (`alreadyRegistered`, `invalidStep`, …), if the
    ///   initial step is not one of its ``Flow/steps`` (`unknownStep`), or if there is no bus or no service, or none any more
    ///   (`disconnected`, `serviceUnknown`, `noReply`);
    ///   `CancellationError` if the task was cancelled, in which case the flow still begins.
    @discardableResult
    public func coordinate(
        flow: any Flow, with stepper: any Stepper = DefaultStepper(), allowStepWhenNotPresented: Bool = true
    ) async throws -> NodePath {
        try await answer { done in
            let child = ContributedChild(flow, stepper, allowsStepWhenNotPresented: allowStepWhenNotPresented)
            coordinate(Root(child, flow, hostName(of: type(of: flow))), done)
        }
    }

    /// Delivers a step to every live flow, parents before children: RxFlow's deep link (S-27). On the bus it reaches
    /// the flows of other programs, too.
    ///
    /// A flow whose ``Flow/adapt(step:)`` is under way takes the step afterwards, as in RxFlow, and the method waits for that. Do not
    /// wait for it in `adapt` itself: the wait ends only at the flow's time limit.
    ///
    /// - Parameter step: the step.
    /// - Returns: The outcome at each flow, when all are known. On the bus it is the error `noReply` at a flow that had not taken the
    ///   step when the service went away.
    /// - Throws: ``NavigationError``, for instance `unknownStep` if no flow declares the step.
    @discardableResult
    public func navigate(to step: any Step) async throws -> [FlowOutcome] {
        let message = try encode(step)
        return try await answer { done in host.navigate(to: message, done) }
    }

    /// Emits a step on a flow or screen of this coordinator, and waits for its outcome.
    ///
    /// - Parameters:
    ///   - step: the step.
    ///   - presentable: the flow or screen.
    ///   - token: a name of the call, of 1 to 128 bytes. Another call with it within a minute gets the outcome of this one, and
    ///     ``cancelStep(_:on:)`` takes the step back.
    /// - Returns: The outcome of the step.
    /// - Throws: ``NavigationError``: `unknownObject` if the presentable is not live in this coordinator, or the error
    ///   with which the step failed.
    @discardableResult
    public func emit(
        _ step: any Step, on presentable: any Presentable, token: String? = nil
    ) async throws -> StepOutcome {
        let message = try encode(step)
        let node = try node(of: presentable)
        if isGated(node) { return StepOutcome(verdict: .hidden, serial: 0) }
        try Task.checkCancellation()
        return try await answer { done in
            host.emit(message, token: token, on: node.path, instance: node.instance, done)
        }
    }

    /// Takes back a step that still waits at a flow or screen of this coordinator: its verdict was `deferred`, and it was not taken yet
    /// (S-16). A call that is repeated with the token gets `hidden`, and brings the step no more.
    ///
    /// ```swift
    /// if try await coordinator.emit(DeskStep.passwordAsked, on: desk, token: "wifi-1").verdict == .deferred {
    ///     try await coordinator.cancelStep("wifi-1", on: desk)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - token: the token of the call of ``emit(_:on:token:)``.
    ///   - presentable: the flow or screen on which the step was emitted.
    /// - Throws: ``NavigationError``: `invalidArguments` if no step with the token waits there, `unknownObject` if the presentable is not
    ///   live in this coordinator.
    public func cancelStep(_ token: String, on presentable: any Presentable) async throws {
        let node = try node(of: presentable)
        try await answer { done in host.cancelStep(token, on: node.path, instance: node.instance, done) }
    }

    /// Emits a step on a flow or screen of this coordinator, and waits for the answer of what it leads to: a picker, a PIN pad, a
    /// payment (S-45).
    ///
    /// ```swift
    /// let contact: Contact? = try await coordinator.ask(MailStep.pickContact, on: flow)
    /// ```
    ///
    /// The answer is that of the first screen or flow that answers (``Answering``) to which the step leads, wherever that is.
    ///
    /// - Parameters:
    ///   - step: the step.
    ///   - presentable: the flow or screen.
    ///   - type: the type of the answer: any in one process; on the bus a struct that is `Decodable`.
    /// - Returns: The answer; nil if there is none, because it was dismissed, for instance, or the step was not taken.
    ///   ``askResult(of:on:as:)`` says why.
    /// - Throws: ``NavigationError``: `unknownObject` if the presentable is not live in this coordinator; the error with which the step
    ///   failed; `invalidStep` if the answer does not fit the type. Or `CancellationError`.
    public func ask<Answer: Sendable>(
        _ step: any Step, on presentable: any Presentable, as type: Answer.Type = Answer.self
    ) async throws -> Answer? {
        try await askResult(of: step, on: presentable, as: type).answer
    }

    /// Emits a step as ``ask(_:on:as:)``, and returns what became of it, too.
    ///
    /// - Parameters:
    ///   - step: the step.
    ///   - presentable: the flow or screen.
    ///   - type: the type of the answer.
    /// - Returns: The answer, or the reason why there is none.
    /// - Throws: ``NavigationError``, as ``ask(_:on:as:)``, or `CancellationError`.
    public func askResult<Answer: Sendable>(
        of step: any Step, on presentable: any Presentable, as type: Answer.Type = Answer.self
    ) async throws -> AskResult<Answer> {
        let message = try encode(step)
        let node = try node(of: presentable)
        return try await answer { done in host.ask(message, on: node.path, instance: node.instance, done) }
            .decoded(as: type)
    }

    /// Goes back in a flow: the innermost flow in front whose children are a ``Children/stack`` dismisses its current
    /// child, if it has more than one (S-24). A flow defined in a file can have a step for going back instead.
    ///
    /// While ``Flow/adapt(step:)`` is under way in the flow, or in one inside it, the method waits: it goes back when the steps that
    /// waited for the flow have been taken. Do not wait for it in `adapt` itself: the wait ends only at the flow's time limit.
    ///
    /// - Parameter flow: the flow.
    /// - Returns: The outcome, `unhandled` if there is nothing to go back from.
    /// - Throws: ``NavigationError``: `unknownObject` if the flow is not live in this coordinator.
    @discardableResult
    public func back(on flow: any Flow) async throws -> StepOutcome {
        let node = try node(of: flow)
        return try await answer { done in host.back(on: node.path, instance: node.instance, done) }
    }

    /// Registers a flow type, so that flows of it can be started by name: on the bus by any program, and in this
    /// process by ``FlowContributor/contributeFlow(named:withInitialStep:arguments:style:allowStepWhenNotPresented:onResult:options:)``.
    ///
    /// - Parameters:
    ///   - type: the class of the flow.
    ///   - makeFlow: creates a flow when one begins.
    /// - Throws: ``NavigationError``, as ``coordinate(flow:with:allowStepWhenNotPresented:)``.
    public func register<F: Flow>(_ type: F.Type, makeFlow: @escaping @FlowActor () -> F) async throws {
        try await answer { done in register(type, makeFlow, done) }
    }

    /// Returns the path of a flow or screen; if it is live at several paths, the oldest; nil if it is not live in this
    /// coordinator.
    ///
    /// - Parameter presentable: the flow or screen.
    /// - Returns: The path, or nil.
    public func path(of presentable: any Presentable) -> NodePath? {
        places[ObjectIdentifier(presentable)]?.first.path
    }

    private func node(of presentable: any Presentable) throws(NavigationError) -> HostedNode {
        guard let node = places[ObjectIdentifier(presentable)]?.first else {
            throw NavigationError(
                .unknownObject, "'\(presentable.name)' is not live in this coordinator")
        }
        return node
    }

    /// The name of a step, as contributors and failures have it.
    package func name(of step: any Step) -> String { (try? host.message(of: step).name) ?? "" }

    /// Returns when nothing is to be done: no step is on its way, and no ``Flow/adapt(step:)`` is under way. On the bus it returns at once.
    package func settle() async {
        await withCheckedContinuation { settled in host.whenSettled { settled.resume() } }
    }

    // MARK: Events

    /// The navigations that the flows of this coordinator are about to make, from now on: RxFlow's `rx.willNavigate`. A subscription
    /// gets each before ``Flow/navigate(to:)`` is called.
    public var willNavigate: NavigationEvents<UpcomingNavigation> { announcements.values() }

    /// The navigations that the flows of this coordinator made, from now on: RxFlow's `rx.didNavigate`. A subscription gets each when
    /// what the flow contributed is in its place.
    public var didNavigate: NavigationEvents<FlowNavigation> { navigations.values() }

    /// The steps that failed without a caller waiting for them, and other failures without a caller, from now on.
    public var failures: NavigationEvents<NavigationFailure> { failed.values() }

    /// The coordinator itself, so that RxFlow's `coordinator.rx.willNavigate` can stay as it is.
    public var rx: FlowCoordinator { self }
}

/// A root that this program started.
@FlowActor
final class Root {
    let child: ContributedChild
    let flow: any Flow
    let definition: String

    init(_ child: ContributedChild, _ flow: any Flow, _ definition: String) {
        (self.child, self.flow, self.definition) = (child, flow, definition)
    }
}

/// A flow type that this coordinator can create.
@FlowActor
package final class FlowKind {
    let type: any Flow.Type
    let catalog: StepCatalog
    var registration: FlowRegistration
    /// Whether it is registered with the host.
    var isRegistered = false
    /// Creates a flow that another program or flow starts by name.
    var make: (@FlowActor () -> any Flow)?

    init(_ type: any Flow.Type, _ catalog: StepCatalog, _ registration: FlowRegistration) {
        (self.type, self.catalog, self.registration) = (type, catalog, registration)
    }

    /// Whether one of its types has a step of this name.
    func takes(_ name: String) -> Bool { catalog.has(name) }
}
