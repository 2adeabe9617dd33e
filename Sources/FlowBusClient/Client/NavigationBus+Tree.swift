public import FlowBus
internal import FlowCore

// Flows and screens: how a client starts, shows, owns and watches them.
//
// A path does not identify a presentable: another one can be live at it by the time a call arrives, above all when a
// call is repeated because its answer was lost. A caller that knows the instance, from Present or from the tree, passes
// it (S-25).

extension NavigationBus {
    /// Starts a flow as a root.
    ///
    /// - Parameters:
    ///   - definition: the name of the flow's definition.
    ///   - step: its initial step; nil for the one of its definition.
    ///   - options: its id and its arguments, a token, …
    /// - Returns: The path of the flow.
    /// - Throws: ``/FlowBus/NavigationError`` (`unknownFlow`, `unknownStep`, `invalidArguments`, `idTaken`, …), or
    ///   `CancellationError`.
    @discardableResult
    public func coordinate(
        _ definition: String, with step: (any BusStep)? = nil, options: RootOptions = RootOptions()
    ) async throws -> NodePath {
        try await coordinate(definition, try step.map(link.names.message(of:)), options)
    }

    /// Starts a flow as a root, with a step that has no Swift type.
    ///
    /// - Parameters:
    ///   - definition: the name of the flow's definition.
    ///   - step: the name of its initial step.
    ///   - stepArguments: the arguments of the step.
    ///   - options: its id and its arguments, a token, …
    /// - Returns: The path of the flow.
    /// - Throws: ``/FlowBus/NavigationError`` (`unknownFlow`, `unknownStep`, `invalidArguments`, `idTaken`, …), or
    ///   `CancellationError`.
    @discardableResult
    public func coordinate(
        _ definition: String, with step: String, _ stepArguments: [String: DBusValue] = [:],
        options: RootOptions = RootOptions()
    ) async throws -> NodePath {
        try await coordinate(definition, StepMessage(name: step, arguments: Arguments(stepArguments)), options)
    }

    private func coordinate(
        _ definition: String, _ step: StepMessage?, _ options: RootOptions
    ) async throws -> NodePath {
        let request = RootRequest(
            definition: definition, step: step, id: options.id, arguments: options.arguments, token: options.token,
            activationToken: options.activationToken)
        return try await answer { link.coordinate(request, $0) }
    }

    /// Waits until a flow is ready (S-26).
    ///
    /// - Parameters:
    ///   - flow: the flow to wait for.
    ///   - instance: the expected instance (S-25). If another instance is live at the path, `unknownObject` is thrown.
    ///     nil accepts any instance.
    /// - Throws: ``/FlowBus/NavigationError``: `flowEnded` if the flow ends first, `timeout` after 15 s, `wouldDeadlock` if the
    ///   flow waits for an answer from this program, …
    public func waitUntilReady(_ flow: NodePath, instance: UInt64? = nil) async throws {
        try await answer { link.waitUntilReady(flow.objectPath(of: instance), $0) }
    }

    /// Reports whether a flow or screen is visible, for the program that shows it (S-14). Repeating a report has no
    /// effect.
    ///
    /// - Parameters:
    ///   - isVisible: whether it is visible.
    ///   - path: the flow or screen.
    ///   - instance: the expected instance, as in ``waitUntilReady(_:instance:)``.
    /// - Throws: ``/FlowBus/NavigationError``, for instance `notOwner`.
    public func setVisible(_ isVisible: Bool, at path: NodePath, instance: UInt64? = nil) async throws {
        try await answer { link.setVisible(isVisible, at: path.objectPath(of: instance), $0) }
    }

    /// Dismisses a flow or screen, and everything below it (S-22).
    ///
    /// - Parameters:
    ///   - path: the flow or screen.
    ///   - instance: the expected instance, as in ``waitUntilReady(_:instance:)``. With it, the call can be repeated
    ///     safely if its answer was lost.
    /// - Throws: ``/FlowBus/NavigationError``, for instance `notOwner`.
    public func dismiss(_ path: NodePath, instance: UInt64? = nil) async throws {
        try await answer { link.dismiss(path.objectPath(of: instance), $0) }
    }

    /// Dismisses a screen of this program that has to give up, and says what failed (S-22): its flow gets it as `$error` and
    /// `$message`, and the reason `failed`.
    ///
    /// - Parameters:
    ///   - path: the screen.
    ///   - error: the name of an error, such as `com.example.Pay.Error.Declined`.
    ///   - message: its text; the service keeps 1,024 bytes.
    ///   - instance: the expected instance, as in ``waitUntilReady(_:instance:)``.
    /// - Throws: ``/FlowBus/NavigationError``: `notOwner`; `invalidArguments` for a name that no error can have; …
    public func fail(_ path: NodePath, error: String, message: String = "", instance: UInt64? = nil) async throws {
        try await answer { link.fail(path.objectPath(of: instance), error, message, $0) }
    }

