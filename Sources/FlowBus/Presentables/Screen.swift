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
@FlowActor
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
@FlowActor
public final class Presence: Sendable {
    /// A change that was reported.
    package enum Change: Equatable, Sendable {
        case visible(Bool)
        case dismissed
        /// Closed for good, with an answer.
        case finished(GivenAnswer)
        case title(String)
    }

    private let changes = Listeners<Change>()
    fileprivate var lastVisible: Bool?
    /// Whether ``dismiss()`` or ``finish(with:)`` was called.
    public private(set) var isDismissed = false
    private var answer: GivenAnswer?
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
    /// - Parameter answer: the answer: of any type in one process; on the bus a struct, whose properties are its values.
    /// - Throws: ``NavigationError`` with the code `invalidStep` if the answer is ``AnswerValues`` that can't be sent; nothing has changed
    ///   then.
    public func finish(with answer: some Sendable) throws(NavigationError) {
        guard !isDismissed else { return }
        let given = try GivenAnswer(answer)
        isDismissed = true
        self.answer = given
        changes.notify(.finished(given))
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
        PresenceValues(self) {
            $0.lastVisible == nil && !$0.isDismissed ? [false] : []
        } meaning: { change in
            switch change {
            case .visible(let isVisible): .value(isVisible)
            case .dismissed, .finished: .end
            case .title: .nothing
            }
        }
    }

    /// Emits one value when it is closed for good, immediately if it is closed already, and ends.
    public var dismissed: PresenceValues<Void> {
        PresenceValues(self) {
            _ in
            []
        } meaning: { change in
            switch change {
            case .dismissed, .finished: .last(())
            case .visible, .title: .nothing
            }
        }
    }

    /// Subscribes to the changes, beginning with the current state.
    func subscribe(_ listener: @escaping @FlowActor (Change) -> Void) -> Subscription {
        Subscription(add(Receiver(listener)))
    }

    /// The same for a subscriber that ends the subscription itself.
    func add(_ receiver: Receiver<Change>) -> Subscription.Place {
        var first: [Change] = []
        if let lastVisible { first.append(.visible(lastVisible)) }
        if let lastTitle { first.append(.title(lastTitle)) }
        if isDismissed { first.append(answer.map(Change.finished) ?? .dismissed) }
        return changes.add(first: first, receiver.receive)
    }
}
