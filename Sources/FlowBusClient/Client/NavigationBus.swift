public import FlowBus
internal import FlowCore
internal import Platform
internal import SdBus

/// A connection to a bus, and a client of the service `flowbusd` on it.
///
/// ```swift
/// let bus = try NavigationBus()
/// let kiosk = try await bus.coordinate("Kiosk", with: KioskStep.welcome)
/// let outcome = try await bus.emit(KioskStep.pick(item: 4), on: kiosk)
/// ```
///
/// Programs whose own flows live on the bus create a ``/FlowBus/FlowCoordinator`` with it.
///
/// The connection belongs to the main actor. It has no thread of its own: the program's main loop serves it
/// (``MainLoop``). With the package's trait `OwnActor` it belongs to an actor of its own (``/FlowBus/FlowActor``), and needs no main loop. Calls are sent in the order in which they are made. A task that waits for a call can be cancelled
/// and then stops waiting at once with `CancellationError`; the call is still carried out.
///
/// A lost connection is made again at the same address, after 0.1 s, 0.2 s, … up to 5 s; calls under way fail with
/// `disconnected`. When the service ends, calls under way fail with `noReply`, and whether they were carried out is
/// unknown. The exception is a step whose outcome is awaited: if the bus starts the service again, or another one takes
/// over, and it restores the tree, the step continues and its outcome comes from the new service. These are set up
/// again whenever the service or the connection comes back: ``watch(_:buffering:)``, ``present(as:at:_:withdraw:)``, and the
/// registrations of a ``/FlowBus/FlowCoordinator``.
@FlowActor
public final class NavigationBus: Sendable {
    /// The bus to connect to.
    public enum Address: Hashable, Sendable {
        /// The user's session bus, from `DBUS_SESSION_BUS_ADDRESS` or in `XDG_RUNTIME_DIR`.
        case session
        /// The system bus.
        case system
        /// A bus at an address such as `unix:path=/run/user/1000/bus`.
        case address(String)
    }

    let link: BusLink
    /// The number of coordinators created so far; their object paths contain it.
    private var coordinators = 0
    /// The presenter of their screens.
    private(set) lazy var presenter = SharedPresenter(link)
    /// The names of the flows that the coordinators have registered.
    var registeredFlows: Set<String> = []
    var tokens = TokenBudget()

    #if OwnActor
        /// Connects, and blocks until the bus has answered. It does not start the service; the first call can.
        ///
        /// - Parameter address: the bus.
        /// - Throws: ``/FlowBus/NavigationError`` with the code `disconnected` if there is no bus, or it refuses the connection.
        public init(_ address: Address = .session) throws(NavigationError) { link = try Self.link(address, .dispatch) }
    #else
        /// Connects, and blocks until the bus has answered. It does not start the service; the first call can.
        ///
        /// - Parameters:
        ///   - address: the bus.
        ///   - loop: the main loop of the program.
        /// - Throws: ``/FlowBus/NavigationError`` with the code `disconnected` if there is no bus, or it refuses the connection.
        public init(_ address: Address = .session, loop: MainLoop = .dispatch) throws(NavigationError) {
            link = try Self.link(address, loop)
        }
    #endif

    private static func link(_ address: Address, _ loop: MainLoop) throws(NavigationError) -> BusLink {
        let place: Bus.Address =
            switch address {
            case .session: .session
            case .system: .system
            case .address(let text): .address(text)
            }
        do throws(SdError) {
            return try BusLink(place, loop)
        } catch {
            throw NavigationError(.disconnected, "can't connect to the bus: \(error)")
        }
    }

    isolated deinit { close() }

    /// Closes the connection: calls under way fail with `disconnected`, watches end, and objects and names are
    /// released. Deallocation has the same effect; a sequence of ``watch(_:buffering:)`` keeps the connection alive.
    public func close() { link.close() }

    /// The unique name of the connection, such as `:1.42`; empty if there is no connection.
    public var uniqueName: String { link.uniqueName }

    #if !OwnActor
        /// The file descriptor that is readable when ``process()`` has something to do. It stays the same. Use it with
        /// ``MainLoop/embedded`` only.
        public var fileDescriptor: Int32 { link.mainLoop.loop.descriptor }

        /// Processes incoming messages, notifies observers, and runs the jobs of the main actor, without waiting. Use it
        /// with ``MainLoop/embedded`` only, on the main thread.
        public func process() { link.mainLoop.process() }
    #endif

