public import FlowCore

// Flows and screens: started, shown, owned, watched.
//
// A path is not a presentable: another one can live there by the time a call arrives, above all one that is made again as its
// answer was lost. Who knows the instance, from Present or the tree, gives it (S-25).

extension NavigationBus {
    /// Starts a flow as a root.
    ///
    /// - Parameters:
    ///   - definition: the flow's name.
    ///   - step: its initial step; none: the one of its definition.
    ///   - id: what it is to be called in the tree; nil: as its definition.
    ///   - arguments: the flow's own.
    ///   - token: a name of the caller's for this call: repeated within 60 s it gets the first answer.
    ///   - activationToken: what lets a window come to the front (xdg-activation), for the first screen that it shows.
    /// - Returns: where it lives.
    /// - Throws: ``NavigationError``: `unknownFlow`, `unknownStep`, `invalidArguments`, `idTaken`, …, or
    ///   `CancellationError`.
    @discardableResult
    public func coordinate(
        _ definition: String, with step: any Step = NoneStep(), id: String? = nil, arguments: [String: Value] = [:],
        token: String? = nil, activationToken: String? = nil
    ) async throws -> NodePath {
        let request = RootRequest(
            definition: definition, step: try Self.optionalMessage(step), id: id, arguments: arguments, token: token,
            activationToken: activationToken)
        return try await answer { link.coordinate(request, $0) }
    }

    /// Starts a flow as a root, with a step that has no Swift type.
    @discardableResult
    public func coordinate(
        _ definition: String, with step: String, _ stepArguments: [String: Value] = [:], id: String? = nil,
        arguments: [String: Value] = [:], token: String? = nil, activationToken: String? = nil
    ) async throws -> NodePath {
        let message = StepMessage(name: step, arguments: Arguments(stepArguments))
        let request = RootRequest(
            definition: definition, step: message, id: id, arguments: arguments, token: token,
            activationToken: activationToken)
        return try await answer { link.coordinate(request, $0) }
    }

    /// Waits until a flow is ready (S-26).
    ///
    /// - Parameters:
    ///   - flow: the flow to wait for.
    ///   - instance: which one is meant (S-25): where that is gone, `unknownObject` is thrown, whatever lives there by now.
    ///     nil: whatever lives there.
    /// - Throws: ``NavigationError``: `flowEnded` where it goes first, `timeout` after 20 s, `wouldDeadlock` where this program
    ///   is the guard or navigator for whom the flow waits, …
    public func waitReady(_ flow: NodePath, instance: UInt64? = nil) async throws {
        try await answer { link.waitReady(flow.objectPath(of: instance), $0) }
    }

    /// Says that a flow or screen is in sight, or not: for who shows it (S-14). The same again is fine.
    ///
    /// - Parameters:
    ///   - isVisible: whether it is in sight.
    ///   - path: the flow or screen.
    ///   - instance: which one is meant, as in ``waitReady(_:instance:)``.
    public func setVisible(_ isVisible: Bool, at path: NodePath, instance: UInt64? = nil) async throws {
        try await answer { link.setVisible(isVisible, at: path.objectPath(of: instance), $0) }
    }

    /// Dismisses a flow or screen with all below it (S-22).
    ///
    /// - Parameters:
    ///   - path: the flow or screen.
    ///   - instance: which one is meant, as in ``waitReady(_:instance:)``: so it can be dismissed again where nobody knows
    ///     whether it was.
    public func dismiss(_ path: NodePath, instance: UInt64? = nil) async throws {
        try await answer { link.dismiss(path.objectPath(of: instance), $0) }
    }

    /// Becomes the owner of a flow or screen (S-29): nobody else may show or dismiss it, and when this connection goes, it
    /// goes, or what its definition says.
    ///
    /// - Parameters:
    ///   - path: the flow or screen.
    ///   - instance: which one is meant, as in ``waitReady(_:instance:)``.
    /// - Throws: ``NavigationError``: `alreadyClaimed`, `accessDenied` where nobody owns it, and the flow's `emitters` do not
    ///   name this program, …
    public func claim(_ path: NodePath, instance: UInt64? = nil) async throws {
        try await answer { link.claim(path.objectPath(of: instance), $0) }
    }

    /// Is its owner no longer.
    ///
    /// - Parameters:
    ///   - path: the flow or screen.
    ///   - instance: which one is meant, as in ``waitReady(_:instance:)``.
    /// - Throws: ``NavigationError``: `notOwner`, …
    public func release(_ path: NodePath, instance: UInt64? = nil) async throws {
        try await answer { link.release(path.objectPath(of: instance), $0) }
    }

    /// What this connection owns. A screen that it is just asked to present is not among it yet, so it is no list of the views
    /// that a program has to have; ``watch(_:)`` tells what is live.
    public func owned() async throws -> [Owned] { try await answer { link.owned($0) } }

    /// All steps that are declared, by name.
    public func steps() async throws -> [DeclaredStep] { try await answer { link.steps($0) } }

    /// The names of all flows that are defined.
    public func definitions() async throws -> [String] { try await answer { link.definitions($0) } }

    /// What happens at and below a flow or screen, or in the whole tree, from now on: first the tree itself, then each change
    /// of it, and each navigation. Nothing is missed and nothing told twice.
    ///
    /// It starts the service, where the bus can. It goes on over restarts of the service and of the bus, and ends with the
    /// task that iterates, with ``close()``, and where the bus refuses (it allows a client only so many matches).
    ///
    /// - Parameter node: a flow or screen; it need not live yet. nil: everything.
    public func watch(_ node: NodePath? = nil) -> AsyncStream<TreeEvent> {
        let (events, continuation) = AsyncStream.makeStream(of: TreeEvent.self)
        var isGone = false
        let watch = TreeWatch(link, node) { news in
            switch news {
            case .live(let nodes): continuation.yield(.live(nodes))
            case .added(let node): continuation.yield(.added(node))
            case .changed(let path, let change): continuation.yield(.changed(path, change))
            case .removed(let path): continuation.yield(.removed(path))
            case .navigated(let navigation): continuation.yield(.navigated(ObservedNavigation(navigation)))
            case .failed(let failure): continuation.yield(.failed(failure))
            case .serviceGone:
                if !isGone { continuation.yield(.serviceGone) }
                isGone = true
                return
            case .ended: continuation.finish()
            }
            isGone = false
        }
        // Who watches holds the connection.
        continuation.onTermination = { _ in Task { @MainActor in withExtendedLifetime(self) { watch.end() } } }
        return events
    }
}

/// A flow or screen that this connection owns.
public struct Owned: Hashable, Sendable {
    /// Where it lives.
    public let path: NodePath
    /// The number of this very one; never used again (S-1).
    public let instance: UInt64
}

/// A step as the service knows it.
public struct DeclaredStep: Hashable, Sendable {
    /// An argument of a step.
    public struct Argument: Hashable, Sendable {
        /// Its name.
        public let name: String
        /// Its D-Bus type.
        public let signature: String
        /// Whether it may be left out.
        public let isOptional: Bool
    }

    /// The step's name.
    public let name: String
    /// Its arguments, by name.
    public let arguments: [Argument]
}
