public import FlowBus
internal import FlowCore

/// An event of ``NavigationBus/watch(_:buffering:)``.
public enum TreeEvent: Sendable {
    /// The whole tree as it is now: first, and after each restart of the service or the bus. Parents come before
    /// children, children in the order in which they were made or last raised.
    case snapshot([Node])
    /// A flow or screen was added.
    case added(Node)
    /// A flow or screen changed.
    case changed(NodePath, Node.Change)
    /// A flow or screen was removed.
    case removed(NodePath)
    /// A navigation occurred.
    case navigated(ObservedNavigation)
    /// A step failed without a caller waiting for it (S-12).
    case failed(FlowBus.NavigationFailure)
    /// So many events were lost here, because they were not read in time. A ``snapshot(_:)`` follows.
    case lost(Int)
    /// The service is not running. A ``snapshot(_:)`` follows when it is.
    case serviceGone
}

/// A navigation in the tree of the service (S-10).
public struct ObservedNavigation: Sendable {
    /// The path of the flow that navigated.
    public let flow: NodePath
    /// The name of the step, as the flow's guard returned it; empty if the flow went back (S-24).
    public let step: String
    /// The arguments of the step; empty for a private step.
    public let arguments: [String: DBusValue]
    /// The serial of the navigation. Serials increase over the whole tree.
    public let serial: UInt64
    /// The serial of the navigation that triggered this one; 0 if a client triggered it.
    public let cause: UInt64
    /// The unique bus name of the client that started the cascade; empty for the service itself.
    public let sender: String
    /// The contributors that were applied, in order.
    public let contributions: [AppliedContributor]
    /// The name of the step before the guard replaced it; nil if it did not.
    public let adaptedFrom: String?
    /// Whether the step came by `Navigate` or `NavigateAlong`.
    public let isDeepLink: Bool
    let names: ProgramNames
}

extension ObservedNavigation {
    init(_ navigation: HostNavigation, _ names: ProgramNames) {
        self.init(
            flow: navigation.flow, step: navigation.step?.name ?? "",
            arguments: navigation.step?.arguments.dictionary ?? [:], serial: navigation.serial,
            cause: navigation.cause, sender: navigation.sender, contributions: navigation.contributions,
            adaptedFrom: navigation.adaptedFrom, isDeepLink: navigation.isDeepLink,
            names: names)
    }

    /// Returns the step as a value of a step type.
    ///
    /// - Parameter type: the step type.
    /// - Returns: The step.
    /// - Throws: ``/FlowBus/NavigationError`` with the code `invalidStep` if the type has no such step.
    public func step<S: BusStep>(as type: S.Type) throws(NavigationError) -> S {
        try names.step(StepMessage(name: step, arguments: Arguments(arguments)), as: type)
    }
}
