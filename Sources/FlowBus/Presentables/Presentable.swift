/// An object that can be shown: RxFlow's Presentable. It is a window, a page, a dialog, or a flow, which is shown as
/// its ``Flow/root``.
///
/// Most presentables conform to ``Screen``, which implements all requirements but ``withdraw()``.
@MainActor
public protocol Presentable: AnyObject, Sendable {
    /// The name in the tree and on the bus. It has to match `[A-Za-z_][A-Za-z0-9_]*`, with at most 64 bytes. The
    /// default is the name of the type.
    var name: String { get }

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
    public var name: String { String(describing: Self.self) }

    /// The empty string.
    public var style: String { "" }

    /// Does nothing.
    public func present(_ presentation: Presentation) {}

    /// Does nothing.
    public func withdraw() {}
}

/// Describes how a screen comes to be shown.
public struct Presentation: Hashable, Sendable {
    /// The path of the screen.
    public let path: NodePath
    /// Whether the screen was presented before, and should come to the front.
    public let isRepeated: Bool
    /// The activation token (xdg-activation) that lets a window come to the front; nil if there is none.
    public let activationToken: String?
}
