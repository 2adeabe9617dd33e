/// Can be shown: RxFlow's Presentable. A window, a page, a dialog, or a flow, which is shown as its ``Flow/root``.
///
/// Most are a ``Screen``, which has all of this already.
@MainActor
public protocol Presentable: AnyObject, Sendable {
    /// What it is called in the tree, and on the bus: the type's name, unless it says otherwise. It has to match
    /// `[A-Za-z_][A-Za-z0-9_]*` and have at most 64 bytes.
    var name: String { get }

    /// Whether it is shown, each time that changes, and first as it is now, if that was ever said.
    var visible: any AsyncSequence<Bool, Never> { get }

    /// One value when its user, or who shows it, has closed it for good.
    var dismissed: any AsyncSequence<Void, Never> { get }

    /// How it is to be shown, for those who watch the tree (`modal`, …); empty, unless it says otherwise.
    var style: String { get }

    /// A screen is to be shown now; flows are not asked. Where a flow puts its screens up itself, as RxFlow's do, there is nothing to do, as it does
    /// unless it says otherwise.
    func present(_ presentation: Presentation)

    /// It is gone by other hands than its own: its flow ended, someone went back, the service dismissed it. It closes,
    /// and says nothing of that. Nothing happens, unless it says otherwise.
    func withdraw()
}

extension Presentable {
    /// The type's name.
    public var name: String { String(describing: Self.self) }

    /// Nothing is said.
    public var style: String { "" }

    /// Nothing to do.
    public func present(_ presentation: Presentation) {}

    /// Nothing to do.
    public func withdraw() {}
}

/// How a screen comes to be shown.
public struct Presentation: Hashable, Sendable {
    /// Where it lives.
    public let path: NodePath
    /// Whether it was presented before, and is to come to the front.
    public let isAgain: Bool
    /// What lets a window come to the front (xdg-activation); nil: nobody gave one.
    public let activationToken: String?
}
