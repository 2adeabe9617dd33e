internal import FlowCore

/// A presentable whose owner reports when it is shown and closed.
///
/// ```swift
/// final class MovieList: Screen {
///     let presence = Presence()
/// }
/// ```
///
/// The code that owns the window calls ``show()`` when the window is mapped, ``hide()`` when it is covered or
/// minimized, and ``dismiss()`` when it is closed. These reports are sent in the order of the calls, before any step
/// that is emitted later.
///
/// ``title`` is for task switchers. Properties with ``SavedState`` outlive the process, and a screen that is ``Answering`` closes
/// with an answer.
@MainActor
public protocol Screen: Presentable {
    /// The visibility and the dismissal of the screen.
    var presence: Presence { get }
}

extension Screen {
    /// The value of ``presence``.
    public var visible: any AsyncSequence<Bool, Never> { presence.visible }

    /// The value of ``presence``.
    public var dismissed: any AsyncSequence<Void, Never> { presence.dismissed }

    /// Reports that the screen is visible.
    public func show() { presence.isVisible = true }

    /// Reports that the screen is not visible, and can become visible again.
    public func hide() { presence.isVisible = false }

    /// Reports that the screen is closed for good. Further calls have no effect.
    public func dismiss() { presence.dismiss() }

    /// The value of ``Presence/title``.
    public var title: String {
        get { presence.title }
        set { presence.title = newValue }
    }
}

/// Whether something is visible, and whether it is closed for good.
@MainActor
public final class Presence: Sendable {
    /// A change that was reported.
    package enum Change: Equatable, Sendable {
        case visible(Bool)
        case dismissed
        /// Closed for good, with an answer.
        case finished(FlowCore.Arguments)
        case title(String)
    }

    private let changes = Listeners<Change>()
    private var lastVisible: Bool?
    /// Whether ``dismiss()`` or ``finish(with:)`` was called.
    public private(set) var isDismissed = false
    private var answer: FlowCore.Arguments?
    private var lastTitle: String?

    /// Creates a presence that is not visible.
    public init() {}

    /// Whether it is visible. It is false until it is set.
    public var isVisible: Bool {
        get { lastVisible ?? false }
        set {
            guard lastVisible != newValue, !isDismissed else { return }
            lastVisible = newValue
            changes.notify(.visible(newValue))
        }
    }

    /// Marks it as closed for good. Further calls have no effect.
    public func dismiss() {
        guard !isDismissed else { return }
        isDismissed = true
        changes.notify(.dismissed)
    }

    /// Marks it as closed for good, with an answer to whoever asked for it (S-45). Further calls have no effect.
    /// ``Answering/finish(with:)`` does this with an answer of the right type.
    ///
    /// - Parameter answer: a struct, whose properties are the values of the answer.
    /// - Throws: ``NavigationError`` with the code `invalidStep` if the answer can't be sent; nothing has changed then.
    public func finish(with answer: some Encodable) throws(NavigationError) {
        guard !isDismissed else { return }
        let encoded = try KeptValues.result(answer)
        isDismissed = true
        self.answer = encoded
        changes.notify(.finished(encoded))
    }

    /// The title, which task switchers show (S-44), of at most 256 bytes. It is sent once this program is the owner of the screen.
    /// That of a flow's ``Flow/root`` is not sent.
    public var title: String {
        get { lastTitle ?? "" }
        set {
            guard lastTitle != newValue, !isDismissed else { return }
            lastTitle = newValue
            changes.notify(.title(newValue))
        }
    }

    /// The values of ``isVisible``: the current value, then every change. The sequence ends with the dismissal.
    public var visible: PresenceValues<Bool> {
        // What was not set is not visible. Only the coordinator distinguishes the two.
        PresenceValues(self, first: lastVisible == nil && !isDismissed ? [false] : []) { change, continuation in
            switch change {
            case .visible(let isVisible): continuation.yield(isVisible)
            case .dismissed, .finished: continuation.finish()
            case .title: break
            }
        }
    }

    /// Emits one value when it is closed for good, immediately if it is closed already, and ends.
    public var dismissed: PresenceValues<Void> {
        PresenceValues(self) { change, continuation in
            switch change {
            case .dismissed, .finished:
                continuation.yield(())
                continuation.finish()
            case .visible, .title: break
            }
        }
    }

    /// Subscribes to the changes, beginning with the current state.
    func subscribe(_ listener: @escaping @MainActor (Change) -> Void) -> Subscription {
        var first: [Change] = []
        if let lastVisible { first.append(.visible(lastVisible)) }
        if let lastTitle { first.append(.title(lastTitle)) }
        if isDismissed { first.append(answer.map(Change.finished) ?? .dismissed) }
        return changes.add(first: first, listener)
    }
}

/// The values of a ``Presence``, from the creation of the sequence on; for one task.
public struct PresenceValues<Element: Sendable>: AsyncSequence, Sendable {
    /// The source. A coordinator subscribes to it, so that it gets a change immediately and not when a task is
    /// scheduled.
    let presence: Presence
    private let values: AsyncStream<Element>

    @MainActor
    init(
        _ presence: Presence, first: [Element] = [],
        _ receive: @escaping @MainActor (Presence.Change, AsyncStream<Element>.Continuation) -> Void
    ) {
        self.presence = presence
        values = AsyncStream { continuation in
            for value in first { continuation.yield(value) }
            let subscription = presence.subscribe { receive($0, continuation) }
            continuation.onTermination = { _ in Task { @MainActor in subscription.end() } }
        }
    }

    /// Returns an iterator over the values.
    ///
    /// - Returns: The iterator.
    public func makeAsyncIterator() -> AsyncStream<Element>.Iterator { values.makeAsyncIterator() }
}
