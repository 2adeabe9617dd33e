public import FlowCore

/// What happens to the tree of the service; ``NavigationBus/watch(_:)``.
public enum TreeEvent: Sendable {
    /// The whole tree as it is now: at first, and whenever the service, or the bus, is there anew. Parents come before
    /// children, children in the order in which they were made.
    case live([Node])
    /// A flow or screen is there.
    case added(Node)
    /// Something of it changed.
    case changed(NodePath, Node.Change)
    /// It is gone.
    case removed(NodePath)
    /// A navigation happened.
    case navigated(ObservedNavigation)
    /// A step came to nothing though nobody waited for its outcome (S-12).
    case failed(NavigationFailure)
    /// The service is not there, or not any more. ``live(_:)`` follows when it is.
    case serviceGone
}

/// A navigation that happened in the tree of the service (S-10).
public struct ObservedNavigation: Sendable {
    /// The flow that took the step.
    public let flow: NodePath
    /// The step's name, as the flow's guard wanted it; empty: no step, somebody went back (S-24).
    public let step: String
    /// The step's arguments; none of a private one.
    public let arguments: [String: Value]
    /// Its number; one sequence for the whole tree, only ever growing.
    public let serial: UInt64
    /// The number of the navigation that set it off; 0: it came from outside.
    public let cause: UInt64
    /// The bus name of who began the chain; empty: the service.
    public let sender: String
    /// What was applied, in order.
    public let contributions: [Contribution]
    /// The name of the step that the guard was asked about, where it wanted another.
    public let adaptedFrom: String?
    /// Whether it came by `Navigate` or `NavigateAlong`.
    public let isDeepLink: Bool
}

extension ObservedNavigation {
    init(_ navigation: HostNavigation) {
        self.init(
            flow: navigation.flow, step: navigation.step?.name ?? "",
            arguments: navigation.step?.arguments.dictionary ?? [:], serial: navigation.serial,
            cause: navigation.cause, sender: navigation.sender, contributions: navigation.contributions,
            adaptedFrom: navigation.adaptedFrom, isDeepLink: navigation.isDeepLink)
    }

    /// Decodes as this type of steps.
    ///
    /// - Throws: ``NavigationError`` (`invalidStep`): it is none of that type's.
    public func step<S: Step>(as type: S.Type) throws(NavigationError) -> S {
        do throws(StepError) {
            return try StepCoding.decode(type, StepMessage(name: step, arguments: Arguments(arguments)))
        } catch {
            throw NavigationError(error)
        }
    }
}
