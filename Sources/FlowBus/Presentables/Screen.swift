/// A presentable that says of itself when it is shown and closed.
///
/// ```swift
/// final class MovieList: Screen {
///     let presence = Presence()
/// }
/// ```
///
/// Whoever has the window tells it: ``show()`` when it is mapped, ``hide()`` when it is covered or minimized, ``dismiss()``
/// when it is closed. What it says goes out in the order of the calls, before any step that is emitted later.
@MainActor
public protocol Screen: Presentable {
    /// What it has said of itself.
    var presence: Presence { get }
}

extension Screen {
    /// As ``presence`` has it.
    public var visible: any AsyncSequence<Bool, Never> { presence.visible }

    /// As ``presence`` has it.
    public var dismissed: any AsyncSequence<Void, Never> { presence.dismissed }

    /// It is in sight now.
    public func show() { presence.isVisible = true }

    /// It is out of sight, and may come back.
    public func hide() { presence.isVisible = false }

    /// It is closed for good. Said again, it changes nothing.
    public func dismiss() { presence.dismiss() }
}

/// Whether something is shown, and whether it is closed for good.
@MainActor
public final class Presence: Sendable {
    /// What was said.
    enum Change: Equatable, Sendable {
        case visible(Bool)
        case dismissed
    }

    private let changes = Listeners<Change>()
    private var options: Bool?
    /// Whether it is closed for good.
    public private(set) var isDismissed = false

    /// Nothing is said yet.
    public init() {}

    /// Whether it is in sight; false until somebody says so.
    public var isVisible: Bool {
        get { options ?? false }
        set {
            guard options != newValue, !isDismissed else { return }
            options = newValue
            changes.notify(.visible(newValue))
        }
    }

    /// It is closed for good.
    public func dismiss() {
        guard !isDismissed else { return }
        isDismissed = true
        changes.notify(.dismissed)
    }

    /// ``isVisible``, each time it changes, and first as it is now, if that was said. It ends with the dismissal.
    public var visible: PresenceValues<Bool> {
        PresenceValues(self) { change, continuation in
            switch change {
            case .visible(let isVisible): continuation.yield(isVisible)
            case .dismissed: continuation.finish()
            }
        }
    }

    /// One value when it is closed for good, at once if that was before; then it ends.
    public var dismissed: PresenceValues<Void> {
        PresenceValues(self) { change, continuation in
            guard case .dismissed = change else { return }
            continuation.yield(())
            continuation.finish()
        }
    }

    /// Hears what is said, and first how it is.
    func subscribe(_ listener: @escaping @MainActor (Change) -> Void) -> Subscription {
        var first: [Change] = []
        if let options { first.append(.visible(options)) }
        if isDismissed { first.append(.dismissed) }
        return changes.add(first: first, listener)
    }
}

/// What a ``Presence`` says, from the moment on at which this was made; for one task.
public struct PresenceValues<Element: Sendable>: AsyncSequence, Sendable {
    /// Who says it: so that a coordinator hears it at once, and not when its task has its turn.
    let presence: Presence
    private let values: AsyncStream<Element>

    @MainActor
    init(
        _ presence: Presence,
        _ receive: @escaping @MainActor (Presence.Change, AsyncStream<Element>.Continuation) -> Void
    ) {
        self.presence = presence
        values = AsyncStream { continuation in
            let subscription = presence.subscribe { receive($0, continuation) }
            continuation.onTermination = { _ in Task { @MainActor in subscription.end() } }
        }
    }

    /// Goes over the values.
    public func makeAsyncIterator() -> AsyncStream<Element>.Iterator { values.makeAsyncIterator() }
}
