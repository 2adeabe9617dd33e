internal import FlowCore

/// An object that can be shown: RxFlow's Presentable. It is a window, a page, a dialog, or a flow, which is shown as
/// its ``Flow/root``.
///
/// Most presentables conform to ``Screen``, which implements all requirements but ``withdraw()``.
@FlowActor
public protocol Presentable: AnyObject, Sendable {
    /// The name in the tree and on the bus. It has to match `[A-Za-z_][A-Za-z0-9_]*`, with at most 64 bytes. The
    /// default is the name of the type, as <doc:StepsOnTheBus> describes it.
    var name: String { get }

    /// Whose name it is on the bus. The default is ``BusNamespace/program``.
    static var namespace: BusNamespace { get }

    /// The visibility of the presentable: the current value, if it was ever set, then every change.
    var visible: any AsyncSequence<Bool, Never> { get }

    /// Emits one value when the user, or the presentable itself, closes it for good.
    var dismissed: any AsyncSequence<Void, Never> { get }

    /// A hint how to show the presentable, such as `modal`, for programs that watch the tree. The default is empty.
    var style: String { get }

    /// Called when a screen should be shown now; not called for flows. The default implementation does nothing, which
    /// is right where a flow shows its screens itself, as in RxFlow.
    ///
    /// - Parameter presentation: how the screen comes to be shown.
    func present(_ presentation: Presentation)

    /// Called when the presentable was dismissed by anything other than itself: its flow ended, the user went back, or
    /// another program dismissed it. Close it, without reporting that. The default implementation does nothing.
    func withdraw()
}

extension Presentable {
    /// The name of the type.
    public var name: String { TypeNames.name(of: Self.self) }

    /// ``BusNamespace/program``.
    public static var namespace: BusNamespace { .program }

    /// The empty string.
    public var style: String { "" }

    /// Does nothing.
    public func present(_ presentation: Presentation) {}

    /// Does nothing.
    public func withdraw() {}
}

/// Describes how a screen comes to be shown.
public struct Presentation: Hashable, Sendable {
    /// Why a screen is presented (S-38).
    public struct Reason: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The reason as on the bus.
        public let rawValue: String

        /// Creates a reason from its word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The screen is new.
        public static let launch = Reason(rawValue: "launch")
        /// Its owner was lost, for instance because its process ended, or had let it go to free memory.
        public static let recover = Reason(rawValue: "recover")
        /// It was restored on another bus, after a reboot.
        public static let restore = Reason(rawValue: "restore")
        /// It has other arguments, or stands on another output.
        public static let update = Reason(rawValue: "update")
        /// It is in sight again.
        public static let `return` = Reason(rawValue: "return")

        /// The word of the reason.
        public var description: String { rawValue }
    }

    /// The path of the screen.
    public let path: NodePath
    /// The arguments of the screen, including those of private steps.
    public let arguments: [String: DBusValue]
    /// Why it is presented. A later version of the service can send other reasons.
    public let reason: Reason
    /// Whether the screen was presented before, and should come to the front: the reason is not ``Reason/launch``.
    public let isRepeated: Bool
    /// What an owner of the screen saved last; empty if there is nothing (S-44). Properties with ``SavedState`` have it already.
    public let state: [String: DBusValue]
    /// The activation token (xdg-activation) that lets a window come to the front; nil if there is none.
    public let activationToken: String?

    package init(
        path: NodePath, arguments: [String: DBusValue], reason: Reason, isRepeated: Bool, state: [String: DBusValue],
        activationToken: String?
    ) {
        self.path = path
        self.arguments = arguments
        self.reason = reason
        self.isRepeated = isRepeated
        self.state = state
        self.activationToken = activationToken
    }
}
