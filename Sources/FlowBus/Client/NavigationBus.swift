public import FlowCore
internal import SdBus

/// A connection to a bus, and a client of the service there, `flowbusd`: for programs that take part in its navigation.
///
/// ```swift
/// let bus = try NavigationBus()
/// let kiosk = try await bus.coordinate("Kiosk", with: KioskStep.welcome)
/// let outcome = try await bus.emit(KioskStep.pick(item: 4), on: kiosk)
/// ```
///
/// Programs whose own flows live on the bus make a ``FlowCoordinator`` with it.
///
/// It is for the main actor, and has no threads: the program's main loop serves it (``MainLoop``). Calls go out in the order
/// in which they are made. Whoever waits for one is free to be cancelled, and stops to wait at once
/// (`CancellationError`); what was asked for happens all the same.
///
/// A connection that is lost is made again, after 0.1 s, 0.2 s, … 5 s, at the same address; calls that were under way fail
/// with `disconnected`. When the service goes, they fail with `noReply`, and nobody knows what became of them; but for steps
/// that are waited for: where the bus starts the service again, or another one has taken over, and it has the tree of the one
/// before, it goes on with them, and the outcome comes from there. What was
/// to last is made anew with the service, or the connection: ``watch(_:)``, ``present(as:at:_:withdraw:)``, and what a
/// ``FlowCoordinator`` has registered.
@MainActor
public final class NavigationBus: Sendable {
    /// Which bus to talk to.
    public enum Address: Hashable, Sendable {
        /// The user's bus, by `DBUS_SESSION_BUS_ADDRESS`, else in `XDG_RUNTIME_DIR`.
        case session
        /// The system's bus.
        case system
        /// A bus at an address such as `unix:path=/run/user/1000/bus`.
        case address(String)
    }

    let link: BusLink
    /// How many coordinators there were; their objects are named by it.
    private var coordinators = 0
    /// The names of the flows that they have registered.
    var registeredFlows: Set<String> = []
    var tokens = TokenBudget()

    /// Connects, and waits until the bus has answered. It does not start the service: the first call may.
    ///
    /// - Throws: ``NavigationError``: `disconnected`, where there is no bus, or it refuses.
    public init(_ address: Address = .session, loop: MainLoop = .dispatch) throws(NavigationError) {
        let place: Bus.Address =
            switch address {
            case .session: .session
            case .system: .system
            case .address(let text): .address(text)
            }
        do throws(SdError) {
            link = try BusLink(place, loop)
        } catch {
            throw NavigationError(.disconnected, "can't connect to the bus: \(error)")
        }
    }

    isolated deinit { close() }

    /// Ends the connection: calls under way fail with `disconnected`, watches end, objects and names are gone. It also
    /// happens when nobody holds this any more; who watches does.
    public func close() { link.close() }

    /// The connection's own name, such as `:1.42`; empty where there is no connection.
    public var uniqueName: String { link.uniqueName }

    /// Can be read when there is something to do, for ``process()``; it stays the same as long as this lives. Only for
    /// ``MainLoop/embedded``.
    public var fileDescriptor: Int32 { link.mainLoop.loop.descriptor }

    /// Does what there is to do, and does not wait: takes what the bus brought, tells it, and runs the jobs of the main
    /// actor. Only for ``MainLoop/embedded``, on the main thread.
    public func process() { link.mainLoop.process() }

    func nextCoordinator() -> Int {
        coordinators += 1
        return coordinators
    }

    /// The token that a call is given, else one that no other call has, if there are any left.
    func nextToken(_ given: String? = nil) -> String? { given ?? tokens.next(at: MonotonicClock.now) }
}

// MARK: - Steps

extension NavigationBus {
    /// Emits a step on a flow or screen, and waits for its outcome.
    ///
    /// - Parameters:
    ///   - step: what has happened.
    ///   - path: the flow or screen.
    ///   - token: a name of the caller's for this call. Repeated within 60 s it gets the first outcome instead of a second
    ///     navigation, also after the service or the bus was gone: so who got no answer can ask again. One is made up where
    ///     none is given.
    ///   - activationToken: what lets a window come to the front (xdg-activation), for the first screen that it shows.
    ///   - isInteractive: whether a guard may ask the user something.
    ///   - instance: which one is meant (S-25): where that is gone, `unknownObject` is thrown, whatever lives there by now. nil:
    ///     whatever lives there.
    ///   - waits: whether to wait for the outcome, however long that takes; else it is `pending`.
    /// - Throws: ``NavigationError``: `unknownObject`, `unknownStep`, `invalidArguments`, …, or
    ///   `CancellationError`.
    @discardableResult
    public func emit(
        _ step: any Step, on path: NodePath, token: String? = nil, activationToken: String? = nil,
        isInteractive: Bool = false, instance: UInt64? = nil, waits: Bool = true
    ) async throws -> Outcome {
        let emission = Emission(
            step: try Self.message(step), path: path, token: nextToken(token), activationToken: activationToken,
            isInteractive: isInteractive, instance: instance, waits: waits)
        return try await answer { link.emit(emission, $0) }
    }