    func nextCoordinator() -> Int {
        coordinators += 1
        return coordinators
    }

    /// Returns the given token, or a unique one if there are any left.
    func nextToken(_ given: String? = nil) -> String? { given ?? tokens.next(at: MonotonicClock.now) }
}

// MARK: - Steps

extension NavigationBus {
    /// Emits a step on a flow or screen, and waits for its outcome.
    ///
    /// - Parameters:
    ///   - step: the step.
    ///   - path: the flow or screen.
    ///   - options: a token, the expected instance, whether to wait, …
    /// - Returns: The outcome of the step.
    /// - Throws: ``/FlowBus/NavigationError`` (`unknownObject`, `unknownStep`, `invalidArguments`, …), or `CancellationError`.
    @discardableResult
    public func emit(
        _ step: any BusStep, on path: NodePath, options: EmitOptions = EmitOptions()
    ) async throws -> StepOutcome {
        try await emit(try link.names.message(of: step), on: path, options)
    }

    /// Emits a step that has no Swift type, and waits for its outcome.
    ///
    /// - Parameters:
    ///   - step: the name of the step.
    ///   - arguments: the arguments of the step.
    ///   - path: the flow or screen.
    ///   - options: a token, the expected instance, whether to wait, …
    /// - Returns: The outcome of the step.
    /// - Throws: ``/FlowBus/NavigationError`` (`unknownObject`, `unknownStep`, `invalidArguments`, …), or `CancellationError`.
    @discardableResult
    public func emit(
        _ step: String, _ arguments: [String: DBusValue] = [:], on path: NodePath, options: EmitOptions = EmitOptions()
    ) async throws -> StepOutcome {
        try await emit(StepMessage(name: step, arguments: Arguments(arguments)), on: path, options)
    }

    private func emit(
        _ message: StepMessage, on path: NodePath, _ options: EmitOptions
    ) async throws -> StepOutcome {
        let emission = Emission(
            step: message, path: path, token: nextToken(options.token), activationToken: options.activationToken,
            isInteractive: options.isInteractive, instance: options.instance, waits: options.waits,
            isInput: options.isInput)
        return try await answer { link.emit(emission, $0) }
    }

    /// Takes back a step of this connection that still waits at its flow or screen: its verdict was `deferred`, and it was not taken yet
    /// (S-16). A call that is repeated with the token gets `hidden`, and brings the step no more.
    ///
    /// ```swift
    /// let options = EmitOptions(token: "unlock-7")
    /// if try await bus.emit(DeskStep.passwordAsked, on: "device/desk", options: options).verdict == .deferred {
    ///     try await bus.cancelStep("unlock-7", on: "device/desk")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - token: the token of the call, as in ``EmitOptions/token``.
    ///   - path: the flow or screen on which the step was emitted.
    ///   - instance: its instance, if another one can have the path by now; nil for any.
    /// - Throws: ``/FlowBus/NavigationError``: `invalidArguments` if no step with the token waits there, `unknownObject` if nothing is live
    ///   there; … Or `CancellationError`.
    public func cancelStep(_ token: String, on path: NodePath, instance: UInt64? = nil) async throws {
        let object = path.objectPath(of: instance)
        try await answer { link.cancelStep(token, on: object, $0) }
    }

    /// Emits a step on a flow or screen, and waits for the answer of what it leads to: a picker, a PIN pad, a payment (S-45).
    ///
    /// ```swift
    /// let contact: Contact? = try await bus.ask(MailStep.pickContact, on: "main")
    /// ```
    ///
    /// The answer is that of the first screen or flow with a `result` to which the step leads. The wait can take any time, and goes on
    /// over a restart of a service that restores the tree. The ask ends with this connection; ``PresentedScreen/ask(_:named:)`` and
    /// ``/FlowBus/Ask`` are for answers that have to arrive after the process that asked has ended.
    ///
    /// - Parameters:
    ///   - step: the step.
    ///   - path: the flow or screen.
    ///   - type: the type of the answer, a struct whose properties are the values of the `result`.
    ///   - activationToken: the activation token (xdg-activation) for the first screen that the call shows.
    ///   - instance: the expected instance, as in ``EmitOptions/instance``.
    /// - Returns: The answer; nil if there is none, because it was dismissed, for instance, or the step was not taken.
    ///   ``askResult(of:on:as:activationToken:instance:)`` says why.
    /// - Throws: ``/FlowBus/NavigationError``: that of the step; `invalidStep` if the answer does not fit the type; `noReply` if the service
    ///   ended and did not restore the tree; … Or `CancellationError`.
    public func ask<Answer: Decodable & Sendable>(
        _ step: any BusStep, on path: NodePath, as type: Answer.Type = Answer.self, activationToken: String? = nil,
        instance: UInt64? = nil
    ) async throws -> Answer? {
        try await askResult(of: step, on: path, as: type, activationToken: activationToken, instance: instance).answer
    }