    /// Sets the title of a screen, which task switchers show, for its owner (S-44).
    ///
    /// - Parameters:
    ///   - title: the title, of at most 256 bytes; empty for none.
    ///   - path: the screen.
    ///   - instance: the expected instance, as in ``waitUntilReady(_:instance:)``.
    /// - Throws: ``/FlowBus/NavigationError``: `notOwner`, `limitExceeded`, `notSupported` for a flow, …
    public func setTitle(_ title: String, at path: NodePath, instance: UInt64? = nil) async throws {
        try await answer { link.setTitle(title, at: path.objectPath(of: instance), $0) }
    }

    /// Saves what the next process that presents a screen needs to go on, for its owner (S-44). The latest call counts, as a whole.
    ///
    /// ``PresentedScreen/save(_:)-(Encodable)`` does so for a screen that this program presents, and sends only the newest of
    /// several.
    ///
    /// - Parameters:
    ///   - state: a struct; its properties have types that can be arguments of steps (<doc:/FlowBus/StepsOnTheBus>).
    ///   - path: the screen.
    ///   - instance: the expected instance, as in ``waitUntilReady(_:instance:)``.
    /// - Throws: ``/FlowBus/NavigationError``: `notOwner`, `limitExceeded` for more than 64 KiB, `notSupported` for a flow, `invalidStep`
    ///   if the state can't be sent, … What was saved before stays.
    public func saveState(_ state: some Encodable, at path: NodePath, instance: UInt64? = nil) async throws {
        let encoded = try KeptValues.state(state)
        try await answer { link.saveState(encoded, at: path.objectPath(of: instance), $0) }
    }

    /// Saves values that have no Swift type, as ``saveState(_:at:instance:)-(Encodable,_,_)``.
    ///
    /// - Parameters:
    ///   - state: the values by name.
    ///   - path: the screen.
    ///   - instance: the expected instance, as in ``waitUntilReady(_:instance:)``.
    /// - Throws: ``/FlowBus/NavigationError``, for instance `notOwner`.
    public func saveState(_ state: [String: DBusValue], at path: NodePath, instance: UInt64? = nil) async throws {
        let encoded = Arguments(state)
        try await answer { link.saveState(encoded, at: path.objectPath(of: instance), $0) }
    }

    /// Dismisses a screen with an answer to whoever asked for it, for its owner (S-45).
    ///
    /// - Parameters:
    ///   - path: the screen.
    ///   - answer: a struct whose properties are the values that the definition of the screen has as its `result`.
    ///   - instance: the expected instance, as in ``waitUntilReady(_:instance:)``.
    /// - Throws: ``/FlowBus/NavigationError``: `notOwner`; `notSupported` for a flow, and for a screen that declares no `result`;
    ///   `invalidArguments` if the values do not fit it; `limitExceeded`; `invalidStep` if the answer can't be sent; …
    public func finish(_ path: NodePath, with answer: some Encodable, instance: UInt64? = nil) async throws {
        let encoded = try KeptValues.result(answer)
        try await FlowBus.answer { link.finish(path.objectPath(of: instance), encoded, $0) }
    }

    /// Dismisses a screen with an answer that has no Swift type, as ``finish(_:with:instance:)-(_,Encodable,_)``.
    ///
    /// - Parameters:
    ///   - path: the screen.
    ///   - answer: the values by name.
    ///   - instance: the expected instance, as in ``waitUntilReady(_:instance:)``.
    /// - Throws: ``/FlowBus/NavigationError``, for instance `notOwner`.
    public func finish(_ path: NodePath, with answer: [String: DBusValue], instance: UInt64? = nil) async throws {
        let encoded = Arguments(answer)
        try await FlowBus.answer { link.finish(path.objectPath(of: instance), encoded, $0) }
    }

    /// Claims a flow or screen (S-29). Only its owner may show or dismiss it, and when the owner's connection ends, it
    /// is dismissed or does what its definition says.
    ///
    /// - Parameters:
    ///   - path: the flow or screen.
    ///   - instance: the expected instance, as in ``waitUntilReady(_:instance:)``.
    /// - Throws: ``/FlowBus/NavigationError``: `alreadyClaimed` if another client owns it; `accessDenied` if it has no owner and
    ///   the flow's `emitters` do not include this program; …
    public func claim(_ path: NodePath, instance: UInt64? = nil) async throws {
        try await answer { link.claim(path.objectPath(of: instance), $0) }
    }

    /// Gives up the ownership of a flow or screen.
    ///
    /// - Parameters:
    ///   - path: the flow or screen.
    ///   - instance: the expected instance, as in ``waitUntilReady(_:instance:)``.
    /// - Throws: ``/FlowBus/NavigationError``, for instance `notOwner`.
    public func release(_ path: NodePath, instance: UInt64? = nil) async throws {
        try await answer { link.release(path.objectPath(of: instance), $0) }
    }