    /// Emits a step that has no Swift type; as ``emit(_:on:token:activationToken:isInteractive:instance:waits:)``.
    @discardableResult
    public func emit(
        _ step: String, _ arguments: [String: Value] = [:], on path: NodePath, token: String? = nil,
        activationToken: String? = nil, isInteractive: Bool = false, instance: UInt64? = nil, waits: Bool = true
    ) async throws -> Outcome {
        let emission = Emission(
            step: StepMessage(name: step, arguments: Arguments(arguments)), path: path, token: nextToken(token),
            activationToken: activationToken, isInteractive: isInteractive, instance: instance, waits: waits)
        return try await answer { link.emit(emission, $0) }
    }

    /// Brings a step to every live flow, parents before children (S-27).
    ///
    /// - Returns: what became of it at each flow.
    @discardableResult
    public func navigate(to step: any Step) async throws -> [FlowOutcome] {
        let message = try Self.message(step)
        return try await answer { link.navigate(to: message, $0) }
    }

    /// Brings a step that has no Swift type to every live flow (S-27).
    @discardableResult
    public func navigate(to step: String, _ arguments: [String: Value] = [:]) async throws -> [FlowOutcome] {
        let message = StepMessage(name: step, arguments: Arguments(arguments))
        return try await answer { link.navigate(to: message, $0) }
    }

    /// Navigates along a path of flows, each somewhere below the one before (S-28).
    ///
    /// - Parameters:
    ///   - path: the flows, from the root down, each with its step.
    ///   - timeout: how long it may take in all.
    /// - Returns: what became of each step.
    /// - Throws: ``NavigationError``: `pathFailed`, with the segment and the reason, where one was not navigated; what was
    ///   navigated before stays.
    @discardableResult
    public func navigate(along path: [PathSegment], timeout: Duration = .seconds(10)) async throws -> [FlowOutcome] {
        var segments: [(flow: String, step: StepMessage?)] = []
        for segment in path { segments.append((segment.flow, try segment.message)) }
        let microseconds = timeout.microseconds
        return try await answer { link.navigate(along: segments, timeout: microseconds, $0) }
    }

    /// Goes back in a flow (S-24): in this instance, or, without one, in whatever lives there.
    ///
    /// - Returns: `unhandled` where there was nothing to go back from.
    @discardableResult
    public func back(on flow: NodePath, instance: UInt64? = nil) async throws -> Outcome {
        try await answer { link.back(on: flow.objectPath(of: instance), $0) }
    }

    static func message(_ step: any Step) throws(NavigationError) -> StepMessage {
        do throws(StepError) { return try StepCoding.encode(step) } catch { throw NavigationError(error) }
    }

    static func optionalMessage(_ step: any Step) throws(NavigationError) -> StepMessage? {
        step is NoneStep ? nil : try message(step)
    }
}

/// One flow of a path to navigate along, and the step for it.
public struct PathSegment: Sendable {
    private enum Content: Sendable {
        case step(any Step)
        case name(String, [String: Value])
    }

    /// The flow's name; the newest one of that name below the segment before is taken.
    public let flow: String
    private let content: Content

    /// A flow, and a step for it; none: it is only gone through.
    public init(_ flow: String, _ step: any Step = NoneStep()) {
        self.flow = flow
        content = .step(step)
    }

    /// A flow, and a step for it that has no Swift type.
    public init(_ flow: String, step: String, _ arguments: [String: Value] = [:]) {
        self.flow = flow
        content = .name(step, arguments)
    }

    @MainActor
    fileprivate var message: StepMessage? {
        get throws(NavigationError) {
            switch content {
            case .step(let step): try NavigationBus.optionalMessage(step)
            case .name("", _): nil
            case .name(let name, let arguments): StepMessage(name: name, arguments: Arguments(arguments))
            }
        }
    }
}