    /// Emits a step as ``ask(_:on:as:activationToken:instance:)``, and returns what became of it, too.
    ///
    /// - Parameters:
    ///   - step: the step.
    ///   - path: the flow or screen.
    ///   - type: the type of the answer.
    ///   - activationToken: the activation token (xdg-activation) for the first screen that the call shows.
    ///   - instance: the expected instance.
    /// - Returns: The answer, or the reason why there is none.
    /// - Throws: ``/FlowBus/NavigationError``, as ``ask(_:on:as:activationToken:instance:)``, or `CancellationError`.
    public func askResult<Answer: Decodable & Sendable>(
        of step: any BusStep, on path: NodePath, as type: Answer.Type = Answer.self, activationToken: String? = nil,
        instance: UInt64? = nil
    ) async throws -> AskResult<Answer> {
        let emission = Emission(
            step: try link.names.message(of: step), path: path, token: nextToken(), activationToken: activationToken,
            instance: instance)
        return try await answer { link.ask(emission, $0) }.decoded(as: type)
    }

    /// Delivers a step to every live flow, parents before children (S-27).
    ///
    /// - Parameter step: the step.
    /// - Returns: The outcome at each flow, when all are known; `noReply` at one that had not taken the step when the service went away.
    /// - Throws: ``/FlowBus/NavigationError``, for instance `unknownStep`, or `CancellationError`.
    @discardableResult
    public func navigate(to step: any BusStep) async throws -> [FlowBus.FlowOutcome] {
        let message = try link.names.message(of: step)
        return try await answer { link.navigate(to: message, $0) }
    }

    /// Delivers a step that has no Swift type to every live flow, parents before children (S-27).
    ///
    /// - Parameters:
    ///   - step: the name of the step.
    ///   - arguments: the arguments of the step.
    /// - Returns: The outcome at each flow, when all are known; `noReply` at one that had not taken the step when the service went away.
    /// - Throws: ``/FlowBus/NavigationError``, for instance `unknownStep`, or `CancellationError`.
    @discardableResult
    public func navigate(to step: String, _ arguments: [String: DBusValue] = [:]) async throws -> [FlowBus.FlowOutcome]
    {
        let message = StepMessage(name: step, arguments: Arguments(arguments))
        return try await answer { link.navigate(to: message, $0) }
    }

    /// Navigates along a path of flows, each somewhere below the one before (S-28).
    ///
    /// - Parameters:
    ///   - path: the flows, from the root down, each with its step.
    ///   - timeout: the time limit for the whole path.
    /// - Returns: The outcome of each step.
    /// - Throws: ``/FlowBus/NavigationError``: `pathFailed`, with the segment and the reason, if a flow is not live, a step was not
    ///   navigated, or the time limit is reached. Steps that were navigated before are not undone.
    @discardableResult
    public func navigate(
        along path: [FlowBus.PathSegment], timeout: Duration = .seconds(10)
    ) async throws -> [FlowBus.FlowOutcome] {
        var segments: [HostSegment] = []
        for segment in path {
            let flow = segment.type.map(link.names.name) ?? segment.flow
            let step = try segment.message(link.names.message)
            segments.append(HostSegment(flow: flow, key: Arguments(segment.key), step: step))
        }
        let microseconds = timeout.microseconds
        return try await answer { link.navigate(along: segments, timeout: microseconds, $0) }
    }

    /// Goes back in a flow (S-24).
    ///
    /// - Parameters:
    ///   - flow: the flow.
    ///   - instance: the expected instance (S-25); nil accepts any instance.
    /// - Returns: The outcome, `unhandled` if there is nothing to go back from.
    /// - Throws: ``/FlowBus/NavigationError``, for instance `unknownObject`, or `CancellationError`.
    @discardableResult
    public func back(on flow: NodePath, instance: UInt64? = nil) async throws -> StepOutcome {
        try await answer { link.back(on: flow.objectPath(of: instance), $0) }
    }
}