    /// Returns whether a screen is evicted: it has no process, to free memory, until it is in sight again (S-44). No event of
    /// ``watch(_:buffering:)`` has that.
    ///
    /// - Parameters:
    ///   - path: the screen.
    ///   - instance: the expected instance, as in ``waitUntilReady(_:instance:)``.
    /// - Returns: Whether it is.
    /// - Throws: ``/FlowBus/NavigationError``, for instance `unknownObject`.
    public func isEvicted(_ path: NodePath, instance: UInt64? = nil) async throws -> Bool {
        try await answer { link.isEvicted(path.objectPath(of: instance), $0) }
    }

    /// Returns the flows and screens that this connection owns.
    ///
    /// A screen that the service is asking this program to present is not among them yet. To find out which views to
    /// keep, use ``watch(_:buffering:)``, which reports everything that is live.
    ///
    /// - Returns: The owned flows and screens.
    /// - Throws: ``/FlowBus/NavigationError``.
    public func ownedPresentables() async throws -> [OwnedPresentable] {
        try await answer { link.ownedPresentables($0) }
    }

    /// Returns all declared steps, sorted by name.
    ///
    /// - Returns: The steps.
    /// - Throws: ``/FlowBus/NavigationError``.
    public func declaredSteps() async throws -> [DeclaredStep] { try await answer { link.steps($0) } }

    /// Returns the names of all flow definitions.
    ///
    /// - Returns: The names.
    /// - Throws: ``/FlowBus/NavigationError``.
    public func definitionNames() async throws -> [String] { try await answer { link.definitionNames($0) } }

    /// Returns the definitions in use, including flows that clients registered, as the text of one definition file.
    ///
    /// Values that rules give to private arguments are blank: an empty string, an empty list, 0 or `false`. A flow that a client
    /// registered without a bus name of its own has the client's unique name in it, which is not valid in a definition
    /// file.
    ///
    /// - Returns: The text, in TOML.
    /// - Throws: ``/FlowBus/NavigationError``.
    public func definitions() async throws -> String { try await answer { link.definitions($0) } }

    /// Returns the events at and below a flow or screen, or in the whole tree, from now on: first a snapshot of the
    /// tree, then each change of it, and each navigation. No event is missed, and none is repeated.
    ///
    /// The method starts the service if the bus can activate it. The sequence continues over restarts of the service
    /// and of the bus. It ends when the iterating task is cancelled, with ``close()``, and when the bus refuses a match
    /// rule (it limits their number for each client).
    ///
    /// Events are kept until they are read, up to a number. If some were lost, ``TreeEvent/lost(_:)`` stands in their place, and
    /// another snapshot of the tree follows; what comes before that can be about flows and screens whose addition was lost.
    ///
    /// - Parameters:
    ///   - node: a flow or screen, live or not; nil for the whole tree.
    ///   - policy: the events that are kept; by default the 4,096 oldest (``/FlowBus/BufferingPolicy/standardCount``).
    /// - Returns: The events.
    public func watch(
        _ node: NodePath? = nil, buffering policy: BufferingPolicy = .bufferingOldest(BufferingPolicy.standardCount)
    ) -> TreeEvents {
        let watching = WeakWatch()
        let inbox = Inbox<TreeEvent>(policy) { count in
            watching.watch?.readAgain()
            return .lost(count)
        }
        var isGone = false
        let watch = TreeWatch(link, node) { [link, weak inbox] event in
            switch event {
            case .snapshot(let nodes): inbox?.send(.snapshot(nodes))
            case .added(let node): inbox?.send(.added(node))
            case .changed(let path, let change): inbox?.send(.changed(path, change))
            case .removed(let path): inbox?.send(.removed(path))
            case .navigated(let navigation): inbox?.send(.navigated(ObservedNavigation(navigation, link.names)))
            case .failed(let failure): inbox?.send(.failed(failure))
            case .serviceGone:
                if !isGone { inbox?.send(.serviceGone) }
                isGone = true
                return
            case .ended: inbox?.send(nil)
            }
            isGone = false
        }
        watching.watch = watch
        inbox.fill(from: Subscription(to: WatchedBus(self, watch)))
        return TreeEvents(inbox)
    }
}

/// What a sequence of events of the tree is a subscription to. It keeps the connection alive.
@FlowActor
private final class WatchedBus: SubscriptionSource {
    private let bus: NavigationBus
    private let watch: TreeWatch

    init(_ bus: NavigationBus, _ watch: TreeWatch) { (self.bus, self.watch) = (bus, watch) }

    func end(_ number: Int) { watch.end() }
}

/// A flow or screen that this connection owns.
public struct OwnedPresentable: Hashable, Sendable {
    /// The path.
    public let path: NodePath
    /// The instance number, never used again (S-1).
    public let instance: UInt64
}

/// A step that is declared at the service.
public struct DeclaredStep: Hashable, Sendable {
    /// An argument of a step.
    public struct Argument: Hashable, Sendable {
        /// The name.
        public let name: String
        /// The signature of its D-Bus type.
        public let signature: String
        /// Whether it can be left out.
        public let isOptional: Bool
    }

    /// The name of the step.
    public let name: String
    /// The arguments, sorted by name.
    public let arguments: [Argument]
}
